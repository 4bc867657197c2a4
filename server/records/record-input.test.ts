import { describe, expect, it } from 'vitest';
import { cleanRecord, dropDuplicates, toExternalId } from './record-writer.ts';

describe('record input', () => {
  it('removes NUL from ids, in the payload too', () => {
    expect(cleanRecord({ id: 'a\0b', json: '{"id":"a\\u0000b","n":1}' })).toEqual({
      id: 'ab',
      json: '{"id":"ab","n":1}',
    });
  });

  it('passes the text of an ordinary record on untouched', () => {
    const json = '{ "id" : "a" }';

    expect(cleanRecord({ id: 'a', json }).json).toBe(json);
  });

  it.each(['', '\0', 'x'.repeat(2049)])('refuses the id %j', (id) => {
    expect(() => toExternalId(id)).toThrow(/1 to 2048/);
  });

  it('strips a _metadata that only says deleted, and keeps any other', () => {
    expect(cleanRecord({ id: 'a', json: '{"id":"a","_metadata":{"deleted":true}}' }).json).toBe('{"id":"a"}');
    expect(cleanRecord({ id: 'a', json: '{"id":"a","_metadata":{"deleted":true,"x":1}}' }).json).toContain('"x":1');
  });

  it('keeps the first of each id and names each repeated id once', () => {
    const { kept, duplicates } = dropDuplicates([
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
      { id: 'a', n: 3 },
      { id: 'a', n: 4 },
    ]);

    expect(kept).toEqual([
      { id: 'a', n: 1 },
      { id: 'b', n: 2 },
    ]);
    expect(duplicates).toEqual(['a']);
  });
});
