import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryDetail } from '../../../server/webhooks-out/delivery-history.ts';
import type { SyncEvent } from '../../../server/webhooks-out/payloads.ts';
import { NotificationsFixture } from './notifications-fixture.ts';

const DAY_MS = 86_400_000;

let hub: NotificationsFixture;

beforeEach(async () => {
  hub = await NotificationsFixture.open();
  hub.receiver.on('POST /hook', { status: 200, body: { taken: true } });
  await hub.set({ primaryUrl: `${hub.receiver.address}/hook` });
});
afterEach(() => hub?.close());

const list = async (filter: Record<string, unknown> = {}, page = { offset: 0, limit: 50 }) =>
  hub.notifications.history.list({ environmentId: hub.environment.id, ...filter }, page);
async function newest(): Promise<DeliveryDetail> {
  const [first] = (await list()).deliveries;
  return hub.notifications.history.get(hub.environment.id, first?.id ?? '');
}
const ids = async (filter: Record<string, unknown> = {}) =>
  (await list(filter)).deliveries.map(({ connectionId }) => connectionId);

/** Sends one for each connection and waits until all have ended. */
async function send(...connectionIds: string[]): Promise<void> {
  for (const connectionId of connectionIds) await hub.notifications.notifyAuth(hub.auth({ connectionId }));
  await hub.settled();
}

describe('a delivery that ended', () => {
  it('stays, with what was sent and what was answered', async () => {
    await send('c-1');
    const detail = await newest();

    expect(detail).toMatchObject({
      type: 'auth',
      cause: 'event',
      state: 'delivered',
      integrationKey: 'github',
      connectionId: 'c-1',
      url: `${hub.receiver.address}/hook`,
      attempt: 1,
      mostAttempts: 3,
      code: 200,
      error: null,
      nextAttemptAt: null,
      finishedAt: hub.clock.now(),
    });
    expect(JSON.parse(detail.body)).toMatchObject({ type: 'auth', connectionId: 'c-1' });
    expect(detail.headers).toMatchObject({
      'content-type': 'application/json',
      'x-nango-hmac-sha256': hub.receiver.requests[0]?.headers['x-nango-hmac-sha256'],
    });
    expect(detail.attempts).toMatchObject([
      { destination: 1, attempt: 1, code: 200, body: '{"taken":true}', isBodyCut: false, problem: null },
    ]);
    expect(detail.attempts[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
  });

  it('has every attempt, the next one while it waits, and says why none was answered', async () => {
    hub.receiver.on('POST /hook', { drop: true });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    expect(await newest()).toMatchObject({ state: 'waiting', attempt: 2, nextAttemptAt: hub.clock.now() + 3000 });

    await hub.advance(3000);
    await hub.stands(0, 3);
    hub.receiver.on('POST /hook', { status: 404, body: 'x'.repeat(70_000) });
    await hub.advance(6000);
    await hub.settled();

    const { attempts, ...detail } = await newest();
    expect(detail).toMatchObject({ state: 'failed', attempt: 3, code: 404, finishedAt: hub.clock.now() });
    expect(attempts.map(({ attempt, code, error }) => [attempt, code, error])).toEqual([
      [1, null, 'ECONNRESET'],
      [2, null, 'ECONNRESET'],
      [3, 404, null],
    ]);
    expect(attempts[0]).toMatchObject({ problem: expect.any(String), body: null, headers: null });
    expect(attempts[2]).toMatchObject({ isBodyCut: true });
    expect(attempts[2]?.body).toHaveLength(65_536);
  });

  it('causes events when it starts, continues and ends', async () => {
    hub.receiver.on('POST /hook', { status: 500 });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.stands(0, 2);
    hub.receiver.on('POST /hook', { status: 200 });
    await hub.advance(3000);
    await hub.settled();

    const { id, state } = await newest();
    expect(state).toBe('delivered');
    expect(hub.changes).toEqual([id, id, id]);
  });

  it('loses the answer of a receiver that never ends it, not the delivery', async () => {
    hub.receiver.on('POST /hook', { status: 200, headers: { 'content-length': '100' }, body: 'begun' });
    await hub.notifications.notifyAuth(hub.auth());
    await hub.received('/hook', 1);
    await hub.advance(2000);
    await hub.settled();

    expect(await newest()).toMatchObject({ state: 'delivered', attempts: [{ code: 200, isBodyCut: true }] });
  });

  it('shows no password of its address and no secret of a provider', async () => {
    await hub.set({ primaryUrl: `${hub.receiver.address.replace('://', '://user:canary@')}/hook` });
    await hub.notifications.forward({
      environment: hub.environment,
      integration: { uniqueKey: 'lab', provider: 'gitlab', forwardsWebhooks: true },
      json: '{}',
      headers: { 'x-gitlab-token': 'canary', 'x-gitlab-event': 'Push' },
      connections: [],
    });
    await hub.settled();
    const detail = await newest();

    expect(hub.receiver.requests[0]?.headers['x-gitlab-token']).toBe('canary');
    expect(JSON.stringify(detail)).not.toContain('canary');
    expect(detail.headers).toMatchObject({ 'x-gitlab-event': 'Push', 'x-gitlab-token': 'REDACTED' });
  });

  it('lies sealed in the file, and the log has no part in its words', async () => {
    hub.receiver.on('POST /hook', { status: 200, body: 'canary-answer-7719' });
    const webhookUrlOverride = `${hub.receiver.address}/hook?canary=address-8812`;
    await hub.notifications.notifyAuth(hub.auth({ webhookUrlOverride, tags: { secret: 'canary-body-5521' } }));
    await hub.settled();

    expect((await newest()).attempts[0]?.body).toBe('canary-answer-7719');
    expect(hub.log.operations[0]?.messages[0]?.response).toEqual({ code: 200, headers: expect.any(Object) });
    expect(JSON.stringify(hub.log.operations)).not.toMatch(/canary-body|canary-answer/);
    const files = await Promise.all(['', '-wal'].map((suffix) => readFile(`${hub.file}${suffix}`)));
    expect(Buffer.concat(files).toString('latin1')).not.toMatch(/canary-body|address-8812|canary-answer/);
  });
});

describe('the list', () => {
  const synced = (connectionId: string): SyncEvent =>
    ({
      environmentId: hub.environment.id,
      connectionId,
      providerConfigKey: 'crm',
      providerName: 'hubspot',
      syncName: 'contacts',
      syncVariant: 'base',
      syncType: 'INITIAL',
      success: true,
      model: 'Contact',
      responseResults: { added: 1, updated: 0, deleted: 0 },
      modifiedAfter: hub.clock.now(),
    }) satisfies SyncEvent;

  it('is narrowed by state, type, integration, connection and text', async () => {
    await send('c-1', 'c-2');
    hub.receiver.on('POST /hook', { status: 410 });
    await hub.notifications.notifySync(synced('c-3'));
    await hub.settled();

    expect(await ids()).toEqual(['c-3', 'c-2', 'c-1']);
    expect(await ids({ states: ['failed'] })).toEqual(['c-3']);
    expect(await ids({ types: ['auth'] })).toEqual(['c-2', 'c-1']);
    expect(await ids({ integrations: ['crm', 'other'] })).toEqual(['c-3']);
    expect(await ids({ connections: ['c-1'] })).toEqual(['c-1']);
    expect(await ids({ search: 'CONTACTS synced' })).toEqual(['c-3']);
    expect(await ids({ search: '100%' })).toEqual([]);
    expect(await ids({ environmentId: hub.environment.id + 1 })).toEqual([]);
  });

  it('comes in pages that later deliveries do not shift', async () => {
    await send('c-1', 'c-2', 'c-3');
    const first = await list({}, { offset: 0, limit: 2 });
    await send('c-4');
    const second = await list({ snapshot: first.snapshot }, { offset: 2, limit: 2 });

    expect(first).toMatchObject({ total: 3, deliveries: [{ connectionId: 'c-3' }, { connectionId: 'c-2' }] });
    expect(second).toMatchObject({ total: 3, deliveries: [{ connectionId: 'c-1' }] });
  });

  it('shows nothing of another environment', async () => {
    await send('c-1');
    const { id } = await newest();

    await expect(hub.notifications.history.get(hub.environment.id + 1, id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('a replay', () => {
  it('sends the same body with the signature of the present key, and names its origin', async () => {
    await send('c-1');
    const { id } = await newest();
    const key = await hub.environments.signingKeys.rotate(hub.environment.id);
    await hub.set({ primaryUrl: `${hub.receiver.address}/elsewhere` });

    const replayed = await hub.notifications.history.replay(hub.environment.id, id);
    await hub.settled();

    const [first, second] = hub.receiver.requestsTo('/hook');
    expect(second?.body).toEqual(first?.body);
    const client = await hub.client(key);
    expect(client.verifyIncomingWebhookRequest(String(second?.body), second?.headers ?? {})).toBe(true);
    expect(await newest()).toMatchObject({ id: replayed, cause: 'replay', originId: id, state: 'delivered' });
    expect(hub.log.operations.at(-1)?.start?.meta).toMatchObject({ replayOf: id });
  });

  it('goes to another address on request', async () => {
    hub.receiver.on('POST /other', { status: 200 });
    await send('c-1');
    const { id, body } = await newest();
    await hub.notifications.history.replay(hub.environment.id, id, `${hub.receiver.address}/other`);
    await hub.settled();

    expect(String(hub.receiver.requestsTo('/other')[0]?.body)).toBe(body);
    expect(hub.receiver.requestsTo('/hook')).toHaveLength(1);
  });

  it('keeps what the provider sent along with a forwarded one', async () => {
    await hub.notifications.forward({
      environment: hub.environment,
      integration: { uniqueKey: 'lab', provider: 'gitlab', forwardsWebhooks: true },
      json: '[1]',
      headers: { 'x-gitlab-token': 'secret' },
      connections: [],
    });
    await hub.settled();
    await hub.notifications.history.replay(hub.environment.id, (await newest()).id);
    await hub.settled();

    expect(hub.receiver.requests.map(({ headers, body }) => [headers['x-gitlab-token'], String(body)])).toEqual([
      ['secret', '[1]'],
      ['secret', '[1]'],
    ]);
  });

  it('of one that is gone is refused', async () => {
    const nowhere = hub.notifications.history.replay(hub.environment.id, 'e6a3a5c0-0000-4000-8000-000000000000');

    await expect(nowhere).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('replaying what failed', () => {
  const replayFailed = (filter: Record<string, unknown> = {}): Promise<number> =>
    hub.notifications.history.replayFailed({ environmentId: hub.environment.id, ...filter });

  beforeEach(async () => {
    hub.receiver.on('POST /hook', { status: 410 });
    await send('c-1', 'c-2', 'c-3');
    hub.receiver.on('POST /hook', { status: 200 });
    await send('fine');
    hub.receiver.requests.length = 0;
  });

  it('sends each of them once, ten a second', async () => {
    expect(await replayFailed()).toBe(3);
    await hub.received('/hook', 1);
    await hub.idle();
    expect(hub.receiver.requests).toHaveLength(1);
    await hub.advance(100);
    await hub.received('/hook', 2);
    await hub.idle();
    expect(hub.receiver.requests).toHaveLength(2);
    await hub.advance(100);
    await hub.settled();

    expect(hub.receiver.requests.map(({ body }) => JSON.parse(String(body)).connectionId)).toEqual([
      'c-1',
      'c-2',
      'c-3',
    ]);
    expect(await replayFailed()).toBe(0);
  });

  it('takes only what the filter names', async () => {
    expect(await replayFailed({ connections: ['c-2'] })).toBe(1);
    await hub.settled();

    expect(hub.receiver.requests).toHaveLength(1);
  });

  it('leaves out the destination that has it', async () => {
    hub.receiver.on('POST /down', { status: 410 });
    await hub.set({ secondaryUrl: `${hub.receiver.address}/down` });
    await send('two');
    expect(await newest()).toMatchObject({ state: 'failed', destinationCount: 2 });
    hub.receiver.requests.length = 0;
    await replayFailed({ connections: ['two'] });
    await hub.settled();

    expect(hub.receiver.requests.map(({ url }) => url)).toEqual(['/down']);
  });

  it('continues at its rate after a restart', async () => {
    await replayFailed();
    await hub.received('/hook', 1);
    await hub.restart();
    await hub.advance(200);
    await hub.settled();

    expect((await list({ states: ['delivered'] })).total).toBe(4);
  });

  it('goes through more than one slice', async () => {
    hub.receiver.on('POST /hook', { status: 410 });
    await send(...Array.from({ length: 45 }, (_, index) => `many-${index}`));

    expect(await replayFailed({ search: 'many-' })).toBe(45);
    hub.receiver.on('POST /hook', { status: 200 });
    await hub.advance(4500);
    await hub.settled();
  });
});

describe('a sample', () => {
  it.each(['auth', 'sync', 'async_action', 'forward'] as const)('of type %s is signed and delivered', async (type) => {
    const id = await hub.notifications.sendSample(hub.environment, type);
    await hub.settled();

    const [request] = hub.receiver.requests;
    const body = String(request?.body);
    expect(JSON.parse(body)).toMatchObject({ type, connectionId: 'sample-connection' });
    const client = await hub.client();
    expect(client.verifyIncomingWebhookRequest(body, request?.headers ?? {})).toBe(true);
    expect(client.verifyWebhookSignature(String(request?.headers['x-nango-signature']), JSON.parse(body))).toBe(true);
    expect(await newest()).toMatchObject({ id, type, cause: 'sample', state: 'delivered', connectionId: null });
  });

  it('goes to an address that is not set yet', async () => {
    hub.receiver.on('POST /new', { status: 200 });
    await hub.notifications.sendSample(hub.environment, 'sync', `${hub.receiver.address}/new`);
    await hub.settled();

    expect(hub.receiver.requests.map(({ url }) => url)).toEqual(['/new']);
  });

  it('says that there is nowhere to go', async () => {
    await hub.set({ primaryUrl: null });

    await expect(hub.notifications.sendSample(hub.environment, 'auth')).rejects.toThrow('Set the primary URL first.');
  });
});

describe('retention', () => {
  const keep = (webhookRetentionDays: number | null) =>
    hub.environments.change(hub.environment.id, { webhookRetentionDays });

  it('removes what ended longer ago, with its attempts, and never what is under way', async () => {
    await send('old');
    await keep(1);
    await hub.advance(DAY_MS);
    expect(await hub.notifications.removeExpired()).toBe(0);
    hub.receiver.on('POST /hook', { status: 500 });
    await hub.notifications.notifyAuth(hub.auth({ connectionId: 'waits' }));
    await hub.stands(0, 2);
    await hub.database.transaction((tx) => tx.run('UPDATE webhook_deliveries SET created_at = 0'));

    await hub.clock.advance(1);
    expect(await hub.notifications.removeExpired()).toBe(1);

    expect(await ids()).toEqual(['waits']);
    expect(await hub.database.reader.all('SELECT 1 FROM webhook_attempts')).toHaveLength(1);
  });

  it('keeps everything when it is off', async () => {
    await send('c-1');
    await keep(null);
    await hub.clock.skip(8 * DAY_MS);

    expect(await hub.notifications.removeExpired()).toBe(0);
  });

  it('happens by itself, every hour', async () => {
    await send('c-1');
    await keep(1);
    hub.notifications.start();
    await hub.advance(DAY_MS);
    await hub.advance(3_600_000);

    expect(await ids()).toEqual([]);
  });
});
