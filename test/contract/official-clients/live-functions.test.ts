import { afterAll, beforeAll, expect, it } from 'vitest';
import { importPracticeConnection, type PracticeConnection } from '../../support/import-practice-connection.ts';
import { actionSource, removeFunction, saveFunction } from '../../support/server-workspace.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { STORY_LIMIT_MS, step } from '../../support/step.ts';
import { waitFor } from '../../support/wait-for.ts';

let server: StartedServer;
let connection: PracticeConnection;

beforeAll(async () => {
  server = await startServer();
  connection = await importPracticeConnection(server);
});
afterAll(() => server?.stop());

function save(name: string, source: string): Promise<void> {
  return saveFunction(server.workspace, `practice/actions/${name}.ts`, source);
}

function trigger(name: string): Promise<unknown> {
  return connection.nango.triggerAction<unknown, unknown>('practice', connection.connectionId, name);
}

/** Files are processed in order: once this one answers, every file saved before it was processed. */
async function savedFilesWereSeen(mark: number): Promise<void> {
  await save('last-saved', actionSource(`return ${mark};`));
  await waitFor(async () => (await trigger('last-saved')) === mark, { what: 'the last saved file' });
}

it('saving function files while the server runs', { timeout: STORY_LIMIT_MS }, async () => {
  await step('makes a new file callable', async () => {
    await save('answer', actionSource('return { version: 1 };'));

    expect(await waitFor(() => trigger('answer'))).toEqual({ version: 1 });
  });

  await step('makes a new version answer', async () => {
    await save('answer', actionSource('return { version: 2 };'));

    const isNew = async (): Promise<boolean> => ((await trigger('answer')) as { version: number }).version === 2;
    expect(await waitFor(isNew, { what: 'version 2' })).toBe(true);
  });

  await step('keeps the last good version of a broken file', async () => {
    await save('answer', `${actionSource('return { version: 3 };')}\nthis is not TypeScript`);
    await savedFilesWereSeen(1);

    expect(await trigger('answer')).toEqual({ version: 2 });
  });

  await step('keeps the last good version of a file that breaks a rule', async () => {
    await save('answer', `import 'node:fs';\n${actionSource('return { version: 4 };')}`);
    await savedFilesWereSeen(2);

    expect(await trigger('answer')).toEqual({ version: 2 });
  });

  await step('takes the file up again once it is repaired', async () => {
    await save('answer', actionSource('return { version: 5 };'));

    const isNew = async (): Promise<boolean> => ((await trigger('answer')) as { version: number }).version === 5;
    expect(await waitFor(isNew, { what: 'version 5' })).toBe(true);
  });

  await step('serves the last good version after a restart with a broken file', async () => {
    await save('answer', 'export default 1 +;');
    await savedFilesWereSeen(3);

    await server.restart();

    expect(await waitFor(() => trigger('answer'))).toEqual({ version: 5 });
  });

  await step('removes a function whose file is removed', async () => {
    await removeFunction(server.workspace, 'practice/actions/last-saved.ts');

    const refusal = await waitFor(
      () =>
        trigger('last-saved').then(
          () => undefined,
          (error: { response?: { status: number; data: unknown } }) => error.response,
        ),
      { what: 'the removal' },
    );
    expect(refusal).toMatchObject({ status: 404, data: { error: { code: 'not_found' } } });
  });
});
