// @module-tag slow
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DestinationCalls, destinationCalls } from '../../support/destination-calls.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { step } from '../../support/step.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';

const HOUR_S = 3600;
const clock = new MovableClock();
let hub: FunctionHub;
let postgres: Postgres;
let calls: DestinationCalls;
let id: string;

beforeAll(async () => {
  [hub, postgres] = await Promise.all([
    startFunctionHub(
      {
        'syncs/items.ts': syncSource(
          `const { data } = await nango.get({ endpoint: '/items' }); await nango.batchSave(data.items, 'Item'); if (data.gone) await nango.batchDelete(data.gone, 'Item');`,
        ),
      },
      { clock },
    ),
    startPostgres(),
  ]);
  calls = destinationCalls(hub);
});
afterAll(async () => {
  await Promise.all([hub?.stop(), postgres?.stop()]);
});

const run = (ids: string[], gone: string[] = []) =>
  calls.runSync('items', { items: ids.map((one) => ({ id: one, name: one })), gone: gone.map((one) => ({ id: one })) });
const inTable = async (): Promise<string[]> =>
  (await postgres.query<{ _id: string }>('SELECT _id FROM homeport."acme_Item" ORDER BY _id')).map(({ _id }) => _id);
const failures = async (): Promise<number> =>
  ((await calls.read({ id })).error as { failures?: number } | null)?.failures ?? 0;

/** Lets the hub try once more by itself, at least after this time. */
async function tryAgain(afterMs = 0): Promise<void> {
  const before = await failures();
  const { next_attempt_at } = await calls.read({ id });
  clock.skip(Math.max(Date.parse(String(next_attempt_at)) - clock.now(), afterMs) + 1);
  await waitFor(async () => (await failures()) > before, { what: 'a further attempt' });
}

async function notices() {
  const page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  const { data } = await page.call('GET /api/v1/notifications', { query: { env: 'dev' } });
  return { page, rows: data.filter(({ kind }) => kind === 'destination') };
}
const told = (isOver: boolean) =>
  waitFor(
    async () => {
      const found = await notices();
      return found.rows[0]?.isOver === isOver && found;
    },
    { what: isOver ? 'the end of the notification' : 'the notification' },
  );

it('a database that is away for hours, also while the hub restarts, gets everything when it is back, and is told once', async () => {
  await run(['1', '2']);
  id = (await calls.create({ name: 'Tables', kind: 'postgres', connection_string: postgres.url })).id;
  await calls.settled({ id });
  await postgres.crash();
  await run(['3'], ['1']);
  await step('it is told at the second failure', async () => {
    await waitFor(failures, { what: 'the first failure' });
    expect((await notices()).rows).toEqual([]);
    await tryAgain();
    const { page, rows } = await told(false);
    expect(rows).toMatchObject([{ title: 'Records do not reach Tables', isRead: false }]);
    await page.call('POST /api/v1/notifications/read', { query: { env: 'dev' }, body: {} });
  });
  await step('hours pass, with more records', async () => {
    for (let hour = 1; hour <= 3; hour += 1) {
      await tryAgain(HOUR_S * 1000);
      await run([`hour-${hour}`]);
    }
    const { error, lag_seconds, state, waiting } = await calls.read({ id });
    expect({ state, waiting }).toEqual({ state: 'failing', waiting: 5 });
    expect(lag_seconds).toBeGreaterThanOrEqual(3 * HOUR_S);
    expect(error?.message).toContain('cannot be reached');
  });
  await step('the hub restarts and keeps waiting', async () => {
    const before = await failures();
    await hub.server.end();
    await hub.server.restart();
    expect(await failures()).toBe(before);
    await tryAgain(HOUR_S * 1000);
    await run(['later']);
    const { rows } = await told(false);
    expect(rows).toMatchObject([{ isRead: true }]);
    expect((await calls.read({ id })).waiting).toBe(6);
  });
  await step('it goes on by itself', async () => {
    await postgres.start();
    clock.skip(10 * 60_000);
    expect(await calls.settled({ id })).toMatchObject({ waiting: 0, lag_seconds: 0, error: null, delivered: 8 });
    expect(await inTable()).toEqual(['2', '3', 'hour-1', 'hour-2', 'hour-3', 'later']);
    expect((await told(true)).rows).toHaveLength(1);
  });
});
