import { describe, expect, it } from 'vitest';
import { placeGroups, type ShownGroup } from './list-groups.ts';

const group = (value: string, count: number): ShownGroup => ({ value, label: null, provider: null, count });
const read = (places: ReturnType<typeof placeGroups>): Array<string | number | undefined> =>
  Array.from({ length: places.total }, (_, index) => {
    const place = places.at(index);
    return place && ('head' in place ? place.head.value : place.row);
  });

describe('placeGroups', () => {
  it('puts the head of each group above its rows', () => {
    expect(read(placeGroups([group('a', 2), group('b', 1)], 3, new Set()))).toEqual(['a', 0, 1, 'b', 2]);
  });

  it('leaves out the rows of collapsed groups, and keeps the rows of the others', () => {
    expect(read(placeGroups([group('a', 2), group('b', 1)], 3, new Set(['a'])))).toEqual(['a', 'b', 2]);
    expect(read(placeGroups([group('a', 2), group('b', 1)], 3, new Set(['a', 'b'])))).toEqual(['a', 'b']);
  });

  it('has one more group for rows beyond the named ones', () => {
    expect(read(placeGroups([group('a', 1)], 3, new Set()))).toEqual(['a', 0, '', 1, 2]);
    expect(read(placeGroups([group('a', 1)], 3, new Set([''])))).toEqual(['a', 0, '']);
  });

  it('finds a row of a million in many groups at once', () => {
    const groups = Array.from({ length: 500 }, (_, index) => group(`g${index}`, 2000));
    const places = placeGroups(groups, 1_000_000, new Set());
    expect(places.total).toBe(1_000_500);
    expect(places.at(1_000_499)).toEqual({ row: 999_999 });
    expect(places.at(1_000_500)).toBeUndefined();
    expect(places.at(-1)).toBeUndefined();
  });
});
