import { writeNewFile, writeProjectFile } from '../../platform/lib/write-new-file.ts';
import type { Resources } from '../../resources.ts';
import { addToPackageFile } from './package-file.ts';
import { testSetupFile, VITE_CONFIG } from './test-files.ts';

/** Vitest 5 refuses Node 20, which authors may use. The tests run with both. */
const TEST_PACKAGES = { vitest: '^4.1.12', zod: '^4.3.6' };

/**
 * Writes what the tests of a project need: the mock classes of this version always, the configuration only if it is
 * missing. Resolves to true when packages have to be installed.
 */
export async function writeTestTools(
  resources: Resources,
  root: string,
  integrations: readonly string[],
): Promise<boolean> {
  const { OfflineCatalog } = await import('./offline-catalog.ts');
  const catalog = await OfflineCatalog.load(resources.catalog, root);
  const defaults = integrations.flatMap((key) => {
    const paginate = catalog.paginateDefaults(key);
    return paginate ? [[key, paginate] as const] : [];
  });
  const setup = testSetupFile(await resources.readTestSetup(), Object.fromEntries(defaults));
  await writeProjectFile(root, 'vitest.setup.ts', setup);
  await writeNewFile(root, 'vite.config.ts', VITE_CONFIG);
  return addToPackageFile(root, { scripts: { test: 'vitest run' }, devDependencies: TEST_PACKAGES });
}
