import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  AT_NOW,
  STATUS,
  STATUSES,
  type StatusFacts,
  statusOf,
  UNKNOWN_END,
} from '../../../server/connections/connection-status.store.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const HOUR = 3_600_000;
const EXPIRED = 'The access has expired, and nothing can renew it';

/** Every combination of what decides the status, with up to two syncs. */
function* statesOf(now: number): Generator<StatusFacts> {
  const sync = [false, true].flatMap((hasFailed) => [false, true].map((isPaused) => ({ hasFailed, isPaused })));
  const syncs = [[], ...sync.map((one) => [one]), ...sync.flatMap((one) => sync.map((other) => [one, other]))];
  for (const hasAuthError of [false, true])
    for (const isRefreshExhausted of [false, true])
      for (const credentialsEndAt of [null, now - HOUR, now, now + HOUR, UNKNOWN_END])
        for (const live of syncs) yield { hasAuthError, isRefreshExhausted, credentialsEndAt, syncs: live };
}

describe('the status of a connection', () => {
  let server: DashboardFixture;
  beforeAll(async () => {
    server = await startDashboard();
    const client = await DashboardClient.signIn(server);
    await client.call('POST /api/v1/practice');
  });
  afterAll(() => server?.close());

  it('is the same in SQL and in code for every combination of facts', async () => {
    const { database, environment } = server;
    const now = Date.now();
    const first = await database.reader.get<{ id: number; integrationId: number }>(
      'SELECT id, integration_id AS integrationId FROM connections LIMIT 1',
    );
    const { id, integrationId } = first ?? { id: 0, integrationId: 0 };
    const states = [...statesOf(now)];
    const different: unknown[] = [];
    const seen = new Set<string>();
    for (const facts of states) {
      await database.transaction(async (tx) => {
        await tx.run('DELETE FROM connection_errors');
        await tx.run('DELETE FROM schedules');
        await tx.run('DELETE FROM syncs');
        await tx.run('UPDATE connections SET is_refresh_exhausted = ?, credentials_end_at = ? WHERE id = ?', [
          facts.isRefreshExhausted ? 1 : 0,
          facts.credentialsEndAt,
          id,
        ]);
        const fail = (type: string, source: string) =>
          tx.run(
            `INSERT INTO connection_errors (connection_row_id, type, source, log_id, created_at) VALUES (?, ?, ?, 'x', ?)`,
            [id, type, source, now],
          );
        if (facts.hasAuthError) await fail('auth', '');
        for (const [index, { hasFailed, isPaused }] of facts.syncs.entries()) {
          const name = `s${index}`;
          await tx.run(
            `INSERT INTO syncs (id, environment_id, integration_id, connection_row_id, connection_id, name, variant, created_at)
             VALUES (?, ?, ?, ?, 'c', ?, 'base', ?)`,
            [name, environment.id, integrationId, id, name, now],
          );
          await tx.run(
            `INSERT INTO schedules (id, kind, job_group, payload, state, starts_at, frequency_ms, next_execution_at)
             VALUES (?, 'sync', '1', '{}', ?, ?, ?, ?)`,
            [name, isPaused ? 'paused' : 'started', now, HOUR, now],
          );
          if (hasFailed) await fail('sync', name);
        }
      });
      const row = await database.reader.get<{ status: number }>(
        `${AT_NOW} SELECT ${STATUS} AS status FROM connections c WHERE c.id = ?`,
        [now, id],
      );
      const expected = statusOf(facts, now);
      seen.add(expected);
      if (STATUSES[row?.status ?? -1] !== expected) different.push({ facts, expected, status: row?.status });
    }
    expect(different).toEqual([]);
    expect([...seen].sort()).toEqual([...STATUSES].sort());
  });
});

describe('a connection whose access has expired and that nothing can renew', () => {
  let server: InProcessServer;
  let client: DashboardClient;
  let api: ApiCaller;
  beforeAll(async () => {
    server = await startInProcess();
    client = await DashboardClient.signIn({ url: server.url, signIn: server });
    api = new ApiCaller(server);
    const credentials = { type: 'OAUTH2', client_id: 'a', client_secret: 'b', scopes: 'read' };
    // One without and one with a step after connecting.
    for (const provider of ['linear', 'hubspot'])
      await api.send('POST /integrations', { body: { provider, unique_key: provider, credentials } });
    const add = (provider: string, connection_id: string, more: object) =>
      importConnection(server, {
        provider_config_key: provider,
        connection_id,
        credentials: { type: 'OAUTH2', access_token: 'a', ...more },
      });
    const [past, future] = [new Date(Date.now() - 24 * HOUR), new Date(Date.now() + HOUR)].map((at) =>
      at.toISOString(),
    );
    await add('linear', 'ended', { expires_at: past });
    await add('linear', 'renewable', { expires_at: future, refresh_token: 'r' });
    await add('linear', 'valid', { expires_at: future });
    await add('hubspot', 'ended', { expires_at: past });
    await add('hubspot', 'valid', { expires_at: future });
  });
  afterAll(() => server?.stop());

  it('needs a sign-in everywhere, and was never used', async () => {
    const list = await client.call('GET /api/v1/connections', { query: { integrations: 'linear' } });
    const expected = { ended: 'auth_error', renewable: 'ok', valid: 'ok' };
    expect(Object.fromEntries(list.data.map(({ connectionId, status }) => [connectionId, status]))).toEqual(expected);
    const filtered = await client.call('GET /api/v1/connections', {
      query: { status: 'auth_error', integrations: 'linear' },
    });
    expect(filtered.data.map(({ connectionId }) => connectionId)).toEqual(['ended']);
    expect(await client.call('GET /api/v1/connections/count')).toMatchObject({ total: 5, auth_error: 2, ok: 3 });
    const params = { integrationKey: 'linear', connectionId: 'ended' };
    expect(await client.call('GET /api/v1/connections/:integrationKey/:connectionId', { params })).toMatchObject({
      status: 'auth_error',
      isRefreshable: false,
    });
    expect((await client.call('GET /api/v1/integrations', { query: { search: 'linear' } })).data[0]).toMatchObject({
      errorCount: 1,
    });
    const attention = await client.call('GET /api/v1/overview/attention');
    expect(attention.data.filter(({ kind }) => kind === 'sign-in')).toMatchObject([
      { connectionId: 'ended', operationId: null, count: 1, reason: EXPIRED },
      { connectionId: 'ended', operationId: null, count: 1, reason: EXPIRED },
    ]);

    const { connections } = (await api.send('GET /connections?integrationId=linear&includeStatus=true')).body as {
      connections: Array<{ connection_id: string; status: string }>;
    };
    expect(Object.fromEntries(connections.map((one) => [one.connection_id, one.status]))).toEqual(expected);
    const run = await runCli(['connections', 'list'], { cwd: server.home, home: server.home });
    expect(run.output).toMatch(/^ended +linear +linear +sign-in needed$/m);
    expect(run.output).toMatch(/^valid +linear +linear +ok$/m);
  });

  it('was not used by the steps of the hub after connecting, nor does such a step fail', async () => {
    const logs = () => client.call('GET /api/v1/logs/operations', { query: { types: 'auth:post_connection' } });
    await waitFor(
      async () => (await logs()).data.every(({ endedAt }) => endedAt !== null) && (await logs()).total > 0,
      {
        what: 'the steps after connecting',
      },
    );
    const ended = (await logs()).data.find(({ connectionName }) => connectionName === 'ended');
    expect(ended?.state).toBe('cancelled');
    const { data } = await client.call('GET /api/v1/connections');
    expect(data.map(({ lastUsedAt }) => lastUsedAt)).toEqual([null, null, null, null, null]);
    expect((await client.call('GET /api/v1/integrations')).data.map(({ lastUsedAt }) => lastUsedAt)).toEqual([
      null,
      null,
    ]);
  });
});
