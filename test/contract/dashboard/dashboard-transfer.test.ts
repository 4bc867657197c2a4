import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
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
/** The same under another name, for a test of its own. */
const fileOf = (name: string): typeof FILE => JSON.parse(JSON.stringify(FILE).replaceAll('shop', name));
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
    const preview = await client.call('POST /api/v1/transfer/preview', { body: { source: source(fileOf('stall')) } });

    expect(preview.rows.map(({ kind, name, exists }) => [kind, name, exists])).toEqual([
      ['settings', 'settings', true],
      ['provider', 'stall', false],
      ['integration', 'stall', false],
      ['connection', 'stall/c1', false],
      ['function', 'stall/models.ts', false],
    ]);
    expect(preview.effects).toEqual([
      expect.stringContaining('these providers are added'),
      'functions run with your connections: stall/models.ts',
    ]);
    expect(await client.refusal('GET /api/v1/providers/:provider', { params: { provider: 'stall' } })).toMatchObject({
      status: 404,
    });
    await expect(workspaceText('stall/models.ts')).rejects.toThrow('ENOENT');
  });

  it('reports each part, and passes over what is there the second time', async () => {
    const file = fileOf('depot');
    const { data } = await importFile(file, 'skip');
    expect(data.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['provider', 'created'],
      ['settings', 'replaced'],
      ['integration', 'created'],
      ['connection', 'failed'],
      ['function', 'created'],
    ]);
    expect(data[3]?.detail).toContain('connect it again');
    expect(await workspaceText('providers.yaml')).toContain(file.functions['providers.yaml']);

    const again = await importFile({ ...file, connections: [] }, 'skip', ['integrations', 'functions']);
    expect(again.data.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped', 'skipped']);
  });

  it('says in words what a row of a list of connections lacks', async () => {
    await importFile(fileOf('stand'), 'skip', ['integrations', 'functions']);
    const row = (body: Record<string, unknown>) => ({ integrationKey: 'stand', connectionId: 'c2', body });
    const sent = { provider_config_key: 'stand', connection_id: 'c2' };

    const { data } = await client.call('POST /api/v1/transfer/check-connections', {
      body: {
        rows: [
          row({ ...sent, credentials: { type: 'API_KEY', apiKey: 'k' } }),
          row({ ...sent, credentials: { type: 'API_KEY' } }),
          row({ ...sent, credentials: { type: 'API_KEY', apiKey: 7 } }),
          row({ ...sent, credentials: { type: 'BASIC' } }),
          row(sent),
        ],
      },
    });

    expect(data.map(({ problem }) => problem)).toEqual([
      null,
      'credentials.apiKey is missing',
      'credentials.apiKey: Invalid input: expected string, received number',
      'stand takes credentials of type API_KEY, not BASIC.',
      'stand takes credentials of type API_KEY, and the row has none.',
    ]);
  });

  it('writes no file outside of the functions folder, and takes no other file', async () => {
    const evil = { ...FILE, functions: { '../evil.ts': 'x' } };

    expect(
      await client.refusal('POST /api/v1/transfer/import', {
        body: { source: source(evil), conflict: 'replace', parts: ['functions'] },
      }),
    ).toEqual({ status: 400, code: 'invalid_export' });
    expect(await client.refusal('POST /api/v1/transfer/preview', { body: { source: source({ name: 'x' }) } })).toEqual({
      status: 400,
      code: 'invalid_export',
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

  it('gives the reason why another server cannot be read, with a code of its own', async () => {
    const site = createServer((request, response) => {
      const [, kind] = (request.url ?? '').split('/');
      if (kind === 'refusing')
        return response
          .writeHead(401)
          .end(JSON.stringify({ error: { code: 'unknown_account', message: 'No such key.' } }));
      if (kind === 'failing') return response.writeHead(500).end('<h1>Sorry</h1>');
      return response.end(kind === 'site' ? '<!doctype html><title>Welcome</title>' : '{"status":"ok"}');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const refusal = async (url: string) => {
      const response = await client.send('POST /api/v1/transfer/preview', {
        body: { source: { kind: 'server', url, secretKey: 'key' } },
      });
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      return `${response.status} ${error.code}: ${error.message}`;
    };
    try {
      const host = new URL(at).host;
      expect(await refusal(`${at}/refusing`)).toBe(
        `400 other_server_refused_key: ${host} refused GET /integrations: No such key. Check the secret key.`,
      );
      expect(await refusal(`${at}/failing`)).toBe(
        `400 other_server_refused: ${host} refused GET /integrations: status 500.`,
      );
      for (const path of ['site', 'other-api'])
        expect(await refusal(`${at}/${path}`)).toBe(
          `400 other_server_incompatible: ${host} does not answer GET /integrations as this API does. Check the address.`,
        );
    } finally {
      site.closeAllConnections();
      await new Promise((resolve) => site.close(resolve));
    }
    expect(await refusal(at)).toMatch(/^400 other_server_unreachable: 127\.0\.0\.1:\d+ does not answer: /);
    expect(await refusal('example.com')).toMatch(/^400 invalid_body: Write the address/);
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

  it('names the address that a trial may not reach, and how to allow it; the advice is true', async () => {
    const api = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(api.address() as AddressInfo).port}`;
    const text = [
      'mine:',
      '  display_name: Mine',
      '  auth_mode: NONE',
      '  proxy: { base_url: "${connectionConfig.base}" }',
      '  connection_config: { base: { type: string, title: Base, description: Address, format: uri } }',
      '',
    ].join('\n');
    const attempt = (base: string) =>
      client.call('POST /api/v1/provider-entries/try', {
        body: {
          text,
          provider: 'mine',
          connectionConfig: { base },
          credentials: {},
          clientId: '',
          scopes: '',
          request: { method: 'GET', endpoint: '/health' },
        },
      });
    const allow = (allowed_hosts: string[]) =>
      fetch(`${hub.url}/environment/settings`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${hub.secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ allowed_hosts }),
      });
    try {
      expect(await attempt(`http://${host}`)).toMatchObject({
        url: `http://${host}/health`,
        status: null,
        error:
          'Requests to 127.0.0.1 are not allowed. Add the host to allowed_hosts (PATCH /environment/settings) to reach it.',
      });
      expect((await allow(['127.0.0.1'])).status).toBe(200);
      expect(await attempt(`http://${host}`)).toMatchObject({ url: `http://${host}/health`, status: 200, error: null });
      // No setting allows the hub itself, so nothing is advised.
      const own = new URL(hub.url).host;
      for (const hosts of [['127.0.0.1'], []]) {
        await allow(hosts);
        expect(await attempt(hub.url)).toMatchObject({
          url: `${hub.url}/health`,
          error: `Requests to ${own} are not allowed: it is the address of Homeport itself.`,
        });
      }
    } finally {
      await allow([]);
      api.closeAllConnections();
      await new Promise((resolve) => api.close(resolve));
    }
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
