import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawDefinition } from '../runtime/bridge.ts';
import type { CompiledFunction } from './compiled-function.ts';
import type { Describe } from './definition/describe.ts';
import { FunctionCompiler } from './function-compiler.ts';

const ENTRY = 'demo/actions/greet.ts';
const SOURCE = `import { createAction } from 'homeport';
import { z } from 'zod';
import { greeting } from '../lib/greeting.js';

export default createAction({
  description: 'Greets',
  input: z.void(),
  output: z.string(),
  exec: () => greeting,
});
`;
const ALONE = SOURCE.replace("import { greeting } from '../lib/greeting.js';", "const greeting = 'hello';");
const RAW: RawDefinition = {
  type: 'action',
  props: { description: 'Greets' },
  input: { type: 'null' },
  output: { type: 'string' },
  hasOnWebhook: false,
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-compiler-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string, workspace = folder): Promise<void> {
  await mkdir(dirname(join(workspace, path)), { recursive: true });
  await writeFile(join(workspace, path), text);
}

function createCompiler(workspace = folder, read: Describe = async () => RAW): FunctionCompiler {
  return new FunctionCompiler({
    workspace,
    describe: read,
    parseFrequency: () => ({ ok: true, intervalMs: 3_600_000 }),
  });
}

async function compile(compiler: FunctionCompiler, path = ENTRY): Promise<CompiledFunction> {
  const result = await compiler.compileFile(path);
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.compiled;
}

describe('a module that throws while it is loaded', () => {
  it('is reported where it threw, which may be a file that it imports', async () => {
    await write(ENTRY, ALONE);
    const position = { file: 'demo/lib/greeting.ts', line: 3, column: 7 };
    const compiler = createCompiler(folder, () =>
      Promise.reject(Object.assign(new Error('No greeting'), { position })),
    );

    const result = await compiler.compileFile(ENTRY);

    expect(result).toMatchObject({ ok: false, diagnostics: [{ ...position, code: 'definition_unreadable' }] });
  });
});

it('says nothing about a function whose loading was interrupted, as by the stop of the hub', async () => {
  await write(ENTRY, ALONE);
  const interruption = Object.assign(new Error('aborted'), { isInterrupted: true });
  const compiler = createCompiler(folder, () => Promise.reject(interruption));

  await expect(compiler.compileFile(ENTRY)).rejects.toBe(interruption);
});

describe('a definition that does not have the required form', () => {
  it.each([
    { models: 5 },
    { models: [{ name: 7, schema: {} }] },
    { props: null },
    { type: 'toString' },
    { input: 'text' },
  ])('%o is an error of that file', async (part) => {
    await write(ENTRY, ALONE);
    const raw = { type: 'action', props: {}, input: {}, output: {}, hasOnWebhook: false, ...part };
    const compiler = createCompiler(folder, () => Promise.resolve(raw as unknown as RawDefinition));

    const result = await compiler.compileFile(ENTRY);

    expect(result).toMatchObject({ ok: false, diagnostics: [{ code: 'definition_unreadable', file: ENTRY }] });
  });
});

describe('a file without a default export', () => {
  it.each([
    '',
    '\n',
    '// export default createAction({})',
    '/* export const a = 1; */ // nothing',
    'const a = 1;',
    'export const action = createAction({});',
  ])('%j is an error of that file', async (text) => {
    const result = await createCompiler().compileFile(ENTRY, text);

    const codes = result.ok ? [] : result.diagnostics.map(({ code }) => code);
    expect(codes).toContain('no_default_export');
  });
});

describe('a bundle', () => {
  it('reads no source map that a comment names', async () => {
    const map = { version: 3, sources: ['x.ts'], sourcesContent: ['the secret'], names: [], mappings: 'AAAA' };
    await write('map.json', JSON.stringify(map));
    await write(ENTRY, `${ALONE}\n//# sourceMappingURL=../../map.json\n`);

    const { bundle } = await compile(createCompiler());

    const text = Buffer.from(bundle.split('base64,')[1] ?? '', 'base64').toString();
    expect(text).not.toContain('the secret');
    expect(text).toContain('greet.ts');
  });

  it('needs neither the authors’ module nor a relative file', async () => {
    await write(ENTRY, SOURCE);
    await write('demo/lib/greeting.ts', "export const greeting = 'hello';\n");

    const { bundle } = await compile(createCompiler());

    const required = [...bundle.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name);
    expect(required).toEqual(['zod']);
    expect(bundle).toContain('hello');
  });

  it.skipIf(process.platform !== 'linux')('is made even if the esbuild process ends during the build', async () => {
    await write(ENTRY, ALONE);
    await compile(createCompiler());
    const children = execFileSync('pgrep', ['-P', String(process.pid), 'esbuild'], { encoding: 'utf8' }).trim();

    const compiling = createCompiler().compileFile(ENTRY);
    for (const pid of children.split('\n')) process.kill(Number(pid), 'SIGINT');

    expect(await compiling).toMatchObject({ ok: true });
  });

  it('is the same wherever the workspace is', async () => {
    const [first, second] = [join(folder, 'first'), join(folder, 'second', 'deeper')];
    await write(ENTRY, ALONE, first);
    await write(ENTRY, ALONE, second);

    const [one, two] = [await compile(createCompiler(first)), await compile(createCompiler(second))];

    expect(one.bundleHash).toBe(two.bundleHash);
    expect(one.bundleHash).toMatch(/^[0-9a-f]{64}$/);
    expect(one.bundle).not.toContain(folder);
  });

  it('maps back to the lines of its source', async () => {
    await write(ENTRY, ALONE);

    const { bundle } = await compile(createCompiler());

    const map = JSON.parse(Buffer.from(bundle.split('base64,')[1] ?? '', 'base64').toString());
    const line = bundle.split('\n').findIndex((text) => text.includes('exec:'));
    const origin = new SourceMap(map).findEntry(line, 4);
    expect(origin).toMatchObject({ originalSource: ENTRY, originalLine: 8 });
    expect(map.sourcesContent).toContain(ALONE);
  });

  it('ignores the tsconfig of the workspace', async () => {
    await write('tsconfig.json', '{ "compilerOptions": { "target": "es5", "paths": { "zod": ["./evil.ts"] } } }');
    await write('evil.ts', "export const z = 'evil';\n");
    await write(ENTRY, ALONE);

    const { inputs } = await compile(createCompiler());

    expect(inputs).toEqual([ENTRY]);
  });
});

describe('compileFile', () => {
  it('compiles a given text without a file', async () => {
    const result = await createCompiler().compileFile(ENTRY, ALONE);

    expect(result).toMatchObject({ ok: true, compiled: { source: ALONE, bundleFileName: 'greet-demo.cjs' } });
  });

  it('reports a file that does not exist', async () => {
    const result = await createCompiler().compileFile(ENTRY);

    expect(result).toMatchObject({ ok: false, path: ENTRY, diagnostics: [{ code: 'no_file', file: ENTRY }] });
  });

  it('reports no error for a helper in a folder of functions', async () => {
    const result = await createCompiler().compileFile('demo/actions/helper.ts', 'export const one = 1;\n');

    expect(result).toEqual({ ok: false, path: 'demo/actions/helper.ts', diagnostics: [] });
  });

  it('refuses a link that leads out of the workspace', async () => {
    const workspace = join(folder, 'workspace');
    await write('secret.ts', "export const greeting = 'secret';\n");
    await write(ENTRY, SOURCE, workspace);
    await mkdir(join(workspace, 'demo/lib'));
    await symlink(join(folder, 'secret.ts'), join(workspace, 'demo/lib/greeting.ts'));

    const result = await createCompiler(workspace).compileFile(ENTRY);

    expect(result).toMatchObject({ ok: false, diagnostics: [{ code: 'disallowed_import', line: 3 }] });
  });

  it('works in a workspace that is reached through a link', async () => {
    await write(ENTRY, SOURCE, join(folder, 'real'));
    await write('demo/lib/greeting.ts', "export const greeting = 'hello';\n", join(folder, 'real'));
    await symlink(join(folder, 'real'), join(folder, 'link'));

    const { inputs } = await compile(createCompiler(join(folder, 'link')));

    expect(inputs).toEqual([ENTRY, 'demo/lib/greeting.ts']);
  });

  it('does not let one bad file block others', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `demo/actions/action-${index}.ts`);
    const compiler = createCompiler();

    const results = await Promise.all(
      paths.map((path, index) => compiler.compileFile(path, index % 3 === 0 ? `${ALONE}}` : ALONE)),
    );

    expect(results.map(({ ok }) => ok)).toEqual(paths.map((_, index) => index % 3 !== 0));
  });

  it('sees a helper again after it changed', async () => {
    await write(ENTRY, SOURCE);
    await write('demo/lib/greeting.ts', "export const greeting = 'hello';\n");
    const compiler = createCompiler();
    const before = await compile(compiler);

    await write('demo/lib/greeting.ts', "export const greeting = 'good morning';\n");
    const after = await compile(compiler);

    expect(after.bundle).toContain('good morning');
    expect(after.bundleHash).not.toBe(before.bundleHash);
  });
});

describe('affectedBy', () => {
  it('names the functions that read a changed helper, and no others', async () => {
    await write(ENTRY, SOURCE);
    await write('demo/actions/alone.ts', ALONE);
    await write('demo/lib/greeting.ts', "export { greeting } from './texts.js';\n");
    await write('demo/lib/texts.ts', "export const greeting = 'hello';\n");
    const compiler = createCompiler();
    await Promise.all([compile(compiler), compile(compiler, 'demo/actions/alone.ts')]);

    expect(compiler.affectedBy(['demo/lib/texts.ts'])).toEqual([ENTRY]);
    expect(compiler.affectedBy(['demo/actions/alone.ts', 'README.md'])).toEqual(['demo/actions/alone.ts']);
  });

  it('names a function whose import was missing or broken once the file appears', async () => {
    await write(ENTRY, SOURCE);
    const compiler = createCompiler();
    const missing = await compiler.compileFile(ENTRY);
    const afterMissing = compiler.affectedBy(['demo/lib/greeting.ts']);
    await write('demo/lib/greeting.ts', 'export const = ;\n');
    const broken = await compiler.compileFile(ENTRY);

    expect([missing.ok, broken.ok]).toEqual([false, false]);
    expect(afterMissing).toEqual([ENTRY]);
    expect(compiler.affectedBy(['demo/lib/greeting.ts'])).toEqual([ENTRY]);
    expect(compiler.affectedBy(['demo/lib/greeting/index.ts'])).toEqual([ENTRY]);
  });

  it('names new function files, but no tests or declarations', () => {
    const changed = ['demo/syncs/new.ts', 'demo/syncs/new.test.ts', 'demo/syncs/types.d.ts', 'demo/lib/new.ts'];

    expect(createCompiler().affectedBy(changed)).toEqual(['demo/syncs/new.ts']);
  });

  it('does not name a function that was removed', async () => {
    await write(ENTRY, SOURCE);
    await write('demo/lib/greeting.ts', "export const greeting = 'hello';\n");
    const compiler = createCompiler();
    await compile(compiler);

    compiler.forget(ENTRY);

    expect(compiler.affectedBy(['demo/lib/greeting.ts'])).toEqual([]);
  });
});
