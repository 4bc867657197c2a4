import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import type { InProcessServer } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';
import { providersOfEveryMode, startWithProviders } from './workspace-providers.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const APP_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = APP_KEY.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString().trim();
const NEVER = { type: 'OAUTH2', access_token: 'a', no_expiration: true };

type Connection = Record<string, unknown> & { id: number; connection_id: string };

let server: InProcessServer;
let api: ApiCaller;
let provider: FakeProvider;
let number = 0;
let id: string;

beforeAll(async () => {
  provider = await FakeProvider.start();
  server = await startWithProviders(providersOfEveryMode(provider.address));
  api = new ApiCaller(server);
  const client = { client_id: 'i', client_secret: 's' };
  const app = { app_id: '4711', app_link: 'https://x.test', private_key: PEM };
  const credentials: Record<string, unknown> = {
    'own-oauth2': { type: 'OAUTH2', ...client },
    'own-oauth1': { type: 'OAUTH1', ...client },
    'own-tba': { type: 'TBA', ...client },
    'own-app': { type: 'APP', ...app },
    'own-custom': { type: 'CUSTOM', ...client, ...app },
  };
  const keys = [
    'practice',
    'own-oauth2',
    'own-oauth1',
    'own-cc',
    'own-basic',
    'own-checked-basic',
    'own-none',
    'own-tba',
    'own-app',
    'own-custom',
    'own-key',
    'own-hosted',
  ];
  for (const key of keys) {
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
  id = `connection-${number}`;
});

/** Imports into the integration with the name of its provider. */
async function importAs(key: string, credentials: unknown, more: Record<string, unknown> = {}): Promise<Connection> {
  const body = { provider_config_key: key, connection_id: id, credentials, ...more };
  const response = await api.send('POST /connections', { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body as Connection;
}

const refusal = (key: string, credentials: unknown, more: Record<string, unknown> = {}) =>
  api.refusal('POST /connections', { body: { provider_config_key: key, connection_id: id, credentials, ...more } });
const invalid = (...issues: string[]) => ({ status: 400, code: 'invalid_body', issues });
const invalidMessage = { status: 400, code: 'invalid_body' };

async function readBack(key: string, query = ''): Promise<Connection> {
  const response = await api.send(`GET /connections/${id}?provider_config_key=${key}${query}`);
  expect(response.status).toBe(200);
  return response.body as Connection;
}

describe('POST /connections', () => {
  it('answers 201 with the whole connection', async () => {
    const made = await importAs('own-key', { type: 'API_KEY', apiKey: 'k' });

    expect(made).toEqual({
      id: expect.any(Number),
      connection_id: id,
      provider_config_key: 'own-key',
      provider: 'own-key',
      errors: [],
      end_user: null,
      tags: {},
      metadata: {},
      connection_config: {},
      webhook_url_override: null,
      created_at: expect.stringMatching(ISO),
      updated_at: expect.stringMatching(ISO),
      last_fetched_at: null,
      credentials: { type: 'API_KEY', apiKey: 'k' },
    });
  });

  it('creates an id when none is given', async () => {
    const made = await importAs('own-none', { type: 'NONE' }, { connection_id: undefined });

    expect(made.connection_id).toMatch(UUID_V4);
    expect(made['credentials']).toEqual({});
  });

  it('stores every part and gives it back', async () => {
    const parts = {
      metadata: { deep: { list: [1, null] } },
      connection_config: { subdomain: 'acme', number: 3 },
      end_user: { id: 'u1', email: 'u1@example.test', display_name: 'U One', tags: { Plan: 'pro', '9bad': 'x' } },
      tags: { Team: 'Blue', end_user_id: 'explicit' },
      webhook_url_override: 'http://localhost:9000/hook',
    };
    const invalidTag = await refusal('own-none', { type: 'NONE' }, parts);
    expect(invalidTag).toEqual(invalid('invalid_key end_user.tags.9bad'));
    const made = await importAs(
      'own-none',
      { type: 'NONE' },
      { ...parts, end_user: { ...parts.end_user, tags: { Plan: 'pro' } } },
    );

    expect(made).toMatchObject({
      metadata: parts.metadata,
      connection_config: parts.connection_config,
      webhook_url_override: parts.webhook_url_override,
      end_user: {
        id: 'u1',
        display_name: 'U One',
        email: 'u1@example.test',
        tags: { Plan: 'pro' },
        organization: null,
      },
      tags: {
        end_user_id: 'explicit',
        end_user_email: 'u1@example.test',
        end_user_display_name: 'U One',
        plan: 'pro',
        team: 'Blue',
      },
    });
    expect(await readBack('own-none')).toMatchObject({
      metadata: made['metadata'],
      tags: made['tags'],
      connection_config: made['connection_config'],
    });
  });

  it('overwrites a connection of the same id: the number and the end user stay, the rest is replaced', async () => {
    const first = await importAs(
      'own-key',
      { type: 'API_KEY', apiKey: 'old' },
      {
        metadata: { a: 1 },
        connection_config: { b: 2 },
        tags: { c: '3' },
        end_user: { id: 'u1' },
        webhook_url_override: 'http://localhost:1/x',
      },
    );

    const second = await importAs('own-key', { type: 'API_KEY', apiKey: 'new' });

    expect(second).toMatchObject({
      id: first.id,
      created_at: first['created_at'],
      metadata: {},
      connection_config: {},
      tags: {},
      webhook_url_override: null,
      end_user: { id: 'u1' },
      credentials: { apiKey: 'new' },
    });
    expect(await readBack('own-key')).toMatchObject({ credentials: { apiKey: 'new' }, metadata: {} });
  });

  it('makes one connection of many imports of the same id at once', async () => {
    const made = await Promise.all(
      [1, 2, 3, 4, 5].map((at) => importAs('own-key', { type: 'API_KEY', apiKey: `k${at}` })),
    );

    expect(new Set(made.map((connection) => connection.id)).size).toBe(1);
  });

  it('keeps ids of different integrations apart', async () => {
    const one = await importAs('own-key', { type: 'API_KEY', apiKey: 'one' });
    const two = await importAs('own-none', { type: 'NONE' });

    expect(two.id).not.toBe(one.id);
    expect(
      ((await api.send(`GET /connections?connectionId=${id}`)).body as { connections: unknown[] }).connections,
    ).toHaveLength(2);
  });
});

describe('imported credentials', () => {
  it('OAUTH2 keeps what was submitted as raw and hides the refresh token until asked', async () => {
    const sent = {
      type: 'OAUTH2',
      access_token: 'at',
      refresh_token: 'rt',
      expires_at: '2999-01-01T00:00:00Z',
      config_override: { client_id: 'ci', client_secret: 'cs' },
    };
    const made = await importAs('own-oauth2', sent, {
      connection_config: { nested: { 'Refresh-Token': 'x', keep: 1 } },
    });

    const { type: _type, ...fields } = sent;
    expect(made['credentials']).toEqual({
      ...sent,
      expires_at: '2999-01-01T00:00:00.000Z',
      raw: expect.objectContaining({ ...fields, expires_at: expect.any(String) }),
    });
    const hidden = await readBack('own-oauth2');
    expect(JSON.stringify(hidden)).not.toMatch(/"rt"|refresh.?token/i);
    expect(hidden['connection_config']).toEqual({ nested: { keep: 1 } });
    expect(await readBack('own-oauth2', '&refresh_token=TRUE')).toMatchObject({
      credentials: { refresh_token: 'rt', raw: { refresh_token: 'rt' } },
      connection_config: { nested: { 'Refresh-Token': 'x' } },
    });
  });

  it("OAUTH2 takes the seed's names", async () => {
    const before = Date.now();
    const made = await importAs('own-oauth2', {
      type: 'OAUTH2',
      access_token: 'a',
      expires_in: 3600,
      oauth_client_id_override: 'ci',
      oauth_client_secret_override: 'cs',
      raw: { from: 'provider' },
    });

    const credentials = made['credentials'] as { expires_at: string };
    expect(credentials).toMatchObject({
      config_override: { client_id: 'ci', client_secret: 'cs' },
      raw: { from: 'provider' },
    });
    expect(Date.parse(credentials.expires_at) - before - 3_600_000).toBeLessThan(60_000);
    expect(Date.parse(credentials.expires_at)).toBeGreaterThanOrEqual(before + 3_600_000);
  });

  it('OAUTH2 without an end has no expires_at', async () => {
    expect((await importAs('own-oauth2', NEVER))['credentials']).not.toHaveProperty('expires_at');
  });

  it.each([
    ['2999-01-01', '2999-01-01T00:00:00.000Z'],
    ['Jan 2, 2999 00:00:00 GMT', '2999-01-02T00:00:00.000Z'],
    [32_472_144_000_000, '2999-01-01T00:00:00.000Z'],
    ['32472144000000', '2999-01-01T00:00:00.000Z'],
    [32_472_144_000, '2999-01-01T00:00:00.000Z'],
    ['32472144000', '2999-01-01T00:00:00.000Z'],
    [99_999_999_999.5, '5138-11-16T09:46:39.500Z'],
  ])('OAUTH2 reads the date %j', async (expires_at, expected) => {
    const made = await importAs('own-oauth2', { type: 'OAUTH2', access_token: 'a', expires_at });

    expect(made['credentials']).toMatchObject({ expires_at: expected });
  });

  it.each([[null], [true], ['9'.repeat(30)], ['soon'], [''], [{}], [[]], [1e20]])(
    'OAUTH2 refuses the date %j',
    async (expires_at) => {
      expect(await refusal('own-oauth2', { type: 'OAUTH2', access_token: 'a', expires_at })).toEqual(
        invalid('invalid_type credentials.expires_at'),
      );
    },
  );

  it.each([{}, { no_expiration: false }])('OAUTH2 needs to know when it ends (%j)', async (more) => {
    const body = { provider_config_key: 'own-oauth2', credentials: { type: 'OAUTH2', access_token: 'a', ...more } };
    const response = await api.send('POST /connections', { body });

    expect(await api.refusal('POST /connections', { body })).toEqual(invalid('custom credentials.expires_at'));
    expect(JSON.stringify(response.body)).toContain('no_expiration');
  });

  it.each([-1, 1e300, 'x'])('OAUTH2 refuses the lifetime %j', async (expires_in) => {
    expect(await refusal('own-oauth2', { type: 'OAUTH2', access_token: 'a', expires_in })).toMatchObject({
      status: 400,
      issues: [expect.stringContaining('credentials.expires_in')],
    });
  });

  it('OAUTH2_CC needs no end', async () => {
    const sent = { type: 'OAUTH2_CC', token: 't', client_id: 'i', client_secret: 's' };

    expect((await importAs('own-cc', sent))['credentials']).toEqual({ ...sent, raw: sent });
  });

  it('OAUTH1', async () => {
    const sent = { type: 'OAUTH1', oauth_token: 't', oauth_token_secret: 's' };

    expect((await importAs('own-oauth1', sent))['credentials']).toEqual({ ...sent, raw: sent });
  });

  it('BASIC takes empty texts', async () => {
    const sent = { type: 'BASIC', username: '', password: '' };

    expect((await importAs('own-basic', sent))['credentials']).toEqual(sent);
  });

  it("API_KEY takes the seed's name", async () => {
    expect((await importAs('own-key', { type: 'API_KEY', api_key: 'k' }))['credentials']).toEqual({
      type: 'API_KEY',
      apiKey: 'k',
    });
  });

  it('TBA is verified with a signature of the integration and needs an account', async () => {
    provider.on('GET /check', { status: 200, body: {} });
    const sent = { type: 'TBA', token_id: 'i', token_secret: 's' };

    expect(await refusal('own-tba', sent)).toEqual(invalidMessage);
    expect((await importAs('own-tba', sent, { connection_config: { accountId: 'acc-1' } }))['credentials']).toEqual({
      ...sent,
      config_override: {},
    });
    expect(provider.requestsTo('/check').at(-1)?.headers['authorization']).toMatch(/^OAuth realm="ACC_1"/);
  });
});

describe('the token of an installed app', () => {
  const TOKENS = '/app/installations/77/access_tokens';
  const NAMED = { app_id: '4711', installation_id: '77' };
  const ISSUED = { token: 'ghs_1', expires_at: '2999-01-01T00:00:00Z' };

  /** A strict GitHub, which accepts only the app's own token. */
  function answerAsGithub(): void {
    provider.on(`POST ${TOKENS}`, async ({ headers }) => {
      const jwt = String(headers['authorization']).replace('Bearer ', '');
      const isOurs = await jwtVerify(jwt, APP_KEY.publicKey, { issuer: '4711' }).catch(() => undefined);
      return isOurs ? { status: 201, body: ISSUED } : { status: 401, body: { message: 'Bad credentials' } };
    });
  }

  it.each([
    ['own-app', 'APP'],
    ['own-custom', 'CUSTOM'],
  ])('is fetched when %s is imported', async (key, type) => {
    answerAsGithub();
    const made = await importAs(key, { type, ...NAMED }, { connection_config: { own: 1 } });

    const jwtToken = expect.stringMatching(/^ey/);
    const credentials = {
      type: 'APP',
      access_token: 'ghs_1',
      expires_at: '2999-01-01T00:00:00.000Z',
      raw: ISSUED,
      jwtToken,
    };
    expect(made['credentials']).toEqual(credentials);
    expect(made['connection_config']).toEqual({ own: 1, ...NAMED, jwtToken });
    expect(await readBack(key)).toMatchObject({ credentials, connection_config: { own: 1, ...NAMED } });
  });

  it('leaves the ids that were sent, also where the app of the integration is another one', async () => {
    answerAsGithub();
    const sent = { app_id: '4712', installation_id: '77' };

    expect((await importAs('own-app', { type: 'APP', ...sent }))['connection_config']).toMatchObject(sent);
  });

  it('is fetched by the replaced route, too', async () => {
    answerAsGithub();
    const body = { provider_config_key: 'own-app', connection_id: id, ...NAMED };

    expect(await api.send('POST /connection', { body })).toMatchObject({ status: 201, body });

    expect(await readBack('own-app')).toMatchObject({
      credentials: { type: 'APP', access_token: 'ghs_1' },
      connection_config: NAMED,
    });
  });

  it.each([
    ['own-app', 'APP'],
    ['own-custom', 'CUSTOM'],
  ])('that %s is not given fails the import and leaves nothing', async (key, type) => {
    provider.on(`POST ${TOKENS}`, { status: 404, body: { message: 'Not Found' } });
    const body = { provider_config_key: key, connection_id: id, credentials: { type, ...NAMED } };

    const response = await api.send('POST /connections', { body });

    expect(response).toMatchObject({
      status: 500,
      body: { error: { code: 'server_error', message: expect.stringContaining('status 404): Not Found') } },
    });
    expect(await api.refusal(`GET /connections/${id}?provider_config_key=${key}`)).toMatchObject({ status: 404 });
  });

  it('that is not given fails the replaced route, too', async () => {
    provider.on(`POST ${TOKENS}`, { drop: true });
    const body = { provider_config_key: 'own-app', connection_id: id, ...NAMED };

    expect(await api.refusal('POST /connection', { body })).toEqual({ status: 500, code: 'server_error' });
    expect(await api.refusal(`GET /connections/${id}?provider_config_key=own-app`)).toMatchObject({ status: 404 });
  });

  it.each([{ app_id: '4711' }, { installation_id: '77' }, { app_id: '', installation_id: '77' }])(
    'is not asked for with %j',
    async (sent) => {
      const before = provider.requests.length;

      expect(await refusal('own-app', { type: 'APP', ...sent })).toMatchObject({ status: 400, code: 'invalid_body' });
      expect(provider.requests).toHaveLength(before);
    },
  );
});

describe('refused imports', () => {
  it.each<[string, unknown, string[]]>([
    ['own-key', undefined, ['invalid_type credentials']],
    ['own-key', {}, ['invalid_union credentials.type']],
    ['own-key', { type: 'JWT' }, ['invalid_union credentials.type']],
    ['own-key', { type: 'API_KEY' }, ['invalid_type credentials.apiKey']],
    ['own-key', { type: 'API_KEY', apiKey: '' }, ['too_small credentials.apiKey']],
    ['own-key', { type: 'API_KEY', apiKey: 'x'.repeat(1025) }, ['too_big credentials.apiKey']],
    ['own-key', { type: 'API_KEY', apiKey: 'x', extra: 1 }, ['unrecognized_keys credentials']],
    ['own-oauth2', { type: 'OAUTH2', no_expiration: true }, ['invalid_type credentials.access_token']],
    ['own-oauth2', { ...NEVER, access_token: 'x'.repeat(16_385) }, ['too_big credentials.access_token']],
    ['own-oauth2', { ...NEVER, refresh_token: '' }, ['too_small credentials.refresh_token']],
    ['own-oauth2', { ...NEVER, config_override: { other: 'x' } }, ['unrecognized_keys credentials.config_override']],
    [
      'own-oauth2',
      { ...NEVER, config_override: { client_secret: 'x'.repeat(2049) } },
      ['too_big credentials.config_override.client_secret'],
    ],
    ['own-oauth1', { type: 'OAUTH1', oauth_token: 'x' }, ['invalid_type credentials.oauth_token_secret']],
    ['own-basic', { type: 'BASIC', username: 'x' }, ['invalid_type credentials.password']],
    ['own-cc', { type: 'OAUTH2_CC', token: 't', client_id: 'i' }, ['invalid_type credentials.client_secret']],
    ['own-none', { type: 'NONE', apiKey: 'x' }, ['unrecognized_keys credentials']],
  ])('%s with %j', async (key, credentials, issues) => {
    expect(await refusal(key, credentials)).toEqual(invalid(...issues));
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ connection_id: '' }, ['invalid_format connection_id']],
    [{ connection_id: 'a#b' }, ['invalid_format connection_id']],
    [{ connection_id: 'x'.repeat(256) }, ['too_big connection_id']],
    [{ metadata: [] }, ['invalid_type metadata']],
    [{ metadata: 'x' }, ['invalid_type metadata']],
    [{ connection_config: [] }, ['invalid_type connection_config']],
    [{ connection_config: { oauth_scopes_override: 'a,b' } }, ['invalid_type connection_config.oauth_scopes_override']],
    [{ end_user: {} }, ['invalid_type end_user.id']],
    [{ end_user: { id: '' } }, ['too_small end_user.id']],
    [{ end_user: { id: 'u', email: 'not-an-address' } }, ['invalid_format end_user.email']],
    [{ end_user: { id: 'u', organization: { id: 'o' } } }, ['unrecognized_keys end_user']],
    [
      { end_user: { id: 'u', tags: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`t${at}`, 'x'])) } },
      ['custom end_user.tags'],
    ],
    [{ tags: { '1a': 'x' } }, ['invalid_key tags.1a']],
    [{ tags: { a: '' } }, ['too_small tags.a']],
    [{ tags: { a: 1 } }, ['invalid_type tags.a']],
    [{ tags: { A: 'x', a: 'y' } }, ['custom tags']],
    [{ tags: { end_user_email: 'nope' } }, ['custom tags.end_user_email']],
    [{ webhook_url_override: 'nope' }, ['invalid_format webhook_url_override']],
    [{ webhook_url_override: 'https://api.nango.dev/x' }, ['custom webhook_url_override']],
    [{ other: 1 }, ['unrecognized_keys']],
  ])('%j', async (more, issues) => {
    expect(await refusal('own-none', { type: 'NONE' }, more)).toEqual(invalid(...issues));
  });

  it('checks query, body, integration and type in that order', async () => {
    const body = { provider_config_key: 'none', credentials: { type: 'NONE' } };

    expect(await api.refusal('POST /connections?a=1', { body: {} })).toMatchObject({ code: 'invalid_query_params' });
    expect(await api.refusal('POST /connections', { body: { ...body, credentials: {} } })).toMatchObject({
      code: 'invalid_body',
    });
    expect(await api.refusal('POST /connections', { body })).toEqual({ status: 404, code: 'not_found' });
    expect(await refusal('own-key', { type: 'NONE' })).toEqual(invalidMessage);
  });

  it('derived and explicit tags together stay within ten', async () => {
    const tags = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`t${at}`, 'x']));

    expect(await refusal('own-none', { type: 'NONE' }, { tags, end_user: { id: 'u' } })).toEqual(invalidMessage);
  });
});

describe('verification at the provider', () => {
  it('stores nothing when the key is refused', async () => {
    expect(await refusal('practice', { type: 'API_KEY', apiKey: 'wrong' })).toEqual({
      status: 400,
      code: 'connection_test_failed',
    });
    expect(await api.refusal(`GET /connections/${id}?provider_config_key=practice`)).toMatchObject({ status: 404 });
    await importAs('practice', { type: 'API_KEY', apiKey: PRACTICE_KEY });
    expect(await refusal('practice', { type: 'API_KEY', apiKey: 'wrong' })).toMatchObject({
      code: 'connection_test_failed',
    });
    expect(await readBack('practice')).toMatchObject({ credentials: { apiKey: PRACTICE_KEY }, errors: [] });
  });

  it('passes with the first endpoint that accepts', async () => {
    provider.on('GET /check', { status: 401 }).on('GET /check-again', { status: 204 });

    await importAs('own-checked-basic', { type: 'BASIC', username: 'u', password: 'p' });

    expect(provider.requestsTo('/check-again').at(-1)?.headers['authorization']).toBe(`Basic ${btoa('u:p')}`);
  });

  it('fails when no endpoint accepts or answers', async () => {
    provider.on('GET /check', { drop: true }).on('GET /check-again', { drop: true });

    expect(await refusal('own-checked-basic', { type: 'BASIC', username: 'u', password: 'p' })).toEqual({
      status: 400,
      code: 'connection_test_failed',
    });
  });
});
