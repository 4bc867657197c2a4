import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeClock } from '../../support/fake-clock.ts';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { saveFunction, syncSource } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState } from '../../support/wait-for-sync.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const clock = new FakeClock(Date.now());

let hub: InProcessServer;
let connection: PracticeConnection;

beforeAll(async () => {
  hub = await startInProcess({ clock });
  connection = await importPracticeConnection(hub);
  await saveFunction(
    hub.workspace,
    'practice/syncs/items.ts',
    syncSource(`await nango.batchSave([{ id: 'a', text: '1' }], 'Item');`),
  );
  await ticking(() => syncState(connection, 'items'), 'the sync');
  await connection.nango.triggerSync('practice', ['items'], 'me');
  await ticking(async () => {
    const state = await syncState(connection, 'items');
    return state && hasSucceeded(state);
  }, 'the run');
});
afterAll(() => hub?.stop());

/** Waits while the hub's time advances slowly. */
function ticking<T>(probe: () => Promise<T>, what: string): Promise<NonNullable<T>> {
  return waitFor(
    async () => {
      await clock.advance(100);
      return probe();
    },
    { what },
  ) as Promise<NonNullable<T>>;
}

async function setRetention(retention: object): Promise<void> {
  const response = await fetch(`${hub.url}/environment/settings`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ retention }),
  });
  expect(response.status).toBe(200);
}

const items = () => readAllRecords(connection, 'Item');
/** Long enough for the hourly sweep, even when one began just before. */
const passDays = async (days: number): Promise<void> => {
  await clock.skip(days * DAY_MS);
  await clock.skip(HOUR_MS);
};

it('retention of records in the environment settings is off at first, then prunes payloads, then removes records', async () => {
  await passDays(2);
  expect(await items()).toMatchObject([{ id: 'a', text: '1', _nango_metadata: { pruned_at: null } }]);

  await setRetention({ records_prune_days: 1 });
  await ticking(async () => {
    await clock.skip(HOUR_MS);
    return (await items()).some((record) => record._nango_metadata.pruned_at !== null);
  }, 'the pruning');
  expect(await items()).toMatchObject([{ id: 'a' }]);

  // The sync does not run meanwhile.
  await setRetention({ records_delete_days: 1 });
  await ticking(async () => {
    await clock.skip(HOUR_MS);
    return (await items()).length === 0;
  }, 'the removal');
});
