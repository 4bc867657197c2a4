import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';
import { DashboardClient } from './dashboard-client.ts';

const TARGET = { integrationKey: 'practice', connectionId: 'me' };
const CONNECTION = '/api/v1/connections/:integrationKey/:connectionId' as const;
const SWITCH = 'PUT /api/v1/functions/:integrationKey/sync/:name/history';
/** A sync for each test. Saves the records that the metadata of the connection describes. */
const SYNCS = ['bounded', 'compared', 'remembered', 'refusing', 'removed'];
const sourceOf = (sync: string): string =>
  syncSource(`
  const { save, gone } = await nango.getMetadata();
  await nango.batchSave(save, 'Item');
  await nango.batchDelete(gone ?? [], 'Item');`).replaceAll('Item', modelOf(sync));
const modelOf = (sync: string): string => `Of${sync}`;

let hub: InProcessServer;
let connection: PracticeConnection;
let client: DashboardClient;

beforeAll(async () => {
  hub = await startInProcess();
  connection = await importPracticeConnection(hub);
  for (const sync of SYNCS) await saveFunction(hub.workspace, `practice/syncs/${sync}.ts`, sourceOf(sync));
  for (const sync of SYNCS) await waitFor(() => syncState(connection, sync), { what: `the sync ${sync}` });
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
});
afterAll(() => hub?.stop());

/** The records of a sync and their history. */
function historyOf(sync: string) {
  const model = modelOf(sync);
  return {
    model,
    /** Resolves to the time when the run had ended. */
    run: async (metadata: Record<string, unknown>): Promise<string> => {
      const before = await syncState(connection, sync);
      await connection.nango.setMetadata('practice', 'me', metadata);
      await connection.nango.triggerSync('practice', [sync], 'me');
      await waitForSync(connection, sync, (state) => hasSucceeded(state) && state.finishedAt !== before?.finishedAt);
      return new Date().toISOString();
    },
    state: () => client.call(`GET ${CONNECTION}/history`, { params: TARGET, query: { model } }),
    turn: (isOn: boolean, body: object = {}) =>
      client.call(SWITCH, {
        params: { integrationKey: 'practice', name: sync },
        body: { model, isOn, ...body },
      }),
    versionsOf: async (recordId: string) =>
      (
        await client.call(`GET ${CONNECTION}/records/:recordId/versions`, {
          params: { ...TARGET, recordId },
          query: { model },
        })
      ).data,
    list: (query: Record<string, string> = {}) =>
      client.call(`GET ${CONNECTION}/records`, { params: TARGET, query: { model, ...query } }),
  };
}

describe('the history of records on the dashboard', () => {
  it('is off until it is switched on for a model of a sync, with its bounds', async () => {
    const { run, state, turn } = historyOf('bounded');
    await run({ save: [{ id: 'a', text: '1' }] });
    expect(await state()).toEqual({
      ...{ sync: 'bounded', isOn: false, mostVersions: 50, mostDays: 30 },
      ...{ since: null, moments: [], versions: 0, bytes: 0 },
    });

    expect(await turn(true, { mostVersions: 10 })).toEqual({ isOn: true, mostVersions: 10, mostDays: 30 });

    expect(await state()).toMatchObject({ isOn: true, mostVersions: 10, since: expect.any(String) });
    expect(await turn(true, { mostDays: 5 })).toEqual({ isOn: true, mostVersions: 10, mostDays: 5 });
  });

  it('lists the versions of a record with their runs, and compares two', async () => {
    const { model, run, state, turn, versionsOf } = historyOf('compared');
    await run({ save: [{ id: 'a', text: '1' }] });
    await turn(true);
    await run({
      save: [
        { id: 'a', text: '2' },
        { id: 'b', text: '1' },
      ],
    });
    await run({ save: [], gone: [{ id: 'b' }] });

    const [newest, oldest] = await versionsOf('a');
    expect([newest?.action, oldest?.action, oldest?.operationId]).toEqual(['UPDATED', 'ADDED', null]);
    expect((await versionsOf('b')).map(({ action }) => action)).toEqual(['DELETED', 'ADDED']);
    const operation = await client.call('GET /api/v1/logs/operations/:operationId', {
      params: { operationId: newest?.operationId ?? '' },
    });
    expect(operation).toMatchObject({ id: newest?.operationId, syncConfigName: 'compared', trigger: 'api' });
    const query = { model, from: oldest?.at ?? '', to: newest?.at ?? '' };
    const diff = { params: { ...TARGET, recordId: 'a' }, query };
    expect(await client.call(`GET ${CONNECTION}/records/:recordId/diff`, diff)).toEqual({
      from: { id: 'a', text: '1' },
      to: { id: 'a', text: '2' },
      changes: [{ path: '/text', kind: 'changed', from: '1', to: '2' }],
    });
    expect((await state()).versions).toBe(2);
  });

  it('shows the table and a record as they were at a moment', async () => {
    const { model, list, run, state, turn } = historyOf('remembered');
    await run({ save: [{ id: 'a', text: '1' }] });
    await turn(true);
    await run({
      save: [
        { id: 'a', text: '2' },
        { id: 'b', text: '1' },
      ],
    });
    await run({ save: [], gone: [{ id: 'b' }] });
    const then = await run({
      save: [
        { id: 'c', text: 'then' },
        { id: 'd', text: 'then' },
      ],
    });
    await run({
      save: [
        { id: 'c', text: 'now' },
        { id: 'e', text: 'now' },
      ],
      gone: [{ id: 'd' }],
    });

    // The moment of the first run is between the two; the slider finds it there.
    const { moments, since } = await state();
    expect(moments).toEqual([...moments].sort());
    expect(moments.every((moment) => moment > (since ?? ''))).toBe(true);
    const [before, newest] = moments.slice(-2);
    expect([(before ?? '') <= then, (newest ?? '') > then]).toEqual([true, true]);
    expect(await list({ at: before ?? '', sort: 'id' })).toMatchObject({ total: (await list({ at: then })).total });

    const past = await list({ at: then, sort: 'id' });

    expect(past).toMatchObject({ total: 4, lost: 0, snapshot: then });
    expect(past.data.map(({ id, action, preview }) => [id, action, preview['text']])).toEqual([
      ['a', 'UPDATED', '2'],
      ['b', 'DELETED', '1'],
      ['c', 'ADDED', 'then'],
      ['d', 'ADDED', 'then'],
    ]);
    expect((await list({ at: then, search: 'then', actions: 'ADDED' })).data.map(({ id }) => id)).toEqual(['d', 'c']);
    expect((await list({ at: then, limit: '1', offset: '1', sort: 'id' })).data.map(({ id }) => id)).toEqual(['b']);
    const one = `GET ${CONNECTION}/records/:recordId` as const;
    const read = (recordId: string) => ({ params: { ...TARGET, recordId }, query: { model, at: then } });
    expect((await client.call(one, read('c'))).payload).toEqual({ id: 'c', text: 'then' });
    expect(await client.refusal(one, read('e'))).toEqual({ status: 404, code: 'not_found' });
  });

  it('refuses moments it cannot know, models that no sync has, bounds out of range', async () => {
    const { model, run, turn } = historyOf('refusing');
    await run({ save: [{ id: 'a', text: '1' }] });
    await turn(true);
    const read = (at: string) => client.refusal(`GET ${CONNECTION}/records`, { params: TARGET, query: { model, at } });
    const put = (body: object) =>
      client.refusal(SWITCH, {
        params: { integrationKey: 'practice', name: 'refusing' },
        body: { model, isOn: true, ...body },
      });

    expect(await read('2001-01-01T00:00:00Z')).toEqual({ status: 400, code: 'invalid_query_params' });
    expect(await read('2999-01-01T00:00:00Z')).toEqual({ status: 400, code: 'invalid_query_params' });
    expect(await read('yesterday')).toEqual({ status: 400, code: 'invalid_query_params' });
    expect(await put({ model: 'Other' })).toEqual({ status: 404, code: 'not_found' });
    expect(await put({ mostVersions: 0 })).toEqual({ status: 400, code: 'invalid_body' });
    expect(
      await client.refusal(`GET ${CONNECTION}/records/:recordId/versions`, {
        params: { ...TARGET, recordId: 'none' },
        query: { model },
      }),
    ).toEqual({ status: 404, code: 'not_found' });
  });

  it('is removed when it is switched off', async () => {
    const { list, run, state, turn, versionsOf } = historyOf('removed');
    await run({ save: [{ id: 'a', text: '1' }] });
    await turn(true, { mostVersions: 10, mostDays: 5 });
    await run({ save: [{ id: 'a', text: '2' }] });
    expect(await versionsOf('a')).toHaveLength(2);

    expect(await turn(false)).toEqual({ isOn: false, mostVersions: 10, mostDays: 5 });

    await waitFor(async () => (await versionsOf('a')).length === 1, { what: 'the removal' });
    expect(await state()).toMatchObject({ isOn: false, since: null, versions: 0 });
    expect((await list()).total).toBe(1);
  });
});
