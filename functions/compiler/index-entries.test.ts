import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverFunctions } from './discovery.ts';
import { listIndexedPaths, selectByIndex } from './index-entries.ts';

const ACTION = "export default createAction({ description: 'one' });\n";
let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'homeport-index-'));
});
afterEach(() => rm(root, { recursive: true }));

async function select(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { functions, diagnostics } = selectByIndex(root, await discoverFunctions(root));
  return {
    functions: functions.map(({ path }) => path),
    problems: diagnostics.map(({ file, code, severity }) => `${severity} ${code} ${file}`),
  };
}

describe('a project with an index.ts', () => {
  it('consists of what it imports; other files are warnings', async () => {
    const files = {
      'slack/actions/a.ts': ACTION,
      'slack/actions/b.ts': ACTION,
      'old/slack/actions/a.ts': ACTION,
      'index.ts': "import './slack/actions/a.js';\n// import './slack/actions/b.js';\n",
    };

    expect(await select(files)).toEqual({
      functions: ['slack/actions/a.ts'],
      problems: ['warning left_out_by_index slack/actions/b.ts', 'warning left_out_by_index old/slack/actions/a.ts'],
    });
  });

  it('reports what it imports and cannot use', async () => {
    const index = "import './slack/actions/gone.js';\nimport './old/slack/actions/a.js';\n";

    expect(await select({ 'old/slack/actions/a.ts': ACTION, 'index.ts': index })).toEqual({
      functions: [],
      problems: ['error function_in_wrong_folder old/slack/actions/a.ts', 'error no_file index.ts'],
    });
  });

  it('says so when it imports nothing, and folders decide without it', async () => {
    const files = { 'slack/actions/a.ts': ACTION, 'index.ts': '/* nothing yet */\n' };

    expect((await select(files)).problems).toEqual([
      'error no_file index.ts',
      'warning left_out_by_index slack/actions/a.ts',
    ]);
    await rm(join(root, 'index.ts'));
    expect(await select({})).toEqual({ functions: ['slack/actions/a.ts'], problems: [] });
  });

  it.each([
    "import './a/syncs/b.js';",
    "import './a/syncs/b'",
    'import "./a/syncs/b.ts";',
    "import b from './a/syncs/b.js';",
    "import {\n  default as b,\n} from './a/syncs/b.js';",
    "export { default as b } from './a/syncs/b.js';",
    "export * from './x/../a/syncs/b.js';",
  ])('reads %j', async (line) => {
    await writeFile(join(root, 'index.ts'), `import z from 'zod';\nimport type { T } from './types.js';\n${line}\n`);

    expect([...(listIndexedPaths(root) ?? [])]).toEqual(['a/syncs/b.ts']);
  });
});
