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

  it('counts nothing and moves nothing when the same records are saved again', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 }), record('b', { n: 1 })]);
    const before = await cache.read();
    await cache.clock.advance(1000);

    const result = await cache.run().save('Contact', [record('a', { n: 1 }), record('b', { n: 1 })]);

    expect(result).toEqual({ added: 0, updated: 0, deleted: 0, unchanged: 2, duplicates: [] });
    expect(await cache.read()).toEqual(before);
  });

  it('presents exactly six metadata fields, with microseconds that sort', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);

    const [saved] = await cache.read();

    expect(Object.keys(saved?._nango_metadata ?? {}).sort()).toEqual([
      'cursor',
      'deleted_at',
      'first_seen_at',
      'last_action',
      'last_modified_at',
      'pruned_at',
    ]);
    expect(saved).toMatchObject({
      id: 'a',
      n: 1,
      _nango_metadata: { last_action: 'ADDED', deleted_at: null, pruned_at: null },
    });
    expect(saved?._nango_metadata.last_modified_at).toMatch(TIME);
    expect(saved?._nango_metadata.first_seen_at).toBe(saved?._nango_metadata.last_modified_at);
    expect(Buffer.from(saved?._nango_metadata.cursor ?? '', 'base64').toString()).toMatch(/\+00:00\|\|[0-9a-f-]{36}$/);
    expect(saved).not.toHaveProperty('_metadata');
  });

  it('goes from ADDED over DELETED to ADDED with a new first sight', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    const [first] = await cache.read();
    await cache.clock.advance(10);
    expect(await cache.run().remove('Contact', ['a'])).toMatchObject({ deleted: 1 });
    const [deleted] = await cache.read();
    await cache.clock.advance(10);

    expect(await cache.run().save('Contact', [record('a', { n: 1 })])).toMatchObject({ added: 1 });

    expect(deleted).toMatchObject({ n: 1, _metadata: { deleted: true }, _nango_metadata: { last_action: 'DELETED' } });
    expect(deleted?._nango_metadata.deleted_at).toBe(deleted?._nango_metadata.last_modified_at);
    const [again] = await cache.read();
    expect(again?._nango_metadata.last_action).toBe('ADDED');
    expect((again?._nango_metadata.first_seen_at ?? '') > (first?._nango_metadata.first_seen_at ?? '')).toBe(true);
    expect(await cache.count()).toBe(1);
  });

  it('adds the deletion mark to a _metadata of the payload and strips a mark that comes back', async () => {
    await cache
      .run()
      .save('Contact', [record('a', { _metadata: { source: 'x' } }), record('b', { _metadata: { deleted: true } })]);
    expect(await cache.read()).toMatchObject([{ _metadata: { source: 'x' } }, { id: 'b' }]);
    expect((await cache.read())[1]).not.toHaveProperty('_metadata');

    await cache.run().remove('Contact', ['a']);

    expect((await cache.read()).at(-1)).toMatchObject({ id: 'a', _metadata: { source: 'x', deleted: true } });
  });

  it('returns each record once when one transaction is read page by page', async () => {
    await cache.run().save(
      'Contact',
      ['x', 'a', 'm'].map((id) => record(id)),
    );

    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await cache.page({ limit: 1, ...(cursor ? { cursor } : {}) });
      seen.push(...page.records.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);

    expect(seen).toEqual(['x', 'a', 'm']);
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

  it.each(['nonsense', '', Buffer.from('2026-01-01T00:00:00Z||x').toString('base64')])(
    'refuses the cursor "%s"',
    async (cursor) => {
      await expect(cache.read({ cursor })).rejects.toMatchObject({
        code: 'invalid_query_params',
        issues: [{ path: ['cursor'] }],
      });
    },
  );

  it('filters by the union of the asked actions', async () => {
    await cache.run().save(
      'Contact',
      ['new', 'changed', 'gone'].map((id) => record(id)),
    );
    await cache.clock.advance(1);
    await cache.run().save('Contact', [record('changed', { n: 2 })]);
    await cache.run().remove('Contact', ['gone']);

    const ids = async (...filter: Array<'added' | 'updated' | 'deleted'>) =>
      (await cache.read({ filter })).map(({ id }) => id);

    expect(await ids('added')).toEqual(['new']);
    expect(await ids('updated', 'deleted')).toEqual(['changed', 'gone']);
    expect(await ids('added', 'deleted')).toEqual(['new', 'gone']);
    expect(await ids('added', 'updated', 'deleted')).toEqual(['new', 'changed', 'gone']);
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

  it('merges updates deeply, replaces arrays, and ignores ids that are unknown or deleted', async () => {
    await cache.run().save('Contact', [record('a', { deep: { x: 1, y: { z: 2 } }, list: [1, 2] }), record('gone')]);
    await cache.run().remove('Contact', ['gone']);

    const result = await cache
      .run()
      .update('Contact', [
        record('a', { deep: { y: { w: null } }, list: [3] }),
        record('gone', { n: 1 }),
        record('new'),
      ]);

    expect(result).toMatchObject({ added: 0, updated: 1, deleted: 0 });
    expect((await cache.read()).at(-1)).toMatchObject({ id: 'a', deep: { x: 1, y: { z: 2, w: null } }, list: [3] });
    expect(await cache.run().update('Contact', [record('a', { list: [3] })])).toMatchObject({ updated: 0 });
    const merged = record('a', { deep: { x: 1, y: { z: 2, w: null } }, list: [3] });
    expect(await cache.run().save('Contact', [merged])).toMatchObject({ updated: 0, unchanged: 1 });
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
