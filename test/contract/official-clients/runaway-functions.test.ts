// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource, waitUntilLive } from '../../support/server-workspace.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { syncState, waitForSync } from '../../support/wait-for-sync.ts';
import { type HealthReport, watchHealth } from '../../support/watch-health.ts';

/** Generous for a busy test machine; the loops here never end, so a hub that they block never answers. */
const SLOWEST_HEALTH_MS = 15_000;

/** Length of an error message that blocked the server for seconds before the isolate cut it. */
const HUGE = 50_000_000;
const MAX_ERROR_BYTES = 400_000;

const ACTIONS = {
  'say-hello': `return 'hello';`,
  'eat-memory': `const kept = []; for (;;) kept.push(new Array(100000).fill(kept.length));`,
  'eat-strings': `let text = 'x'; const kept = []; for (;;) kept.push((text += text.slice(0, 1000000) + kept.length));`,
  'throw-error': `throw new TypeError('on purpose');`,
  'throw-text': `throw 'just text';`,
  refuse: `throw new nango.ActionError({ reason: 'closed' });`,
  'reject-unseen': `void Promise.reject(new Error('nobody listens')); return 'fine';`,
  'throw-later': `setTimeout(() => { throw new Error('too late'); }, 0); await new Promise((resolve) => setTimeout(resolve, 20)); return 'fine';`,
  recurse: `const dig = () => dig() + 1; return dig();`,
  'answer-too-much': `return 'x'.repeat(3 * 1024 * 1024);`,
  'patch-json': `JSON.stringify = () => '{'; await nango.log('x', { a: 1 }, { level: 'error' }); return 'unharmed';`,
  'patch-length': `JSON.stringify = (() => ({ length: 0 })) as never; return 'unharmed';`,
  'patch-push': `Array.prototype.push = () => 0; await nango.log({ a: 1 } as never, undefined, { level: 'error' }); return 'unharmed';`,
  'set-text': `await nango.setMetadata('text' as never);`,
  'throw-huge-message': `throw new Error('x'.repeat(${HUGE}));`,
  'throw-huge-text': `throw 'x'.repeat(${HUGE});`,
  'throw-huge-payload': `throw new nango.ActionError({ why: 'closed', text: 'x'.repeat(${HUGE}) });`,
  'throw-huge-stack': `const error = new Error('x'); error.stack = '    at practice-throw-huge-stack.cjs '.repeat(1000000); throw error;`,
};

let server: StartedServer;
let connection: PracticeConnection;

beforeAll(async () => {
  server = await startServer();
  connection = await importPracticeConnection(server);
  const paths = Object.entries(ACTIONS).map(([name, body]) => [`practice/actions/${name}.ts`, body] as const);
  for (const [path, body] of paths) await saveFunction(server.workspace, path, actionSource(body));
  await waitUntilLive(
    server,
    paths.map(([path]) => path),
  );
});
afterAll(() => server?.stop());

function trigger(name: keyof typeof ACTIONS): Promise<unknown> {
  return connection.nango.triggerAction<unknown, unknown>('practice', connection.connectionId, name);
}

interface Refused {
  response?: { status: number; data: Record<string, unknown> };
}

function refusalOf(name: keyof typeof ACTIONS): Promise<Refused['response']> {
  return trigger(name).then(
    () => expect.unreachable(`${name} was accepted`),
    (error: Refused) => error.response,
  );
}

function expectHealthy(report: HealthReport): void {
  expect(report.failures).toEqual([]);
  expect(report.responses).toBeGreaterThan(0);
  expect(report.slowestMs).toBeLessThan(SLOWEST_HEALTH_MS);
}

describe('functions that misbehave', () => {
  it('leaves everybody else working beside an endless loop, and ends it on request', {
    tags: ['main-path'],
  }, async () => {
    await saveFunction(server.workspace, 'practice/syncs/loop-forever.ts', syncSource('for (;;) {}'));
    await waitFor(() => syncState(connection, 'loop-forever'), { what: 'the endless sync' });
    const health = watchHealth(server);
    await connection.nango.startSync('practice', ['loop-forever'], connection.connectionId);
    await waitForSync(connection, 'loop-forever', ({ status }) => status === 'RUNNING');

    expect(await trigger('say-hello')).toBe('hello');
    await connection.nango.pauseSync('practice', ['loop-forever'], connection.connectionId);

    const ended = await waitForSync(connection, 'loop-forever', (state) => state.latestExecutionStatus === 'STOPPED');
    expect(ended.status).toBe('PAUSED');
    expect(await trigger('say-hello')).toBe('hello');
    expectHealthy(await health.finish());
  });

  it.each(['eat-memory', 'eat-strings'] as const)('ends %s at its limit and lives on', async (name) => {
    const health = watchHealth(server);

    const refused = await refusalOf(name);

    expect(refused).toMatchObject({ status: 500, data: { error: { code: 'function_runtime_out_of_memory' } } });
    expect(await waitFor(() => trigger('say-hello'))).toBe('hello');
    expectHealthy(await health.finish());
  });

  it.each([
    [
      'throw-error',
      { error: { code: 'script_internal_error', payload: { name: 'TypeError', message: 'on purpose' } } },
    ],
    ['throw-text', { error: { code: 'script_internal_error', payload: { name: 'Error', message: '"just text"' } } }],
    ['refuse', { error_type: 'action_script_failure', payload: { reason: 'closed' } }],
    ['recurse', { error: { code: 'script_internal_error', payload: { name: 'RangeError' } } }],
    ['answer-too-much', { error: { code: 'script_internal_error' } }],
  ] as const)('tells the caller why %s failed', async (name, body) => {
    expect(await refusalOf(name)).toMatchObject({ status: 500, data: body });
  });

  it.each(['patch-json', 'patch-length', 'patch-push'] as const)(
    'is not harmed by %s, nor is the function',
    async (name) => {
      const health = watchHealth(server);

      expect(await trigger(name)).toBe('unharmed');

      expect(await trigger('say-hello')).toBe('hello');
      expectHealthy(await health.finish());
    },
  );

  it('stores no metadata that is not an object', async () => {
    expect(await refusalOf('set-text')).toMatchObject({
      data: { error: { payload: { message: expect.stringContaining('must be an object') } } },
    });
  });

  it.each(['throw-huge-message', 'throw-huge-text', 'throw-huge-payload', 'throw-huge-stack'] as const)(
    'cuts the error of %s before it costs anybody time',
    async (name) => {
      const health = watchHealth(server);

      const refused = await refusalOf(name);

      expect(refused).toMatchObject({ status: 500 });
      expect(JSON.stringify(refused?.data).length).toBeLessThan(MAX_ERROR_BYTES);
      expectHealthy(await health.finish());
    },
  );

  it('survives uncaught errors', async () => {
    for (const name of ['reject-unseen', 'throw-later'] as const) {
      // Whether such a run counts as failed does not matter here; the next one must work.
      await trigger(name).catch((error: Refused) => expect(error.response?.status).toBe(500));
      expect(await waitFor(() => trigger('say-hello'))).toBe('hello');
    }
  });

  it('keeps runs apart: nothing of one run is seen by another', async () => {
    await saveFunction(
      server.workspace,
      'practice/actions/count-calls.ts',
      actionSource('globalThis.calls = (globalThis.calls ?? 0) + 1; return globalThis.calls;'),
    );
    const count = (): Promise<unknown> =>
      connection.nango.triggerAction<unknown, unknown>('practice', connection.connectionId, 'count-calls');

    expect(await waitFor(count)).toBe(1);
    expect(await Promise.all([count(), count(), count()])).toEqual([1, 1, 1]);
  });
});
