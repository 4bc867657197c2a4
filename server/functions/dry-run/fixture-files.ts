import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { type Fixture, fixtureFileNames } from '../../../functions/testing/fixture-file.ts';
import { readLegacyFixture } from '../../../functions/testing/legacy-fixture.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { jsonErrorPosition } from '../../platform/lib/parse-json.ts';
import { namesIn } from '../../platform/lib/read-if-exists.ts';

type Named = Pick<FunctionLocation, 'integration' | 'name'>;

/** Path of a function's recorded run. The file is read later, when it is needed. */
export interface FoundFixture<T extends Named = Named> {
  subject: T;
  /** Relative to the project, with `/`: a file, or the function's folder of the old layout. */
  path: string;
  isLegacy: boolean;
}

/** Finds the recorded runs of functions. Reads each folder once. Functions without a recording are left out. */
export async function findFixtures<T extends Named>(root: string, functions: readonly T[]): Promise<FoundFixture<T>[]> {
  const found: FoundFixture<T>[] = [];
  for (const [integration, own] of Map.groupBy(functions, (one) => one.integration)) {
    const tests = new Set(await namesIn(join(root, integration, 'tests')));
    const mocks = new Set(await namesIn(join(root, integration, 'mocks')));
    for (const subject of own) found.push(...recordingsOf(subject, tests, mocks).slice(0, 1));
  }
  return found;
}

/** Every recorded run of one function. The first one is the result of `findFixtures`. */
export async function listFixtures<T extends Named>(root: string, subject: T): Promise<FoundFixture<T>[]> {
  const [tests, mocks] = await Promise.all(
    ['tests', 'mocks'].map((folder) => namesIn(join(root, subject.integration, folder))),
  );
  return recordingsOf(subject, new Set(tests), new Set(mocks));
}

function recordingsOf<T extends Named>(
  subject: T,
  tests: ReadonlySet<string>,
  mocks: ReadonlySet<string>,
): FoundFixture<T>[] {
  const { integration, name } = subject;
  const files = fixtureFileNames(integration, name).filter((path) => tests.has(basename(path)));
  const found = files.map((file) => ({ subject, path: `${integration}/${file}`, isLegacy: false }));
  return mocks.has(name) ? [...found, { subject, path: `${integration}/mocks/${name}`, isLegacy: true }] : found;
}

/** Throws HomeportError when the file is not a recording. */
export async function readFixture(root: string, { subject, path, isLegacy }: FoundFixture): Promise<Fixture> {
  try {
    const { integration, name } = subject;
    if (isLegacy) return readLegacyFixture(join(root, integration, 'mocks'), name);
    const fixture: unknown = JSON.parse(await readFile(join(root, path), 'utf8'));
    if (isJsonObject(fixture)) return fixture as Fixture;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HomeportError('conflict', `${path} is not JSON${jsonErrorPosition(error)}. Record the run again.`);
  }
  throw new HomeportError('conflict', `${path} contains no recorded run: it is not an object. Record the run again.`);
}

/** Path of a function's recording, relative to the functions folder. */
export function fixturePath({ integration, name }: Named): string {
  return `${integration}/${fixtureFileNames(integration, name)[0]}`;
}

/** Path of the test that `homeport generate:tests` writes, relative to the functions folder. */
export function generatedTestPath({ integration, name }: Named): string {
  return `${integration}/tests/${integration}-${name}.test.ts`;
}

/** Replaces the recording. A recording of the old layout becomes a file of the new layout. Resolves to its path. */
export async function writeFixture(root: string, found: FoundFixture, fixture: Fixture): Promise<string> {
  const path = found.isLegacy ? fixturePath(found.subject) : found.path;
  await mkdir(dirname(join(root, path)), { recursive: true });
  const { legacyName: _old, ...kept } = fixture;
  const content = found.isLegacy ? { ...kept, _migrated: true } : fixture;
  await writeFile(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
  return path;
}
