import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compareFingerprint, fingerprintPaths, inputFingerprint } from './workspace-inputs.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-fingerprints-'));
  await writeFile(join(folder, 'a.ts'), 'one');
});
afterEach(() => rm(folder, { recursive: true }));

const take = () => inputFingerprint(folder, ['missing.ts', 'a.ts'], 'v1');

describe('a fingerprint of files', () => {
  it('names its files and is the same as long as nothing happens', () => {
    const taken = take();

    expect(fingerprintPaths(taken)).toEqual(['a.ts', 'missing.ts']);
    expect(compareFingerprint(folder, taken, 'v1')).toBe('same');
  });

  it('distinguishes a touched file from one with other content', async () => {
    const taken = take();
    await utimes(join(folder, 'a.ts'), 1, 1);
    const touched = compareFingerprint(folder, taken, 'v1');
    await writeFile(join(folder, 'a.ts'), 'two');

    expect([touched, compareFingerprint(folder, taken, 'v1')]).toEqual(['touched', 'stale']);
  });

  it.each([
    ['a file appears', () => writeFile(join(folder, 'missing.ts'), '')],
    ['a file goes', () => rm(join(folder, 'a.ts'))],
    ['a file grows', () => writeFile(join(folder, 'a.ts'), 'one more')],
  ])('is stale when %s', async (_what, change) => {
    const taken = take();

    await change();

    expect(compareFingerprint(folder, taken, 'v1')).toBe('stale');
  });

  it('is stale for another compiler, also when it was taken before compilers were noted', () => {
    const old = JSON.stringify([{ path: 'a.ts', modifiedMs: 1, sizeBytes: 3 }]);

    expect(compareFingerprint(folder, take(), 'v2')).toBe('stale');
    expect(compareFingerprint(folder, old, 'v1')).toBe('stale');
    expect(fingerprintPaths(old)).toEqual(['a.ts']);
  });
});
