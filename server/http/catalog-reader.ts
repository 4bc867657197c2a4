import type { CatalogLookup } from '../catalog/catalog.ts';
import type { ProviderEntry } from '../catalog/entry-schema.ts';

/** What doors see of the catalogue. */
export interface CatalogReader extends CatalogLookup {
  list(): ProviderEntry[];
}
