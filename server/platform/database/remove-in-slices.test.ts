import { describe, expect, it } from 'vitest';
import type { Transaction } from './database.ts';
import { removeInSlices } from './remove-in-slices.ts';

/** A database whose transactions remove the given numbers of rows, one after the other. */
function databaseWith(counts: number[]) {
  const database = { transaction: <T>(work: (tx: Transaction) => Promise<T>) => work({} as Transaction) };
  return { database, remove: async () => counts.shift() ?? 0, left: counts };
}

describe('removeInSlices', () => {
  it('removes slices until one is not full', async () => {
    const { database, remove, left } = databaseWith([10, 10, 3, 10]);

    expect(await removeInSlices({ database, sliceSize: 10 }, remove)).toBe(23);
    expect(left).toEqual([10]);
  });

  it('ends before the next slice when it is stopped', async () => {
    const { database, remove, left } = databaseWith([10, 10, 10]);
    let isStopped = false;
    const stopAfter = async (): Promise<number> => {
      isStopped = true;
      return remove();
    };

    expect(await removeInSlices({ database, sliceSize: 10, isStopped: () => isStopped }, stopAfter)).toBe(10);
    expect(left).toEqual([10, 10]);
  });
});
