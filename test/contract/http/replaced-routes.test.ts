import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller, type ApiResponse } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const CLIENT = { client_id: 'client-id', client_secret: 'client-secret' };

let server: InProcessServer;
let provider: FakeProvider;
let api: ApiCaller;
let number = 0;
let id: string;

beforeAll(async () => {
  provider = await FakeProvider.start();
  server = await startWithProviders(providersOfEveryMode(provider.address));
  api = new ApiCaller(server);
  await importPracticeConnection(server);
  const credentials: Record<string, object> = {
    'own-oauth2': { type: 'OAUTH2', ...CLIENT, scopes: 'a,b', webhook_secret: 'hook' },
    'own-oauth1': { type: 'OAUTH1', ...CLIENT },
  };
  for (const key of [
    'own-oauth2',
    'own-oauth1',
    'own-cc',
    'own-basic',
    'own-checked-basic',
    'own-none',
    'own-tba',
    'own-two-step',
  ]) {
    const body = { provider: key, unique_key: key, ...(credentials[key] ? { credentials: credentials[key] } : {}) };
    expect((await api.send('POST /integrations', { body })).status).toBe(200);
  }
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});
beforeEach(() => {
  number += 1;
  id = `flat-${number}`;
});

/** Imports the flat body; returns the stored connection. */
async function imported(body: Record<string, unknown>): Promise<Record<string, unknown>> {
  const sent = { connection_id: id, ...body };
  const { status, body: response } = await api.send('POST /connection', { body: sent });
  expect([status, response]).toEqual([201, sent]);
  return stored(String(body['provider_config_key']));
}

async function stored(key: string): Promise<Record<string, unknown>> {
  const { body } = await api.send(`GET /connections/${id}?provider_config_key=${key}&refresh_token=true`);
  return body as Record<string, unknown>;
}

describe('routes under /connection', () => {
  const alike = async (path: string, call?: Parameters<ApiCaller['send']>[1]): Promise<[ApiResponse, ApiResponse]> => {
    const at = path.indexOf(' ');
    const replaced = await api.send(path, call);
    const current = await api.send(
      `${path.slice(0, at)} ${path.slice(at + 1).replace('/connection', '/connections')}`,
      call,
    );
    return [replaced, current];
  };

  it.each([
    ['GET /connection', undefined],
    ['GET /connection?connectionId=none', undefined],
    ['GET /connection/none?provider_config_key=practice', undefined],
    ['GET /connection/me', undefined],
    ['DELETE /connection/none?provider_config_key=practice', undefined],
    ['POST /connection/metadata', { connection_id: 'me', provider_config_key: 'practice', metadata: { a: 1 } }],
    ['PATCH /connection/metadata', { connection_id: ['me'], provider_config_key: 'practice', metadata: { b: 2 } }],
    ['PATCH /connection/metadata', { connection_id: 'none', provider_config_key: 'practice', metadata: {} }],
  ])('%s answers as its successor (%#)', async (path, body) => {
    const [replaced, current] = await alike(path, body === undefined ? {} : { body });

    expect([replaced.status, replaced.body]).toEqual([current.status, current.body]);
  });

  it.each([
    ['GET /connection', '/connections'],
    ['GET /connection/me?provider_config_key=practice', '/connections/me'],
    ['GET /connection/a%20b?provider_config_key=practice', '/connections/a%20b'],
    ['POST /connection', '/connections'],
    ['POST /connection/metadata', '/connections/metadata'],
    ['POST /connection/me/metadata?provider_config_key=practice', '/connections/metadata'],
    ['GET /config/practice', '/integrations/practice'],
  ])('%s says since when it is deprecated and what replaces it', async (route, successor) => {
    const { headers } = await api.send(route);

    expect(headers['deprecation']).toBe('@1768867200');
    expect(headers['link']).toBe(`<${successor}>; rel="successor-version"`);
  });

  it('are not deprecated under /connections', async () => {
    expect((await api.send('GET /connections')).headers['deprecation']).toBeUndefined();
  });
});

describe('POST and PATCH /connection/{id}/metadata', () => {
  const path = '/connection/me/metadata?provider_config_key=practice';
  const read = async (): Promise<unknown> =>
    ((await api.send('GET /connections/me?provider_config_key=practice')).body as Record<string, unknown>)['metadata'];

  it('POST replaces and PATCH merges; both echo the body', async () => {
    const posted = await api.send(`POST ${path}`, { body: { a: 1, deep: { x: 1 } } });
    expect([posted.status, posted.body, await read()]).toEqual([
      201,
      { a: 1, deep: { x: 1 } },
      { a: 1, deep: { x: 1 } },
    ]);

    const patched = await api.send(`PATCH ${path}`, { body: { deep: { y: 2 } } });
    expect([patched.status, patched.body, await read()]).toEqual([200, { deep: { y: 2 } }, { a: 1, deep: { y: 2 } }]);
  });

  it('may name the integration in a header', async () => {
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };

    expect((await api.send('POST /connection/me/metadata', { body: { b: 1 }, headers })).status).toBe(201);
  });

  it('knows no other connection', async () => {
    const { status, body } = await api.send('POST /connection/none/metadata?provider_config_key=practice', {
      body: {},
    });

    expect(status).toBe(404);
    expect(body).toEqual({
      error: {
        code: 'unknown_connection',
        message: expect.any(String),
        docs: expect.any(String),
        payload: { connectionId: 'none', providerConfigKey: 'practice' },
      },
    });
    expect(await api.refusal('PATCH /connection/me/metadata', { body: {} })).toEqual({
      status: 400,
      code: 'missing_provider_config',
    });
  });
});

describe('POST /connection', () => {
  it('imports OAuth 2 credentials', async () => {
    const expiresAt = '2031-01-02T03:04:05.000Z';
    const connection = await imported({
      provider_config_key: 'own-oauth2',
      access_token: 'at',
      refresh_token: 'rt',
      expires_at: expiresAt,
      oauth_client_id_override: 'ci',
      oauth_client_secret_override: 'cs',
      metadata: { a: 1 },
      connection_config: { oauth_scopes_override: 'x, y', region: 'eu' },
      webhook_url_override: 'http://localhost:9/hook',
      something: 'ignored',
    });

    expect(connection).toMatchObject({
      metadata: { a: 1 },
      connection_config: { oauth_scopes_override: ['x', 'y'], region: 'eu' },
      webhook_url_override: 'http://localhost:9/hook',
      credentials: {
        type: 'OAUTH2',
        access_token: 'at',
        refresh_token: 'rt',
        expires_at: expiresAt,
        config_override: { client_id: 'ci', client_secret: 'cs' },
      },
    });
  });

  it.each([
    [
      'own-oauth1',
      { oauth_token: 't', oauth_token_secret: 's' },
      { type: 'OAUTH1', oauth_token: 't', oauth_token_secret: 's' },
    ],
    ['own-basic', { username: 'u', password: 'p' }, { type: 'BASIC', username: 'u', password: 'p' }],
    ['own-basic', { username: 'u' }, { type: 'BASIC', username: 'u', password: '' }],
    ['practice', { api_key: 'any' }, { type: 'API_KEY', apiKey: 'any' }],
    ['own-none', {}, {}],
    [
      'own-cc',
      { access_token: 't', oauth_client_id_override: 'ci', oauth_client_secret_override: 'cs' },
      { type: 'OAUTH2_CC', token: 't', client_id: 'ci', client_secret: 'cs' },
    ],
    [
      'own-tba',
      { token_id: 'i', token_secret: 's', connection_config: { accountId: 'a' } },
      { type: 'TBA', token_id: 'i', token_secret: 's' },
    ],
  ])('imports credentials of %s (%#)', async (key, body, credentials) => {
    expect((await imported({ provider_config_key: key, ...body }))['credentials']).toMatchObject(credentials);
  });

  it('creates an id when none is sent', async () => {
    const { body } = await api.send('POST /connection', { body: { provider_config_key: 'own-none' } });

    expect(body).toEqual({ provider_config_key: 'own-none', connection_id: expect.stringMatching(UUID_V4) });
  });

  it('asks the provider nothing', async () => {
    await imported({ provider_config_key: 'own-checked-basic', username: 'u', password: 'wrong' });

    expect(provider.requests).toEqual([]);
  });

  it.each([
    ['own-oauth2', { access_token: 'a', no_expiration: true }, { a: 1 }],
    ['own-none', {}, { a: 1 }],
    ['own-basic', { username: 'u', password: 'p' }, {}],
  ])('overwrites; without metadata %s keeps what fits its mode', async (key, body, metadata) => {
    const first = await imported({ provider_config_key: key, ...body, metadata: { a: 1 } });
    const second = await imported({ provider_config_key: key, ...body });

    expect(second['id']).toBe(first['id']);
    expect(second['metadata']).toEqual(metadata);
  });

  it.each([
    [{ no_expiration: true }, undefined],
    [{ expires_at: 1_924_992_000_000 }, '2031-01-01T00:00:00.000Z'],
    [{ expires_at: '2031-01-01', expires_in: 5 }, '2031-01-01T00:00:00.000Z'],
  ])('reads the expiry %j', async (expiry, expected) => {
    const connection = await imported({ provider_config_key: 'own-oauth2', access_token: 'a', ...expiry });

    expect((connection['credentials'] as Record<string, unknown>)['expires_at']).toBe(expected);
  });

  it.each([3600, '3600'])('takes %j seconds', async (expiresIn) => {
    const before = Date.now();
    const connection = await imported({ provider_config_key: 'own-oauth2', access_token: 'a', expires_in: expiresIn });

    const expiresAt = Date.parse(String((connection['credentials'] as Record<string, unknown>)['expires_at']));
    expect(Math.abs(expiresAt - before - 3_600_000)).toBeLessThan(10_000);
  });

  const oauth2 = { provider_config_key: 'own-oauth2', access_token: 'a' };
  it.each([
    [{}, 400, 'missing_provider_config'],
    [{ provider_config_key: 'none' }, 400, 'unknown_provider_config'],
    [{ provider_config_key: 'own-oauth2' }, 400, 'missing_access_token'],
    [{ provider_config_key: 'own-cc' }, 400, 'missing_access_token'],
    [oauth2, 400, 'missing_expires_at'],
    [{ ...oauth2, no_expiration: false }, 400, 'missing_expires_at'],
    [{ ...oauth2, no_expiration: 'true' }, 400, 'missing_expires_at'],
    [{ ...oauth2, expires_at: 'nope' }, 400, 'invalid_expires_at'],
    [{ ...oauth2, expires_at: 'nope', no_expiration: true }, 400, 'invalid_expires_at'],
    [{ ...oauth2, expires_in: 'nope' }, 400, 'invalid_expires_at'],
    [{ ...oauth2, expires_in: -1 }, 400, 'invalid_expires_at'],
    [{ provider_config_key: 'own-oauth1', oauth_token_secret: 's' }, 400, 'missing_oauth_token'],
    [{ provider_config_key: 'own-oauth1', oauth_token: 't' }, 400, 'missing_oauth_token_secret'],
    [{ provider_config_key: 'own-basic', password: 'p' }, 400, 'missing_basic_username'],
    [{ provider_config_key: 'practice', apiKey: 'k' }, 400, 'missing_api_key'],
    [{ provider_config_key: 'own-tba', token_id: 'i', token_secret: 's' }, 400, 'missing_account_id'],
    [{ provider_config_key: 'own-two-step' }, 400, 'unknown_oauth_type'],
  ])('refuses %j', async (body, status, code) => {
    const response = await api.send('POST /connection', { body });

    expect(response.status).toBe(status);
    expect(response.body).toEqual({
      error: { code, message: expect.any(String), payload: {}, docs: expect.any(String) },
    });
  });

  it.each([
    [{ webhook_url_override: 'nope' }, 'invalid_format webhook_url_override'],
    [{ connection_id: 'a#b' }, 'invalid_format connection_id'],
    [{ metadata: 'text' }, 'invalid_type metadata'],
  ])('refuses %j as a body', async (body, issue) => {
    const sent = { provider_config_key: 'own-none', ...body };

    expect(await api.refusal('POST /connection', { body: sent })).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: [issue],
    });
  });
});

describe('GET /config/{key}', () => {
  it('shows an integration without its secrets', async () => {
    const { status, body } = await api.send('GET /config/own-oauth2');

    expect([status, body]).toEqual([
      200,
      { config: { unique_key: 'own-oauth2', provider: 'own-oauth2', syncs: [], actions: [] } },
    ]);
  });

  it('shows them when asked for', async () => {
    id = 'of-config';
    await imported({
      provider_config_key: 'own-oauth2',
      access_token: 'a',
      no_expiration: true,
      connection_config: { region: 'eu' },
    });
    const { body } = await api.send('GET /config/own-oauth2?include_creds=true');

    const { config } = body as { config: Record<string, unknown> & { connections: unknown[] } };
    expect(config).toMatchObject({
      ...CLIENT,
      scopes: 'a,b',
      auth_mode: 'OAUTH2',
      webhook_secret: 'hook',
      has_webhook: false,
    });
    expect(config['connection_count']).toBe(config.connections.length);
    expect(config.connections).toContainEqual({
      id: expect.any(Number),
      connection_id: 'of-config',
      provider_config_key: 'own-oauth2',
      environment_id: expect.any(Number),
      connection_config: { region: 'eu' },
    });
  });

  it('knows no other', async () => {
    expect(await api.refusal('GET /config/none')).toEqual({ status: 400, code: 'unknown_provider_config' });
  });
});

describe('the prefix /v1', () => {
  it.each(['/v1/connections', '/v1/connection', '/v1/connections/me?provider_config_key=practice', '/v1/Connections/'])(
    'may stand before %s',
    async (path) => {
      expect((await api.send(`GET ${path}`)).status).toBe(200);
    },
  );

  it('means a function once the headers name a connection', async () => {
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'me' };
    const { status, body } = await api.send('GET /v1/connections', { headers });

    expect(status).toBe(404);
    expect(body).toEqual({
      message: expect.any(String),
      error: { code: 'not_found', message: expect.any(String), docs: expect.any(String) },
    });
  });

  it('stands before nothing else', async () => {
    expect(await api.refusal('GET /v1/integrations')).toMatchObject({ status: 400, code: 'invalid_headers' });
    expect(await api.refusal('GET /v1/connectionsx')).toMatchObject({ status: 400, code: 'invalid_headers' });
  });
});
