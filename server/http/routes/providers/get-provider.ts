import { empty } from '../../../contract/api/fields.ts';
import { providerParams } from '../../../contract/api/providers.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { presentProvider } from '../../present/provider.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

export function getProvider(use: { catalog: CatalogReader; localBase: () => string }): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    const { provider } = validateParams(providerParams, request.params);
    const entry = use.catalog.find(provider);
    if (!entry) throw new HomeportError('not_found', use.catalog.explainMissing(provider));
    return ok({ data: presentProvider(entry, use.localBase()) });
  };
}
