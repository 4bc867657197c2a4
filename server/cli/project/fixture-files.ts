import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { type Fixture, fixtureFileNames } from '../../../functions/testing/fixture-file.ts';
import { readLegacyFixture } from '../../../functions/testing/legacy-fixture.ts';
import { CliFailure } from '../cli-failure.ts';
import { namesIn } from './read-if-there.ts';

type Named = Pick<FunctionLocation, 'integration' | 'name'>;

/** Where the recorded run of a function stands; it is read when it is needed. */
export interface FoundFixture<T extends Named = Named> {
  subject: T;
  /** Relative to the project, with `/`: a file, or the function's folder of the old layout. */
  path: string;
  isLegacy: boolean;
}

/** The recorded runs of functions, of those that have one. Looks into each folder once. */
export async function findFixtures<T extends Named>(root: string, functions: readonly T[]): Promise<FoundFixture<T>[]> {
  const found: FoundFixture<T>[] = [];
  for (const [integration, own] of Map.groupBy(functions, (one) => one.integration)) {
    const tests = new Set(await namesIn(join(root, integration, 'tests')));
    const mocks = new Set(await namesIn(join(root, integration, 'mocks')));
    for (const subject of own) {
      const { name } = subject;
      const file = fixtureFileNames(integration, name).find((path) => tests.has(basename(path)));
      if (file) found.push({ subject, path: `${integration}/${file}`, isLegacy: false });
      else if (mocks.has(name)) found.push({ subject, path: `${integration}/mocks/${name}`, isLegacy: true });
    }
  }
  return found;
}

/** Fails with a sentence when the file is no recording. */
export async function readFixture(root: string, { subject, path, isLegacy }: FoundFixture): Promise<Fixture> {
  try {
    const { integration, name } = subject;
    if (isLegacy) return readLegacyFixture(join(root, integration, 'mocks'), name);
    return asFixture(JSON.parse(await readFile(join(root, path), 'utf8')));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(`${path} is not JSON: ${error.message}. Record it again with "homeport dryrun --save".`);
  }
}

function asFixture(value: unknown): Fixture {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fixture;
  throw new SyntaxError('it holds no object');
}
