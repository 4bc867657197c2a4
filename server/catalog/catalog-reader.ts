import type { CatalogLookup } from './catalog.ts';
import type { ProviderEntry } from './entry-schema.ts';

/** The catalogue as routes and presenters read it. */
export interface CatalogReader extends CatalogLookup {
  list(): ProviderEntry[];
}
