import { mkdirSync, writeFileSync } from 'node:fs';
import { buildGuest } from '../../functions/runtime/build-guest.ts';

const folder = new URL('../../dist/guest/', import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('guest.js', folder), await buildGuest());
