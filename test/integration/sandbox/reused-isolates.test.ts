// @module-tag slow
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { actionCode, type RunOptions, runCode, startSandbox } from './sandbox-fixture.ts';

/** Runs of one function share an isolate, one after the other; a run must not affect the next. */
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

const HOST: NonNullable<RunOptions['host']> = {
  'environment.variables': () => [{ name: 'A', value: 'b' }],
  'connection.get': () => new Promise(() => {}),
};

/** One function that runs `first` in its first run and `second` in every other. */
function twoSteps(first: string, second: string, moduleCode = ''): string {
  return `${moduleCode}; ${actionCode(`if (input.step === 1) { ${first} } else { ${second} }`)}`;
}

async function run(code: string, step: number, options: RunOptions = {}): Promise<unknown> {
  const { outcome } = await runCode(sandbox, code, { host: HOST, input: { step }, ...options });
  return outcome.ok ? JSON.parse(outcome.output) : outcome.failure;
}

/** Waits until the last run's isolate is available to the next run; the time depends on the machine. */
const pause = (ms: number) => run(actionCode(`await new Promise((done) => setTimeout(done, ${ms})); return 1`), 1);

/** The outcomes of the first run and the next one in the same isolate. */
async function runTwice(code: string, options: RunOptions = {}): Promise<[unknown, unknown]> {
  for (let ms = 20; ms < 20_000; ms *= 2) {
    // Another text is another function.
    const version = `${code} // ${ms}`;
    const before = sandbox.stats().reused;
    const first = await run(version, 1);
    await pause(ms);
    const second = await run(version, 2, options);
    if (sandbox.stats().reused > before) return [first, second];
  }
  throw new Error('No run had the isolate of the run before it.');
}

async function secondOutput(first: string, second: string, moduleCode = ''): Promise<unknown> {
  const [, output] = await runTwice(twoSteps(first, second, moduleCode));
  return output;
}

describe('the next run in the same isolate', () => {
  it('finds no global, no changed prototype and no changed library', { tags: ['main-path'] }, async () => {
    const first = `globalThis.left = 1; Object.prototype.polluted = 'yes'; Array.prototype.map = () => 'broken';
      JSON.parse = () => 'stolen'; Promise.prototype.then2 = 1; nango.left = 1; require('zod').left = 1;
      console.log.left = 1; Buffer.left = 1; URL.prototype.left = 1; Symbol.left = 1; return 1`;
    const second = `return [typeof left, ({}).polluted ?? null, [1].map((x) => x + 1), JSON.parse('2'), Promise.prototype.then2 ?? null,
      nango.left ?? null, require('zod').left ?? null, console.log.left ?? null, Buffer.left ?? null, URL.prototype.left ?? null, Symbol.left ?? null]`;

    expect(await secondOutput(first, second)).toEqual(['undefined', null, [2], 2, ...Array(7).fill(null)]);
  });

  it('finds its modules as they were at first, with their state', async () => {
    const first = `counter++; cache.set('token', 'secret'); Holder.value = 'secret'; tag\`x\`.raw; return counter`;
    const second = `return [counter, cache.size, Holder.value, seen.length]`;
    const moduleCode = `let counter = 0; const cache = new Map(); const seen = []; class Holder { static value = 0 }
      const tag = (strings) => { seen.push(strings); return strings }`;

    expect(await secondOutput(first, second, moduleCode)).toEqual([0, 0, 0, 0]);
  });

  it('finds no schema that an earlier run registered, nor its settings', async () => {
    const first = `const { z } = require('zod'); z.globalRegistry.add(z.string(), { id: 'x', secret: 1 });
      z.config({ customError: () => 'secret' }); return 1`;
    const second = `const { z } = require('zod'); return [z.globalRegistry._idmap?.size ?? 0, z.config().customError ?? null, z.string().safeParse(1).error.issues[0].message]`;

    const [size, custom, message] = (await secondOutput(first, second)) as [number, unknown, string];

    expect([size, custom]).toEqual([0, null]);
    expect(message).not.toContain('secret');
  });

  it('finds nothing in what V8 keeps beside objects', async () => {
    const first = `/(secret)/.test('a secret b'); Error.stackTraceLimit = 1; Error.prepareStackTrace = () => 'secret';
      globalThis.ref = new WeakRef({ secret: 1 }); return 1`;
    const second = `return [RegExp.$1, RegExp.lastMatch.includes('secret'), Error.stackTraceLimit, typeof Error.prepareStackTrace, typeof ref]`;

    expect(await secondOutput(first, second)).toEqual(['', false, 50, 'undefined', 'undefined']);
  });

  it('has no shared memory, no machine code, no text as code and no way to the worker', async () => {
    const probe = `const names = ['SharedArrayBuffer', 'Atomics', 'WebAssembly', '__homeport_boot', 'gc', 'process'];
      const compile = () => { try { return Function('return 1')() } catch (e) { return e.name } };
      return [names.filter((name) => name in globalThis), compile()]`;

    expect(await secondOutput(probe, probe)).toEqual([[], 'EvalError']);
  });

  it('does not hear of work that the one before left undone after its answer', async () => {
    const first = `Promise.resolve().then(async () => { for (let n = 0; n < 1000; n++) await null; globalThis.late = 1; nango.log('late') }); return 1`;

    expect(await secondOutput(first, `await nango.getEnvironmentVariables(); return typeof late`)).toBe('undefined');
  });

  it('may follow a run that threw', async () => {
    const [first, second] = await runTwice(twoSteps(`throw new nango.ActionError({ reason: 'closed' })`, 'return 2'));

    expect(first).toMatchObject({ kind: 'thrown' });
    expect(second).toBe(2);
  });

  it('has its own limits', async () => {
    const limits = { timeoutMs: 300 };

    expect((await runTwice(twoSteps('return 1', 'for (;;) {}'), { limits }))[1]).toEqual({ kind: 'timeout' });
    const fill = 'const all = []; for (;;) all.push(Array.from({ length: 1e5 }, (_, n) => n))';
    expect((await runTwice(twoSteps('return 1', fill)))[1]).toEqual({ kind: 'memory' });
    expect(await run(actionCode('return 3'), 1)).toBe(3);
  });
});

describe('an isolate is not used again', () => {
  it.each([
    ['a timer that waits', 'setTimeout(() => nango.log("late"), 60_000); return 1'],
    ['a call that it did not wait for', 'void nango.getConnection(); await nango.getEnvironmentVariables(); return 1'],
    [
      'an error that nobody waited for',
      'Promise.reject(new Error("lost")); await nango.getEnvironmentVariables(); return 1',
    ],
    ['a finalizer', 'globalThis.registry = new FinalizationRegistry(() => {}); registry.register({}, 1); return 1'],
    [
      'a finalizer, made by a subclass',
      'class Own extends FinalizationRegistry {}; new Own(() => {}).register({}, 1); return 1',
    ],
    [
      'a finalizer, made through its prototype',
      'new FinalizationRegistry.prototype.constructor(() => {}).register({}, 1); return 1',
    ],
    [
      'a finalizer, made with another target',
      'Reflect.construct(FinalizationRegistry, [() => {}], class {}); return 1',
    ],
    ['a heap that is full of what it left', 'globalThis.kept = Array.from({ length: 3e6 }, (_, n) => n); return 1'],
    ['work without end after its answer', 'Promise.resolve().then(() => { for (;;) {} }); return 1'],
    ['a loop of microtasks', 'const spin = () => Promise.resolve().then(spin); spin(); return 1'],
  ])('that a run left with %s', async (_, body) => {
    const code = twoSteps(body, 'return typeof registry + typeof kept');
    const first = await run(code, 1, { limits: { timeoutMs: 2000 } });
    await pause(150);

    const second = await run(code, 2);

    expect([1, { kind: 'timeout' }]).toContainEqual(first);
    expect(second).toBe('undefinedundefined');
    expect(sandbox.stats().reused).toBe(0);
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it('by another function, in another environment, or under another memory limit', async () => {
    await run(actionCode('return 1'), 1);
    await pause(50);
    await run(actionCode('return 2'), 1);
    await run(actionCode('return 1'), 1, { context: { environmentId: 2 } });
    await run(actionCode('return 1'), 1, { limits: { memoryMb: 32 } });
    await run(actionCode('return 1'), 1, { measuresMemory: true });

    expect(sandbox.stats().reused).toBe(0);
  });

  it.each([
    [1, 0],
    [2, 6],
  ])('after %i runs', async (runsPerIsolate, maxReused) => {
    await sandbox.stop();
    sandbox = await startSandbox({ runsPerIsolate });

    for (let n = 0; n < 12; n++) await run(actionCode('return 1'), 1);

    expect(sandbox.stats().reused).toBeLessThanOrEqual(maxReused);
  });
});
