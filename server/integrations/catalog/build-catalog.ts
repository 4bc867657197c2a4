import { fileURLToPath } from 'node:url';
import { type BuiltinCatalog, buildCatalogFrom } from './builtin-catalog.ts';

/** Reads and checks the built-in entries; the set-up script writes the result to `dist/catalog.json`. */
export function buildCatalog(): Promise<BuiltinCatalog> {
  return buildCatalogFrom(fileURLToPath(new URL('./providers', import.meta.url)));
}
