// @module-tag slow
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestLoginLink } from '../../../server/running-file.ts';
import { ACME_DESCRIPTION } from '../../support/acme-description.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';
import { EventPage } from './event-page.ts';

let server: InProcessServer;
let dashboard: DashboardClient;
beforeAll(async () => {
  server = await startInProcess({ env: { HOMEPORT_TYPE_CHECK: '1' } });
  const link = new URL((await requestLoginLink(server.home)) ?? '');
  const code = link.hash.replace('#code=', '');
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: { issueLinkCode: () => code } });
});
afterAll(() => server?.stop());

const addIntegration = (key: string) =>
  dashboard.call('POST /api/v1/integrations', { query: { env: 'dev' }, body: { key, provider: 'hubspot' } });

/** Writes one function of the description and the types of the API. */
async function writeTypes(integrationKey: string, name: string, description: object = ACME_DESCRIPTION): Promise<void> {
  const seen = { file: 'openapi.json', text: JSON.stringify(description) };
  const params = { integrationKey };
  const { hash } = await dashboard.call('POST /api/v1/integrations/:integrationKey/api-description', {
    params,
    body: seen,
  });
  await dashboard.call('POST /api/v1/integrations/:integrationKey/described-functions', {
    params,
    body: { ...seen, hash, operations: [{ operation: 'GET /tasks/{id}', name }], withTypes: true },
  });
}

const action = (exec: string): string => `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Uses the API',
  version: '1.0.0',
  input: z.object({ id: z.string() }),
  output: z.unknown(),
  exec: async (nango, input) => ${exec},
});
`;

async function save(path: string, exec: string): Promise<void> {
  await mkdir(dirname(join(server.workspace, path)), { recursive: true });
  await writeFile(join(server.workspace, path), action(exec));
}

describe('the types of an API that the dashboard writes', () => {
  it('are known to an editor that opens the functions folder', { timeout: 120_000 }, async () => {
    await addIntegration('crm');
    await writeTypes('crm', 'get-task');
    await save('crm/actions/mine.ts', "(await nango.get('/categories')).data.data?.[0]?.name ?? input.id");
    await save('other/actions/mine.ts', "(await nango.get({ endpoint: '/anything' })).data ?? input.id");

    const editor = openEditor(join(server.workspace, 'crm/actions/mine.ts'));
    expect(editor.errors()).toEqual([]);
    expect(editor.completionsAt("'/categories", 1)).toEqual(expect.arrayContaining(['/categories', '/tasks']));
    expect(editor.completionsAt('?.name', 2)).toEqual(['id', 'name', 'parent']);
    expect(editor.completionsAt('input.id', 'input.'.length)).toEqual(['id']);

    await save('crm/actions/mine.ts', "(await nango.get('/categries')).data ?? input.id");
    expect(openEditor(join(server.workspace, 'crm/actions/mine.ts')).errors().join()).toContain('No overload matches');
    // Functions without types of an API, and those that were written with them.
    expect(openEditor(join(server.workspace, 'other/actions/mine.ts')).errors()).toEqual([]);
    expect(openEditor(join(server.workspace, 'crm/actions/get-task.ts')).errors()).toEqual([]);
  });

  it('keep the tsconfig.json of the user', async () => {
    await addIntegration('own');
    await mkdir(join(server.workspace, 'own'), { recursive: true });
    await writeFile(join(server.workspace, 'own/tsconfig.json'), '{}');
    await writeTypes('own', 'get-own-task');
    expect(await readFile(join(server.workspace, 'own/tsconfig.json'), 'utf8')).toBe('{}');
    expect(await readFile(join(server.workspace, '.homeport-types/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('have the functions checked again when they appear, change and go', {
    timeout: 120_000,
    tags: ['nightly'],
  }, async () => {
    await addIntegration('late');
    await save('late/actions/list.ts', "(await nango.get('/categories')).data ?? input.id");
    const becomes = (status: string) =>
      waitFor(
        async () => {
          const found = await dashboard.send('GET /api/v1/functions/:integrationKey/:type/:name', {
            params: { integrationKey: 'late', type: 'action', name: 'list' },
          });
          return found.status === 200 && ((await found.json()) as { status: string }).status === status;
        },
        { what: `the status ${status}` },
      );
    await becomes('type_error');

    const page = await EventPage.open(dashboard);
    await writeTypes('late', 'get-late-task');
    await becomes('ok');
    // An open page learns that the problems are gone, although the code is the same.
    await expect
      .poll(() => page.of('function'), { timeout: 20_000 })
      .toContainEqual({ integrationKey: 'late', type: 'action', name: 'list', change: 'updated' });
    page.close();

    const { '/categories': _gone, ...paths } = ACME_DESCRIPTION.paths;
    await rm(join(server.workspace, 'late/actions/get-late-task.ts'));
    await writeTypes('late', 'get-other-task', { ...ACME_DESCRIPTION, paths });
    await becomes('type_error');

    await save('late/actions/list.ts', "(await nango.get('/tasks')).data ?? input.id");
    await becomes('ok');
    await rm(join(server.workspace, 'late/homeport-api.d.ts'));
    await becomes('type_error');
  });
});

/** TypeScript's language service, as an editor starts it: with the nearest tsconfig.json. */
function openEditor(file: string) {
  const config = ts.findConfigFile(dirname(file), ts.sys.fileExists) ?? '';
  const read = ts.readConfigFile(config, ts.sys.readFile);
  const { errors, fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, dirname(config));
  const text = ts.sys.readFile(file) ?? '';
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => options,
    getCurrentDirectory: () => dirname(config),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    getScriptFileNames: () => fileNames,
    getScriptSnapshot: (name) => {
      const content = ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getScriptVersion: () => '1',
  });
  return {
    errors: () =>
      [...errors, ...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(
        ({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'),
      ),
    /** Names that are offered so many characters after the start of this text. */
    completionsAt: (part: string, after: number) =>
      service.getCompletionsAtPosition(file, text.indexOf(part) + after, {})?.entries.map(({ name }) => name),
  };
}
