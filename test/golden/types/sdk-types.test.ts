import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import { TypeCheckProgram } from '../../../functions/compiler/type-check/type-check-program.ts';
import { unpackSample } from '../compiler/golden-workspace.ts';

const SDK_FOLDER = fileURLToPath(new URL('../../../functions/sdk', import.meta.url));
const EXPECTED = /\/\/ error (TS\d+)$/;

/** A line of a sample ends with `// error TS…` exactly where the check has to report an error. */
describe('the types that functions see', () => {
  it.each(['reference-style', 'mistakes'])('judge the sample %s as marked', async (sample) => {
    await using files = await unpackSample(join(import.meta.dirname, `${sample}.txt`));
    const { functions } = await discoverFunctions(files.workspace);
    const program = new TypeCheckProgram({ workspace: files.workspace, sdkFolder: SDK_FOLDER });

    const results = program.check(functions.map(({ path }) => path));

    const found = new Set(
      results.flatMap(({ diagnostics }) =>
        diagnostics.map(({ file, line, typescriptCode, message }) => `${file}:${line} ${typescriptCode} ${message}`),
      ),
    );
    const paths = [...new Set(results.flatMap(({ dependencies }) => dependencies))];
    const expected = (await Promise.all(paths.map((path) => markedLines(files.workspace, path)))).flat();
    expect(results).toHaveLength(functions.length);
    expect(textOf(found)).toEqual(expected.sort());
  });
});

describe('the shipped examples', () => {
  it('have no type errors', async () => {
    const workspace = fileURLToPath(new URL('../../../functions/templates', import.meta.url));
    const { functions } = await discoverFunctions(workspace);

    const results = new TypeCheckProgram({ workspace, sdkFolder: SDK_FOLDER }).check(functions.map(({ path }) => path));

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
