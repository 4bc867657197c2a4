import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../../server/platform/database/database.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { seedOperations } from '../../support/seed-operations.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from './dashboard-client.ts';

const ROWS = 10_003;
const NUMBERS = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS})`;
const DAY_MS = 86_400_000;
const query = { env: 'dev' };
const now = Date.now();

let hub: InProcessServer;
let page: DashboardClient;

beforeAll(async () => {
  hub = await startInProcess();
  await importPracticeConnection(hub, { connectionId: 'one' });
  await hub.end();
  await seedOperations(hub.home, ROWS);
  const database = await Database.open({ file: join(hub.home, 'homeport.db') });
  await database.transaction(async (tx) => {
    const columns = await tx.all<{ name: string }>(
      "SELECT name FROM pragma_table_info('connections') WHERE name <> 'id'",
    );
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => (name === 'connection_id' ? "'copy-' || n.i" : `c.${name}`));
    await tx.run(
      `INSERT INTO connections (${names}) ${NUMBERS} SELECT ${values} FROM n, connections c WHERE c.connection_id = 'one'`,
    );
    await tx.run(
      `INSERT INTO audit_entries (environment_id, at, action, result, count)
       ${NUMBERS} SELECT e.id, ${now} - n.i, 'exported', 'done', 1 FROM n, environments e WHERE e.name = 'dev'`,
    );
    await tx.run(
      `INSERT INTO incoming_webhooks (id, environment_id, integration_key, provider, method, path, request, size_bytes, outcome,
         status, event_types, connection_ids, forwards, duration_ms, received_at)
       ${NUMBERS} SELECT 'w' || n.i, e.id, 'practice', 'practice', 'POST', '/', '', 0, 'ignored', 200, '[]', '[]', 0, 1, ${now} - n.i
       FROM n, environments e WHERE e.name = 'dev'`,
    );
  });
  await database.close();
  await hub.restart();
  page = await DashboardClient.signIn({ url: hub.url, signIn: hub });
});
afterAll(() => hub?.stop());

describe('the count of a list', () => {
  it('of the last day, which the log shows first, has the seeded operations and those that the hub wrote before', async () => {
    const count = (period: string) =>
      page.call('GET /api/v1/logs/operations', { query: { ...query, limit: '1', count: 'exact', period } });
    const [ofDay, all] = [await count(`${Date.now() - DAY_MS},${Date.now()}`), await count(',')];

    expect(all.total).toBeGreaterThan(ROWS);
    expect(ofDay.total).toBe(all.total);
  });

  it.each([
    'GET /api/v1/logs/operations',
    'GET /api/v1/connections',
    'GET /api/v1/audit',
    'GET /api/v1/webhooks/incoming',
  ] as const)('of %s ends at 10,000 rows, unless the exact number is wanted', async (list) => {
    const few = await page.call(list, { query: { ...query, limit: '1' } });
    expect([few.data.length, few.total, few.isTotalCut]).toEqual([1, 10_000, true]);

    const exact = await page.call(list, { query: { ...query, limit: '1', count: 'exact' } });
    expect(exact.total).toBeGreaterThanOrEqual(ROWS);
    expect(exact.isTotalCut).toBeUndefined();

    // Every row can be read, whatever was counted.
    const last = { ...query, offset: String(exact.total - 1), snapshot: exact.snapshot };
    expect((await page.call(list, { query: last })).data).toHaveLength(1);
  });

  it('is exact in an export', async () => {
    const response = await fetch(`${hub.url}/api/v1/export/connections?env=dev`, { headers: page.headers });
    const rows = (await response.text()).trimEnd().split('\n');
    expect(rows).toHaveLength(ROWS + 1);
    expect(response.headers.get('x-total-count')).toBe(String(ROWS + 1));
  });

  it('is exact below that', async () => {
    const { total, isTotalCut } = await page.call('GET /api/v1/connections', {
      query: { ...query, search: 'copy-1000' },
    });
    expect([total, isTotalCut]).toEqual([5, undefined]);
  });
});
