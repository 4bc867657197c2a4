import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { DashboardClient } from './dashboard-client.ts';

const LIST = 'GET /api/v1/integrations/:integrationKey/templates';
const ADD = 'POST /api/v1/integrations/:integrationKey/templates/:type/:name';
const TRY = 'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try';
const TEMPLATES = new URL('../../../functions/templates', import.meta.url).pathname;

let server: InProcessServer;
let dashboard: DashboardClient;
beforeAll(async () => {
  server = await startInProcess();
  dashboard = await DashboardClient.signInByLink(server);
});
afterAll(() => server?.stop());

const create = (key: string, provider = 'hubspot', env = 'dev') =>
  dashboard.call('POST /api/v1/integrations', { query: { env }, body: { key, provider } });
const list = async (integrationKey: string) => (await dashboard.call(LIST, { params: { integrationKey } })).data;
const offerOf = async (key: string, name: string) => (await list(key)).find((one) => one.name === name);
const parts = (integrationKey: string, name: string, type = 'action') => ({ params: { integrationKey, type, name } });
const saved = (path: string): Promise<string> => readFile(join(server.workspace, path), 'utf8');
const shipped = (path: string): Promise<string> => readFile(join(TEMPLATES, path), 'utf8');
const filesBelow = async (folder: string): Promise<string[]> =>
  (await readdir(join(server.workspace, folder), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();

describe('templates of an integration', () => {
  it('are as many as the catalogue says, for a provider that shares them with another one too', async () => {
    const { data: providers } = await dashboard.call('GET /api/v1/providers', {});
    await create('practice-of-two', 'practice-oauth2');
    await create('crm-of-two');

    for (const [key, provider] of [
      ['practice-of-two', 'practice-oauth2'],
      ['crm-of-two', 'hubspot'],
    ] as const) {
      const offered = (await list(key)).length;
      expect(offered).toBeGreaterThan(0);
      expect(providers.find(({ name }) => name === provider)?.templateCount).toBe(offered);
    }
  });

  it('are those of its provider, with their code and the place they go to', async () => {
    await create('crm');

    const data = await list('crm');

    expect(data.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'action add-note',
      'action create-contact',
      'sync fetch-companies',
      'sync fetch-contacts',
    ]);
    expect(data[1]).toMatchObject({
      description: expect.stringContaining('contact'),
      file: 'crm/actions/create-contact.ts',
      code: await shipped('hubspot/actions/create-contact.ts'),
      isThere: false,
      blockedBy: [],
    });
    // All practice entries belong to the same provider.
    await create('tracker', 'practice-oauth2');
    expect((await list('tracker')).map(({ name }) => name)).toContain('close-issue');
    await create('empty', 'anthropic');
    expect(await list('empty')).toEqual([]);
  });

  it('say what they need, and what they take and give', async () => {
    await create('crm-facts');

    expect(await offerOf('crm-facts', 'create-contact')).toMatchObject({
      frequency: null,
      canBeTried: true,
      ownCode: null,
      inputSchema: { properties: { email: expect.anything() } },
      outputSchema: { properties: { id: expect.anything() } },
    });
    expect(await offerOf('crm-facts', 'fetch-contacts')).toMatchObject({ frequency: expect.stringMatching(/hour/) });
  });

  it('are tried over their recorded run: what they send, and what they make of the answers', async () => {
    await create('crm-tried');

    const action = await dashboard.call(TRY, parts('crm-tried', 'create-contact'));
    const sync = await dashboard.call(TRY, parts('crm-tried', 'fetch-companies', 'sync'));

    expect(action).toMatchObject({
      error: null,
      requests: [{ method: 'POST', path: '/crm/v3/objects/contacts', status: 201 }],
      records: [],
    });
    expect(JSON.parse(action.input ?? '')).toMatchObject({ email: 'third.buyer@example.com' });
    expect(JSON.parse(action.output ?? '')).toMatchObject({
      email: 'third.buyer@example.com',
      company: 'Example Mills',
    });
    expect(sync).toMatchObject({ error: null, input: null, output: null });
    expect(sync.requests.length).toBeGreaterThan(0);
    const [model] = sync.records;
    expect(model?.saved).toBeGreaterThan(0);
    expect(JSON.parse(model?.rows ?? '')[0]).toHaveProperty('id');
    expect(await filesBelow('crm-tried')).toEqual([]);
    expect(await dashboard.refusal(TRY, parts('crm-tried', 'nobody'))).toMatchObject({ status: 404 });
  });

  it('are copied with what they import and their recorded run, and are live then', async () => {
    await create('crm-live');

    const response = await dashboard.call(ADD, parts('crm-live', 'create-contact'));

    expect(response).toEqual({
      written: [
        'crm-live/models.ts',
        'crm-live/refusal.ts',
        'crm-live/tests/create-contact.test.json',
        'crm-live/actions/create-contact.ts',
      ],
      kept: [],
    });
    expect(await saved('crm-live/models.ts')).toBe(await shipped('hubspot/models.ts'));
    const api = new ApiCaller(server);
    const isLive = async () =>
      JSON.stringify((await api.send('GET /scripts/config')).body).includes('"providerConfigKey":"crm-live"');
    await waitFor(isLive, { what: 'the function' });
    const { data } = await dashboard.call('GET /api/v1/functions', { query: { integrations: 'crm-live' } });
    expect(data).toMatchObject([{ name: 'create-contact', type: 'action', status: 'ok', isEnabled: true }]);
  });

  it('keep what others brought with the same content', async () => {
    await create('crm-two');
    await dashboard.call(ADD, parts('crm-two', 'create-contact'));

    const second = await dashboard.call(ADD, parts('crm-two', 'fetch-contacts', 'sync'));

    expect(second.kept).toContain('crm-two/models.ts');
    expect(second.written).toContain('crm-two/syncs/fetch-contacts.ts');
    expect(await offerOf('crm-two', 'fetch-contacts')).toMatchObject({ isThere: true, blockedBy: [] });
  });

  it('never overwrite: a file in the way is named and everything stays as it is', async () => {
    await create('crm-own');
    await mkdir(join(server.workspace, 'crm-own'), { recursive: true });
    await writeFile(join(server.workspace, 'crm-own/models.ts'), '// mine\n');

    expect(await offerOf('crm-own', 'create-contact')).toMatchObject({
      isThere: false,
      blockedBy: ['crm-own/models.ts'],
    });
    const response = await dashboard.send(ADD, parts('crm-own', 'create-contact'));

    expect(response.status).toBe(409);
    expect(JSON.stringify(await response.json())).toContain('crm-own/models.ts already exists with other content');
    expect(await saved('crm-own/models.ts')).toBe('// mine\n');
    expect(await filesBelow('crm-own')).toEqual(['models.ts']);
  });

  it('leave a function that is there alone, changed or not', async () => {
    await create('crm-changed');
    await dashboard.call(ADD, parts('crm-changed', 'add-note'));
    await writeFile(join(server.workspace, 'crm-changed/actions/add-note.ts'), '// changed\n');

    expect(await dashboard.refusal(ADD, parts('crm-changed', 'add-note'))).toEqual({ status: 409, code: 'conflict' });
    expect(await saved('crm-changed/actions/add-note.ts')).toBe('// changed\n');
    expect(await offerOf('crm-changed', 'add-note')).toMatchObject({ isThere: true, ownCode: '// changed\n' });
  });

  it.each(['...', '.hidden', 'node_modules', 'dist'])('do not go to a folder "%s"', async (key) => {
    await create(key);

    expect(await dashboard.refusal(ADD, parts(key, 'create-contact'))).toEqual({ status: 409, code: 'conflict' });
    expect(await filesBelow(key)).toEqual([]);
  });

  it('do not go to the folder from another environment', async () => {
    await dashboard.call('POST /api/v1/environments', { body: { name: 'prod' } });
    await create('crm-prod', 'hubspot', 'prod');

    const elsewhere = { ...parts('crm-prod', 'create-contact'), query: { env: 'prod' } };
    expect(await dashboard.refusal(ADD, elsewhere)).toEqual({ status: 409, code: 'conflict' });
    expect(await filesBelow('crm-prod')).toEqual([]);
  });

  it('exist for a provider only under their names', async () => {
    await create('crm-names');

    expect(await dashboard.refusal(ADD, parts('crm-names', 'nobody'))).toMatchObject({ status: 404 });
    expect(await dashboard.refusal(ADD, parts('crm-names', 'create-contact', 'sync'))).toMatchObject({ status: 404 });
    expect(await dashboard.refusal(ADD, parts('nobody', 'create-contact'))).toMatchObject({ status: 404 });
  });
});

describe('adding a template where an index.ts decides', () => {
  it('adds the function to it once, and leaves the rest', async () => {
    await create('listed');
    const index = join(server.workspace, 'index.ts');
    await writeFile(index, "import './practice/actions/whoami.js';\n");

    await dashboard.call(ADD, parts('listed', 'add-note'));

    expect(await readFile(index, 'utf8')).toBe(
      "import './practice/actions/whoami.js';\nimport './listed/actions/add-note.js';\n",
    );
    await rm(index);
  });
});
