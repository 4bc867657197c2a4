import { beforeEach, describe, expect, it } from 'vitest';
import { createDocumentCache, type DocumentCache } from '../webhook-router.ts';

const KEYS = 'https://keys.test/certs';

describe('DocumentCache', () => {
  let now: number;
  let fetched: string[];
  let expires: string | undefined;
  let failure: Error | undefined;
  let cache: DocumentCache;

  beforeEach(() => {
    now = Date.parse('2026-03-01T12:00:00.000Z');
    fetched = [];
    expires = 'Sun, 01 Mar 2026 13:00:00 GMT';
    failure = undefined;
    cache = createDocumentCache({
      now: () => now,
      fetch: async (url) => {
        fetched.push(url);
        if (failure) throw failure;
        return { json: fetched.length, headers: expires === undefined ? {} : { expires } };
      },
    });
  });

  it('keeps a document until it expires', async () => {
    await cache.fetch(KEYS);
    now += 59 * 60_000;
    expect((await cache.fetch(KEYS)).json).toBe(1);

    now += 60_000;
    expect((await cache.fetch(KEYS)).json).toBe(2);
  });

  it.each([undefined, '0', 'Sun, 01 Mar 2026 11:00:00 GMT'])('fetches again what expires %s', async (value) => {
    expires = value;

    await cache.fetch(KEYS);
    await cache.fetch(KEYS);

    expect(fetched).toHaveLength(2);
  });

  it('fetches once for callers at the same time', async () => {
    await Promise.all([cache.fetch(KEYS), cache.fetch(KEYS)]);

    expect(fetched).toEqual([KEYS]);
  });

  it('does not remember a failure', async () => {
    failure = new Error('no network');
    await expect(cache.fetch(KEYS)).rejects.toThrow('no network');

    failure = undefined;
    expect((await cache.fetch(KEYS)).json).toBe(2);
  });

  it('lets go of the oldest of a hundred', async () => {
    for (let at = 0; at <= 100; at += 1) await cache.fetch(`${KEYS}/${at}`);
    fetched = [];

    await cache.fetch(`${KEYS}/1`);
    await cache.fetch(`${KEYS}/100`);
    expect(fetched).toEqual([]);
    await cache.fetch(`${KEYS}/0`);
    expect(fetched).toEqual([`${KEYS}/0`]);
  });
});
