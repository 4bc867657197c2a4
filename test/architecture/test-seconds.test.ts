import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
// @ts-expect-error a plain script without types: it has to run on any Node
import { findExpensive, mergeSeconds, readSeconds, storedSeconds } from '../../build/scripts/test-seconds.mjs';

const textOf = (file: string): string | undefined => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

describe('the seconds of the tests', () => {
  it('are few for every file that npm test runs, by the stored measurement', () => {
    const advice = 'Measured again: HOMEPORT_TEST_TIMES=dist/times npm test; npm run test:seconds -- dist/times';

    expect(findExpensive(storedSeconds(), textOf), advice).toEqual([]);
  });

  it('find what is expensive, tagged or not, and forget what is gone', () => {
    const texts: Record<string, string> = { a: 'it()', b: '// @module-tag slow\nit()', c: 'it()' };
    const stored = readSeconds('12.5\ta\n14.0\tb\n1.0\tc\n30.0\tgone\n');

    expect(findExpensive(stored, (file: string) => texts[file])).toEqual([
      'b takes 14 s of npm test, more than 12: fewer of its tests should be tagged main-path',
      'a takes 12.5 s of npm test, more than 12: tag it slow, and main-path what it is for, or tag its longest tests slow',
    ]);
  });

  it('are replaced by a new measurement, where it ran', () => {
    const measured = readSeconds('3.00\tb\t7\n2.50\tb\t8\n0.20\tc\t7\n');

    expect(mergeSeconds(readSeconds('9.0\tb\n2.0\ta\n5.0\tc\n'), measured)).toEqual(['2.0\ta', '2.5\tb']);
  });
});
