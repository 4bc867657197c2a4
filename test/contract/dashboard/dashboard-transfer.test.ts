import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from './dashboard-client.ts';

const SHOP = `shop:
  display_name: Shop # ours
  auth_mode: API_KEY
  proxy: { base_url: https://shop.test, headers: { x-key: "\${apiKey}" } }
  credentials: { apiKey: { type: string, title: Key, description: A key } }
`;
const FILE = {
  format: 'homeport-export',
  version: 1,
  exported_at: '2026-01-01T00:00:00.000Z',
  environment: 'dev',
  settings: { log_level: 'debug' },
  integrations: [{ unique_key: 'shop', provider: 'shop', display_name: 'Shop', forward_webhooks: true }],
  connections: [{ connection_id: 'c1', provider_config_key: 'shop', metadata: {}, connection_config: {}, tags: {} }],
  functions: { 'providers.yaml': SHOP, 'shop/models.ts': 'export const one = 1;\n' },
};
const ALL = ['settings', 'integrations', 'connections', 'functions'];

let hub: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  hub = await startInProcess();
  client = await DashboardClient.signIn({ url: hub.url, signIn: hub });
});
afterAll(() => hub?.stop());

const workspaceText = (path: string): Promise<string> => readFile(join(hub.workspace, path), 'utf8');
const source = (file: unknown) => ({ kind: 'file', file });
const importFile = (file: unknown, conflict: string, parts = ALL) =>
  client.call('POST /api/v1/transfer/import', { body: { source: source(file), conflict, parts } });

describe('an import in the dashboard', () => {
  it('says what it would do and what takes effect, and writes nothing', async () => {
    const preview = await client.call('POST /api/v1/transfer/preview', { body: { source: source(FILE) } });

    expect(preview.rows.map(({ kind, name, exists }) => [kind, name, exists])).toEqual([
      ['settings', 'settings', true],
      ['provider', 'shop', false],
      ['integration', 'shop', false],
      ['connection', 'shop/c1', false],
      ['function', 'shop/models.ts', false],
    ]);
    expect(preview.effects).toEqual([
      expect.stringContaining('these providers are added'),
      'functions run with your connections: shop/models.ts',
    ]);
    await expect(workspaceText('providers.yaml')).rejects.toThrow('ENOENT');
  });

  it('reports each part, and passes over what is there the second time', async () => {
    const { data } = await importFile(FILE, 'skip');
    expect(data.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['provider', 'created'],
      ['settings', 'replaced'],
      ['integration', 'created'],
      ['connection', 'failed'],
      ['function', 'created'],
    ]);
    expect(data[3]?.detail).toContain('connect it again');
    expect(await workspaceText('providers.yaml')).toBe(SHOP);

    const again = await importFile({ ...FILE, connections: [] }, 'skip', ['integrations', 'functions']);
    expect(again.data.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  it('writes no file outside of the functions folder, and takes no other file', async () => {
    const evil = { ...FILE, functions: { '../evil.ts': 'x' } };

    expect(
      await client.refusal('POST /api/v1/transfer/import', {
        body: { source: source(evil), conflict: 'replace', parts: ['functions'] },
      }),
    ).toEqual({ status: 400, code: 'invalid_body' });
    expect(await client.refusal('POST /api/v1/transfer/preview', { body: { source: source({ name: 'x' }) } })).toEqual({
      status: 400,
      code: 'invalid_body',
    });
    await expect(readFile(join(hub.workspace, '../evil.ts'))).rejects.toThrow('ENOENT');
  });

  it('does not take this hub for another server', async () => {
    expect(
      await client.refusal('POST /api/v1/transfer/preview', {
        body: { source: { kind: 'server', url: hub.url, secretKey: hub.secretKey } },
      }),
    ).toEqual({ status: 400, code: 'invalid_body' });
  });
});

describe('an entry of the workspace', () => {
  it('is saved only when it holds, in the place of the one before, with everything around it', async () => {
    await writeFile(
      join(hub.workspace, 'providers.yaml'),
      `# Mine\n${SHOP}\n# Other\nother:\n  display_name: Other\n  auth_mode: NONE\n`,
    );
    const put = (text: string) => ({ params: { provider: 'shop' }, body: { text } });

    expect(await client.refusal('PUT /api/v1/provider-entries/:provider', put('shop:\n  auth_mode: X\n'))).toEqual({
      status: 400,
      code: 'invalid_body',
    });
    const saved = await client.call(
      'PUT /api/v1/provider-entries/:provider',
      put(SHOP.replace('https://shop.test', 'https://shop2.test')),
    );

    expect(saved).toEqual({ file: 'providers.yaml', text: expect.stringContaining('# ours'), isBuiltIn: false });
    expect(await workspaceText('providers.yaml')).toBe(
      `# Mine\n${SHOP.replace('shop.test', 'shop2.test')}\n# Other\nother:\n  display_name: Other\n  auth_mode: NONE\n`,
    );
  });

  it('is a beginning for a built-in provider, and goes again', async () => {
    const params = { provider: 'slack' };
    expect(await client.call('GET /api/v1/provider-entries/:provider', { params })).toEqual({
      file: null,
      text: 'slack:\n  extends: true\n',
      isBuiltIn: true,
    });
    await client.call('PUT /api/v1/provider-entries/:provider', {
      params,
      body: { text: 'slack:\n  extends: true\n  display_name: Our Slack\n' },
    });
    const source = async () => (await client.call('GET /api/v1/providers/:provider', { params })).source;
    expect(await source()).toBe('override');

    await client.call('DELETE /api/v1/provider-entries/:provider', { params });

    expect(await source()).toBe('built-in');
    expect(await client.refusal('DELETE /api/v1/provider-entries/:provider', { params })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('an export of a part', () => {
  beforeAll(async () => {
    for (const key of ['part-a', 'part-b']) {
      await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key } });
      for (const connection_id of ['one', 'two']) {
        const credentials = { type: 'API_KEY', apiKey: `practice-canary-${key}-${connection_id}` };
        await client.call('POST /api/v1/connections', {
          body: { provider_config_key: key, connection_id, credentials },
        });
      }
    }
  });

  it('holds one integration with what belongs to it', async () => {
    const { file } = await client.call('POST /api/v1/transfer/export', {
      body: { parts: ['integrations', 'connections', 'functions'], integrations: ['part-a'] },
    });

    expect(file).toMatchObject({
      settings: {},
      integrations: [{ unique_key: 'part-a' }],
      connections: [
        { provider_config_key: 'part-a', connection_id: expect.stringMatching(/one|two/) },
        { provider_config_key: 'part-a', connection_id: expect.stringMatching(/one|two/) },
      ],
    });
    expect(Object.keys(file['functions'] as object).filter((path) => path.startsWith('shop/'))).toEqual([]);
    expect(JSON.stringify(file)).not.toContain('canary');
  });

  it('holds the chosen connections of several integrations, sealed under a passphrase, and no other', async () => {
    const connections = ['part-a', 'part-b'].map((integrationKey) => ({ integrationKey, connectionId: 'one' }));
    const body = { parts: ['connections'], connections, passphrase: 'long enough' };
    const { file } = await client.call('POST /api/v1/transfer/export', { body });

    expect(file).toMatchObject({
      integrations: [],
      connections: [
        { provider_config_key: 'part-a', connection_id: 'one' },
        { provider_config_key: 'part-b', connection_id: 'one' },
      ],
      secrets: expect.anything(),
    });
    expect(JSON.stringify(file)).not.toContain('canary');
    const { data: audited } = await client.call('GET /api/v1/audit', { query: { sort: '-time' } });
    expect(audited.map(({ subject }) => subject)).toContain('2 connections');
  });

  it('holds one connection, whose credentials come with a passphrase only', async () => {
    const body = { parts: ['connections'], connections: [{ integrationKey: 'part-b', connectionId: 'two' }] };
    const plain = await client.call('POST /api/v1/transfer/export', { body });
    const sealed = await client.call('POST /api/v1/transfer/export', { body: { ...body, passphrase: 'long enough' } });

    expect(plain.file).toMatchObject({
      integrations: [],
      connections: [{ provider_config_key: 'part-b', connection_id: 'two' }],
      functions: {},
    });
    expect(plain.file['secrets']).toBeUndefined();
    expect(JSON.stringify([plain, sealed])).not.toContain('canary');

    await client.call('DELETE /api/v1/connections/:integrationKey/:connectionId', {
      params: { integrationKey: 'part-b', connectionId: 'two' },
    });
    const { data } = await client.call('POST /api/v1/transfer/import', {
      body: {
        source: { kind: 'file', file: sealed.file, passphrase: 'long enough' },
        conflict: 'skip',
        parts: ['connections'],
      },
    });
    expect(data).toMatchObject([{ kind: 'connection', outcome: 'created' }]);
    expect(
      await client.call('POST /api/v1/reveal', {
        body: { kind: 'credential', integrationKey: 'part-b', connectionId: 'two', field: 'apiKey' },
      }),
    ).toEqual({ value: 'practice-canary-part-b-two' });
    const { data: audited } = await client.call('GET /api/v1/audit', { query: { sort: '-time' } });
    expect(audited.map(({ subject }) => subject)).toContain('connection part-b/two');
  });
});
