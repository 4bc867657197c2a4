import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { workerArguments } from '../../../server/platform/sandbox/worker-arguments.ts';
import { outputOf, runCode, startSandbox } from './sandbox-fixture.ts';

describe.each([
  ['in an isolate of its own', false],
  ['in an isolate that served a run before', true],
])('author code %s', (_, isReused) => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox(isReused ? { warmIsolates: 0 } : { runsPerIsolate: 1 });
  });
  afterAll(async () => {
    const { reused } = sandbox.stats();
    await sandbox.stop();
    // Under load a run may start before the last run's isolate is available to it.
    if (isReused) expect(reused).toBeGreaterThan(30);
    else expect(reused).toBe(0);
  });
  const evaluate = async (body: string) => {
    if (isReused) {
      await outputOf(sandbox, body).catch(() => {});
      await outputOf(sandbox, 'await new Promise((done) => setTimeout(done, 10))');
    }
    return outputOf(sandbox, body);
  };
  const errorOf = (expression: string) =>
    evaluate(`try { return String(await (${expression})) } catch (e) { return e.name + ': ' + e.message }`);

  it.each([
    'nango.log.constructor("return process")()',
    '(() => {}).constructor("return 1")()',
    '(async () => {}).constructor("return 1")()',
    'Object.getPrototypeOf(function* () {}).constructor("yield 1")()',
    'Object.getPrototypeOf(async function* () {}).constructor("yield 1")()',
    'new Function("return 1")()',
    'Reflect.construct(Function, ["return 1"])',
    'nango.get.constructor.constructor("return this")()',
    'require("crypto").createHash.constructor("return this")()',
    'new (class extends Function {})("return 1")',
    'eval("1")',
    '(0, eval)("1")',
    'globalThis.eval("1")',
  ])('cannot compile text: %s', async (expression) => {
    expect(await errorOf(expression)).toBe('EvalError: Code generation from strings is not allowed');
  });

  it.each([
    'process',
    'fetch',
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'global',
    'vitest',
    'crypto',
    'performance',
    'setInterval',
    'setImmediate',
    '__homeport_boot',
    'ivm',
    'AbortController',
    'Headers',
  ])('does not find %s', async (name) => {
    expect(await evaluate(`return typeof ${name}`)).toBe('undefined');
  });

  it.each(['fs', 'child_process', 'node:net', 'isolated-vm', 'nango', 'soap', 'unzipper', 'zod/v3', '__proto__'])(
    'cannot require %s',
    async (name) => {
      expect(await errorOf(`require("${name}")`)).toBe(`Error: Module '${name}' is not allowed`);
    },
  );

  it('sees nothing of isolated-vm anywhere it can walk to', async () => {
    const walk = `
      const seen = new Set(); const found = []; const queue = [globalThis, nango, require, module, exports, require('zod'), require('crypto'), require('url')];
      while (queue.length) {
        const value = queue.pop();
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          try {
            if (/applySync|derefInto|copySync|getSync|isDisposed|createContext/.test(String(key))) found.push(String(key));
            queue.push(value[key]);
          } catch {}
        }
        try { queue.push(Object.getPrototypeOf(value)) } catch {}
      }
      return { found, size: seen.size };`;

    const { found, size } = (await evaluate(walk)) as { found: string[]; size: number };

    expect(found).toEqual([]);
    expect(size).toBeGreaterThan(500);
  });

  it('learns nothing of the host from the stack of an error', async () => {
    const body =
      'Error.prepareStackTrace = (e, sites) => sites.map((s) => [s.getFileName(), typeof s.getThis(), typeof s.getFunction()]); return new Error("x").stack';

    const sites = (await evaluate(body)) as Array<[string, string, string]>;

    expect(
      sites.map(([file]) => file).filter((file) => file && !/^(probe-acme\.cjs|homeport-guest\.js)$/.test(file)),
    ).toEqual([]);
  });

  it.each([
    'require("crypto").createHash("nope").digest()',
    'require("crypto").randomBytes(-1)',
    'structuredClone(() => 1)',
    'new URL("nope")',
    'await nango.getEnvironmentVariables()',
    'require("fs")',
  ])('sees no path of this machine in the error of %s', async (expression) => {
    const stack = await evaluate(`try { ${expression} } catch (e) { return e.stack + JSON.stringify(e) }`);

    expect(stack).toContain('probe-acme.cjs');
    expect(stack).not.toMatch(/file:|node:|\/server\/|isolated-vm/);
  });

  it('changes globals only for itself', async () => {
    await evaluate(`Object.prototype.polluted = 'yes'; Array.prototype.map = () => 'broken'; JSON.stringify = () => '"stolen"';
      globalThis.left = 1; require('zod').z.string = null; nango.left = 1; return 1`).catch(() => {});

    const body =
      'return [({}).polluted ?? null, typeof globalThis.left, [1].map((x) => x + 1), require("zod").z.string().parse("a"), nango.left ?? null]';

    expect(await evaluate(body)).toEqual([null, 'undefined', [2], 'a', null]);
  });

  it('cannot take over the worker with a tampered reply path', async () => {
    await evaluate(
      'Map.prototype.get = () => ({ resolve() {}, reject() {} }); Function.prototype.call = null; return 1',
    ).catch(() => {});

    expect(await evaluate('return "fine"')).toBe('fine');
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('cannot break out of its CommonJS wrapper into another run', async () => {
    const { outcome } = await runCode(sandbox, '}); globalThis.escaped = 1; (function () {');

    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'thrown' } });
    expect(await evaluate('return typeof escaped')).toBe('undefined');
  });
});

describe('the worker process', () => {
  const workerEntry = join(import.meta.dirname, '../../../server/platform/sandbox/worker-main.ts');

  it.each([
    ["require('node:fs').readFileSync('/etc/passwd')", 'FileSystemRead'],
    ["require('node:fs').readdirSync(require('node:os').homedir())", 'FileSystemRead'],
    ["require('node:fs').writeFileSync(`${process.cwd()}/escaped`, '')", 'FileSystemWrite'],
    ["require('node:child_process').execFileSync('id')", 'ChildProcess'],
    ["new (require('node:worker_threads').Worker)('1', { eval: true })", 'WorkerThreads'],
  ])('may not %s', async (attempt, permission) => {
    const script = `try { ${attempt} } catch (error) { console.log(error.code, error.permission) }`;
    const { stdout } = await promisify(execFile)(process.execPath, [...workerArguments(workerEntry), '-e', script]);

    expect(stdout.trim()).toBe(`ERR_ACCESS_DENIED ${permission}`);
  });

  it.runIf(process.platform === 'linux')('starts without the environment of the server', async () => {
    process.env['HOMEPORT_MASTER_KEY'] = 'canary';
    const sandbox = await startSandbox();
    delete process.env['HOMEPORT_MASTER_KEY'];
    const environment = await readFile(`/proc/${sandbox.stats().workers[0]?.pid}/environ`, 'utf8');
    await sandbox.stop();

    const names = environment.split('\0').map((line) => line.split('=')[0]);
    const allocator = ['MALLOC_MMAP_THRESHOLD_', 'MALLOC_MMAP_MAX_', 'MALLOC_TRIM_THRESHOLD_'];
    expect(names.filter((name) => name && !name.startsWith('NODE_CHANNEL'))).toEqual(allocator);
  });
});
