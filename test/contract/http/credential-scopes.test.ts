import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { startWithProviders } from './workspace-providers.ts';

let server: InProcessServer;
let api: ApiCaller;
let provider: FakeProvider;

beforeAll(async () => {
  provider = await FakeProvider.start();
  server = await startWithProviders(`
own-key:
  display_name: Own
  auth_mode: API_KEY
  credentials:
    apiKey: { type: string, title: Key, description: The key, secret: true }
  connection_config:
    tenant: { type: string, title: T, description: T, secret: true }
    region: { type: string, title: R, description: R }
  proxy:
    base_url: "${provider.address}"
    headers: { x-own-key: "\${apiKey}", x-region: "\${connectionConfig.region}" }
`);
  api = new ApiCaller(server);
  await api.send('POST /integrations', { body: { provider: 'own-key', unique_key: 'own-key' } });
  await importConnection(server, {
    provider_config_key: 'own-key',
    connection_id: 'c',
    credentials: { type: 'API_KEY', apiKey: 'canary-key' },
    connection_config: { tenant: 'canary-tenant', region: 'eu' },
    metadata: { list: 'l1' },
  });
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

let keys = 0;

async function withScopes(...scopes: string[]): Promise<ApiCaller> {
  const { body } = await api.send('POST /environment/api-keys', { body: { display_name: `key ${++keys}`, scopes } });
  return new ApiCaller({ url: server.url, secretKey: (body as { data: { secret: string } }).data.secret });
}

/** The path of the request at the provider. */
async function reached(caller: ApiCaller, path: string, headers: Record<string, string> = {}): Promise<string> {
  provider.requests.length = 0;
  await caller.send(`GET /proxy/${path}`, {
    headers: { 'provider-config-key': 'own-key', 'connection-id': 'c', ...headers },
  });
  return decodeURIComponent(provider.requests[0]?.url ?? 'nothing');
}

const SECRET_PATH =
  '${apiKey}/${credentials.apiKey}/${connectionConfig.tenant}/${base64(${apiKey})}?q=${credentials.apiKey}';
const PLAIN_PATH = '${connectionConfig.region}/${metadata.list}';

describe('placeholders in an endpoint', () => {
  it('are filled for a key that may read credentials', async () => {
    const caller = await withScopes('environment:proxy', 'environment:connections:read_credentials');

    expect(await reached(caller, SECRET_PATH)).toBe(
      '/canary-key/canary-key/canary-tenant/Y2FuYXJ5LWtleQ==?q=canary-key',
    );
    expect(await reached(caller, PLAIN_PATH)).toBe('/eu/l1');
  });

  it('read no credentials for one that may only proxy', async () => {
    const caller = await withScopes('environment:proxy');

    expect(await reached(caller, SECRET_PATH)).toBe(`/${SECRET_PATH}`);
    expect(await reached(caller, PLAIN_PATH)).toBe('/eu/l1');
    expect(provider.requests[0]?.headers).toMatchObject({ 'x-own-key': 'canary-key', 'x-region': 'eu' });
  });

  it('nor in a base address', async () => {
    const caller = await withScopes('environment:proxy');
    const override = { 'base-url-override': `${provider.address}/\${apiKey}` };

    expect(await reached(caller, 'x', override)).toBe('nothing');
    expect(await reached(api, 'x', override)).toBe('/canary-key/x');
  });
});

describe('values of variables', () => {
  it('are shown in the settings to keys that may read variables only', async () => {
    await api.send('PATCH /environment/settings', { body: { variables: [{ name: 'A', value: 'canary-value' }] } });
    const blind = await withScopes('environment:settings:read', 'environment:settings:write');
    const seeing = await withScopes('environment:settings:read', 'environment:variables:read');
    const shown = async (caller: ApiCaller, route: string) =>
      (
        (await caller.send(route, route.startsWith('PATCH') ? { body: {} } : {})).body as {
          data: { variables: unknown };
        }
      ).data.variables;

    expect(await shown(blind, 'GET /environment/settings')).toEqual([{ name: 'A' }]);
    expect(await shown(blind, 'PATCH /environment/settings')).toEqual([{ name: 'A' }]);
    expect(await shown(seeing, 'GET /environment/settings')).toEqual([{ name: 'A', value: 'canary-value' }]);
  });
});
