import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Fixture } from './fixture-file.ts';
import { readLegacyFixture } from './legacy-fixture.ts';

export interface FixtureNames {
  /** Folder of the running test file. */
  dirname: string;
  /** Name of the function. */
  name: string;
  /** Path of the running test file, if the test runner provides it. */
  testFile?: string | undefined;
  model?: string | undefined;
}

/**
 * Finds the recording for a test (functions.md 8.4): next to the test file, else by the function's name, else in the
 * old layout.
 */
export function lookUpFixture({ dirname, name, testFile, model }: FixtureNames): Fixture {
  const ofTest = testFile ? basename(testFile).replace(/\.test\.[cm]?[jt]sx?$/, '') : undefined;
  const names = [...(ofTest === undefined ? [] : [ofTest]), name];
  const found = names.map((one) => join(dirname, `${one}.test.json`)).find((path) => existsSync(path));
  if (found) return JSON.parse(readFileSync(found, 'utf8')) as Fixture;
  return readLegacyFixture(join(dirname, '../mocks'), name, model);
}
