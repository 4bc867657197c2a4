import type { CatalogLookup } from './catalog.ts';
import type { ProviderEntry } from './entry-schema.ts';

/** The read methods of the catalogue, for routes and presenters. */
export interface CatalogReader extends CatalogLookup {
  list(): ProviderEntry[];
}
