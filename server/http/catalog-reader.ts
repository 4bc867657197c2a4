import type { ProviderEntry } from '../catalog/entry-schema.ts';

/** What doors see of the catalogue. */
export interface CatalogReader {
  find(name: string): ProviderEntry | undefined;
  list(): ProviderEntry[];
}
