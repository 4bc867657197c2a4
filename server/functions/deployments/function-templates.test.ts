import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFunctionTemplates } from './function-templates.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'function-templates-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('FunctionTemplates', () => {
  it('counts again after the folder could not be read', async () => {
    const folder = join(root, 'templates');
    const templates = createFunctionTemplates({
      folder,
      folderOf: (provider) => provider,
      loadCompiler: () => Promise.reject(new Error('Counting compiles nothing.')),
    });
    await expect(templates.counter()).rejects.toMatchObject({ code: 'ENOENT' });

    await mkdir(join(folder, 'acme/actions'), { recursive: true });
    await writeFile(join(folder, 'acme/actions/send.ts'), 'export default createAction({});\n');

    expect((await templates.counter())('acme')).toBe(1);
  });
});
