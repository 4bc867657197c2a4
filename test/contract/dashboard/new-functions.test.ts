import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newFunction } from '../../../functions/compiler/new-function.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type CallParts, DashboardClient } from './dashboard-client.ts';

const DRAFT = 'GET /api/v1/integrations/:integrationKey/function-draft';
const PROMPT = 'GET /api/v1/integrations/:integrationKey/function-prompt';
const CREATE = 'POST /api/v1/integrations/:integrationKey/functions';
const DETAIL = 'GET /api/v1/functions/:integrationKey/:type/:name';
const VERSIONS = 'GET /api/v1/functions/:integrationKey/:type/:name/versions';
const RESTORE = 'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore';

let server: InProcessServer;
let dashboard: DashboardClient;
beforeAll(async () => {
  server = await startInProcess();
  dashboard = await DashboardClient.signInByLink(server);
  await dashboard.call('POST /api/v1/integrations', {
    query: { env: 'dev' },
    body: { key: 'crm', provider: 'hubspot' },
  });
});
afterAll(() => server?.stop());

async function refused(
  key: typeof CREATE | typeof RESTORE,
  parts: CallParts,
): Promise<{ status: number; message: string }> {
  const response = await dashboard.send(key, parts);
  const body = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: body.error?.message ?? '' };
}

const fileText = (path: string): Promise<string> => readFile(join(server.workspace, path), 'utf8');
const draft = (type: string, name: string, integrationKey = 'crm') =>
  dashboard.call(DRAFT, { params: { integrationKey }, query: { type, name } });
const create = (type: string, name: string, integrationKey = 'crm') =>
  dashboard.call(CREATE, { params: { integrationKey }, body: { type, name } });
const refusal = (type: string, name: string, parts: { integrationKey?: string; env?: string } = {}) =>
  refused(CREATE, {
    params: { integrationKey: parts.integrationKey ?? 'crm' },
    query: { env: parts.env ?? 'dev' },
    body: { type, name },
  });

const paramsOf = (name: string, type = 'action') => ({ integrationKey: 'crm', type, name });
const detail = (name: string, type?: string) => dashboard.call(DETAIL, { params: paramsOf(name, type) });
const versions = async (name: string) => (await dashboard.call(VERSIONS, { params: paramsOf(name) })).data;
const live = (name: string, type?: string) =>
  waitFor(
    async () => {
      const found = await dashboard.send(DETAIL, { params: paramsOf(name, type) });
      return found.status === 200 && ((await found.json()) as { version: string | null }).version !== null;
    },
    { what: `a version of ${name}` },
  );

describe('a new function', () => {
  it.each(['sync', 'action', 'on-event'] as const)(
    'of the type %s is the file of homeport create, and is deployed',
    async (type) => {
      const name = `first-${type}`;
      const shown = await draft(type, name);

      const { file, path } = await create(type, name);

      expect(shown).toEqual({ file, path, code: newFunction(type, name), problem: null });
      expect(path).toBe(join(server.workspace, file));
      expect(await fileText(file)).toBe(newFunction(type, name));
      await live(name, type);
      expect(await detail(name, type)).toMatchObject({ status: 'ok', file });
    },
  );

  it('that is a sync does not start by itself', async () => {
    await create('sync', 'quiet-items');
    await live('quiet-items', 'sync');

    expect(await detail('quiet-items', 'sync')).toMatchObject({ autoStart: false });
  });

  it('overwrites nothing, and says before that the file is there', async () => {
    await create('action', 'kept');
    await writeFile(join(server.workspace, 'crm/actions/kept.ts'), '// mine');

    expect((await draft('action', 'kept')).problem).toContain('crm/actions/kept.ts exists already');
    expect(await refusal('action', 'kept')).toMatchObject({
      status: 409,
      message: expect.stringContaining('exists already'),
    });
    expect(await fileText('crm/actions/kept.ts')).toBe('// mine');
  });

  it.each(['../up', 'a/b', 'with blank', '..', 'näme'])('is not called %j', async (name) => {
    expect((await draft('action', name)).problem).not.toBeNull();
    expect((await refusal('action', name)).status).toBe(409);
  });

  it('belongs to an integration, and to the environment of the folder', async () => {
    expect((await refusal('action', 'x', { integrationKey: 'nobody' })).status).toBe(404);
    await dashboard.call('POST /api/v1/environments', { body: { name: 'other' } });
    await dashboard.call('POST /api/v1/integrations', {
      query: { env: 'other' },
      body: { key: 'crm', provider: 'hubspot' },
    });
    expect(await refusal('action', 'x', { env: 'other' })).toMatchObject({
      status: 409,
      message: expect.stringContaining('another environment'),
    });
  });

  it('is added to the index.ts of the folder, if there is one', async () => {
    await writeFile(join(server.workspace, 'index.ts'), "import './crm/actions/kept.js'");

    await create('action', 'indexed');

    expect(await fileText('index.ts')).toBe("import './crm/actions/kept.js'\nimport './crm/actions/indexed.js';\n");
  });

  it('comes with what an agent needs to know', async () => {
    await create('sync', 'people');
    await live('people', 'sync');

    const { text } = await dashboard.call(PROMPT, {
      params: { integrationKey: 'crm' },
      query: { type: 'sync', name: 'fetch-deals' },
    });

    for (const part of [
      join(server.workspace, 'crm/syncs/fetch-deals.ts'),
      'HubSpot (hubspot)',
      'https://api.hubapi.com',
      'sync people (crm/syncs/people.ts)',
      'Model People: {',
      newFunction('sync', 'fetch-deals'),
    ])
      expect(text).toContain(part);
  });
});

const actionOf = (text: string): string => newFunction('action', 'restored').replace('What restored does', text);

describe('a former version', () => {
  let made = 0;
  let name: string;
  const file = () => `crm/actions/${name}.ts`;
  beforeEach(async () => {
    made += 1;
    name = `restored-${made}`;
    await create('action', name);
    await live(name);
  });

  const save = async (text: string, version?: number): Promise<void> => {
    await mkdir(join(server.workspace, 'crm/actions'), { recursive: true });
    await writeFile(join(server.workspace, file()), text);
    if (version !== undefined)
      await waitFor(async () => (await versions(name)).length === version, { what: `version ${version}` });
  };
  const restore = (versionId: number, replaces: string | null) => ({
    params: { ...paramsOf(name), versionId: String(versionId) },
    body: { replaces },
  });

  it('becomes the present one by a file of its own, and the one that it replaced can come back', async () => {
    await save(actionOf('Second'), 2);
    const [, first] = await versions(name);

    await dashboard.call(RESTORE, restore(first?.id ?? 0, (await detail(name)).fileHash));

    expect(await fileText(file())).toBe(newFunction('action', name));
    await waitFor(async () => (await versions(name)).length === 3, { what: 'the restored version' });
    expect((await detail(name)).description).toBe(`What ${name} does`);
    const [, second] = await versions(name);
    await dashboard.call(RESTORE, restore(second?.id ?? 0, (await detail(name)).fileHash));
    expect(await fileText(file())).toBe(actionOf('Second'));
    await waitFor(async () => (await versions(name)).length === 4, { what: 'the undone version' });
  });

  it('does not replace a file that was changed on the disk since', async () => {
    const seen = (await detail(name)).fileHash;
    const [newest] = await versions(name);
    await save('// changed meanwhile');

    const answer = await refused(RESTORE, restore(newest?.id ?? 0, seen));

    expect(answer).toMatchObject({ status: 409, message: expect.stringContaining('was changed on the disk') });
    expect(await fileText(file())).toBe('// changed meanwhile');
  });

  it('keeps a file that never went live among the versions', async () => {
    await save('export default 1 +;');
    const [newest] = await versions(name);

    await dashboard.call(RESTORE, restore(newest?.id ?? 0, (await detail(name)).fileHash));

    const kept = (await versions(name)).find(({ version }) => version === 'replaced file');
    const source = await dashboard.call('GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId', {
      params: { ...paramsOf(name), versionId: String(kept?.id) },
    });
    expect(source.code).toBe('export default 1 +;');
    expect(await fileText(file())).toBe(newFunction('action', name));
  });

  it('that is no longer kept is not found', async () => {
    const answer = await refused(RESTORE, restore(999_999, (await detail(name)).fileHash));

    expect(answer.status).toBe(404);
  });
});
