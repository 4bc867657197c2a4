import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TypeChecker } from '../../../functions/compiler/type-check/type-checker.ts';

const ENTRY = fileURLToPath(new URL('../../../dist/server/type-check-main.mjs', import.meta.url));
const SDK_FOLDER = fileURLToPath(new URL('../../../functions/sdk', import.meta.url));
/** Its appearance counts as well. */
const API_TYPES = 'demo/homeport-api.d.ts';
const source = (output: string, imports = '') => `import { createAction } from 'homeport';
import { z } from 'zod';
${imports}
export default createAction({
  description: 'x',
  input: z.object({ title: z.string() }),
  output: z.object({ id: z.string() }),
  exec: async (_nango, input) => {
    return ${output};
  },
});
`;

let folder: string;
let checker: TypeChecker;

// One process for all tests: starting it costs more than a check.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-types-'));
  checker = open(join(folder, 'workspace'));
});
afterAll(async () => {
  await checker.stop();
  await rm(folder, { recursive: true });
});

beforeEach(() => write('demo/actions/good.ts', source('{ id: input.title }')));
afterEach(() => rm(join(folder, 'workspace/demo'), { recursive: true }));

function open(workspace: string): TypeChecker {
  return new TypeChecker({ entry: ENTRY, execPath: process.execPath, workspace, sdkFolder: SDK_FOLDER });
}

async function write(path: string, text: string): Promise<void> {
  const target = join(folder, 'workspace', path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, text);
}

describe('TypeChecker', () => {
  it('finds mistakes at their line, in the function and in what it imports, and sees files as they are now', async () => {
    await write('demo/actions/bad.ts', source('{ id: sizeOf(input.titel) }', "import { sizeOf } from '../size.js';"));
    await write('demo/size.ts', 'export const sizeOf = (text: string): string => text.length;\n');

    const [good, bad] = await checker.check(['demo/actions/good.ts', 'demo/actions/bad.ts', 'demo/actions/gone.ts']);
    await write('demo/actions/bad.ts', source('{ id: input.title }'));
    const [mended] = await checker.check(['demo/actions/bad.ts']);

    expect(good).toEqual({
      path: 'demo/actions/good.ts',
      diagnostics: [],
      dependencies: ['demo/actions/good.ts', API_TYPES],
    });
    expect(bad?.dependencies).toEqual(['demo/actions/bad.ts', 'demo/size.ts', API_TYPES]);
    expect(bad?.diagnostics).toMatchObject([
      { code: 'type_error', typescriptCode: 'TS2551', file: 'demo/actions/bad.ts', line: 9, column: 31 },
      { code: 'type_error', typescriptCode: 'TS2322', file: 'demo/size.ts', line: 1 },
    ]);
    expect(mended?.diagnostics).toEqual([]);
  });

  it('names a file that is looked for in vain, so that its appearance counts', async () => {
    await write('demo/actions/good.ts', source("{ id: '' as Id }", "import type { Id } from '../ids.js';"));

    const [result] = await checker.check(['demo/actions/good.ts']);

    expect(result?.diagnostics.map(({ typescriptCode }) => typescriptCode)).toContain('TS2307');
    expect(result?.dependencies).toEqual(['demo/actions/good.ts', API_TYPES, 'demo/ids.ts']);
  });

  it('shows no path of the disk', async () => {
    await write('demo/actions/bad.ts', source('nango', "declare const nango: import('homeport').NangoSync;"));
    await write('demo/actions/worse.ts', source('{ id: x }', "import x from './nowhere.js';"));

    const results = await checker.check(['demo/actions/bad.ts', 'demo/actions/worse.ts']);

    const messages = results.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message));
    expect(messages.length).toBeGreaterThan(1);
    for (const message of messages) expect(message).not.toMatch(/\/(tmp|work|home|node_modules)\//);
  });

  it('works in a workspace that is reached through a link, and starts another process when one is lost', {
    tags: ['slow'],
  }, async () => {
    await symlink(join(folder, 'workspace'), join(folder, 'link'));
    await using linked = Object.assign(open(join(folder, 'link')), {
      [Symbol.asyncDispose]: () => linked.stop(),
    });
    const lost = linked.check(['demo/actions/good.ts']);
    const stopped = linked.stop();

    await expect(lost).rejects.toThrow('The checking process ended');
    await stopped;
    expect(await linked.check(['demo/actions/good.ts'])).toMatchObject([{ path: 'demo/actions/good.ts' }]);
  });
});
