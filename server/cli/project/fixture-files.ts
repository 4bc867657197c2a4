import { join } from 'node:path';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { type Fixture, fixtureFileNames } from '../../../functions/testing/fixture-file.ts';
import { CliFailure } from '../cli-failure.ts';
import { readIfThere } from './read-if-there.ts';

export interface FoundFixture {
  /** Relative to the project, with `/`. */
  path: string;
  fixture: Fixture;
}

/** The recorded run of a function, if there is one. */
export async function findFixture(
  root: string,
  { integration, name }: FunctionLocation,
): Promise<FoundFixture | undefined> {
  for (const file of fixtureFileNames(integration, name)) {
    const path = `${integration}/${file}`;
    const text = await readIfThere(join(root, path));
    if (text !== undefined) return { path, fixture: parse(path, text) };
  }
  return undefined;
}

function parse(path: string, text: string): Fixture {
  try {
    return JSON.parse(text) as Fixture;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliFailure(`${path} is not JSON: ${error.message}. Record it again with "homeport dryrun --save".`);
  }
}
