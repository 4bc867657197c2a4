import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ReadHandle } from '../../../server/platform/database/database.ts';
import { RecordsStore } from '../../../server/records/records.store.ts';
import { RecordsFixture, record } from './records-fixture.ts';

const STREAM = { connectionRowId: 1, model: 'Contact', variant: 'base' };

let cache: RecordsFixture;
beforeEach(async () => {
  cache = await RecordsFixture.open();
});
afterEach(() => cache.close());

const contents = async (): Promise<Record<string, unknown>> =>
  Object.fromEntries((await cache.read()).map((row) => [row.id, row['n'] ?? row._nango_metadata.last_action]));
const pruneAll = async (): Promise<{ count: number; hasMore: boolean }> => {
  const untilCursor = (await cache.read()).at(-1)?._nango_metadata.cursor ?? '';
  return cache.service.prune({ ...STREAM, untilCursor, limit: 1000 });
};

describe('ignore_if_modified_after', () => {
  it('moves its mark to the last row that the run changed, and does not move it without changes', async () => {
    await cache.run().save('Contact', [record('a', { n: 0 }), record('b', { n: 0 }), record('c', { n: 0 })]);
    const poll = cache.run();
    await poll.setMergingStrategy('Contact', 'ignore_if_modified_after');
    const webhook = cache.run({ jobId: 10 });
    await webhook.save('Contact', [record('a', { n: 'webhook' })]);

    const refused = await poll.save('Contact', [record('a', { n: 'poll' }), record('c', { n: 0 })]);
    const still = await poll.save('Contact', [record('a', { n: 'poll' })]);
    await poll.save('Contact', [record('b', { n: 'poll' })]);
    const open = await poll.save('Contact', [record('b', { n: 'poll 2' })]);
    await webhook.save('Contact', [record('c', { n: 'webhook' })]);
    const late = await poll.save('Contact', [record('c', { n: 'poll' }), record('a', { n: 'poll' })]);

    expect([refused, still]).toMatchObject([
      { updated: 0, unchanged: 2 },
      { updated: 0, unchanged: 1 },
    ]);
    expect(open).toMatchObject({ updated: 1 });
    // Row a changed before the mark of the run, row c after it.
    expect(late).toMatchObject({ updated: 1, unchanged: 1 });
    expect(await contents()).toEqual({ b: 'poll 2', c: 'webhook', a: 'poll' });
  });

  it('does not take the changes of batches that the run saves at the same time for later ones', async () => {
    await cache.run().save('Contact', [record('a', { n: 0 }), record('b', { n: 0 })]);
    const poll = cache.run();
    await poll.setMergingStrategy('Contact', 'ignore_if_modified_after');

    const results = await Promise.all([
      poll.save('Contact', [record('a', { n: 1 })]),
      poll.save('Contact', [record('a', { n: 2 }), record('b', { n: 2 })]),
      poll.save('Contact', [record('b', { n: 3 }), record('c', { n: 3 })]),
    ]);

    expect(results).toMatchObject([{ updated: 1 }, { updated: 2 }, { updated: 1, added: 1 }]);
    expect(await contents()).toEqual({ a: 2, b: 3, c: 3 });
    expect(poll.counts).toMatchObject({ Contact: { added: 1, updated: 4, deleted: 0 } });
  });

  it('holds for updates and deletions too; what it skips counts as seen and unchanged', async () => {
    await cache.run().save(
      'Contact',
      ['a', 'b', 'c'].map((id) => record(id, { n: 0 })),
    );
    const poll = cache.run();
    await poll.setMergingStrategy('Contact', 'ignore_if_modified_after');
    await cache.run({ jobId: 1 }).save('Contact', [record('a', { n: 'webhook' }), record('b', { n: 'webhook' })]);

    const updated = await poll.update('Contact', [record('a', { n: 'poll' })]);
    const removed = await poll.remove('Contact', ['b', 'unknown']);
    const { deletedKeys } = await poll.deleteFromPreviousExecutions('Contact');

    expect(updated).toMatchObject({ updated: 0, unchanged: 1 });
    expect(removed).toMatchObject({ deleted: 0, unchanged: 1 });
    expect(deletedKeys).toEqual(['c']);
    expect(await contents()).toMatchObject({ a: 'webhook', b: 'webhook', unknown: 'DELETED' });
  });

  it('guards every row of a model that had no rows at the call', async () => {
    const poll = cache.run();
    await poll.setMergingStrategy('Contact', 'ignore_if_modified_after');
    await cache.run({ jobId: 10 }).save('Contact', [record('a', { n: 'webhook' })]);

    await poll.save('Contact', [record('a', { n: 'poll' })]);

    expect(await contents()).toEqual({ a: 'webhook' });
  });

  it('is a matter of one model and one run', async () => {
    await cache.run().save('Contact', [record('a', { n: 0 })]);
    const poll = cache.run();
    await poll.setMergingStrategy('Deal', 'ignore_if_modified_after');
    await cache.run({ jobId: 10 }).save('Contact', [record('a', { n: 1 })]);

    expect(await poll.save('Contact', [record('a', { n: 2 })])).toMatchObject({ updated: 1 });
  });
});

describe('deletion detection', () => {
  it('spares what a webhook run saved while the window was open, however long it was', async () => {
    await cache.run({ jobId: 1 }).save(
      'Contact',
      ['old', 'by-webhook'].map((id) => record(id)),
    );
    const poll = cache.run({ jobId: 2 });
    await poll.trackDeletesStart('Contact');
    await cache.run({ jobId: 3 }).save('Contact', [record('by-webhook'), record('new')]);
    await cache.clock.advance(90 * 86_400_000);

    const end = await cache.run({ jobId: 4 }).trackDeletesEnd('Contact');

    expect(end).toEqual({ deletedKeys: ['old'] });
  });

  it('spares what the run only meant to delete or to update', async () => {
    await cache.run().save(
      'Contact',
      ['same', 'updated', 'gone', 'old'].map((id) => record(id, { n: 1 })),
    );
    const run = cache.run();
    await run.update('Contact', [record('same', { n: 1 }), record('updated', { n: 2 })]);
    await run.remove('Contact', ['gone']);

    const { deletedKeys } = await run.deleteFromPreviousExecutions('Contact');

    expect(deletedKeys).toEqual(['old']);
    expect(run.counts['Contact']).toEqual({ added: 0, updated: 1, deleted: 2 });
  });

  it('deletes in one stamp each, in the order of their last change, with both times equal', async () => {
    await cache.run().save(
      'Contact',
      ['c', 'a', 'b'].map((id) => record(id)),
    );

    await cache.run().deleteFromPreviousExecutions('Contact');

    const rows = await cache.read();
    const times = rows.map((row) => row._nango_metadata.last_modified_at);
    expect(rows.map((row) => row.id)).toEqual(['c', 'a', 'b']);
    expect(new Set(times).size).toBe(3);
    expect(times).toEqual([...times].sort());
    expect(rows.map((row) => row._nango_metadata.deleted_at)).toEqual(times);
  });

  it('keeps the windows of models and variants apart, and books under the plain name', async () => {
    const variant = cache.run({ variant: 'eu' });
    await cache.run().save('Contact', [record('base')]);
    await variant.save('Contact', [record('eu')]);
    const next = cache.run({ variant: 'eu' });
    await next.trackDeletesStart('Contact');

    await expect(cache.run().trackDeletesEnd('Contact')).rejects.toThrow(/trackDeletesStart/);
    await expect(next.trackDeletesEnd('Deal')).rejects.toThrow(/trackDeletesStart/);
    expect(await next.trackDeletesEnd('Contact')).toEqual({ deletedKeys: ['eu'] });
    expect(next.counts['Contact']).toEqual({ added: 0, updated: 0, deleted: 1 });
    expect(await cache.count()).toBe(1);
  });

  it('changes nothing, counters included, when the run is not wanted any more', async () => {
    await cache.run().save('Contact', [record('a')]);
    const run = cache.service.openRecords({
      connectionRowId: 1,
      variant: 'base',
      jobId: 99,
      models: ['Contact'],
      checkpointKey: 'sync:contacts:base',
      assertWanted: () => Promise.reject(new Error('cancelled')),
    });

    await expect(run.deleteFromPreviousExecutions('Contact')).rejects.toThrow('cancelled');
    await expect(run.save('Contact', [record('b')])).rejects.toThrow('cancelled');

    expect(await contents()).toEqual({ a: 'ADDED' });
    expect(run.counts['Contact']).toEqual({ added: 0, updated: 0, deleted: 0 });
    expect(await cache.count()).toBe(1);
  });
});

describe('pruned records', () => {
  it('are replaced by other content, un-deleted, merged into nothing, and deleted as what they are', async () => {
    const ids = ['changed', 'merged', 'deleted', 'back'];
    await cache.run().save(
      'Contact',
      ids.map((id) => record(id, { n: 1, more: 1 })),
    );
    await cache.run().remove('Contact', ['back']);
    expect(await pruneAll()).toEqual({ count: 4, hasMore: false });
    const run = cache.run();

    const saved = await run.save('Contact', [record('changed', { n: 2 }), record('back', { n: 1, more: 1 })]);
    await run.update('Contact', [record('merged', { n: 3 })]);
    await run.remove('Contact', ['deleted']);

    expect(saved).toMatchObject({ added: 1, updated: 1 });
    const rows = Object.fromEntries((await cache.read()).map(({ _nango_metadata, ...row }) => [row.id, row]));
    expect(rows).toEqual({
      changed: { id: 'changed', n: 2 },
      back: { id: 'back', n: 1, more: 1 },
      merged: { id: 'merged', n: 3 },
      deleted: { id: 'deleted', _metadata: { deleted: true } },
    });
  });

  it('count the tombstone of an unknown id as nothing to lose', async () => {
    await cache.run().remove('Contact', ['ghost']);

    expect(await pruneAll()).toEqual({ count: 1, hasMore: false });
    expect(await pruneAll()).toEqual({ count: 0, hasMore: false });
    expect(await cache.run().save('Contact', [record('ghost', { n: 1 })])).toMatchObject({ added: 1 });
    expect(await contents()).toEqual({ ghost: 1 });
  });

  it('keep their hash: saving the same content is not a change', async () => {
    await cache.run().save('Contact', [record('a', { n: 1 })]);
    await pruneAll();
    const before = (await cache.read())[0]?._nango_metadata;

    expect(await cache.run().save('Contact', [record('a', { n: 1 })])).toMatchObject({ updated: 0, unchanged: 1 });

    expect((await cache.read())[0]).toEqual({ id: 'a', n: 1, _nango_metadata: { ...before, pruned_at: null } });
  });
});

describe('the stream of changes', () => {
  it('has a stamp for each change although the clock stands still or goes back', async () => {
    await cache.run().save(
      'Contact',
      Array.from({ length: 50 }, (_, index) => record(`a${index}`)),
    );
    await cache.clock.advance(-60_000);
    await cache.run().save(
      'Contact',
      Array.from({ length: 50 }, (_, index) => record(`b${index}`)),
    );
    await cache.run({ connectionRowId: 2 }).save('Contact', [record('other')]);
    await cache.run().remove('Contact', ['a7']);

    const times = (await cache.read()).map((row) => row._nango_metadata.last_modified_at);
    expect(times).toEqual([...new Set(times)].sort());
    expect(times).toHaveLength(100);
  });

  it('reads after a cursor and from a moment on at once, whichever is later', async () => {
    await cache.run().save(
      'Contact',
      ['a', 'b', 'c', 'd'].map((id) => record(id)),
    );
    const [, b, c] = await cache.read();
    const cursorOf = (row: typeof b): string => row?._nango_metadata.cursor ?? '';
    const timeOf = (row: typeof b): string => row?._nango_metadata.last_modified_at ?? '';
    const ids = async (cursor: string, modifiedAfter: string) =>
      (await cache.read({ cursor, modifiedAfter })).map((row) => row.id);

    expect(await ids(cursorOf(b), timeOf(b))).toEqual(['c', 'd']);
    expect(await ids(cursorOf(b), timeOf(c))).toEqual(['c', 'd']);
    expect(await ids(cursorOf(c), timeOf(b))).toEqual(['d']);
  });

  it('gives no next cursor when the page ends with the last row', async () => {
    await cache.run().save('Contact', [record('a'), record('b')]);

    expect((await cache.page({ limit: 2 })).nextCursor).toBeNull();
    expect((await cache.page({ limit: 1 })).nextCursor).not.toBeNull();
    expect((await cache.page({ limit: 1, filter: ['deleted'] })).nextCursor).toBeNull();
  });

  it('knows no id that nothing can be stored under', async () => {
    const run = cache.run();
    await run.save('Contact', [record('a')]);

    expect((await run.getByIds('Contact', ['', 'x'.repeat(300), 'a'])).records.map(({ id }) => id)).toEqual(['a']);
    expect(await run.getByIds('Contact', [''])).toEqual({ records: [] });
  });
});

it('finds records by their ids without a walk over the others', async () => {
  const plan: string[] = [];
  const reader: ReadHandle = {
    get: (sql, params) => cache.database.reader.get(sql, params),
    all: async (sql, params) => {
      const steps = await cache.database.reader.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      plan.push(...steps.map(({ detail }) => detail).filter((detail) => / r /.test(detail)));
      return cache.database.reader.all(sql, params);
    },
  };
  const actions = { added: true, updated: true, deleted: true };

  await new RecordsStore().listPage(reader, { streamId: 1, from: 1, actions, ids: ['a', 'b'], limit: 2 });

  expect(plan).toEqual(['SEARCH r USING PRIMARY KEY (stream_id=? AND external_id=?)']);
});

describe('a search for a text', () => {
  const find = (text: string, within: { ids?: string[]; after?: string } = {}, signal = new AbortController().signal) =>
    cache.service.findText({ ...STREAM, ...within, text, signal });

  it('looks in ids and payloads of every record, one that was deleted or pruned too', async () => {
    const many = Array.from({ length: 700 }, (_, index) =>
      record(`r${index}`, { city: index % 300 ? 'Oslo' : 'Bergen' }),
    );
    await cache.run().save('Contact', many);
    await cache.run().save('Contact', [record('bergen-id', { city: 'Oslo' })]);
    await cache.run().remove('Contact', ['r300']);

    expect(await find('bergen')).toEqual(['r0', 'r600', 'bergen-id', 'r300']);
    await pruneAll();
    expect(await find('bergen')).toEqual(['bergen-id']);
  });

  it('looks only among the ids, or what changed since a moment, that it is given', async () => {
    await cache.run().save('Contact', [record('a', { city: 'Bergen' }), record('b', { city: 'Bergen' })]);
    const after = await cache.service.lastChange(STREAM);
    await cache.run().save('Contact', [record('c', { city: 'Bergen' })]);

    expect([await find('bergen', { ids: ['b', 'x'] }), await find('bergen', { after })]).toEqual([['b'], ['c']]);
  });

  it('ends once no caller waits for it', async () => {
    const many = Array.from({ length: 1200 }, (_, index) => record(`r${index}`, { city: 'Bergen' }));
    await cache.run().save('Contact', many);

    expect(await find('bergen', {}, AbortSignal.abort())).toHaveLength(500);
  });
});
