// @module-tag slow
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createSandbox, type RunOptions, runCode } from './sandbox-fixture.ts';

const FORGING_WORKER = fileURLToPath(new URL('./forging-worker.ts', import.meta.url));
/** A guest without a runtime: the bundle sends arbitrary messages with `require(kind, ...)`. */
const FORGING_GUEST = `globalThis.__homeport_boot = (send) => (kind, factory) => {
  if (kind === 'start') factory({}, (...message) => send(...message), {}, '', '');
};`;

let sandbox: Sandbox;
afterEach(() => sandbox.stop());

const misfit = { ok: false, failure: { kind: 'thrown', error: { code: 'invalid_host_message' } } };

describe('an isolate that sends what no runtime sends', () => {
  const forge = (code: string, options: RunOptions = {}) =>
    runCode(sandbox, code, { limits: { timeoutMs: 10_000 }, ...options });
  const start = async () => {
    sandbox = await createSandbox({ guestCode: FORGING_GUEST });
    await sandbox.start();
  };

  it('ends its own run only', { tags: ['main-path'] }, async () => {
    await start();
    const forged = [
      `require()`,
      `require('unknown')`,
      `require('__proto__', 1)`,
      `require('done')`,
      `require('done', null)`,
      `require('done', 'x')`,
      `require('done', { ok: true, text: 5 })`,
      `require('done', { ok: true, text: { length: 0 } })`,
      `require('done', { ok: true, text: '{' })`,
      `require('done', { ok: false })`,
      `require('done', { ok: false, error: { name: 'x', message: { length: 1 } } })`,
      `require('done', { ok: false, error: { name: 'x', message: 'x', response: { body: 5 } } })`,
      `require('logs', 1, 5)`,
      `require('logs', 1, [5])`,
      `require('logs', 1, [{ level: 'info', message: {}, at: 1 }])`,
      `require('logs', 1, [{ level: 'info', message: 'x', at: 1e300 }])`,
      `require('logs', {}, [])`,
      `require('timer', 1, 1n)`,
      `require('timer', {}, 1)`,
      `require('call', {}, 'connection.get', {})`,
    ];

    const ended = await Promise.all(forged.map((code) => forge(code)));

    expect(ended).toMatchObject(forged.map(() => ({ outcome: misfit })));
    const good = await forge(`require('done', { ok: true, text: '1' })`);
    expect(good.outcome).toMatchObject({ ok: true, output: '1' });
    expect(sandbox.stats().workersLost).toBe(0);
  });

  it.each([
    `require('call', 1, 'nothing.like.it', {})`,
    `require('call', 1, '__proto__', {})`,
    `require('call', 1, 'metadata.set', { metadata: 'x' })`,
    `require('call', 1, 'records.save', { model: 'M', records: [{ id: '1' }] })`,
    `require('call', 1, 'records.list', { model: 'M', limit: 1e9 })`,
    `require('call', 1, 'records.getByIds', { model: 'M', ids: Array(5000).fill('a') })`,
    `require('call', 1, 'http.uncontrolledFetch', { url: { origin: 'http://192.168.1.1' }, method: 'GET', headers: {}, body: null })`,
  ])('is not heard: %s', async (code) => {
    await start();

    const { outcome, calls } = await forge(code);

    expect(outcome).toMatchObject(misfit);
    expect(calls).toEqual([]);
  });

  it('shows log lines whose payload is not JSON, and errors in a short form', async () => {
    await start();
    const line = `{ level: 'info', message: 'x', meta: '{', at: 1 }`;
    const huge = `'x'.repeat(5_000_000)`;

    const { outcome, logs } = await forge(`require('logs', 1, [${line}]);
      require('done', { ok: false, error: { name: 'Error', message: ${huge}, payload: { a: ${huge} }, stack: ${huge} } })`);

    expect(logs).toEqual([{ level: 'info', message: 'x', meta: '{', at: 1 }]);
    expect(outcome).toMatchObject({ failure: { kind: 'thrown' } });
    expect(JSON.stringify(outcome).length).toBeLessThan(300_000);
  });

  it('that continues costs its worker, whose other runs finish', async () => {
    await start();
    const release = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const host = {
      'environment.variables': async () => {
        asked.resolve();
        await release.promise;
        return [];
      },
    };
    // The forging guest does not handle answers: this run ends by a timer of its own.
    const other = forge(`require('call', 1, 'environment.variables', {})`, { host, limits: { timeoutMs: 60_000 } });
    await asked.promise;
    const first = sandbox.stats().workers[0]?.pid;

    for (let count = 0; count < 5; count++) await forge(`require('call', 1, 'metadata.set', { metadata: 5 })`);

    const fresh = () => sandbox.stats().workers.find(({ pid, isReady }) => isReady && pid !== first);
    await waitFor(fresh, { what: 'another worker' });
    expect(sandbox.stats().workers.map(({ pid }) => pid)).toContain(first);
    expect((await forge(`require('done', { ok: true, text: '1' })`)).outcome).toMatchObject({ ok: true });
    release.resolve();
    expect(sandbox.stats().running).toBe(1);
    await sandbox.stop();
    await other;
  });
});

describe('a worker process that was taken over', () => {
  const forge = (messages: unknown[], options: RunOptions = {}) =>
    runCode(sandbox, '', { input: messages, ...options });
  const start = async (clock?: FakeClock) => {
    sandbox = await createSandbox({ workerEntry: FORGING_WORKER, ...(clock ? { clock } : {}) });
    await sandbox.start();
  };
  const usage = { cpuMs: 0, memoryBytes: 0 };

  it.each([
    { kind: 'nothing' },
    { kind: 'logs' },
    { kind: 'logs', entries: [{ level: 'info', message: 5, at: 0 }] },
    { kind: 'call', call: 'x', method: 'connection.get', args: {} },
    { kind: 'call', call: 1, method: 'toString', args: {} },
    { kind: 'call', call: 1, method: 'checkpoint.save', args: null },
    { kind: 'done' },
    { kind: 'done', outcome: { ok: true, output: 5, ...usage } },
    { kind: 'done', outcome: { ok: false, failure: { kind: 'made up' }, ...usage } },
    { kind: 'done', outcome: { ok: false, failure: { kind: 'worker_lost', detail: {} }, ...usage } },
    { kind: 'done', outcome: { ok: false, failure: { kind: 'thrown', error: 5 }, ...usage } },
  ])('ends the run by %j, and only it', async (message) => {
    await start();
    const asked = Promise.withResolvers<void>();
    const host = { 'environment.variables': () => new Promise<never>(() => asked.resolve()) };
    const other = forge([{ kind: 'call', call: 1, method: 'environment.variables', args: {} }], { host });
    await asked.promise;

    expect((await forge([message])).outcome).toMatchObject(misfit);

    await waitFor(() => sandbox.stats().running === 1, { what: 'the end of the isolate' });
    expect(sandbox.stats().workersLost).toBe(0);
    const done = { kind: 'done', outcome: { ok: true, output: '1', ...usage } };
    expect((await forge([done])).outcome).toMatchObject({ ok: true, output: '1' });
    await sandbox.stop();
    expect((await other).outcome).toMatchObject({ ok: false });
  });

  it('is replaced, and ended with what it still runs after a limit', async () => {
    const clock = new FakeClock();
    await start(clock);
    const other = forge([], { limits: { timeoutMs: 24 * 3_600_000 } });
    const first = sandbox.stats().workers[0]?.pid;

    for (let count = 0; count < 5; count++) expect((await forge([{ kind: 'nothing' }])).outcome).toMatchObject(misfit);

    await waitFor(() => sandbox.stats().workers.some(({ pid, isReady }) => isReady && pid !== first), {
      what: 'another worker',
    });
    await clock.advance(2 * 60_000);
    expect((await other).outcome).toMatchObject({ ok: false, failure: { kind: 'worker_lost' } });
    expect(sandbox.stats().workers.map(({ pid }) => pid)).not.toContain(first);
  });

  it('cannot end the server by messages that belong to no run', async () => {
    await start();
    const strays = [
      null,
      5,
      'x',
      [],
      {},
      { kind: 'done', run: {} },
      { kind: 'call', run: -1 },
      { kind: 'logs', run: 'x' },
    ];

    void forge(strays);

    const done = { kind: 'done', outcome: { ok: true, output: '1', ...usage } };
    expect((await waitFor(async () => (await forge([done])).outcome)).ok).toBe(true);
  });
});
