import { describe, expect, it } from 'vitest';
import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import { silentLogger } from '../../platform/lib/logger.ts';
import { createTypeChecks } from './type-checks.ts';

const resultOf = (path: string): TypeCheckResult => ({ path, diagnostics: [], dependencies: [path] });

/** Checks with a process whose responses the test provides. */
function createChecks(respond: (paths: readonly string[]) => Promise<void>) {
  const batches: string[][] = [];
  const rests: number[] = [];
  const checked: string[] = [];
  const checks = createTypeChecks({
    logger: silentLogger,
    createProcess: async () => ({
      check: async (paths) => {
        batches.push([...paths]);
        await respond(paths);
        return paths.map(resultOf);
      },
      restAfter: (delayMs) => void rests.push(delayMs),
      stop: async () => {},
    }),
    onChecked: async ({ path }) => void checked.push(path),
  });
  return { checks, batches, rests, checked };
}

describe('TypeChecks', () => {
  it('checks what was just saved before the rest of the workspace, and keeps the process warm for it', async () => {
    const { checks, batches, rests } = createChecks(async () => {});
    const many = Array.from({ length: 30 }, (_, index) => `old-${index}`);

    checks.request(many, false);
    checks.request(['saved'], true);
    await checks.settled();

    expect(batches.map(({ length }) => length)).toEqual([1, 20, 10]);
    expect(batches[0]).toEqual(['saved']);
    expect(rests).toEqual([60_000]);
  });

  it('gives the memory back at once after a start', async () => {
    const { checks, rests } = createChecks(async () => {});

    checks.request(['a'], false);
    await checks.settled();

    expect(rests).toEqual([0]);
  });

  it('gives the memory back at once after many files were saved', async () => {
    const { checks, rests } = createChecks(async () => {});

    checks.request(
      Array.from({ length: 101 }, (_, index) => `saved-${index}`),
      true,
    );
    await checks.settled();

    expect(rests).toEqual([0]);
  });

  it('drops the answer about a function that is deployed again meanwhile', async () => {
    const asked = Promise.withResolvers<void>();
    const first = Promise.withResolvers<void>();
    const { checks, checked } = createChecks(() => {
      asked.resolve();
      return first.promise;
    });
    checks.request(['a', 'b'], true);
    await asked.promise;

    checks.invalidate(['a']);
    first.resolve();
    await checks.settled();
    const before = [...checked];
    checks.request(['a'], true);
    await checks.settled();

    expect(before).toEqual(['b']);
    expect(checked).toEqual(['b', 'a']);
  });

  it('checks the functions of a lost batch alone and gives up only the one that loses the process', async () => {
    const { checks, batches, checked } = createChecks(async (paths) => {
      if (paths.includes('huge')) throw new Error('out of memory');
    });

    checks.request(['a', 'huge', 'b'], false);
    await checks.settled();

    expect(batches).toEqual([['a', 'huge', 'b'], ['a'], ['huge'], ['b']]);
    expect(checked).toEqual(['a', 'b']);
  });
});
