import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { actionCode, outputOf, type RunOptions, runCode, startSandbox } from './sandbox-fixture.ts';

/** The runtime's uses of built-ins in one run: log, call, save records, wait, throw and answer. */
const EVERYTHING = `
  await nango.log('a line', { some: { payload: [1, 2] } }, { level: 'error' });
  await nango.getConnection();
  await nango.setMetadata({ a: 1 });
  await nango.batchSave([{ id: 1, n: 1 }, { id: 'b', text: 'x' }], 'Contact');
  await nango.listRecords('Contact').next();
  await new Promise((resolve) => setTimeout(resolve, 1));
  await nango.post({ endpoint: '/x', data: { a: 1 }, headers: { a: 'b' }, params: { q: [1, 2] } });
  await nango.triggerAction('other', { deep: true });
  if (Math.random() < 2) throw new nango.ActionError({ reason: 'closed' });`;

const HOST: NonNullable<RunOptions['host']> = {
  'connection.get': () => ({ connection_id: 'c1', metadata: null }),
  'metadata.set': () => ({}),
  'records.save': () => ({ added: 1, updated: 0, deleted: 0, unchanged: 0, duplicates: [] }),
  'records.list': () => ({ records: [{ id: '1', json: '{"id":"1"}' }], nextCursor: null }),
  'http.request': () => ({
    status: 200,
    statusText: 'OK',
    headers: {},
    body: '{}',
    config: { method: 'POST', url: 'https://x/x', headers: {} },
  }),
  'action.trigger': () => ({ output: '1' }),
};

const BUILT_INS = [
  'JSON.stringify',
  'JSON.parse',
  'String',
  'Number',
  'Boolean',
  'Error',
  'Promise',
  'Map',
  'Object.entries',
  'Object.fromEntries',
  'Object.assign',
  'Object.keys',
  'Object.create',
  'Object.defineProperty',
  'Object.hasOwn',
  'Array.isArray',
  'Number.isFinite',
  'Math.min',
  'Date.now',
  'Reflect.get',
  'Reflect.has',
  'Array.prototype.push',
  'Array.prototype.map',
  'Array.prototype.slice',
  'Array.prototype.shift',
  'Array.prototype.join',
  'Array.prototype.filter',
  'Array.prototype.includes',
  'Array.prototype[Symbol.iterator]',
  'String.prototype.slice',
  'String.prototype.split',
  'String.prototype.includes',
  'String.prototype.replaceAll',
  'String.prototype.charCodeAt',
  'String.prototype.toWellFormed',
  'Map.prototype.get',
  'Map.prototype.set',
  'Map.prototype.delete',
  'Promise.prototype.then',
  'Promise.prototype.catch',
  'Promise.resolve',
  'Function.prototype.call',
  'Function.prototype.bind',
  'RegExp.prototype.test',
  'Date.prototype.toISOString',
  'Uint8Array',
  'Symbol.iterator',
];
const WRONG_VALUES = [
  `() => '{'`,
  `() => undefined`,
  `() => ({ length: 0 })`,
  `() => ({ length: 1e9, message: 5, id: {}, json: 7 })`,
  `() => NaN`,
  `() => { throw new TypeError('patched') }`,
  `(first) => first`,
  `null`,
];
const PATCHES = BUILT_INS.flatMap((name) => WRONG_VALUES.map((value) => `try { ${name} = ${value} } catch {}`));

/** Getters and inherited members, which an assignment does not reach. */
const POISONS = [
  `Object.prototype.toJSON = () => ({ length: 0 })`,
  `Object.prototype.then = (resolve) => resolve({ status: 'x' })`,
  `Object.prototype.message = { length: 3 }; Object.prototype.meta = 5`,
  `Object.defineProperty(Object.prototype, 'code', { get() { throw 1 }, set() {} })`,
  `Object.defineProperty(Object.prototype, 'text', { get: () => 5, set() {} })`,
  `Object.defineProperty(Map.prototype, 'size', { get: () => 0 })`,
  `Object.defineProperty(Array.prototype, '0', { set() {}, get: () => ({ level: 'x' }) })`,
  `Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw 2 } })`,
  `Object.setPrototypeOf(Array.prototype, null); Object.setPrototypeOf(Function.prototype, null)`,
];

/** A sync, which has every member. */
function syncCode(body: string): string {
  return `module.exports.default = { type: 'sync', exec: async (nango) => { ${body} } };`;
}

describe('a function that replaces built-ins', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.stop());

  /** Some patches make a run wait without end. */
  const runHostile = (patch: string, timeoutMs = 1_500) =>
    runCode(sandbox, syncCode(`${patch};\n${EVERYTHING}`), {
      host: HOST,
      context: { scriptType: 'sync' },
      limits: { timeoutMs },
    });

  it('differs from one that does not: every step of the run works unchanged', async () => {
    const { outcome, calls, logs } = await runHostile('', 60_000);

    expect(outcome).toMatchObject({ failure: { error: { payload: { reason: 'closed' } } } });
    expect(new Set(calls.map(({ method }) => method))).toEqual(new Set(Object.keys(HOST)));
    expect(logs.map(({ message }) => message)).toContain('a line');
  });

  nightlyEach(named(BUILT_INS), 4)('%s harms its own run only', async (name) => {
    const patches = PATCHES.filter((patch) => patch.includes(`{ ${name} = `));
    const lost = sandbox.stats().workersLost;

    const runs = await Promise.all(patches.map((patch) => runHostile(patch)));

    // Any of the ends of a run is valid, and its messages are well-formed.
    for (const { outcome, logs } of runs) {
      expect(outcome.ok || ['thrown', 'timeout', 'memory'].includes(outcome.failure.kind)).toBe(true);
      for (const line of logs) expect(typeof line.message).toBe('string');
    }
    expect(await outputOf(sandbox, 'return [1, 2].map(String).join()')).toBe('1,2');
    expect(sandbox.stats().workersLost).toBe(lost);
  });

  nightlyEach(named(POISONS), 4)('%s harms its own run only', async (poison) => {
    const lost = sandbox.stats().workersLost;

    const { outcome } = await runHostile(poison);

    expect(outcome.ok || ['thrown', 'timeout', 'memory'].includes(outcome.failure.kind)).toBe(true);
    expect(await outputOf(sandbox, 'return [1, 2].map(String).join()')).toBe('1,2');
    expect(sandbox.stats().workersLost).toBe(lost);
  });

  it.each([
    `JSON.stringify = () => '{'`,
    `JSON.stringify = () => ({ length: 0 })`,
    `JSON.parse = () => 5`,
    `Array.prototype.push = () => 0`,
    `Array.prototype.slice = () => []; Array.prototype.map = () => [{ id: '1', json: '{' }]`,
    `globalThis.String = (value) => value; globalThis.Number = () => NaN`,
    `Map.prototype.get = Map.prototype.set = () => undefined`,
    `Promise.prototype.then = () => {}`,
    `Object.entries = () => []; Object.assign = () => ({})`,
    `Array.isArray = () => false; Object.hasOwn = () => true`,
    `Date.now = () => 'now'`,
  ])('still logs, calls and fails as it would without %s', async (patch) => {
    const { outcome, calls, logs } = await runCode(
      sandbox,
      syncCode(`${patch}; await nango.log('a line', { a: [1] }, { level: 'error' });
        await nango.batchSave([{ id: 1, n: 1 }], 'Contact'); throw new nango.ActionError({ reason: 'closed' })`),
      { host: HOST, context: { scriptType: 'sync', logLevel: 'warn' } },
    );

    expect(logs).toEqual([
      { level: 'error', message: 'a line', meta: '{"a":{"0":1}}', at: expect.any(Number), source: 'user' },
    ]);
    expect(calls).toEqual([
      { method: 'records.save', args: { model: 'Contact', records: [{ id: '1', json: '{"id":"1","n":1}' }] } },
    ]);
    expect(outcome).toMatchObject({ failure: { kind: 'thrown', error: { payload: { reason: 'closed' } } } });
  });

  /** What the runtime might use after the function has ended, without naming it. */
  const IMPLICIT = [
    `Array.prototype[Symbol.iterator] = function* () { yield {}; }`,
    `Array.prototype[Symbol.iterator] = function* () { for (;;) yield {}; }`,
    `Array.prototype[Symbol.iterator] = () => ({ next: () => ({}) })`,
    `Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: false, value: [] })`,
    `Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = () => null`,
    `Map.prototype.set = Set.prototype.add = () => { for (;;); }`,
    `globalThis.Map = globalThis.Set = globalThis.Promise = null`,
    `Promise.prototype.then = () => {}`,
    `Object.defineProperty(Promise.prototype, 'constructor', { get: () => function (run) { run(() => {}, () => {}) } })`,
    `Object.defineProperty(Promise, Symbol.species, { get: () => null })`,
    `Object.defineProperty(Array, Symbol.species, { get: () => null })`,
    `Object.defineProperty(Error, Symbol.hasInstance, { value: () => { for (;;); } })`,
    `Object.prototype[Symbol.toPrimitive] = Object.prototype.toString = Object.prototype.valueOf = () => { for (;;); }`,
    `Object.prototype.toJSON = () => { for (;;); }`,
    `Object.prototype.then = () => {}`,
    `Function.prototype.apply = Function.prototype.call = Function.prototype.bind = () => {}`,
    `RegExp.prototype.exec = RegExp.prototype[Symbol.replace] = () => { for (;;); }`,
    ...[
      'value',
      'done',
      'get',
      'set',
      'then',
      'toJSON',
      'ok',
      'text',
      'error',
      'next',
      'constructor',
      'length',
    ].flatMap((name) => [
      `Object.defineProperty(Object.prototype, '${name}', { get() { throw 1 }, set() {}, configurable: true })`,
      `Object.defineProperty(Object.prototype, '${name}', { get() { return () => {} }, set() {}, configurable: true })`,
      `Object.defineProperty(Object.prototype, '${name}', { value: () => ({}), writable: true })`,
    ]),
  ];
  const ENDS = {
    'after nothing else': 'return { some: [1, 2] }',
    'after a log line': `nango.log('a line', { some: [1, 2] }); return { some: [1, 2] }`,
    'by an error': `throw new nango.ActionError({ some: [1, 2] })`,
  };
  const LONGEST_ANSWER_MS = 5_000;

  nightlyEach(named(IMPLICIT), 2)('answers within seconds after %s', async (patch) => {
    const startedAt = performance.now();

    const runs = await Promise.all(
      Object.values(ENDS).map((end) =>
        runCode(sandbox, actionCode(`${patch}; ${end}`), { limits: { timeoutMs: 60_000 } }),
      ),
    );

    expect(performance.now() - startedAt).toBeLessThan(LONGEST_ANSWER_MS);
    for (const { outcome } of runs) expect(outcome.ok ? 'ok' : outcome.failure.kind).toMatch(/^(ok|thrown)$/);
    expect(await outputOf(sandbox, 'return [1, 2].map(String).join()')).toBe('1,2');
  });

  it.each([
    `Array.prototype[Symbol.iterator] = function* () { yield {}; }`,
    `Map.prototype[Symbol.iterator] = Set.prototype[Symbol.iterator] = () => null`,
    `Promise.prototype.then = () => {}`,
    `Object.prototype.get = Object.prototype.done = () => {}`,
  ])('answers with its result after %s', async (patch) => {
    const code = `${patch}; nango.log('a line'); await nango.saveCheckpoint({ a: 1 }); return { some: [1, 2] }`;

    expect(await outputOf(sandbox, code, { host: { 'checkpoint.save': () => null } })).toEqual({ some: [1, 2] });
  });

  it.each([
    ['never settles', 'function_never_ends', 'await new Promise(() => {})'],
    ['computes without end when it is read', 'result_not_handed_over', 'return { toJSON() { for (;;); } }'],
    ['is an error that computes without end', 'result_not_handed_over', 'throw { get message() { for (;;); } }'],
  ])('ends a run whose result %s', async (_what, code, body) => {
    const { outcome } = await runCode(sandbox, actionCode(body), { limits: { timeoutMs: 60_000 } });

    expect(outcome).toMatchObject({ failure: { kind: 'thrown', error: { code } } });
  });

  it('waits for calls, timers and log lines, however long they take', async () => {
    const body = `await nango.getEnvironmentVariables(); await new Promise((resolve) => setTimeout(resolve, 1_500));
      for (let n = 0; n < 5_000; n++) nango.log('x'.repeat(700)); return 1`;
    const slow = () => new Promise((resolve) => setTimeout(() => resolve([]), 1_500));

    expect(await outputOf(sandbox, body, { host: { 'environment.variables': slow } })).toBe(1);
  });
});
