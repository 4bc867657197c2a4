import { describe, expect, it } from 'vitest';
import { ReadCache } from './read-cache.ts';

interface Row {
  id: number;
  text: string;
}

/** A read that ends when `end` is called, with the value from when it began. */
function slowRead(row: Row): { read: () => Promise<Row>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<Row>();
  return { read: () => promise, end: () => resolve(row) };
}

async function never(): Promise<Row> {
  throw new Error('Nothing is to be read.');
}

describe('a cache of what was read', () => {
  it('reads once and keeps it until it is dropped', async () => {
    const cache = new ReadCache<Row>({ max: 10 });
    const row = { id: 1, text: 'one' };
    expect(await cache.get('a', async () => row)).toBe(row);
    expect(await cache.get('a', never)).toBe(row);
    expect(cache.peek('a')).toBe(row);
    cache.drop('a');
    expect(cache.peek('a')).toBeUndefined();
    expect(await cache.get('a', async () => ({ id: 1, text: 'two' }))).toMatchObject({ text: 'two' });
  });

  it.each([
    ['drop', (cache: ReadCache<Row>) => cache.drop('a')],
    ['dropById', (cache: ReadCache<Row>) => cache.dropById(1)],
    ['clear', (cache: ReadCache<Row>) => cache.clear()],
    ['drop of another key', (cache: ReadCache<Row>) => cache.drop('b')],
  ])('does not keep what a read saw that began before %s', async (_name, change) => {
    const cache = new ReadCache<Row>({ max: 10, idOf: (row) => row.id });
    const old = slowRead({ id: 1, text: 'old' });
    const reading = cache.get('a', old.read);
    change(cache);
    old.end();
    expect(await reading).toMatchObject({ text: 'old' });
    expect(cache.peek('a')).toBeUndefined();
  });

  it('keeps what was read by another identity under its own key, unless a change came meanwhile', async () => {
    const cache = new ReadCache<Row>({ max: 10, idOf: (row) => row.id });
    const row = { id: 1, text: 'a' };
    expect(
      await cache.read(
        async () => row,
        ({ text }) => text,
      ),
    ).toBe(row);
    expect(cache.peek('a')).toBe(row);
    expect(cache.peekById(1)).toBe(row);

    const old = slowRead({ id: 2, text: 'b' });
    const reading = cache.read(old.read, ({ text }) => text);
    cache.drop('a');
    old.end();
    await reading;
    expect(cache.peek('b')).toBeUndefined();
  });

  it('keeps neither a missing value nor a failed read', async () => {
    const cache = new ReadCache<Row>({ max: 10 });
    expect(await cache.get('a', async () => undefined)).toBeUndefined();
    await expect(cache.get('a', never)).rejects.toThrow('Nothing is to be read.');
    expect(await cache.get('a', async () => ({ id: 1, text: 'now' }))).toMatchObject({ text: 'now' });
  });

  it('drops by identity, also what was read twice or pushed out meanwhile', async () => {
    const cache = new ReadCache<Row>({ max: 2, idOf: (row) => row.id });
    await Promise.all(
      ['a', 'a', 'b'].map((key) => cache.get(key, async () => ({ id: key === 'a' ? 1 : 2, text: key }))),
    );
    expect(cache.dropById(1)).toMatchObject({ text: 'a' });
    expect(cache.dropById(1)).toBeUndefined();
    expect(cache.peek('a')).toBeUndefined();
    await cache.get('c', async () => ({ id: 3, text: 'c' }));
    await cache.get('d', async () => ({ id: 4, text: 'd' }));
    expect(cache.dropById(2)).toBeUndefined();
    expect(cache.dropById(4)).toMatchObject({ text: 'd' });
  });
});
