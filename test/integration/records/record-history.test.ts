import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordVersion } from '../../../server/records/records.service.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type ReadRecord, RecordsFixture, record } from './records-fixture.ts';

const STREAM = { connectionRowId: 1, model: 'Contact', variant: 'base' };
const BOUNDS = { mostVersions: 100, mostDays: 30 };
const DAY_MS = 86_400_000;

let cache: RecordsFixture;
beforeEach(async () => {
  cache = await RecordsFixture.open();
  await cache.addConnections(2);
});
afterEach(() => cache.close());

const keep = (bounds = BOUNDS): Promise<void> => cache.service.history.keep(1, 'Contact', bounds);
const versions = (id: string): Promise<RecordVersion[]> => cache.service.history.versions(STREAM, id);
const actions = async (id: string): Promise<string[]> => (await versions(id)).map(({ action }) => action);
const diff = async (id: string, newer = 0, older = 1) => {
  const list = await versions(id);
  return cache.service.history.diff(STREAM, id, { from: list[older]?.at ?? '', to: list[newer]?.at ?? '' });
};
/** The current records, followed by a moment without changes. */
async function snapshot(): Promise<{ at: string; rows: ReadRecord[] }> {
  const rows = await cache.read();
  await cache.clock.advance(1);
  const at = new Date(cache.clock.now()).toISOString();
  await cache.clock.advance(1);
  return { at, rows: rows.sort((a, b) => (a.id < b.id ? -1 : 1)) };
}
async function asOf(at: string, limit = 1000): Promise<Array<ReadRecord | string>> {
  const found: Array<ReadRecord | string> = [];
  let after: string | null = '';
  while (after !== null) {
    const page = await cache.service.history.asOf(STREAM, at, { after, limit });
    found.push(...page.records.map(({ id, json }) => (json === null ? id : (JSON.parse(json) as ReadRecord))));
    after = page.next;
  }
  return found;
}

describe('the history of a record', () => {
  it('is not kept unless it is asked for, and costs no row', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.run().save('Contact', [record('a', { n: 2 })]);
    await cache.run().remove('Contact', ['a']);

    expect(await cache.service.history.find(1, 'Contact')).toBeUndefined();
    expect(await cache.rowsOf('record_versions')).toBe(0);
    expect(await cache.rowsOf('record_payloads')).toBe(1);
    expect(await actions('a')).toEqual(['DELETED']);
    await expect(asOf('2026-06-01T12:00:00Z')).rejects.toMatchObject({ code: 'invalid_query_params' });
  });

  it('says what was done, when, and by which run', async () => {
    await keep();
    await cache.run({ jobId: 7 }).save('Contact', [record('a', { n: 1 }), record('b')]);
    await cache.run({ jobId: 8 }).update('Contact', [record('a', { n: 2 })]);
    await cache.run({ jobId: 9 }).remove('Contact', ['a', 'ghost']);
    await cache.run({ jobId: 10 }).save('Contact', [record('a', { n: 3 })]);
    await cache.run({ jobId: 11 }).deleteFromPreviousExecutions('Contact');

    const list = await versions('a');

    expect(list.map(({ at: _at, ...version }) => version)).toEqual(
      [
        ['DELETED', 11],
        ['ADDED', 10],
        ['DELETED', 9],
        ['UPDATED', 8],
        ['ADDED', 7],
      ].map(([action, jobId]) => ({ action, jobId, operationId: `op-${jobId}`, isPruned: false })),
    );
    expect(list[0]?.at).toBe((await cache.read()).find((row) => row.id === 'a')?._nango_metadata.last_modified_at);
    expect(await actions('b')).toEqual(['DELETED', 'ADDED']);
    expect(await actions('ghost')).toEqual(['DELETED']);
    expect(await versions('never')).toEqual([]);
  });

  it('has no version of what changed nothing', async () => {
    await keep();
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.run().update('Contact', [record('a', { n: 1 })]);

    expect(await actions('a')).toEqual(['ADDED']);
  });

  it('begins with what a record was when it was switched on', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 }), record('b', { n: 1 }), record('gone', { n: 1 })]);
    await cache.run().remove('Contact', ['gone']);
    await keep();
    await cache.run().save('Contact', [record('a', { n: 2 }), record('gone', { n: 2 })]);
    await cache.run({ jobId: 9 }).deleteFromPreviousExecutions('Contact');

    expect((await versions('a')).map(({ action, jobId }) => [action, jobId])).toEqual([
      ['DELETED', 9],
      ['UPDATED', 3],
      ['ADDED', null],
    ]);
    expect((await diff('a', 1, 2)).changes).toEqual([{ path: '/n', kind: 'changed', from: 1, to: 2 }]);
    expect(await actions('b')).toEqual(['DELETED', 'ADDED']);
    expect(await actions('gone')).toEqual(['DELETED', 'ADDED', 'DELETED']);
    expect((await diff('gone', 1, 2)).from).toEqual({ id: 'gone', n: 1 });
  });

  it('compares any two versions by content', async () => {
    await keep();
    await cache.run().save('Contact', [record('a', { n: 1, deep: { x: 1 }, list: [1, 2] })]);
    await cache.run().save('Contact', [record('a', { n: 1, deep: { x: 2, y: 1 }, list: [1] })]);
    await cache.run().remove('Contact', ['a']);

    expect(await diff('a', 1, 2)).toEqual({
      from: { id: 'a', n: 1, deep: { x: 1 }, list: [1, 2] },
      to: { id: 'a', n: 1, deep: { x: 2, y: 1 }, list: [1] },
      changes: [
        { path: '/deep/x', kind: 'changed', from: 1, to: 2 },
        { path: '/deep/y', kind: 'added', to: 1 },
        { path: '/list/1', kind: 'removed', from: 2 },
      ],
    });
    expect((await diff('a', 2, 1)).changes[0]).toMatchObject({ from: 2, to: 1 });
    expect((await diff('a', 0, 1)).changes).toEqual([]);
    await expect(
      cache.service.history.diff(STREAM, 'a', { from: '2001-01-01T00:00:00Z', to: '2001-01-01T00:00:00Z' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stays with the records of one model of one integration, variants and later connections included', async () => {
    await keep();
    await cache.run().save('Deal', [record('d')]);
    await cache.run({ variant: 'eu' }).save('Contact', [record('eu')]);
    await cache.run({ connectionRowId: 2 }).save('Contact', [record('two')]);
    await cache.run({ connectionRowId: 99 }).save('Contact', [record('other integration')]);

    expect(await cache.database.reader.all('SELECT external_id AS id FROM record_versions ORDER BY id')).toEqual([
      { id: 'eu' },
      { id: 'two' },
    ]);
  });

  it('rolls back with the change', async () => {
    await keep();
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    const run = cache.service.openRecords({
      ...{ connectionRowId: 1, variant: 'base', jobId: 5, models: ['Contact'], checkpointKey: 'k' },
      onCounts: () => Promise.reject(new Error('disk full')),
    });

    await expect(run.save('Contact', [record('a', { n: 2 })])).rejects.toThrow('disk full');

    expect(await actions('a')).toEqual(['ADDED']);
    expect(await cache.read()).toMatchObject([{ id: 'a', n: 1 }]);
  });

  it('loses the payloads that are pruned', async () => {
    await keep();
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.run().save('Contact', [record('a', { n: 2 })]);
    const untilCursor = (await cache.read()).at(-1)?._nango_metadata.cursor ?? '';

    await cache.service.prune({ ...STREAM, untilCursor, limit: 10 });

    expect((await versions('a')).map(({ isPruned }) => isPruned)).toEqual([true, true]);
    expect(await diff('a')).toEqual({ from: null, to: null, changes: [] });
    expect(await cache.rowsOf('record_payloads')).toBe(0);
    await cache.run().save('Contact', [record('a', { n: 2 })]);
    expect((await versions('a')).map(({ isPruned }) => isPruned)).toEqual([false, true]);
    await cache.run().save('Contact', [record('a', { n: 3 })]);
    expect((await diff('a')).changes).toEqual([{ path: '/n', kind: 'changed', from: 2, to: 3 }]);
  });

  it('goes with its records, and leaves no payload behind', async () => {
    await keep();
    for (let n = 0; n < 3; n++)
      await cache.run().save(
        'Contact',
        Array.from({ length: 600 }, (_, index) => record(`r${index}`, { n })),
      );
    expect(await cache.rowsOf('record_payloads')).toBe(1800);

    await cache.database.transaction((tx) => cache.service.removeConnections(tx, [1]));

    await waitFor(async () => (await cache.rowsOf('record_streams')) === 0, { what: 'the purge' });
    expect([await cache.rowsOf('record_versions'), await cache.rowsOf('record_payloads')]).toEqual([0, 0]);
  });

  it('is removed when it is switched off, the records stay, and starts again when it is switched on', async () => {
    await keep();
    for (let n = 0; n < 3; n++) await cache.run().save('Contact', [record('a', { n }), record('b', { n: 0 })]);
    await cache.run().remove('Contact', ['b']);

    await cache.service.history.stop(1, 'Contact');

    await waitFor(async () => (await cache.rowsOf('record_versions')) === 0, { what: 'the removal' });
    expect(await cache.rowsOf('record_payloads')).toBe(2);
    expect(await cache.read()).toMatchObject([
      { id: 'a', n: 2 },
      { id: 'b', n: 0 },
    ]);
    await cache.run().save('Contact', [record('a', { n: 3 })]);
    expect([await cache.rowsOf('record_versions'), await cache.rowsOf('record_payloads')]).toEqual([0, 2]);
    await keep();
    await cache.run().save('Contact', [record('a', { n: 4 })]);
    expect(await actions('a')).toEqual(['UPDATED', 'UPDATED']);
  });

  it('is sealed like the records', async () => {
    await keep();
    await cache.run().save('Contact', [record('a', { n: 1 })]);

    const row = await cache.database.reader.get('SELECT * FROM record_versions');

    expect(Object.keys(row ?? {}).sort()).toEqual(
      [
        'stream_id',
        'external_id',
        'stamp',
        'created_at',
        'is_deleted',
        'payload_id',
        'job_id',
        'operation_id',
        'is_cut',
      ].sort(),
    );
  });

  it('tells since when it is kept and what it takes', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    expect(await cache.service.history.measure(STREAM)).toEqual({
      since: null,
      moments: [],
      versions: 0,
      bytes: 0,
    });
    await keep();
    await cache.run().save('Contact', [record('a', { n: 2 })]);

    expect(await cache.service.history.measure(STREAM)).toEqual({
      since: expect.stringMatching(/^2026-06-01T12:00:00/),
      moments: [expect.any(String)],
      versions: 1,
      bytes: expect.any(Number),
    });
  });
});

describe('the bounds of a history', () => {
  it('keep the newest versions of each record', async () => {
    await keep({ mostVersions: 2, mostDays: 30 });
    for (let n = 0; n < 5; n++) await cache.run().save('Contact', [record('a', { n }), record('b', { n: 0 })]);
    await cache.run().remove('Contact', ['b']);

    await cache.service.removeExpired();

    expect(await actions('a')).toEqual(['UPDATED', 'UPDATED']);
    expect(await actions('b')).toEqual(['DELETED', 'ADDED']);
    // Two of a; b and its deletion share one.
    expect(await cache.rowsOf('record_payloads')).toBe(3);
    expect((await diff('a')).changes).toEqual([{ path: '/n', kind: 'changed', from: 3, to: 4 }]);
  });

  it('keep the content of a deleted record although the version that had it is gone', async () => {
    await keep({ mostVersions: 1, mostDays: 30 });
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await cache.run().remove('Contact', ['a']);
    await cache.service.removeExpired();
    expect(await cache.read()).toMatchObject([{ id: 'a', n: 1 }]);

    await cache.run().save('Contact', [record('a', { n: 2 })]);
    await cache.service.removeExpired();

    expect([await cache.rowsOf('record_versions'), await cache.rowsOf('record_payloads')]).toEqual([1, 1]);
  });

  it('keep what was replaced within the days, so that every moment of them can be read', async () => {
    await keep({ mostVersions: 100, mostDays: 10 });
    for (let day = 0; day < 20; day++) {
      await cache.run().save('Contact', [record('a', { day }), record('b', { n: 0 })]);
      await cache.clock.advance(DAY_MS);
    }

    await cache.service.removeExpired();

    expect(await actions('a')).toHaveLength(10);
    const tenDaysAgo = new Date(cache.clock.now() - 10 * DAY_MS + 1).toISOString();
    expect(await asOf(tenDaysAgo)).toMatchObject([{ id: 'a', day: 10 }, { id: 'b' }]);
  });

  it('are kept in slices, over many records', async () => {
    await keep({ mostVersions: 1, mostDays: 30 });
    const save = (n: number) =>
      cache.run().save(
        'Contact',
        Array.from({ length: 900 }, (_, index) => record(`r${index}`, { n })),
      );
    for (let n = 0; n < 3; n++) await save(n);

    await cache.service.removeExpired();

    expect([await cache.rowsOf('record_versions'), await cache.rowsOf('record_payloads')]).toEqual([900, 900]);
  });

  it('can be changed while the history is kept', async () => {
    await keep();
    for (let n = 0; n < 5; n++) await cache.run().save('Contact', [record('a', { n })]);

    await keep({ mostVersions: 3, mostDays: 30 });
    await cache.service.removeExpired();

    expect(await actions('a')).toHaveLength(3);
    expect(await cache.service.history.find(1, 'Contact')).toEqual({ mostVersions: 3, mostDays: 30 });
  });
});

describe('the records as of a moment', () => {
  it('are what a reader would have found then, page by page, deleted ones and what never changed included', async () => {
    await cache.run().save('Contact', [record('old', { n: 0 }), record('still', { n: 0 })]);
    await keep();
    const moments = [await snapshot()];
    await cache.run().save('Contact', [record('a', { n: 1 }), record('old', { n: 1 }), record('b', { n: 1 })]);
    moments.push(await snapshot());
    await cache.run().remove('Contact', ['a', 'ghost']);
    await cache.run().update('Contact', [record('b', { more: true })]);
    moments.push(await snapshot());
    await cache.run().save('Contact', [record('a', { n: 2 })]);
    await cache.run().deleteFromPreviousExecutions('Contact');
    moments.push(await snapshot());

    for (const { at, rows } of moments) {
      expect(await asOf(at)).toEqual(rows);
      expect(await asOf(at, 1)).toEqual(rows);
    }
    const { records } = await cache.service.history.asOf(STREAM, moments[1]?.at ?? '', { ids: ['b', 'x'], limit: 5 });
    expect(records.map(({ id }) => id)).toEqual(['b']);
  });

  it('cannot be read from before the history began', async () => {
    await cache.run().save('Contact', [record('a')]);
    await cache.clock.advance(1000);
    await keep();

    await expect(asOf('2026-06-01T12:00:00.500Z')).rejects.toThrow(/begins at 2026-06-01T12:00:01/);
    expect(await asOf('2026-06-01T12:00:01.500Z')).toHaveLength(1);
  });

  it('say which records existed whose version of then is not kept any more', async () => {
    await keep({ mostVersions: 1, mostDays: 30 });
    await cache.run().save('Contact', [record('a', { n: 1 }), record('b', { n: 1 })]);
    const { at } = await snapshot();
    await cache.run().save('Contact', [record('a', { n: 2 }), record('new')]);

    await cache.service.removeExpired();

    expect(await asOf(at)).toEqual(['a', expect.objectContaining({ id: 'b', n: 1 })]);
  });
});
