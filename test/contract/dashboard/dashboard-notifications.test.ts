import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NotificationRow, NotificationRules } from '../../../server/dashboard/dashboard-notifications.contract.ts';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { DashboardClient } from './dashboard-client.ts';

const LIST = 'GET /api/v1/notifications';
const RULES = 'PUT /api/v1/notification-rules';

let receiver: FakeProvider;
let server: InProcessServer;
let client: DashboardClient;
let api: ApiCaller;

beforeAll(async () => {
  receiver = await FakeProvider.start();
  server = await startInProcess();
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
  api = new ApiCaller(server);
  await importPracticeConnection(server);
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
});

const list = async () => client.call(LIST);
/** The notification of this kind, once it has this form. */
const notification = (like: (one: NotificationRow) => boolean, what: string): Promise<NotificationRow> =>
  waitFor(async () => (await list()).data.find(like), { what });

async function changeRules(change: Partial<NotificationRules>): Promise<void> {
  const rules = await client.call('GET /api/v1/notification-rules');
  await client.call(RULES, { body: { ...rules, ...change, kinds: { ...rules.kinds, ...change.kinds } } });
}

const FAILING = syncSource("throw new Error('secret-canary in the message');");
const WORKING = syncSource("await nango.batchSave([{ id: '1', text: 'a' }], 'Item');");

/** Two syncs of a connection save models of their own. */
const ofThings = (source: string): string => source.replaceAll('Item', 'Thing');

describe('the notification centre', () => {
  it('reports that a function broke on save, with the version that keeps running, until it is fixed', async () => {
    const path = 'practice/syncs/notes.ts';
    await saveFunction(server.workspace, path, WORKING);
    await waitFor(async () => (await api.send('GET /scripts/config')).bytes.includes('"notes"'), { what: 'the sync' });
    await saveFunction(server.workspace, path, 'export default createSync({');

    const broken = await notification(({ kind }) => kind === 'function', 'the broken function');
    expect(broken).toMatchObject({
      title: 'practice/syncs/notes.ts does not compile',
      text: expect.stringMatching(/^Version .+ keeps running\.$/),
      link: '/dev/integrations/practice/functions/notes?type=sync#code',
      action: 'code',
      isRead: false,
      isOver: false,
    });
    await saveFunction(server.workspace, path, WORKING);
    await notification(({ isOver, kind }) => kind === 'function' && isOver, 'its end');
  });

  it('reports a sync after as many failures in a row as the rules say, and its recovery', async () => {
    await changeRules({ syncFailures: 2 });
    await saveFunction(server.workspace, 'practice/syncs/items.ts', ofThings(FAILING));
    await waitFor(async () => (await api.send('GET /scripts/config')).bytes.includes('"items"'), { what: 'the sync' });
    const run = async (): Promise<void> => {
      const body = { provider_config_key: 'practice', connection_id: 'me', syncs: ['items'] };
      // The sync of a connection exists a moment after its function.
      await waitFor(async () => (await api.send('POST /sync/trigger', { body })).status === 200, { what: 'the run' });
    };
    const status = 'GET /sync/status?provider_config_key=practice&connection_id=me&syncs=items';
    const hasFailed = async (): Promise<boolean> =>
      (await api.send(status)).bytes.includes('"latestExecutionStatus":"STOPPED"');
    await run();
    await waitFor(hasFailed, { what: 'the first failure' });
    expect((await list()).data.filter(({ kind }) => kind === 'sync')).toEqual([]);

    await run();
    const failing = await notification(({ kind }) => kind === 'sync', 'the second failure');
    expect(failing).toMatchObject({
      title: 'items failed 2 times in a row',
      text: 'A sync of practice. Connection me.',
      link: '/dev/connections/practice/me/syncs',
      subject: { cause: expect.stringMatching(/^sync \["practice","items",/), sync: 'items' },
      count: 2,
    });
    await client.call('POST /api/v1/notifications/read', { body: { ids: [failing.id] } });
    await run();
    expect(await notification(({ count, kind }) => kind === 'sync' && count === 3, 'the third')).toMatchObject({
      isRead: true,
    });
    expect(JSON.stringify(await list())).not.toContain('secret-canary');

    await saveFunction(server.workspace, 'practice/syncs/items.ts', ofThings(WORKING));
    await waitFor(
      async () => {
        await run();
        return (await list()).data.some(({ isOver, kind }) => kind === 'sync' && isOver);
      },
      { what: 'the end of the failures' },
    );
  });

  it('tells once that webhooks were given up, counts on, and ends when all were sent again', async () => {
    receiver.on('POST /hook', { status: 410 });
    await client.call('PATCH /api/v1/settings', { body: { webhook: { primary_url: `${receiver.address}/hook` } } });
    const sample = () => client.call('POST /api/v1/webhooks/outgoing/sample', { body: { type: 'sync' } });
    await sample();
    const first = await notification(({ kind }) => kind === 'webhook', 'the webhook');
    await sample();
    // A run of an earlier test may end only now, and its webhook is given up as well.
    const isCountedUp = ({ count, kind }: NotificationRow) => kind === 'webhook' && count > first.count;
    const second = await notification(isCountedUp, 'the next one');

    expect(second.id).toBe(first.id);
    receiver.on('POST /hook', { status: 200 });
    await waitFor(
      async () => {
        await client.call('POST /api/v1/webhooks/outgoing/replay-failed', { body: {} });
        return (await list()).data.some(({ isOver, kind }) => kind === 'webhook' && isOver);
      },
      { what: 'the end' },
    );
  });

  it('reports an app that reads credentials for the first time, and one that asks for a key', async () => {
    const { id, secret } = await client.call('POST /api/v1/keys', {
      body: { name: 'mail@example.com', scopes: ['environment:connections:*'] },
    });
    await new ApiCaller({ url: server.url, secretKey: secret }).send(
      'GET /connections/me?provider_config_key=practice',
    );
    await fetch(`${server.url}/pairings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Notes app' }),
    });

    const access = await notification(({ kind }) => kind === 'access', 'the access');
    const asks = await notification(({ title }) => title === 'Notes app asks for a key', 'the request');
    // Names of keys may be e-mail addresses, which a locked screen must not show.
    expect(access).toMatchObject({ title: 'An app read credentials for the first time', link: '/dev/apps?tab=audit' });
    expect(asks).toMatchObject({ kind: 'approval', action: 'keys', isOver: false });

    // What it asks for is done.
    await client.call('DELETE /api/v1/keys/:keyId', { params: { keyId: String(id) } });
    await notification(({ kind, isOver }) => kind === 'access' && isOver, 'the end of the notification');
  });

  it('tells that a provider refuses the credentials of a connection, until there are new ones', async () => {
    const { id, secret } = PRACTICE_CLIENT;
    await api.send('POST /integrations', {
      body: {
        provider: 'practice-oauth2',
        unique_key: 'signs-in',
        credentials: { type: 'OAUTH2', client_id: id, client_secret: secret },
      },
    });
    const expired = {
      type: 'OAUTH2',
      access_token: 'a',
      refresh_token: 'canary-refresh',
      expires_at: '2020-01-01T00:00:00Z',
    };
    const body = { provider_config_key: 'signs-in', connection_id: 'person@example.com', credentials: expired };
    expect((await api.send('POST /connections', { body })).status).toBe(201);
    const path = '/connections/person%40example.com?provider_config_key=signs-in';
    expect((await api.send(`GET ${path}`)).status).toBeGreaterThanOrEqual(400);

    const lost = await notification(({ kind }) => kind === 'sign-in', 'the lost sign-in');
    expect(lost).toMatchObject({
      title: 'A connection of signs-in needs sign-in again',
      text: 'The provider refuses its credentials.',
      link: '/dev/connections/signs-in/person%40example.com/auth',
      action: 'reconnect',
      subject: null,
    });
    await api.send(`DELETE ${path}`);
    await notification(({ isOver, kind }) => kind === 'sign-in' && isOver, 'its end');
  });

  it('reports operations that match a saved view of the log, counts them, and reports again after they were read', async () => {
    const view = { name: 'Refused calls', filter: { types: 'proxy', search: 'state:failed', states: 'all' } };
    await changeRules({ views: [view, { name: 'a@b.example', filter: { integrations: 'nowhere' } }] });
    const callWith = (headers: Record<string, string>) =>
      api.send('GET /proxy/v1/me', {
        headers: { 'provider-config-key': 'practice', 'connection-id': 'me', ...headers },
      });
    const refuse = () => callWith({ 'nango-proxy-x-practice-fail': '404' });
    const seen = (count: number) =>
      notification((one) => one.kind === 'view' && one.count === count, `${count} operations in the view`);
    expect((await callWith({})).status).toBe(200);
    await refuse();

    const first = await seen(1);
    expect(first).toMatchObject({
      title: 'New operations in Refused calls',
      link: '/dev/logs?states=all&types=proxy&search=state%3Afailed',
      action: 'log',
      isRead: false,
    });
    await client.call('POST /api/v1/notifications/read', { body: { ids: [first.id] } });
    await refuse();
    expect(await seen(2)).toMatchObject({ id: first.id, isRead: false });
    expect((await list()).data.filter(({ kind }) => kind === 'view')).toHaveLength(1);
    const rules = await client.call('GET /api/v1/notification-rules');
    const put = (views: unknown[]) => client.send(RULES, { body: { ...rules, views } as NotificationRules });
    expect([(await put([view, view])).status, (await put([{ name: 'all', filter: {} }])).status]).toEqual([400, 400]);
  });

  it('keeps nothing of a kind that is switched off, and marks all as read', async () => {
    await changeRules({ kinds: { access: 'off' } as NotificationRules['kinds'] });
    const before = (await list()).data.filter(({ kind }) => kind === 'access').length;
    const { secret } = await client.call('POST /api/v1/keys', {
      body: { name: 'Quiet', scopes: ['environment:connections:*'] },
    });
    const quiet = new ApiCaller({ url: server.url, secretKey: secret });
    await quiet.send('GET /connections/me?provider_config_key=practice');
    await waitFor(
      async () =>
        (await client.call('GET /api/v1/audit', { query: { apps: 'Quiet', actions: 'token_read' } })).total > 0,
      { what: 'the read in the audit' },
    );
    expect((await list()).data.filter(({ kind }) => kind === 'access')).toHaveLength(before);

    await client.call('POST /api/v1/notifications/read', { body: {} });
    const { data, unread } = await list();
    expect([unread, data.every(({ isRead }) => isRead)]).toEqual([0, true]);
  });

  it('tells everywhere that a new version is ready', async () => {
    await client.call('POST /api/v1/notifications/update', { body: { version: '9.9.9' } });

    expect((await list()).data[0]).toMatchObject({
      kind: 'update',
      title: 'Homeport 9.9.9 is ready',
      link: '/settings/updates',
      subject: null,
    });
  });

  it('replaces the notice of an older version, and ends it when the new one runs or is withdrawn', async () => {
    const tell = (version: string | null) => client.call('POST /api/v1/notifications/update', { body: { version } });
    const updates = async () => (await list()).data.filter(({ kind }) => kind === 'update');
    const { version: running } = await client.call('GET /api/v1/meta');
    await tell('9.9.8');
    await client.call('POST /api/v1/notifications/read', { body: {} });

    await tell('9.9.9');
    expect(await updates()).toMatchObject([{ title: 'Homeport 9.9.9 is ready', isRead: false, isOver: false }]);
    await tell(running);
    expect(await updates()).toMatchObject([{ isOver: true }]);
    await tell('9.9.9');
    expect(await updates()).toMatchObject([{ isOver: false }]);
    await tell(null);
    expect(await updates()).toMatchObject([{ isOver: true }]);
  });
});
