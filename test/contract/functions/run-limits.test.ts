import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Sandbox } from '../../../server/platform/sandbox/sandbox.ts';
import type { RunSpec } from '../../../server/platform/sandbox/sandbox-task.ts';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource, waitUntilLive } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const EVENT = `import { createOnEvent } from 'homeport';
export default createOnEvent({ description: 'x', event: 'pre-connection-deletion', exec: async () => {} });
`;

let server: InProcessServer;
let connection: PracticeConnection;

beforeAll(async () => {
  server = await startInProcess();
  await saveFunction(server.workspace, 'practice/actions/quick.ts', actionSource(`return 'done';`));
  await saveFunction(
    server.workspace,
    'practice/actions/outer.ts',
    actionSource(`return nango.triggerAction('quick');`),
  );
  await saveFunction(server.workspace, 'practice/syncs/quick-sync.ts', syncSource(''));
  await saveFunction(server.workspace, 'practice/on-events/leaving.ts', EVENT);
  connection = await importPracticeConnection(server);
  await importPracticeConnectionOf('other');
  await waitUntilLive(server, [
    'practice/actions/quick.ts',
    'practice/actions/outer.ts',
    'practice/on-events/leaving.ts',
  ]);
  await waitForSync(connection, 'quick-sync', () => true);
});
afterAll(() => server?.stop());
afterEach(() => vi.restoreAllMocks());

async function importPracticeConnectionOf(connectionId: string): Promise<void> {
  const response = await call('POST', '/connections', {
    provider_config_key: 'practice',
    connection_id: connectionId,
    credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' },
  });
  expect(response.status).toBe(201);
}

function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The limits of the runs of a function during `act`. The runs themselves are real. */
async function limitsOf(functionName: string, act: () => Promise<unknown>): Promise<unknown> {
  const run = vi.spyOn(Sandbox.prototype, 'run');
  await act();
  const spec = await waitFor(() =>
    Promise.resolve(
      run.mock.calls.map(([given]): RunSpec => given).find((given) => given.functionName === functionName),
    ),
  );
  return [spec.limits.timeoutMs, spec.startWithinMs];
}

const trigger = (headers = {}, name = 'quick') =>
  call(
    'POST',
    '/action/trigger',
    { action_name: name },
    {
      'provider-config-key': 'practice',
      'connection-id': 'me',
      ...headers,
    },
  );

/** functions.md 7.1. */
describe('the limits of a run', () => {
  it('of an action: 15 minutes, a place within 30 seconds', async () => {
    expect(await limitsOf('quick', () => trigger())).toEqual([15 * MINUTE, 30 * SECOND]);
  });

  it('of an action that a function calls: the same', async () => {
    expect(await limitsOf('quick', () => trigger({}, 'outer'))).toEqual([15 * MINUTE, 30 * SECOND]);
  });

  it('of an asynchronous action: 15 minutes; it has waited in its own queue', async () => {
    expect(await limitsOf('quick', () => trigger({ 'x-async': 'true' }))).toEqual([15 * MINUTE, undefined]);
  });

  it('of a sync: a day; it has waited in the queue of schedules', async () => {
    const limits = await limitsOf('quick-sync', () => connection.nango.triggerSync('practice', ['quick-sync'], 'me'));

    expect(limits).toEqual([24 * HOUR, undefined]);
    await waitForSync(connection, 'quick-sync', hasSucceeded);
  });

  it('of an event: 5 minutes, a place within 30 seconds', async () => {
    const remove = () => call('DELETE', '/connections/other?provider_config_key=practice');

    expect(await limitsOf('leaving', remove)).toEqual([5 * MINUTE, 30 * SECOND]);
  });
});

describe('an action that is switched off', () => {
  it('answers so, whether the caller waits or not, until it is switched on again', async () => {
    const dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
    const change = (isEnabled: boolean) =>
      dashboard.call('PATCH /api/v1/functions/:integrationKey/:type/:name', {
        params: { integrationKey: 'practice', type: 'action', name: 'quick' },
        body: { isEnabled },
      });
    const refused = { status: 404, code: 'disabled_resource' };
    const codeOf = async (response: Response) => ({
      status: response.status,
      code: ((await response.json()) as { error: { code: string } }).error.code,
    });

    await change(false);
    expect(await codeOf(await trigger())).toEqual(refused);
    expect(await codeOf(await trigger({ 'x-async': 'true' }))).toEqual(refused);
    await change(true);

    expect((await trigger()).status).toBe(200);
  });
});
