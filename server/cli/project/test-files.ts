import type { CompiledFunction } from '../../../functions/compiler/compiled-function.ts';
import type { Fixture } from '../../../functions/testing/fixture-file.ts';

/**
 * The test of one function with its recording (functions.md 8.4); undefined for on-event handlers, which have no mock.
 */
export function writeTest(
  { integration, kind, name, definition }: CompiledFunction,
  fixture: Fixture,
): string | undefined {
  if (definition.type === 'action') return actionTest(integration, name, definition.output[0]);
  if (definition.type !== 'sync') return undefined;
  const deletes = Object.entries(fixture.nango?.batchDelete ?? {}).flatMap(([model, records]) =>
    records.length > 0 ? [model] : [],
  );
  return syncTest({ integration, folder: `${kind}s`, name, models: definition.output, deletes });
}

function actionTest(integration: string, name: string, model: string): string {
  return `${head(name, `../actions/${name}.js`)}
describe('${integration} ${name}', () => {
  const nangoMock = new global.vitest.NangoActionMock({
    dirname: __dirname,
    name: '${name}',
    Model: '${model}',
  });

  it('answers what was recorded', async () => {
    const input = await nangoMock.getInput();
    const response = await runnable.exec(nangoMock, input);
    const output = await nangoMock.getOutput();

    expect(response).toEqual(output);
  });
});
`;
}

function syncTest(sync: {
  integration: string;
  folder: string;
  name: string;
  models: string[];
  deletes: string[];
}): string {
  const { integration, folder, name, models, deletes } = sync;
  const cases = [
    ...models.map((model) => batchCase('batchSave', 'getBatchSaveData', model, 'saves')),
    ...deletes.map((model) => batchCase('batchDelete', 'getBatchDeleteData', model, 'deletes')),
  ];
  return `${head(name, `../${folder}/${name}.js`)}
describe('${integration} ${name}', () => {
  const newMock = () =>
    new global.vitest.NangoSyncMock({
      dirname: __dirname,
      name: '${name}',
      Model: '${models.join(',')}',
    });
${cases.join('')}});
`;
}

function batchCase(method: string, expected: string, model: string, verb: string): string {
  return `
  it('${verb} the recorded ${model} records', async () => {
    const nangoMock = newMock();

    await runnable.exec(nangoMock);

    const batches = nangoMock.${method}.mock.calls.filter(([, model]) => model === '${model}');
    const records = JSON.parse(JSON.stringify(batches.flatMap(([records]) => records)));
    expect(records).toStrictEqual((await nangoMock.${expected}('${model}')) ?? []);
  });
`;
}

function head(name: string, path: string): string {
  return `// Made by "homeport generate:tests" from ${name}.test.json; it writes this file again each time.
import { describe, expect, it } from 'vitest';
import runnable from '${path}';
`;
}

export const VITE_CONFIG = `import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const setup = fileURLToPath(new URL('./vitest.setup.ts', import.meta.url));

export default defineConfig({
  // In tests, functions import their definition functions from this module. In the hub the compiler provides them.
  resolve: { alias: [{ find: /^(?:homeport|nango)(?:\\/test)?$/, replacement: setup }] },
  test: { setupFiles: [setup] },
});
`;

/** The source of the mock classes, preceded by the pagination defaults of the project's providers. */
export function testSetupFile(code: string, paginateDefaults: Record<string, unknown>): string {
  return `// @ts-nocheck Made by "homeport generate:tests"; it writes this file again each time.
const PAGINATE_DEFAULTS = ${JSON.stringify(paginateDefaults, null, 2)};

${code}`;
}
