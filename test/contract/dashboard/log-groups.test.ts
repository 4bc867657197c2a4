import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const query = { env: 'dev' };
const operations = 'GET /api/v1/logs/operations';

let hub: InProcessServer;
let page: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  page = await DashboardClient.signIn({ url: hub.url, signIn: hub });
  await page.call('POST /api/v1/practice', { query });
  for (const endpoint of ['/v1/echo', '/v1/no-such-thing', '/v1/echo']) {
    const target = { integrationKey: 'practice', connectionId: 'practice-user' };
    const body = { kind: 'proxy', ...target, method: 'GET', endpoint } as const;
    await page.call('POST /api/v1/playground/runs', { query, body });
  }
  await waitFor(
    async () => {
      const { data } = await page.call(operations, { query: { ...query, types: 'proxy' } });
      return data.filter(({ endedAt }) => endedAt !== null).length === 3;
    },
    { what: 'the end of the calls' },
  );
});
afterAll(() => hub?.stop());

/** All pages of two rows, as one snapshot. */
async function read(more: object) {
  const first = await page.call(operations, { query: { ...query, ...more, limit: '2' } });
  const rows = [...first.data];
  while (rows.length < first.total) {
    const next = { ...query, ...more, limit: '2', offset: String(rows.length), snapshot: first.snapshot };
    rows.push(...(await page.call(operations, { query: next })).data);
  }
  return { rows, groups: first.groups ?? [], total: first.total };
}

describe('the log in groups', () => {
  it('has rows of a group together, over pages, in the order of the groups and of the list', async () => {
    const all = await read({});
    expect(all.groups).toEqual([]);
    for (const groupBy of ['integration', 'status'] as const) {
      const { groups, rows, total } = await read({ groupBy });
      const groupOf = (row: (typeof rows)[number]) =>
        groupBy === 'status' ? row.state : (row.integrationName ?? '(none)');

      expect(groups.flatMap(({ value, count }) => Array.from({ length: count }, () => value))).toEqual(
        rows.map(groupOf),
      );
      expect(total).toBe(all.total);
      for (const { value } of groups)
        expect(rows.filter((row) => groupOf(row) === value).map(({ id }) => id)).toEqual(
          all.rows.filter((row) => groupOf(row) === value).map(({ id }) => id),
        );
    }
  });

  it('names integrations, counts with the filter, and puts failures first', async () => {
    const byStatus = await read({ groupBy: 'status', types: 'proxy' });
    const byIntegration = await read({ groupBy: 'integration', types: 'proxy' });

    expect(byStatus.groups.map(({ value, count }) => [value, count])).toEqual([
      ['failed', 1],
      ['success', 2],
    ]);
    expect(byIntegration.groups).toMatchObject([{ value: 'practice', provider: 'practice', count: 3 }]);
    expect(byIntegration.groups[0]?.label).toBeTruthy();
  });

  it('refuses groups that it does not have', async () => {
    expect(await page.refusal(operations, { query: { ...query, groupBy: 'colour' } })).toMatchObject({ status: 400 });
  });
});
