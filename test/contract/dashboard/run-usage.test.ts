import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

/** Computes for the time in the input, then writes a message below the default level. */
const WORK = actionSource(`const until = Date.now() + input.ms;
    while (Date.now() < until);
    await nango.log('debug line', { level: 'debug' });
    return null;`);
/** In its second run one record is changed, one is new, and one is missing. */
const ITEMS = syncSource(`const first = (await nango.getCheckpoint()) === null;
    const ids = first ? ['a', 'b'] : ['b', 'c'];
    await nango.batchSave(ids.map((id) => ({ id, text: first ? 'old' : 'new' })), 'Item');
    if (!first) await nango.batchDelete([{ id: 'a' }], 'Item');
    await nango.saveCheckpoint({ seen: true });`).replace(
  'autoStart: false,',
  'autoStart: false, checkpoint: z.object({ seen: z.boolean() }),',
);
/** The practice provider refuses its second request. */
const REFUSED = actionSource(`await nango.get({ endpoint: '/v1/issues' });
    await nango.get({ endpoint: '/v1/issues', params: { practice_fail: '404' } });`);
const params = { integrationKey: 'practice', connectionId: 'me' };

let hub: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  await importPracticeConnection(hub);
  await saveFunction(hub.workspace, 'practice/actions/work.ts', WORK);
  await saveFunction(hub.workspace, 'practice/syncs/items.ts', ITEMS);
  await saveFunction(hub.workspace, 'practice/actions/refused.ts', REFUSED);
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await waitFor(async () => {
    const { data } = await client.call('GET /api/v1/functions');
    return ['work', 'items', 'refused'].every((mine) =>
      data.some(({ name, version }) => name === mine && version !== null),
    );
  });
});
afterAll(() => hub?.stop());

/** The operation of a run, once it has ended, and the messages of the function. */
async function run(ms: number) {
  const list = async () =>
    (
      await client.call('GET /api/v1/logs/operations', {
        query: { syncs: 'work', types: 'action', sort: '-time' },
      })
    ).data;
  const known = (await list()).length;
  const response = await fetch(`${hub.url}/action/trigger`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hub.secretKey}`,
      'content-type': 'application/json',
      'connection-id': 'me',
      'provider-config-key': 'practice',
    },
    body: JSON.stringify({ action_name: 'work', input: { ms } }),
  });
  expect(response.status).toBe(200);
  const operation = await waitFor(async () => {
    const [newest, ...others] = await list();
    return others.length === known && newest?.endedAt ? newest : undefined;
  });
  const { data } = await client.call('GET /api/v1/logs/messages', {
    query: { operationId: operation.id, sources: 'user' },
  });
  return { operation, lines: data.map(({ message }) => message) };
}

describe('a run in the log', () => {
  it('says what it took of the processor, and of memory where it took a while', async () => {
    const long = await run(150);
    const short = await run(0);

    expect(long.operation.cpuMs).toBeGreaterThan(50);
    expect(long.operation.memoryBytes).toBeGreaterThan(1_000_000);
    expect(short.operation.cpuMs).toBeGreaterThan(0);
    const { data } = await client.call('GET /api/v1/functions');
    const week = data.find(({ name }) => name === 'work')?.week;
    expect(week?.runs).toBeGreaterThanOrEqual(2);
    expect(week?.succeeded).toBe(week?.runs);
  });

  it('that a provider refused names the line that asked, which the caller is not told', async () => {
    const response = await fetch(`${hub.url}/action/trigger`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hub.secretKey}`,
        'content-type': 'application/json',
        'connection-id': 'me',
        'provider-config-key': 'practice',
      },
      body: JSON.stringify({ action_name: 'refused' }),
    });
    expect(await response.text()).not.toContain('refused.ts');
    const operation = await waitFor(async () => {
      const { data } = await client.call('GET /api/v1/logs/operations', {
        query: { syncs: 'refused', types: 'action' },
      });
      return data[0]?.endedAt ? data[0] : undefined;
    });

    const line = REFUSED.split('\n').findIndex((text) => text.includes('practice_fail')) + 1;
    expect(operation.error).toMatchObject({
      type: 'script_http_error',
      message: 'Request failed with status code 404',
    });
    expect(operation.error?.stack?.join('\n')).toContain(`refused.ts:${line}:`);
  });

  it('of a sync names the variant, and counts the records that it added, updated and deleted', async () => {
    const variant = { ...params, sync: 'items', variant: 'eu' };
    await client.call('POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant', {
      params: variant,
    });
    const runs = async (nth: number) => {
      await client.call('POST /api/v1/sync/command', { body: { ...variant, command: 'RUN' } });
      return waitFor(async () => {
        const { data } = await client.call('GET /api/v1/logs/operations', {
          query: { syncs: 'items', types: 'sync:run', sort: '-time' },
        });
        return data.length === nth && data.every(({ endedAt }) => endedAt !== null) && data;
      });
    };

    await runs(1);
    const [second, first] = await runs(2);

    expect(first).toMatchObject({ variant: 'eu', recordsAdded: 2, recordsUpdated: 0, recordsDeleted: 0 });
    expect(second).toMatchObject({ variant: 'eu', recordsAdded: 1, recordsUpdated: 1, recordsDeleted: 1 });
  });

  it('keeps the lines that the level of its connection lets through', async () => {
    const PATCH = 'PATCH /api/v1/connections/:integrationKey/:connectionId';
    const before = await run(0);
    await client.call(PATCH, { params, body: { logLevel: 'debug' } });
    onTestFinished(() => client.call(PATCH, { params, body: { logLevel: null } }).then(() => {}));
    const with_ = await run(0);

    expect(before.lines).toEqual([]);
    expect(with_.lines).toEqual(['debug line']);
    expect(
      await client.call('GET /api/v1/logs/operations/:operationId', { params: { operationId: with_.operation.id } }),
    ).toMatchObject({ recordedLevel: 'debug' });
  });
});

it('the list of functions says which of them an index.ts leaves out', async () => {
  const inIndex = async (): Promise<Record<string, boolean>> => {
    const { data } = await client.call('GET /api/v1/functions');
    return Object.fromEntries(data.map(({ name, isInIndex }) => [name, isInIndex]));
  };
  expect(await inIndex()).toEqual({ work: true, items: true, refused: true });

  await saveFunction(hub.workspace, 'index.ts', "import './practice/actions/work.js';\n");

  expect(await inIndex()).toEqual({ work: true, items: false, refused: false });
});
