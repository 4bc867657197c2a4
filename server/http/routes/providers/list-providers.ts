import { z } from 'zod';
import { integrationId } from '../../../contract/api/fields.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { presentProvider } from '../../present/provider.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

const query = z.strictObject({ search: integrationId.optional() });

export function listProviders(use: { catalog: CatalogReader; publicBase: () => string }): Handler {
  return (request) => {
    const { search } = validateQuery(query, request.query);
    const matches = matcher(search);
    const found = use.catalog.list().filter((entry) => matches(entry.name));
    return ok({ data: found.map((entry) => presentProvider(entry, use.publicBase())) });
  };
}

/** The search is a case-insensitive regular expression on the name (http-api.md 2); a broken one is plain text. */
function matcher(search: string | undefined): (name: string) => boolean {
  if (search === undefined) return () => true;
  try {
    const pattern = new RegExp(search, 'i');
    return (name) => pattern.test(name);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return (name) => name.includes(search.toLowerCase());
  }
}
