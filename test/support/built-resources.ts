import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { locateResources, type Resources } from '../../server/resources.ts';

const inDist = (path: string): string => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));

/** The files that set-up built from the sources: processes start faster, and nothing is bundled again. */
export async function builtResources(): Promise<Resources> {
  return {
    ...(await locateResources()),
    catalog: inDist('catalog.json'),
    workerEntry: inDist('server/worker-main.mjs'),
    queryEntry: inDist('server/query-engine.mjs'),
    typeCheckEntry: inDist('server/type-check-main.mjs'),
    readGuestCode: () => readFile(inDist('guest/guest.js'), 'utf8'),
    readTestSetup: () => readFile(inDist('testing/vitest-setup.js'), 'utf8'),
    readSdkTypes: async () => JSON.parse(await readFile(inDist('sdk-types.json'), 'utf8')),
  };
}
