import { describe, expect, it } from 'vitest';
import { isJsonTree, MAX_LEVELS, MAX_MEMBERS, measureMessage, messageSize } from './message-size.ts';

const MEGABYTE = 1_000_000;

function graph(levels: number): unknown {
  let inner: unknown = 'x';
  for (let level = 0; level < levels; level++) inner = { l: inner, r: inner };
  return inner;
}

describe('the size of a message', () => {
  it.each([
    ['text', 'x'.repeat(500), 500],
    ['a list', ['x'.repeat(500), 'y'.repeat(500)], 1_000],
    ['the names of members', { ['k'.repeat(500)]: 1 }, 500],
    ['bytes', new Uint8Array(500), 500],
    ['a map', new Map([['k'.repeat(500), 'x'.repeat(500)]]), 1_000],
    ['a set', new Set(['x'.repeat(500)]), 500],
    ['a text as an object', new String('x'.repeat(500)), 500],
    ['a large number', 1n << 8_000n, 1_000],
    ['an error', new Error('x'.repeat(500), { cause: 'y'.repeat(500) }), 1_000],
    ['an expression', new RegExp('x'.repeat(500)), 500],
    ['a named member of a list', Object.assign([1], { name: 'x'.repeat(500) }), 500],
  ])('counts %s', (_what, value, least) => {
    const bytes = messageSize(value, MEGABYTE);

    expect(bytes).toBeGreaterThanOrEqual(least);
    expect(bytes).toBeLessThan(least * 2 + 2_000);
  });

  it('counts each object once, whatever refers to it', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = [cycle, cycle];

    expect(messageSize(graph(60), MEGABYTE)).toBeLessThan(5_000);
    expect(messageSize(cycle, MEGABYTE)).toBeLessThan(100);
    expect(measureMessage(graph(60), MEGABYTE).isTree).toBe(false);
    expect(measureMessage({ a: [{}, {}] }, MEGABYTE).isTree).toBe(true);
  });

  it('stops at the limit, and takes a value with too many members or levels for larger than any', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 2 * MAX_LEVELS; level++) deep = [deep];

    expect(messageSize(Array(100_000).fill('x'.repeat(100)), 1_000)).toBeLessThan(1_200);
    for (const value of [deep, Array(MAX_MEMBERS + 1).fill(1)]) {
      expect(messageSize(value, Number.MAX_VALUE)).toBe(Number.POSITIVE_INFINITY);
      expect(isJsonTree(value)).toBe(false);
    }
  });
});
