import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const CONNECTION = { integrationKey: 'practice', connectionId: 'practice-user' };
const HOUR = 3_600_000;

let server: DashboardFixture;
let client: DashboardClient;
let syncId: string;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
  await client.call('POST /api/v1/practice');
  syncId = await plantSync();
});
afterAll(() => server.close());

/** A sync of the connection that runs every hour, has failed twice around a cancelled run, and runs next in ten minutes. */
async function plantSync(): Promise<string> {
  const { database, environment } = server;
  const now = Date.now();
  const connection = await database.reader.get<{ id: number; integration: number }>(
    'SELECT id, integration_id AS integration FROM connections LIMIT 1',
  );
  await database.transaction(async (tx) => {
    await tx.run(
      `INSERT INTO syncs (id, environment_id, integration_id, connection_row_id, connection_id, name, variant, created_at)
       VALUES ('sync-1', ?, ?, ?, ?, 'contacts', 'base', ?)`,
      [environment.id, connection?.integration ?? 0, connection?.id ?? 0, CONNECTION.connectionId, now],
    );
    await tx.run(
      `INSERT INTO schedules (id, kind, job_group, payload, state, starts_at, frequency_ms, next_execution_at)
       VALUES ('sync-1', 'sync', '1', '{}', 'started', ?, ?, ?)`,
      [now, HOUR, now + HOUR / 6],
    );
    const runs = [
      { status: 'SUCCESS', error: null },
      { status: 'STOPPED', error: 'the provider answered 429' },
      { status: 'STOPPED', error: null },
      { status: 'STOPPED', error: 'the provider answered 429' },
    ];
    for (const { status, error } of runs)
      await tx.run(
        `INSERT INTO sync_jobs (sync_row_id, type, status, result, log_id, error, created_at, updated_at)
         VALUES (1, 'FULL', ?, '{}', 'x', ?, ?, ?)`,
        [status, error, now, now],
      );
  });
  return 'sync-1';
}

async function fail(type: 'auth' | 'sync', source: string, message: string): Promise<string> {
  const { database, environment, logs } = server;
  const operation = logs.start({
    environmentId: environment.id,
    type: 'sync',
    action: 'run',
    integrationKey: CONNECTION.integrationKey,
    connectionId: CONNECTION.connectionId,
  });
  operation.finish('failed', { error: { message } });
  await logs.flush();
  await database.transaction((tx) =>
    tx.run(
      `INSERT INTO connection_errors (connection_row_id, type, source, log_id, created_at)
       SELECT id, ?, ?, ?, ? FROM connections`,
      [type, source, operation.id, Date.now()],
    ),
  );
  return operation.id;
}

describe('GET /api/v1/overview/attention', () => {
  it('names a failing sync with its failures in a row, and its connection alone once that needs a sign-in', async () => {
    expect(await client.call('GET /api/v1/overview/attention')).toMatchObject({ data: [], total: 0 });
    const operationId = await fail('sync', syncId, 'the provider answered 429');

    const failing = await client.call('GET /api/v1/overview/attention');
    expect(failing.data).toEqual([
      expect.objectContaining({
        kind: 'sync',
        ...CONNECTION,
        sync: 'contacts',
        variant: 'base',
        failures: 2,
        error: 'the provider answered 429',
        operationId,
      }),
    ]);

    const listStatuses = async () => (await client.call('GET /api/v1/connections')).data.map(({ status }) => status);
    const setState = (state: string) =>
      server.database.transaction((tx) => tx.run('UPDATE schedules SET state = ? WHERE id = ?', [state, syncId]));
    expect(await listStatuses()).toEqual(['sync_error']);
    // A paused sync does not fail, although its last run did.
    await setState('paused');
    expect(await client.call('GET /api/v1/overview/attention')).toMatchObject({ data: [], total: 0 });
    expect(await listStatuses()).toEqual(['paused']);
    expect((await client.call('GET /api/v1/integrations')).data[0]).toMatchObject({ errorCount: 0 });
    await setState('started');
    expect(await listStatuses()).toEqual(['sync_error']);

    await fail('auth', 'credentials', 'invalid_grant');
    const refused = await client.call('GET /api/v1/overview/attention');
    expect(refused).toMatchObject({ total: 1, data: [{ kind: 'sign-in', ...CONNECTION, error: 'invalid_grant' }] });
  });

  it('gathers webhooks that were given up, until they are sent again, also while the vault is locked', async () => {
    const { database, environment, vault } = server;
    const insert = (id: string, origin: string | null) =>
      database.transaction((tx) =>
        tx.run(
          `INSERT INTO webhook_deliveries (id, environment_id, state, type, cause, origin_id, message, destination, attempt,
             failures, last_code, created_at, finished_at, destinations, content)
           VALUES (?, ?, ?, 'sync', 'event', ?, 'm', 0, 3, 3, 503, 1, 2, ?, ?)`,
          [
            id,
            environment.id,
            origin === null ? 'failed' : 'waiting',
            origin,
            vault.sealJson(['http://localhost:4000/hooks'], `webhook-delivery:${id}:destinations`),
            vault.sealJson({ headers: {}, body: '', log: { start: {} } }, `webhook-delivery:${id}:content`),
          ],
        ),
      );
    await insert('d1', null);
    await insert('d2', null);

    const line = (await client.call('GET /api/v1/overview/attention')).data.find(({ kind }) => kind === 'deliveries');
    expect(line).toMatchObject({ count: 2, webhookId: 'd2', url: 'http://localhost:4000/hooks', code: 503 });

    const dataKey = vault.exportDataKey();
    vault.lock();
    const { data: whileLocked } = await client.call('GET /api/v1/overview/attention');
    vault.unlock({ dataKey, source: vault.source });
    expect(whileLocked.find(({ kind }) => kind === 'deliveries')).toMatchObject({ count: 2, webhookId: 'd2', url: '' });

    await insert('r1', 'd1');
    await insert('r2', 'd2');
    const after = await client.call('GET /api/v1/overview/attention');
    expect(after.data.map(({ kind }) => kind)).not.toContain('deliveries');
  });
});

describe('GET /api/v1/overview/activity', () => {
  it('counts by kind and state, with the empty buckets of the period', async () => {
    const { environment, logs } = server;
    const call = { environmentId: environment.id, type: 'proxy', action: 'call', integrationKey: 'practice' } as const;
    logs.start(call).finish('success', { meta: { status: 204 } });
    logs.start(call).finish('failed', { meta: { status: 429 } });
    logs.start(call).finish('failed', { error: { message: 'No answer' } });
    logs.start(call).finish('cancelled');
    logs.start({ environmentId: environment.id, type: 'action', action: 'run' });
    const failedSyncs = async () => {
      const { buckets } = await client.call('GET /api/v1/overview/activity', { query: { period: '24h' } });
      return buckets.at(-1)?.counts['sync']?.failed ?? 0;
    };
    const before = await failedSyncs();
    for (const _ of [1, 2]) logs.start({ environmentId: environment.id, type: 'sync', action: 'run' }).finish('failed');
    await logs.flush();

    const { buckets, bucketMs, end } = await client.call('GET /api/v1/overview/activity', { query: { period: '24h' } });

    expect(bucketMs).toBe(HOUR);
    expect(buckets).toHaveLength(25);
    expect(buckets.at(-1)?.counts).toMatchObject({
      proxy: { success: 1, failed: 2 },
      action: { running: 1 },
      sync: { failed: before + 2 },
    });
    expect(buckets[0]).toMatchObject({ counts: {}, calls: [] });
    expect(buckets.at(-1)?.calls).toEqual(
      [0, 2, 4].map((statusClass) => ({ provider: 'practice', statusClass, calls: 1 })),
    );
    const hour = await client.call('GET /api/v1/overview/activity', { query: { period: '1h' } });
    expect(hour.buckets.flatMap(({ calls }) => calls).map(({ calls }) => calls)).toEqual([1, 1, 1]);
    expect(Date.parse(end)).toBe(Date.parse(buckets.at(-1)?.at ?? '') + HOUR);
  });
});

describe('GET /api/v1/overview/activity, of records and the database', () => {
  it('counts what runs changed, and gives the size now, and before what was noted', async () => {
    const { environment, logs, overview } = server;
    const period = { query: { period: '24h' } } as const;
    const before = await client.call('GET /api/v1/overview/activity', period);
    expect(before.buckets.slice(0, -1).every(({ databaseBytes }) => databaseBytes === null)).toBe(true);
    expect(before.buckets.at(-1)?.databaseBytes).toBeGreaterThan(100_000);
    const run = logs.start({ environmentId: environment.id, type: 'sync', action: 'run' });
    run.log({ level: 'info', message: 'Records', persistResults: { added: 2, updated: 1, deleted: 5 } });
    run.finish('success');
    await logs.flush();
    await overview.sizes.take();

    const { buckets } = await client.call('GET /api/v1/overview/activity', period);

    expect(buckets.at(-1)?.records).toEqual({ added: 2, updated: 1, deleted: 5 });
    expect(buckets[0]).toMatchObject({ records: { added: 0, updated: 0, deleted: 0 }, databaseBytes: null });
    expect(buckets.at(-1)?.databaseBytes).toBeGreaterThan(100_000);
  });
});

describe('GET /api/v1/overview/durations', () => {
  it('lists functions by how long their successful runs took, those without one last', async () => {
    const { environment, logs } = server;
    for (const [functionName, state] of [
      ['check-token', 'failed'],
      ['check-name', 'success'],
    ] as const)
      logs
        .start({
          ...{ environmentId: environment.id, type: 'events', action: 'validate_connection', functionName },
          integrationKey: 'practice',
        })
        .finish(state);
    await logs.flush();

    const { data, total } = await client.call('GET /api/v1/overview/durations', { query: { period: '1h' } });

    const facts = { type: 'on-event', integrationKey: 'practice', provider: 'practice', runs: 1 };
    expect(total).toBe(2);
    expect(data).toEqual([
      expect.objectContaining({ ...facts, name: 'check-name', succeeded: 1, p95Ms: expect.any(Number) }),
      expect.objectContaining({ ...facts, name: 'check-token', succeeded: 0, p95Ms: null }),
    ]);
  });
});

describe('GET /api/v1/overview/planned', () => {
  it('lays the runs of started schedules over the coming day', async () => {
    const planned = await client.call('GET /api/v1/overview/planned');

    expect(planned).toMatchObject({ total: 1, runs: 24 });
    expect(planned.data[0]).toMatchObject({ sync: 'contacts', connections: 1, frequencyMs: HOUR });
    expect(planned.data[0]?.slots.slice(0, 8)).toEqual([1, 0, 0, 0, 1, 0, 0, 0]);
  });
});
