import { mkdirSync, writeFileSync } from 'node:fs';
import { buildCatalog } from '../../server/integrations/catalog/build-catalog.ts';

const folder = new URL('../../dist/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('catalog.json', folder), JSON.stringify(Object.fromEntries(await buildCatalog())));
