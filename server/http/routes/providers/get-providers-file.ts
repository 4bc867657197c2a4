import type { CatalogReader } from '../../catalog-reader.ts';
import { type Handler, ok } from '../../route.ts';

/** The whole catalogue by provider key; functions fetch it (http-api.md 19). */
export function getProvidersFile(use: { catalog: CatalogReader }): Handler {
  return () =>
    ok(Object.fromEntries(use.catalog.list().map(({ name, source: _source, ...definition }) => [name, definition])));
}
