import { listProvidersQuery } from '../../../contract/api/providers.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { presentProvider } from '../../present/provider.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function listProviders(use: { catalog: CatalogReader; localBase: () => string }): Handler {
  return (request) => {
    const { search } = validateQuery(listProvidersQuery, request.query);
    // An expression on the name (http-api.md 2); the characters that `search` may hold always make a valid one.
    const pattern = new RegExp(search ?? '', 'i');
    const found = use.catalog.list().filter((entry) => pattern.test(entry.name));
    return ok({ data: found.map((entry) => presentProvider(entry, use.localBase())) });
  };
}
