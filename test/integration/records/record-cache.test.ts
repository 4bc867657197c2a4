import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type ReadRecord, RecordsFixture, record } from './records-fixture.ts';

const actions = (records: ReadRecord[]): string[] =>
  records.map(({ id, _nango_metadata }) => `${id} ${_nango_metadata.last_action}`);
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}\+00:00$/;

describe('the record cache', () => {
  let cache: RecordsFixture;

  beforeEach(async () => {
    cache = await RecordsFixture.open();
  });

  afterEach(() => cache.close());

  it('adds the deletion mark to a _metadata of the payload and strips a mark that comes back', async () => {
    await cache
      .run()
      .save('Contact', [record('a', { _metadata: { source: 'x' } }), record('b', { _metadata: { deleted: true } })]);
    expect(await cache.read()).toMatchObject([{ _metadata: { source: 'x' } }, { id: 'b' }]);
    expect((await cache.read())[1]).not.toHaveProperty('_metadata');

    await cache.run().remove('Contact', ['a']);

    expect((await cache.read()).at(-1)).toMatchObject({ id: 'a', _metadata: { source: 'x', deleted: true } });
  });

  it('keeps a cursor valid when its record moves or vanishes', async () => {
    await cache.run().save(
      'Contact',
      ['a', 'b', 'c'].map((id) => record(id)),
    );
    const cursor = (await cache.read())[1]?._nango_metadata.cursor ?? '';
    await cache.run().save('Contact', [record('b', { n: 2 })]);
    expect((await cache.read({ cursor })).map(({ id }) => id)).toEqual(['c', 'b']);

    await cache.database.transaction((tx) =>
      cache.service.empty(tx, [{ connectionRowId: 1, model: 'Contact', variant: 'base' }]),
    );
    await cache.clock.advance(1);
    await cache.run().save('Contact', [record('d')]);

    expect((await cache.read({ cursor })).map(({ id }) => id)).toEqual(['d']);
  });

  it('reads by id, and from a moment on, that moment included', async () => {
    await cache.run().save('Contact', [record('a')]);
    await cache.clock.advance(5);
    await cache.run().save('Contact', [record('b'), record('c')]);
    const [, second] = await cache.read();

    expect(
      (await cache.read({ modifiedAfter: second?._nango_metadata.last_modified_at ?? '' })).map(({ id }) => id),
    ).toEqual(['b', 'c']);
    expect((await cache.read({ modifiedAfter: '2026-06-01T14:00:00.005+02:00' })).map(({ id }) => id)).toEqual([
      'b',
      'c',
    ]);
    expect((await cache.read({ ids: ['c', 'a', 'unknown'] })).map(({ id }) => id)).toEqual(['a', 'c']);
    await expect(cache.read({ modifiedAfter: '2026-06-01' })).rejects.toMatchObject({ code: 'invalid_query_params' });
  });

  it('keeps the first of two records of one id and tells the others', async () => {
    const result = await cache.run().save('Contact', [record('a', { n: 1 }), record('a', { n: 2 }), record('b')]);

    expect(result).toMatchObject({ added: 2, duplicates: ['a'] });
    expect(await cache.read()).toMatchObject([{ id: 'a', n: 1 }, { id: 'b' }]);
  });

  it('stores nothing of a batch with a bad id or of an undeclared model', async () => {
    await expect(cache.run().save('Contact', [record('a'), record('')])).rejects.toMatchObject({
      code: 'invalid_record',
    });
    await expect(cache.run().save('Contact', [record('a'), record('x'.repeat(2049))])).rejects.toMatchObject({
      code: 'invalid_record',
    });
    await expect(cache.run().save('Other', [record('a')])).rejects.toThrow(/not included in the declared sync models/);

    expect(await cache.read()).toEqual([]);
  });

  it('notes the deletion of an unknown id without counting it, and never moves a deleted record', async () => {
    const run = cache.run();
    expect(await run.remove('Contact', ['ghost'])).toMatchObject({ deleted: 0 });
    const before = await cache.read();

    expect(await run.remove('Contact', ['ghost'])).toMatchObject({ deleted: 0 });

    expect(before).toMatchObject([
      { id: 'ghost', _metadata: { deleted: true }, _nango_metadata: { last_action: 'DELETED' } },
    ]);
    expect(await cache.read()).toEqual(before);
    expect(await cache.run().save('Contact', [record('ghost', { n: 1 })])).toMatchObject({ added: 1 });
    expect(await cache.read()).toMatchObject([{ id: 'ghost', n: 1 }]);
  });

  it('deletes what earlier runs saved and this one did not see, unchanged records being seen', async () => {
    await cache.run().save(
      'Contact',
      ['old', 'same', 'changed'].map((id) => record(id)),
    );
    const run = cache.run();
    await run.save('Contact', [record('same'), record('changed', { n: 1 }), record('new')]);

    expect(await run.deleteFromPreviousExecutions('Contact')).toEqual({ deletedKeys: ['old'] });

    expect(run.counts).toEqual({
      Contact: { added: 1, updated: 1, deleted: 1 },
      Deal: { added: 0, updated: 0, deleted: 0 },
    });
    expect(actions(await cache.read()).at(-1)).toBe('old DELETED');
    expect(await cache.count()).toBe(3);
  });

  it('tracks deletions from the first start that is still open, and needs a start', async () => {
    await cache.run().save(
      'Contact',
      ['old', 'kept'].map((id) => record(id)),
    );
    const crashed = cache.run();
    await crashed.trackDeletesStart('Contact');
    await crashed.save('Contact', [record('by-crashed')]);
    const next = cache.run();
    await next.trackDeletesStart('Contact');
    await next.save('Contact', [record('kept')]);

    expect(await next.trackDeletesEnd('Contact')).toEqual({ deletedKeys: ['old'] });

    await expect(next.trackDeletesEnd('Contact')).rejects.toThrow(/trackDeletesStart/);
  });

  it('keeps what a webhook saved during a run with ignore_if_modified_after', async () => {
    await cache.run().save(
      'Contact',
      ['a', 'b'].map((id) => record(id, { by: 'sync' })),
    );
    const poll = cache.run();
    expect(await poll.setMergingStrategy('Contact', 'ignore_if_modified_after')).toBe(true);
    expect(await poll.setMergingStrategy('Contact', 'override')).toBe(false);
    await cache.run({ jobId: 10 }).save('Contact', [record('a', { by: 'webhook' })]);

    const result = await poll.save('Contact', [
      record('a', { by: 'poll' }),
      record('b', { by: 'poll' }),
      record('c', { by: 'poll' }),
    ]);

    expect(result).toMatchObject({ added: 1, updated: 1, unchanged: 1 });
    const found = Object.fromEntries((await cache.read()).map((row) => [row.id, row['by']]));
    expect(found).toEqual({ a: 'webhook', b: 'poll', c: 'poll' });
  });

  it('prunes the oldest payloads up to a cursor and gives them back to an equal save', async () => {
    await cache.run().save(
      'Contact',
      ['a', 'b', 'c'].map((id) => record(id, { n: 1 })),
    );
    const [, second] = await cache.read();
    const prune = (limit: number) =>
      cache.service.prune({
        connectionRowId: 1,
        model: 'Contact',
        variant: 'base',
        untilCursor: second?._nango_metadata.cursor ?? '',
        limit,
      });

    expect(await prune(1)).toEqual({ count: 1, hasMore: true });
    expect(await prune(5)).toEqual({ count: 1, hasMore: false });
    expect(await prune(5)).toEqual({ count: 0, hasMore: false });
    const [pruned] = await cache.read();
    expect(Object.keys(pruned ?? {}).sort()).toEqual(['_nango_metadata', 'id']);
    expect(pruned?._nango_metadata.pruned_at).toMatch(TIME);
    const result = await cache.run().save('Contact', [record('a', { n: 1 })]);

    expect(result).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
    expect((await cache.read())[0]).toMatchObject({
      id: 'a',
      n: 1,
      _nango_metadata: { pruned_at: null, last_action: 'ADDED' },
    });
    expect(await prune(5)).toEqual({ count: 1, hasMore: true });
  });

  it('keeps the internal id of a record for ever, even when everything was hard-deleted in between', async () => {
    const idIn = (found: ReadRecord | undefined) =>
      Buffer.from(found?._nango_metadata.cursor ?? '', 'base64')
        .toString()
        .split('||')[1];
    await cache.run().save('Contact', [record('a')]);
    const before = idIn((await cache.read())[0]);
    await cache.database.transaction((tx) =>
      cache.service.empty(tx, [{ connectionRowId: 1, model: 'Contact', variant: 'base' }]),
    );

    await cache.run().save('Contact', [record('a')]);

    expect(idIn((await cache.read())[0])).toBe(before);
  });

  it('keeps variants, models and connections apart', async () => {
    await cache.run().save('Contact', [record('a')]);
    await cache.run({ variant: 'eu' }).save('Contact', [record('a'), record('b')]);
    await cache.run({ connectionRowId: 2 }).save('Deal', [record('a')]);

    expect(await cache.read()).toHaveLength(1);
    expect(await cache.read({ variant: 'eu' })).toHaveLength(2);
    expect(await cache.read({ model: 'Deal' })).toHaveLength(0);
    expect([await cache.count(), await cache.count('eu')]).toEqual([1, 2]);
  });

  it('gives a running function its records, deleted ones too, page by page', async () => {
    const run = cache.run();
    await run.save(
      'Contact',
      ['1', '2', '3'].map((id) => record(id)),
    );
    await run.remove('Contact', ['1']);

    const found = await run.getByIds('Contact', ['1', '3', '9']);
    const first = await run.list('Contact', { limit: 2 });
    const second = await run.list('Contact', { limit: 2, cursor: first.nextCursor ?? '' });

    expect(found.records.map(({ id }) => id)).toEqual(['3', '1']);
    expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(['2', '3', '1']);
    expect(second.nextCursor).toBeNull();
  });

  it('purges removed connections from the disk', async () => {
    await cache.run().save(
      'Contact',
      Array.from({ length: 1200 }, (_, index) => record(`r${index}`)),
    );
    await cache.database.transaction((tx) => cache.service.removeConnections(tx, [1]));
    expect(await cache.read()).toEqual([]);

    await waitFor(async () => (await cache.rowsOf('record_streams')) === 0, { what: 'the purge' });

    expect([await cache.rowsOf('records'), await cache.rowsOf('record_payloads')]).toEqual([0, 0]);
  });

  it('leaves no payload in clear in the data folder', async () => {
    await cache.run().save('Contact', [record('a', { secret: 'canary-7f3e' })]);

    for (const file of await readdir(cache.home.path)) {
      expect((await readFile(join(cache.home.path, file))).includes('canary-7f3e'), file).toBe(false);
    }
  });
});
