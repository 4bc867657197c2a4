import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawDefinition } from '../runtime/bridge.ts';
import { CompileCache } from './compile-cache.ts';
import type { CompileResult } from './compiled-function.ts';
import { FunctionCompiler } from './function-compiler.ts';
import type { TypeCheckResult } from './type-check/type-check-result.ts';

const ENTRY = 'demo/actions/greet.ts';
const ALONE = `import { createAction } from 'homeport';
import { z } from 'zod';

export default createAction({ description: 'Greets', input: z.void(), output: z.string(), exec: () => 'hello' });
`;
const WITH_HELPER = ALONE.replace("'hello'", 'greeting').replace(
  "import { z } from 'zod';",
  "import { z } from 'zod';\nimport { greeting } from '../lib/greeting.js';",
);
const RAW: RawDefinition = {
  type: 'action',
  props: { description: 'Greets' },
  input: { type: 'null' },
  output: { type: 'string' },
  hasOnWebhook: false,
};

let folder: string;
let workspace: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-cache-'));
  workspace = join(folder, 'workspace');
  await write('demo/lib/greeting.ts', "export const greeting = 'hello';\n");
});
afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(workspace, path)), { recursive: true });
  await writeFile(join(workspace, path), text);
}

/** Compiles like a program that has just started. Returns whether it had to compile. */
async function compile(
  path = ENTRY,
  options: { version?: string; maxBytes?: number } = {},
): Promise<{ result: CompileResult; isCached: boolean; compiler: FunctionCompiler }> {
  let described = 0;
  const cache = await CompileCache.open({ folder: join(folder, 'cache'), workspace, version: 'v1', ...options });
  await cache.settled();
  const compiler = new FunctionCompiler({
    workspace,
    cache,
    parseFrequency: () => ({ ok: true, intervalMs: 3_600_000 }),
    describe: async () => {
      described++;
      return RAW;
    },
  });
  const result = await compiler.compileFile(path);
  await cache.settled();
  return { result, isCached: described === 0, compiler };
}

async function entryFiles(version = 'v1'): Promise<string[]> {
  const entries = await readdir(join(folder, 'cache', version), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

describe('CompileCache', () => {
  it('returns after a restart exactly what was compiled before', async () => {
    await write(ENTRY, WITH_HELPER);

    const before = await compile();
    const after = await compile();

    expect([before.isCached, after.isCached]).toEqual([false, true]);
    expect(after.result).toEqual(before.result);
    expect(after.compiler.affectedBy(['demo/lib/greeting.ts'])).toEqual([ENTRY]);
  });

  it('compiles again when the function or a file that it imports has another text', async () => {
    await write(ENTRY, WITH_HELPER);
    await compile();

    await write('demo/lib/greeting.ts', "export const greeting = 'good morning';\n");
    const helper = await compile();
    await write(ENTRY, `${WITH_HELPER}\n`);
    const entry = await compile();

    expect([helper.isCached, entry.isCached]).toEqual([false, false]);
    expect(helper.result).toMatchObject({ ok: true, compiled: { bundle: expect.stringContaining('good morning') } });
  });

  it('ignores file times: an older text is found again', async () => {
    await write(ENTRY, ALONE);
    await compile();
    await write(ENTRY, ALONE.replace('hello', 'hi'));
    await compile();
    await write(ENTRY, ALONE);
    await utimes(join(workspace, ENTRY), new Date(), new Date(0));

    expect((await compile()).isCached).toBe(true);
  });

  it('compiles again when a file appears that an import might mean instead', async () => {
    await write(ENTRY, WITH_HELPER);
    await compile();

    await write('demo/lib/greeting.js', "export const greeting = 'from JavaScript';\n");

    expect((await compile()).isCached).toBe(false);
  });

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)],
    ['empty', () => Buffer.alloc(0)],
    ['changed in one bit', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 60 ? byte ^ 1 : byte)))],
  ])('ignores an entry that is %s and writes it again', async (_name, damage) => {
    await write(ENTRY, ALONE);
    const before = await compile();
    const [file = ''] = await entryFiles();
    await writeFile(file, damage(await readFile(file)));

    const damaged = await compile();
    const repaired = await compile();

    expect([damaged.isCached, repaired.isCached]).toEqual([false, true]);
    expect(repaired.result).toEqual(before.result);
  });

  it('stores an import as it was compiled, not as it was saved meanwhile', async () => {
    await write(ENTRY, WITH_HELPER);
    const cache = await CompileCache.open({ folder: join(folder, 'cache'), workspace, version: 'v1' });
    const compiler = new FunctionCompiler({
      workspace,
      cache,
      parseFrequency: () => ({ ok: true, intervalMs: 3_600_000 }),
      describe: async () => {
        await write('demo/lib/greeting.ts', "export const greeting = 'saved meanwhile';\n");
        return RAW;
      },
    });
    await compiler.compileFile(ENTRY);
    await cache.settled();

    const { result, isCached } = await compile();

    expect(isCached).toBe(false);
    expect(result).toMatchObject({ ok: true, compiled: { bundle: expect.stringContaining('saved meanwhile') } });
  });

  it('drops entries of another compiler', async () => {
    await write(ENTRY, ALONE);
    await compile();

    const other = await compile(ENTRY, { version: 'v2' });

    expect(other.isCached).toBe(false);
    expect(await readdir(join(folder, 'cache'))).toEqual(['v2']);
  });

  it('stores no entry for a function that does not compile', async () => {
    await write(ENTRY, `${ALONE}}`);

    const { result } = await compile();

    expect(result.ok).toBe(false);
    expect(await entryFiles()).toEqual([]);
  });

  it('keeps type errors until the function or one of its imports changes', async () => {
    const cache = await CompileCache.open({ folder: join(folder, 'cache'), workspace, version: 'v1' });
    const diagnostics = [{ file: ENTRY, line: 1, column: 1, code: 'type_error', message: 'No', severity: 'error' }];
    const dependencies = [ENTRY, 'demo/lib/greeting.ts', 'demo/lib/missing.ts'];
    const result = { path: ENTRY, diagnostics, dependencies } as TypeCheckResult;
    const later = Date.now() + 60_000;
    const store = async (askedAt: number): Promise<void> => {
      cache.storeTypes(WITH_HELPER, result, askedAt);
      await cache.settled();
    };
    const find = () => cache.findTypes(ENTRY, WITH_HELPER);
    await write(ENTRY, WITH_HELPER);
    await store(0);
    expect(await find()).toBeUndefined();

    for (const path of ['demo/lib/greeting.ts', 'demo/lib/missing.ts', 'demo/lib/missing.d.ts', 'package.json']) {
      await store(later);
      expect(await find()).toEqual(diagnostics);
      await write(path, '// another text\n');
      expect(await find()).toBeUndefined();
    }
    expect(await cache.findTypes(ENTRY, ALONE)).toBeUndefined();
  });

  it('removes the oldest entries when it is too large', async () => {
    const paths = ['one', 'two', 'three'].map((name) => `demo/actions/${name}.ts`);
    for (const [index, path] of paths.entries()) {
      await write(path, ALONE);
      const known = new Set(await entryFiles().catch(() => []));
      await compile(path);
      const [added = ''] = (await entryFiles()).filter((file) => !known.has(file));
      await utimes(added, index, index);
    }
    const sizes = await Promise.all((await entryFiles()).map(async (file) => (await stat(file)).size));
    const maxBytes = Math.max(...sizes) * 2;

    const newest = await compile(paths[2], { maxBytes });
    const oldest = await compile(paths[0], { maxBytes });

    expect([newest.isCached, oldest.isCached]).toEqual([true, false]);
  });
});
