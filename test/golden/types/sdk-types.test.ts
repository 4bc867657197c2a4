// @module-tag slow
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import { TypeCheckProgram } from '../../../functions/compiler/type-check/type-check-program.ts';
import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { unpackSample } from '../compiler/golden-workspace.ts';

const SDK_FOLDER = fileURLToPath(new URL('../../../functions/sdk', import.meta.url));
const TEMPLATES = fileURLToPath(new URL('../../../functions/templates', import.meta.url));
const EXPECTED = /\/\/ error (TS\d+)$/;

let folder: TempHome;
/** One for all tests: it parses the libraries of the language once, which takes longer than most checks. */
let program: TypeCheckProgram;
beforeAll(async () => {
  folder = await createTempHome();
  program = new TypeCheckProgram({ workspace: folder.path, sdkFolder: SDK_FOLDER });
});
afterAll(() => folder.remove());

/** Checks every function below a subfolder. */
async function check(subfolder: string): Promise<TypeCheckResult[]> {
  const { functions } = await discoverFunctions(join(folder.path, subfolder));
  const results = program.check(functions.map(({ path }) => `${subfolder}/${path}`));
  expect(results).toHaveLength(functions.length);
  return results;
}

/** A line of a sample ends with `// error TS…` exactly where the check has to report an error. */
describe('the types that functions see', () => {
  it.each(['reference-style', 'stock-members', 'mistakes'])('judge the sample %s as marked', async (sample) => {
    await using files = await unpackSample(join(import.meta.dirname, `${sample}.txt`));
    await cp(files.workspace, join(folder.path, sample), { recursive: true });

    const results = await check(sample);

    const found = new Set(
      results.flatMap(({ diagnostics }) =>
        diagnostics.map(({ file, line, typescriptCode, message }) => `${file}:${line} ${typescriptCode} ${message}`),
      ),
    );
    const paths = [...new Set(results.flatMap(({ dependencies }) => dependencies))];
    const expected = (await Promise.all(paths.map((path) => markedLines(folder.path, path)))).flat();
    expect(textOf(found)).toEqual(expected.sort());
  });
});

describe('the shipped examples', () => {
  it('have no type errors', async () => {
    await cp(TEMPLATES, join(folder.path, 'templates'), { recursive: true });

    const results = await check('templates');

    expect(results.length).toBeGreaterThan(3);
    expect(results.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  });
});

/** Without the messages, unless there is a difference. */
function textOf(found: Set<string>): string[] {
  return [...found].map((text) => text.split(' ').slice(0, 2).join(' ')).sort();
}

async function markedLines(workspace: string, path: string): Promise<string[]> {
  const lines = await readFile(join(workspace, path), 'utf8').then((text) => text.split('\n'), () => []);
  return lines.flatMap((line, index) => {
    const code = EXPECTED.exec(line)?.[1];
    return code ? [`${path}:${index + 1} ${code}`] : [];
  });
}
