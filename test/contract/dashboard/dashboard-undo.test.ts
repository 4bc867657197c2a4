import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const NAMES = ['first', 'second', 'third'];

let server: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  server = await startInProcess();
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
  await importPracticeConnection(server);
  await importConnection(server, { provider_config_key: 'practice', connection_id: 'other' });
  for (const name of NAMES)
    await saveFunction(
      server.workspace,
      `practice/syncs/${name}.ts`,
      syncSource('').replaceAll('Item', `Of${name}`).replace('autoStart: false', 'autoStart: true'),
    );
  await waitFor(async () => (await states('me')).length === NAMES.length && (await states('other')).length === 3, {
    what: 'the syncs of both connections',
  });
});
afterAll(() => server?.stop());
beforeEach(() => bulk('resume', ['me', 'other']));

/** The names of the syncs of a connection that run on their schedule, in order, and of the others with a dash. */
async function states(connection: string): Promise<string[]> {
  const { data } = await client.call('GET /api/v1/sync', { query: { integration: 'practice', connection } });
  return data
    .filter(({ name }) => NAMES.includes(name))
    .map(({ name, scheduleStatus }) => (scheduleStatus === 'STARTED' ? name : `-${name}`))
    .sort((a, b) => NAMES.indexOf(a.replace('-', '')) - NAMES.indexOf(b.replace('-', '')));
}

const order = (connectionId: string, sync: string, command: 'PAUSE' | 'UNPAUSE') =>
  client.call('POST /api/v1/sync/command', {
    body: { integrationKey: 'practice', connectionId, sync, command, wantsChanged: true },
  });
const bulk = (command: 'pause' | 'resume', ids: string[]) =>
  client.call('POST /api/v1/connections/bulk', {
    body: {
      command,
      targets: ids.map((connectionId) => ({ integrationKey: 'practice', connectionId })),
      wantsChanged: true,
    },
  });
const undo = (command: 'pause' | 'resume', syncs: string[] | undefined) =>
  client.call('POST /api/v1/sync/undo', { body: { command, syncs } });

describe('the undo of a pause', () => {
  it('starts exactly the syncs again that the pause stopped', async () => {
    const { changed: alone } = await order('me', 'second', 'PAUSE');
    expect(alone).toHaveLength(1);
    expect((await order('me', 'second', 'PAUSE')).changed).toEqual([]);

    const { changed, problems } = await bulk('pause', ['me', 'nobody', 'other']);
    expect(problems.map((one) => one?.code)).toEqual([undefined, 'not_found', undefined]);
    expect(await states('me')).toEqual(['-first', '-second', '-third']);
    expect(await states('other')).toEqual(['-first', '-second', '-third']);

    const mine = changed?.length ?? 0;
    expect(await undo('pause', changed)).toEqual({ count: mine });
    expect(await states('me')).toEqual(['first', '-second', 'third']);
    expect(await states('other')).toEqual(NAMES);

    expect(await undo('pause', changed)).toEqual({ count: 0 });
    expect(await undo('pause', alone)).toEqual({ count: 1 });
    expect(await states('me')).toEqual(NAMES);
  });

  it('leaves what was changed meanwhile, and what belongs to another environment', async () => {
    const { changed } = await order('other', 'first', 'PAUSE');
    await client.call('POST /api/v1/environments', { body: { name: 'away' } });
    const foreign = { query: { env: 'away' }, body: { command: 'pause', syncs: changed } };
    expect(await client.call('POST /api/v1/sync/undo', foreign)).toEqual({ count: 0 });
    expect(await states('other')).toEqual(['-first', 'second', 'third']);

    await order('other', 'first', 'UNPAUSE');
    expect(await undo('pause', changed)).toEqual({ count: 0 });
    expect(await states('other')).toEqual(NAMES);
  });
});

describe('the undo of a resume', () => {
  it('pauses exactly the syncs again that it started', async () => {
    await order('me', 'third', 'PAUSE');
    const { changed } = await bulk('resume', ['me']);
    expect(changed).toHaveLength(1);
    expect(await states('me')).toEqual(NAMES);

    expect(await undo('resume', changed)).toEqual({ count: 1 });
    expect(await states('me')).toEqual(['first', 'second', '-third']);
  });
});

describe('a command without the wish to undo it', () => {
  it('answers as before', async () => {
    const body = { integrationKey: 'practice', connectionId: 'me', sync: 'first', command: 'PAUSE' };
    expect(await client.call('POST /api/v1/sync/command', { body })).toEqual({ operationId: null });
  });
});

describe('the pauses of all schedules', () => {
  it('are told one by one, so that the end of all can be taken back', async () => {
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await client.call('POST /api/v1/schedules/pause', { body: { until } });
    await client.call('POST /api/v1/schedules/pause', { body: { reason: 'battery', until: null } });

    const { health } = await client.call('GET /api/v1/meta');
    expect(health.pausedSchedules).toEqual({
      until: null,
      reasons: ['person', 'battery'],
      pauses: [
        { reason: 'person', until },
        { reason: 'battery', until: null },
      ],
    });
    await client.call('POST /api/v1/schedules/resume', { body: {} });
  });
});

describe('metadata that was changed in another window', () => {
  it('is not overwritten by a save that does not know it', async () => {
    const route = 'PATCH /api/v1/connections/:integrationKey/:connectionId';
    const params = { integrationKey: 'practice', connectionId: 'me' };
    const save = (body: object) => client.send(route, { params, body });
    await client.call(route, { params, body: { metadata: { plan: 'free', seats: { most: 3 } } } });
    const read = { seats: { most: 3 }, plan: 'free' };
    await client.call(route, { params, body: { metadata: { plan: 'pro' }, replacesMetadata: read } });

    const late = await save({ metadata: { plan: 'late' }, replacesMetadata: read, displayName: 'Late' });
    expect(late.status).toBe(409);
    const now = await client.call('GET /api/v1/connections/:integrationKey/:connectionId', { params });
    expect(now.metadata).toEqual({ plan: 'pro' });
    expect(now.displayName).not.toBe('Late');
  });
});

describe('switching functions', () => {
  const isOn = async (name: string): Promise<boolean> => (await client.call(FUNCTION, at(name))).isEnabled;
  const FUNCTION = 'GET /api/v1/functions/:integrationKey/:type/:name';
  const at = (name: string) => ({ params: { integrationKey: 'practice', type: 'sync' as const, name } });
  const switchAll = (isEnabled: boolean, names: string[]) =>
    client.call('POST /api/v1/functions/bulk', { body: { isEnabled, targets: names.map((name) => at(name).params) } });
  const switchOne = (name: string, isEnabled: boolean) =>
    client.call('PATCH /api/v1/functions/:integrationKey/:type/:name', { ...at(name), body: { isEnabled } });

  it('says what it changed, so that exactly this can be undone', async () => {
    const before = await states('me');
    expect((await switchOne('second', false)).isChanged).toBe(true);
    expect((await switchOne('second', false)).isChanged).toBe(false);

    const { changed, problems } = await switchAll(false, ['first', 'nothing', 'second', 'third']);
    expect(changed).toEqual([true, false, false, true]);
    expect(problems.map((one) => one?.code)).toEqual([undefined, 'not_found', undefined, undefined]);
    expect((await switchAll(true, ['first', 'third'])).changed).toEqual([true, true]);

    expect([await isOn('first'), await isOn('second'), await isOn('third')]).toEqual([true, false, true]);
    expect((await switchOne('second', true)).isChanged).toBe(true);
    expect(await states('me')).toEqual(before);
  });
});
