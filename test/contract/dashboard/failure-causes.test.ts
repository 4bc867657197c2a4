import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttentionItem } from '../../../server/dashboard/dashboard-overview.contract.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const CONNECTIONS = ['me', 'wren-1', 'wren-2', 'wren-3', 'wren-4', 'wren-5', 'wren-6', 'wren-7', 'wren-8', 'wren-9'];

let receiver: FakeProvider;
let server: InProcessServer;
let client: DashboardClient;

beforeAll(async () => {
  receiver = await FakeProvider.start();
  server = await startInProcess();
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
  await importPracticeConnection(server);
  for (const connectionId of CONNECTIONS.slice(1))
    await importConnection(server, { provider_config_key: 'practice', connection_id: connectionId });
  const rules = await client.call('GET /api/v1/notification-rules');
  await client.call('PUT /api/v1/notification-rules', { body: { ...rules, syncFailures: 1 } });
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
});

const attention = async (): Promise<AttentionItem[]> => (await client.call('GET /api/v1/overview/attention')).data;
const told = async () => (await client.call('GET /api/v1/notifications')).data;
const item = (like: (one: AttentionItem) => boolean, what: string): Promise<AttentionItem> =>
  waitFor(async () => (await attention()).find(like), { what });

/** A sync that runs at once for each connection; a paused one is no failure. */
const save = async (name: string, body: string): Promise<void> => {
  const source = syncSource(body).replaceAll('Item', `Of${name}`).replace('autoStart: false', 'autoStart: true');
  await saveFunction(server.workspace, `practice/syncs/${name}.ts`, source);
};

describe('failures with one cause', () => {
  it('are one line and one notification, with what differs left out, and acts for all', async () => {
    await save('exports', "await nango.get({ endpoint: '/v1/nothing/here', retries: 1 });");
    const whole = (one: AttentionItem) =>
      one.kind === 'sync' && one.sync === 'exports' && one.count === CONNECTIONS.length;
    const found = await item(whole, 'all connections in one line');

    expect((await attention()).filter((one) => one.kind === 'sync' && one.sync === 'exports')).toHaveLength(1);
    expect(found).toMatchObject({
      sync: 'exports',
      reason: '404 on GET /v1/nothing/here',
      refusal: { method: 'GET', path: '/v1/nothing/here', code: 404 },
    });
    if (found.kind !== 'sync') throw new Error('not a sync');
    expect(found.connections.map(({ connectionId }) => connectionId).sort()).toEqual([...CONNECTIONS].sort());

    const title = `exports fails on ${CONNECTIONS.length} connections: 404 on GET /v1/nothing/here`;
    const notice = await waitFor(async () => (await told()).find((one) => one.title === title), { what: title });
    expect((await told()).filter((one) => one.title.startsWith('exports'))).toHaveLength(1);
    expect(notice).toMatchObject({
      link: '/dev/connections?integrations=practice&status=sync_error',
      subject: { cause: found.cause, sync: 'exports' },
    });

    const act = (command: 'run' | 'pause') =>
      client.call('POST /api/v1/overview/causes', { body: { cause: found.cause, command } });
    expect(await act('run')).toEqual({ count: CONNECTIONS.length, failed: 0 });
    expect(await act('pause')).toEqual({ count: CONNECTIONS.length, failed: 0 });
    const left = async () => (await attention()).some((one) => one.kind === 'sync' && one.sync === 'exports');
    await waitFor(async () => !(await left()), { what: 'nothing of it that needs a person' });
    const again = await client.send('POST /api/v1/overview/causes', { body: { cause: found.cause, command: 'pause' } });
    expect(again.status).toBe(404);
  });

  it('are apart when the messages differ in more than ids, and never show a message on a locked screen', async () => {
    await save(
      'ledger',
      `const { connection_id } = await nango.getConnection();
      throw new Error(connection_id === 'me' ? 'no such ledger canary' : 'row ' + Math.round(Math.random() * 1e6) + ' of ' + connection_id + ' is gone');`,
    );
    const many = (one: AttentionItem) =>
      one.kind === 'sync' && one.sync === 'ledger' && one.count === CONNECTIONS.length - 1;

    expect(await item(many, 'all but one in a line')).toMatchObject({ reason: 'row … of … is gone' });
    const single = await item((one) => one.kind === 'sync' && one.sync === 'ledger' && one.count === 1, 'the other');
    expect(single).toMatchObject({ connectionId: 'me', reason: 'no such ledger canary' });
    await waitFor(async () => (await told()).filter(({ title }) => title.startsWith('ledger')).length === 2, {
      what: 'both notifications',
    });
    expect(JSON.stringify(await told())).not.toContain('canary');
  });

  it('are apart by destination and response of webhooks, and are sent again together', async () => {
    receiver.on('POST /a', { status: 410 });
    receiver.on('POST /b', { status: 400 });
    const address = (path: string) => ({ webhook: { primary_url: `${receiver.address}${path}` } });
    const sample = () => client.call('POST /api/v1/webhooks/outgoing/sample', { body: { type: 'sync' } });
    await client.call('PATCH /api/v1/settings', { body: address('/a') });
    await sample();
    const first = await item(({ kind }) => kind === 'deliveries', 'the first webhook');
    await client.call('PATCH /api/v1/settings', { body: address('/b') });
    await sample();
    await waitFor(async () => (await attention()).filter(({ kind }) => kind === 'deliveries').length === 2, {
      what: 'two causes',
    });

    receiver.on('POST /a', { status: 200 });
    const body = { cause: first.cause, command: 'replay' as const };
    expect((await client.call('POST /api/v1/overview/causes', { body })).count).toBeGreaterThan(0);
    await waitFor(
      async () => {
        const left = (await attention()).filter(({ kind }) => kind === 'deliveries');
        return left.length === 1 && left[0]?.cause !== first.cause;
      },
      { what: 'the other cause alone' },
    );
  });
});
