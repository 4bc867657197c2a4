import { expect, it } from 'vitest';
import { objectChanges } from './object-changes.ts';

it('tells added, changed and removed members apart', () => {
  const before = { a: 1, b: { c: 1 }, d: 'same' };
  expect(objectChanges(before, { b: { c: 2 }, d: 'same', e: null })).toEqual({
    added: ['e'],
    changed: ['b'],
    removed: ['a'],
  });
  expect(objectChanges(before, { ...before })).toEqual({ added: [], changed: [], removed: [] });
});
