import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RecordsFixture } from './records-fixture.ts';

describe('checkpoints', () => {
  let cache: RecordsFixture;
  const open = (key = 'sync:contacts:base') => cache.service.openCheckpoint({ connectionRowId: 1, key });

  beforeEach(async () => {
    cache = await RecordsFixture.open();
  });

  afterEach(() => cache.close());

  it('survive their run, and are null before the first save and after a clear', async () => {
    const first = open();
    expect(await first.get()).toBeNull();
    await first.save({ page: 1, done: false, at: 'x' });
    const second = open();
    expect(await second.get()).toEqual({ page: 1, done: false, at: 'x' });
    await second.save({ page: 2 });
    expect(second.range).toEqual({ from: { page: 1, done: false, at: 'x' }, to: { page: 2 } });

    await second.clear();

    expect(await open().get()).toBeNull();
    await open().save({ page: 3 });
    expect(await open().get()).toEqual({ page: 3 });
  });

  it('refuse to overwrite the value of another run, and a second clear', async () => {
    const one = open();
    const other = open();
    await one.get();
    await other.get();
    await one.save({ n: 1 });

    await expect(other.save({ n: 2 })).rejects.toMatchObject({ code: 'checkpoint_conflict', status: 409 });
    expect(await open().get()).toEqual({ n: 1 });
    await one.clear();
  });

  it.each([
    ['a nested value', { a: { b: 1 } }],
    ['null', { a: null }],
    ['a number that JSON cannot hold', { a: Number.NaN }],
    ['more than 256 kB', { a: 'x'.repeat(256 * 1024) }],
    ['a long field name', { ['x'.repeat(256)]: 1 }],
    ['17 fields', Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`f${index}`, 1]))],
  ])('refuse %s', async (_what, value) => {
    await expect(open().save(value)).rejects.toMatchObject({ code: 'invalid_checkpoint' });
  });

  it('hold a text of any length within 256 kB', async () => {
    const value = { a: 'x'.repeat(200_000), b: 'é'.repeat(20_000) };
    await open().save(value);

    expect(await open().get()).toEqual(value);
  });

  it('can be cleared any number of times, also when there is none', async () => {
    const one = open();
    await one.clear();
    await one.save({ n: 1 });
    await one.clear();
    await one.clear();
    expect(await one.get()).toBeNull();
    await one.save({ n: 2 });

    expect(await open().get()).toEqual({ n: 2 });
  });

  it('are removed with everything kept under their key, and nothing beside it', async () => {
    await open('sync:a:base').save({ n: 1 });
    await open('sync:a:base:trackDeletes:Contact').save({ n: 1 });
    await open('sync:a:base2').save({ n: 2 });

    await cache.database.transaction((tx) =>
      cache.service.removeCheckpoints(tx, [{ connectionRowId: 1, key: 'sync:a:base' }]),
    );

    expect(await open('sync:a:base').get()).toBeNull();
    expect(await open('sync:a:base:trackDeletes:Contact').get()).toBeNull();
    expect(await open('sync:a:base2').get()).toEqual({ n: 2 });
  });
});

describe('locks', () => {
  let cache: RecordsFixture;
  const open = (owner: string, environmentId = 1) => cache.service.openLocks({ environmentId, owner });

  beforeEach(async () => {
    cache = await RecordsFixture.open();
  });

  afterEach(() => cache.close());

  it('belong to one run until they are released or expire', async () => {
    const [one, other] = [open('one'), open('other')];
    expect(await one.acquire('k', 1000)).toBe(true);
    expect(await one.acquire('k', 1000)).toBe(true);
    expect(await other.acquire('k', 1000)).toBe(false);
    expect(await open('other', 2).acquire('k', 1000)).toBe(true);
    expect(await other.release('k')).toBe(false);
    await cache.clock.advance(1000);

    expect(await other.acquire('k', 1000)).toBe(true);

    expect(await one.release('k')).toBe(false);
    await other.releaseAll();
    expect(await one.acquire('k', 1000)).toBe(true);
  });

  it('are freed when the program starts: their owners are gone', async () => {
    await open('dead').acquire('k', 10 ** 9);

    await cache.service.start();

    expect(await open('new').acquire('k', 1000)).toBe(true);
  });

  it.each([
    ['', 1],
    ['x'.repeat(256), 1],
    ['k', 0],
    ['k', Number.NaN],
  ])('refuse the key %j with %s ms', async (key, ttlMs) => {
    await expect(open('one').acquire(key, ttlMs)).rejects.toMatchObject({ code: 'invalid_body' });
  });
});
