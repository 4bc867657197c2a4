import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import {
  importConnection,
  importPracticeConnection,
  officialClient,
} from '../../support/import-practice-connection.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

/** Looks at the clock often, so that moving it ahead is noticed soon. */
class WatchedClock extends MovableClock {
  override readonly after: MovableClock['after'] = (delayMs, run) =>
    systemClock.after(delayMs > 5000 && delayMs <= 12_000 ? 50 : delayMs, run);
}

const CONNECTION = 'DELETE /api/v1/connections/:integrationKey/:connectionId';
const HOLD = { hold: 'true' };

const clock = new WatchedClock();
let server: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  server = await startInProcess({ clock });
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
  await importPracticeConnection(server);
  await saveFunction(
    server.workspace,
    'practice/syncs/steady.ts',
    syncSource('').replace('autoStart: false', 'autoStart: true'),
  );
});
afterAll(() => server?.stop());

const params = (connectionId: string) => ({ integrationKey: 'practice', connectionId });
const make = (connection_id: string) => importConnection(server, { provider_config_key: 'practice', connection_id });
const exists = async (id: string): Promise<boolean> =>
  (await officialClient(server).listConnections()).connections.some(({ connection_id }) => connection_id === id);
const gone = (id: string) => waitFor(async () => !(await exists(id)), { what: `the deletion of ${id}` });
const shown = async (): Promise<string[]> =>
  (await client.call('GET /api/v1/connections', { query: { sort: 'id' } })).data.map(
    ({ connectionId }) => connectionId,
  );
const hold = async (id: string): Promise<string> => {
  const { held } = await client.call(CONNECTION, { params: params(id), query: HOLD });
  if (!held) throw new Error('The deletion did not wait.');
  expect(Date.parse(held.until)).toBeGreaterThan(clock.now() + 9000);
  return held.id;
};
const act = (what: 'keep' | 'undo' | 'end', deletionId: string) =>
  client.send(`POST /api/v1/deletions/:deletionId/${what}`, { params: { deletionId } });
const status = async (what: 'keep' | 'undo' | 'end', id: string): Promise<number> => (await act(what, id)).status;
const audit = async () =>
  (await client.call('GET /api/v1/audit', { query: { actions: 'connection_deleted' } })).data.map(
    ({ connectionId }) => connectionId,
  );

describe('a deletion that waits', () => {
  it('is hidden from the lists and undone whole: the connection was never touched', async () => {
    await make('wren');
    const others = (await shown()).filter((id) => id !== 'wren');
    const before = await officialClient(server).getConnection('practice', 'wren');
    const id = await hold('wren');

    expect(await shown()).toEqual(others);
    expect((await client.call('GET /api/v1/connections/count')).total).toBe(others.length);
    const counted = async () =>
      (await client.call('GET /api/v1/integrations')).data.reduce((sum, one) => sum + one.connectionCount, 0);
    expect(await counted()).toBe(others.length);
    expect(await exists('wren')).toBe(true);
    expect(await audit()).not.toContain('wren');

    expect(await status('undo', id)).toBe(200);
    expect(await shown()).toEqual([...others, 'wren'].sort());
    expect(await counted()).toBe(others.length + 1);
    expect(await officialClient(server).getConnection('practice', 'wren')).toMatchObject({
      id: before.id,
      created_at: before.created_at,
    });
    expect(await status('undo', id)).toBe(409);
    clock.skip(60_000);
    expect(await exists('wren')).toBe(true);
  });

  it('happens after its time, with its entry in the audit, and cannot be undone then', async () => {
    await make('teal');
    const id = await hold('teal');
    clock.skip(13_000);
    await gone('teal');

    await waitFor(async () => (await audit()).includes('teal'), { what: 'the audit' });
    expect(await status('undo', id)).toBe(409);
    expect(await status('keep', id)).toBe(409);
    expect(await status('end', id)).toBe(200);
  });

  it('waits longer while it is kept, and happens at once when it is ended', async () => {
    await make('slate');
    const id = await hold('slate');
    for (const _ of [1, 2, 3]) {
      clock.skip(10_000);
      expect(await status('keep', id)).toBe(200);
    }
    expect(await exists('slate')).toBe(true);

    expect(await status('end', id)).toBe(200);
    expect(await exists('slate')).toBe(false);
  });

  it('does not wait for a time that a wrong clock wrote', async () => {
    await make('sand');
    await hold('sand');
    clock.skip(-3_600_000);
    await gone('sand');
    clock.skip(3_600_000);
  });

  it('happens although the hub was restarted meanwhile', async () => {
    await make('moss');
    await hold('moss');
    await server.end();
    clock.skip(13_000);
    await server.restart();
    await gone('moss');

    await make('fern');
    const id = await hold('fern');
    await server.restart();
    client = await DashboardClient.signIn({ url: server.url, signIn: server });
    expect(await shown()).not.toContain('fern');
    expect(await status('undo', id)).toBe(200);
    clock.skip(13_000);
    expect(await shown()).toContain('fern');
  });

  it('is dropped when the connection is made anew meanwhile, and never meets a later one of the same name', async () => {
    await make('coral');
    await hold('coral');
    await make('coral');
    expect(await shown()).toContain('coral');

    await hold('coral');
    await officialClient(server).deleteConnection('practice', 'coral');
    await make('coral');
    clock.skip(13_000);
    await make('probe');
    const probe = await hold('probe');
    expect(await status('end', probe)).toBe(200);
    expect(await exists('coral')).toBe(true);
  });

  it('is one for many connections, with the problem of each that cannot be deleted', async () => {
    for (const id of ['one', 'two']) await make(id);
    const targets = ['one', 'nobody', 'two'].map(params);
    const body = { command: 'delete', targets, hold: true };
    const { problems, held } = await client.call('POST /api/v1/connections/bulk', { body });
    expect(problems.map((one) => one?.code)).toEqual([undefined, 'not_found', undefined]);
    expect(await shown()).not.toContain('one');
    expect(await status('undo', held?.id ?? '')).toBe(200);
    expect(await shown()).toEqual(expect.arrayContaining(['one', 'two']));

    const { held: none } = await client.call('POST /api/v1/connections/bulk', {
      body: { ...body, targets: [params('nobody')] },
    });
    expect(none).toBeUndefined();
  });

  it('belongs to its environment', async () => {
    await make('away');
    const id = await hold('away');
    await client.call('POST /api/v1/environments', { body: { name: 'other' } });
    for (const what of ['undo', 'keep'] as const) {
      const route = `POST /api/v1/deletions/:deletionId/${what}` as const;
      expect((await client.send(route, { params: { deletionId: id }, query: { env: 'other' } })).status).toBe(409);
    }
    expect(await status('undo', id)).toBe(200);
  });
});

describe('what can wait', () => {
  it('is also an integration with its connections, a variant and a destination', async () => {
    await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key: 'second' } });
    await importConnection(server, { provider_config_key: 'second', connection_id: 'of-second' });
    const key = { integrationKey: 'second' };
    const integrations = async () => (await client.call('GET /api/v1/integrations')).data.map((one) => one.key);
    const whole = await client.call('DELETE /api/v1/integrations/:integrationKey', { params: key, query: HOLD });
    expect(await integrations()).toEqual(['practice']);
    expect(await shown()).not.toContain('of-second');
    expect(await exists('of-second')).toBe(true);
    expect(await status('undo', whole.held?.id ?? '')).toBe(200);
    expect(await integrations()).toEqual(['practice', 'second']);
    expect(await shown()).toContain('of-second');

    const variant = { ...params('me'), sync: 'steady', variant: 'extra' };
    const route = '/api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant';
    await waitFor(async () => (await client.send(`POST ${route}`, { params: variant })).status === 200, {
      what: 'the variant',
    });
    const variants = async () =>
      (await client.call('GET /api/v1/sync', { query: { integration: 'practice', connection: 'me' } })).data.map(
        (one) => one.variant,
      );
    const copy = await client.call(`DELETE ${route}`, { params: variant, query: HOLD });
    expect(await variants()).toEqual(['base']);
    expect(await status('undo', copy.held?.id ?? '')).toBe(200);
    expect(await variants()).toEqual(['base', 'extra']);

    const made = await client.call('POST /api/v1/webhook-destinations', {
      body: { name: 'Billing', url: 'https://billing.example/hook', isEnabled: true, types: [], integrations: [] },
    });
    const list = async () => (await client.call('GET /api/v1/webhook-destinations')).data;
    const destination = { destinationId: made.id };
    const hook = await client.call('DELETE /api/v1/webhook-destinations/:destinationId', {
      params: destination,
      query: HOLD,
    });
    expect(await list()).toEqual([]);
    expect(await status('undo', hook.held?.id ?? '')).toBe(200);
    expect(await list()).toEqual([made]);
    const again = await client.call('DELETE /api/v1/webhook-destinations/:destinationId', {
      params: destination,
      query: HOLD,
    });
    expect(await status('end', again.held?.id ?? '')).toBe(200);
    expect(await list()).toEqual([]);
  });

  it('is no deletion of the public API, and none without the wish', async () => {
    for (const id of ['by-api', 'by-page']) await make(id);
    await officialClient(server).deleteConnection('practice', 'by-api');
    expect(await exists('by-api')).toBe(false);
    expect(await client.call(CONNECTION, { params: params('by-page') })).toEqual({ success: true });
    expect(await exists('by-page')).toBe(false);
  });
});
