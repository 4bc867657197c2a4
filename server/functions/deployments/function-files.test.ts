import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import { createFunctionFiles, type FunctionFiles } from './function-files.ts';

const FUNCTION = "import { createAction } from 'homeport';\nexport default createAction({});\n";
let folder: string;
let files: FunctionFiles;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-files-'));
  files = createFunctionFiles(folder, () => false);
  await write('demo/actions/one.ts', FUNCTION);
  await write('demo/syncs/two.ts', FUNCTION);
  await write('demo/lib/helper.ts', 'export const a = 1;\n');
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Following the changes must lead to the same result as reading the folder again. */
async function expectAsDiscovered(): Promise<void> {
  const { functions, diagnostics } = await discoverFunctions(folder);
  const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  expect(files.functions().sort(byPath)).toEqual(functions);
  expect(files.misplaced()).toEqual(diagnostics);
}

describe('FunctionFiles', () => {
  it('finds every function and returns those that changed', async () => {
    const changed = await files.scan(async (path) => path === 'demo/actions/one.ts');

    expect(changed.map(({ path }) => path)).toEqual(['demo/syncs/two.ts']);
    await expectAsDiscovered();
  });

  it('follows files that appear, go, move to a wrong place and stop being functions', async () => {
    await files.scan(async () => false);
    await write('demo/actions/new.ts', FUNCTION);
    await write('demo/wrong/place.ts', FUNCTION);
    await write('demo/syncs/two.ts', 'export const b = 2;\n');
    await rm(join(folder, 'demo/actions/one.ts'));

    files.update(['demo/actions/new.ts', 'demo/wrong/place.ts', 'demo/syncs/two.ts', 'demo/actions/one.ts']);

    expect(files.functions().map(({ name }) => name)).toEqual(['new']);
    expect(files.misplaced()).toMatchObject([{ code: 'function_in_wrong_folder', file: 'demo/wrong/place.ts' }]);
    await expectAsDiscovered();
  });

  it('keeps what it found when the folder cannot be read', async () => {
    await files.scan(async () => false);
    await rename(folder, `${folder}-moved`);

    await expect(files.scan(async () => false)).rejects.toThrow('ENOENT');
    await rename(`${folder}-moved`, folder);

    await expectAsDiscovered();
  });

  it.runIf(process.platform === 'linux')('keeps the file of a live function that cannot be read', async () => {
    files = createFunctionFiles(folder, (path) => path === 'demo/syncs/two.ts');
    for (const path of ['demo/syncs/two.ts', 'demo/actions/one.ts']) {
      await rm(join(folder, path));
      // A file that answers each read with an error, for every user.
      await symlink('/proc/self/mem', join(folder, path));
    }

    files.update(['demo/syncs/two.ts', 'demo/actions/one.ts']);

    expect(files.functions().map(({ name }) => name)).toEqual(['two']);
  });

  it('removes the functions of a folder that is gone when only the folder is named', async () => {
    await files.scan(async () => false);
    await rename(join(folder, 'demo'), join(folder, '.hidden'));

    files.update(['demo']);

    expect(files.functions()).toEqual([]);
  });
});
