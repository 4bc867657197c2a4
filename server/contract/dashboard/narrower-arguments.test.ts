import { describe, expect, it } from 'vitest';
import { isNarrower } from './narrower-arguments.ts';

const GIVEN = { ids: ['1', '2', '3'], to: { all: true, name: 'Ada Lovelace' }, count: 3 };

describe('isNarrower', () => {
  it.each([
    [{}],
    [GIVEN],
    [{ ids: ['1', '3'] }],
    [{ ids: [] }],
    [{ to: { name: 'Ada Lovelace' } }],
    [{ to: {}, count: 3 }],
  ])('takes %j', (asked) => {
    expect(isNarrower(asked, GIVEN)).toBe(true);
  });

  it.each([
    [{ more: 1 }],
    [{ ids: ['3', '1'] }],
    [{ ids: ['1', '1'] }],
    [{ ids: '1' }],
    [{ ids: ['4'] }],
    [{ to: { name: 'Bob' } }],
    [{ to: { name: 'Ada' } }],
    [{ to: { all: false } }],
    [{ count: 2 }],
    [{ toString: 1 }],
  ])('refuses %j', (asked) => {
    expect(isNarrower(asked, GIVEN)).toBe(false);
  });
});
