import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { RecordsFixture, record } from './records-fixture.ts';

const DAY_MS = 86_400_000;

let cache: RecordsFixture;
beforeEach(async () => {
  cache = await RecordsFixture.open();
  await cache.addConnections(2);
});
afterEach(() => cache.close());

const prunedIds = async (): Promise<string[]> =>
  (await cache.read()).filter((row) => row._nango_metadata.pruned_at !== null).map((row) => row.id);

/** A sync with a run that ended now, as the syncs service leaves it. */
async function addRun(options: { connectionRowId?: number; status?: string; result?: object; variant?: string } = {}) {
  const { connectionRowId = 1, status = 'SUCCESS', result = { Contact: {} }, variant = 'base' } = options;
  const now = cache.clock.now();
  await cache.database.transaction(async (tx) => {
    const { lastId } = await tx.run(
      `INSERT INTO sync_jobs (sync_row_id, type, status, result, log_id, created_at, updated_at)
       VALUES (1, 'FULL', ?, ?, 'l', ?, ?)`,
      [status, JSON.stringify(result), now, now],
    );
    await tx.run(
      `INSERT INTO syncs (id, environment_id, integration_id, connection_row_id, connection_id, name, variant, created_at, latest_job_id)
       VALUES (?, 1, 1, ?, 'c', ?, ?, ?, ?)`,
      [`s${lastId}`, connectionRowId, `sync-${lastId}`, variant, now, lastId],
    );
  });
}

describe('retention of records', () => {
  it('keeps everything by default', async () => {
    await cache.run().save('Contact', [record('a')]);
    await cache.clock.advance(10_000 * DAY_MS);

    await cache.service.removeExpired();

    expect(await cache.read()).toHaveLength(1);
    expect(await prunedIds()).toEqual([]);
  });

  it('empties payloads that were not modified for the days of the setting, in slices', async () => {
    cache.retention = { pruneAfterDays: 30, deleteAfterDays: null };
    const old = Array.from({ length: 1200 }, (_, index) => record(`old${index}`, { n: 1 }));
    await cache.run().save('Contact', [...old, record('kept', { n: 1 })]);
    await cache.run({ variant: 'eu' }).save('Contact', [record('eu')]);
    await cache.run({ connectionRowId: 2 }).save('Contact', [record('two')]);
    await cache.clock.advance(15 * DAY_MS);
    await cache.run().save('Contact', [record('kept', { n: 2 }), record('old0', { n: 1 })]);
    // A batch takes a microsecond per record.
    await cache.clock.advance(15 * DAY_MS + 10);

    await cache.service.removeExpired();

    expect((await cache.read({ limit: 2000 })).filter((row) => row._nango_metadata.pruned_at !== null)).toHaveLength(
      1200,
    );
    expect((await cache.read({ limit: 2000 })).at(-1)).toMatchObject({ id: 'kept', n: 2 });
    expect((await cache.read({ variant: 'eu' }))[0]?._nango_metadata.pruned_at).not.toBeNull();
    expect((await cache.read({ connectionRowId: 2 }))[0]?._nango_metadata.pruned_at).not.toBeNull();
    expect(await cache.rowsOf('record_payloads')).toBe(1);
  });

  it('empties again what an equal save gave back, once it is due', async () => {
    cache.retention = { pruneAfterDays: 1, deleteAfterDays: null };
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.clock.advance(2 * DAY_MS);
    await cache.service.removeExpired();
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    expect(await prunedIds()).toEqual([]);

    await cache.service.removeExpired();

    expect(await prunedIds()).toEqual(['a']);
  });

  it('removes all records of a model whose sync has not run for the days of the setting', async () => {
    cache.retention = { pruneAfterDays: null, deleteAfterDays: 60 };
    await cache.run().save('Contact', [record('a')]);
    await cache.run().save('Deal', [record('d')]);
    await cache.run({ connectionRowId: 2 }).save('Contact', [record('two')]);
    await cache.clock.advance(61 * DAY_MS);
    // It ran without anything to save.
    await addRun({ result: { Deal: { added: 0 } } });

    await cache.service.removeExpired();

    await waitFor(async () => (await cache.rowsOf('record_streams')) === 1, { what: 'the purge' });
    expect(await cache.read()).toEqual([]);
    expect(await cache.read({ connectionRowId: 2 })).toEqual([]);
    expect((await cache.read({ model: 'Deal' })).map((row) => row.id)).toEqual(['d']);
    expect([await cache.rowsOf('records'), await cache.rowsOf('record_payloads')]).toEqual([1, 1]);
  });

  it.each([
    ['whose sync runs now', { status: 'RUNNING', result: {} }],
    ['whose sync failed before it told its models', { status: 'STOPPED', result: {} }],
  ])('spares records %s', async (_what, run) => {
    cache.retention = { pruneAfterDays: null, deleteAfterDays: 1 };
    await cache.run().save('Contact', [record('a')]);
    await cache.clock.advance(2 * DAY_MS);
    await addRun(run);

    await cache.service.removeExpired();

    expect(await cache.read()).toHaveLength(1);
  });

  it('asks for the run of the same variant and connection', async () => {
    cache.retention = { pruneAfterDays: null, deleteAfterDays: 1 };
    await cache.run().save('Contact', [record('a')]);
    await cache.clock.advance(2 * DAY_MS);
    await addRun({ variant: 'eu' });
    await addRun({ connectionRowId: 2 });

    await cache.service.removeExpired();

    expect(await cache.read()).toEqual([]);
  });

  it('works in the background from the start on, once an hour', async () => {
    cache.retention = { pruneAfterDays: 1, deleteAfterDays: null };
    await cache.run().save('Contact', [record('a')]);
    await cache.service.start();
    await waitFor(() => cache.clock.pendingTimers === 1, { what: 'the first sweep' });
    expect(await prunedIds()).toEqual([]);

    await cache.clock.advance(DAY_MS + 1);

    await waitFor(async () => (await prunedIds()).length === 1, { what: 'the hourly sweep' });
  });
});
