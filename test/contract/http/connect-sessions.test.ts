import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller, type Call, type Refusal } from './api-caller.ts';

interface Issued {
  token: string;
  connect_link: string;
  expires_at: string;
}

const TOKEN = /^nango_connect_session_[0-9a-f]{64}$/;
const UNKNOWN_TOKEN = `nango_connect_session_${'0'.repeat(64)}`;
const MINUTE_MS = 60_000;
const END_USER = { id: 'user-1', email: 'ann@example.com', display_name: 'Ann' };

const clock = new MovableClock();
let server: InProcessServer;
let api: ApiCaller;

beforeAll(async () => {
  server = await startInProcess({ clock });
  api = new ApiCaller(server);
  for (const key of ['practice', 'other']) {
    await api.send('POST /integrations', { body: { provider: 'practice', unique_key: key } });
  }
  await importConnection(server, {
    provider_config_key: 'practice',
    connection_id: 'me',
    end_user: { id: 'stored', email: 'stored@example.com' },
  });
});
afterAll(() => server?.stop());

async function issue(
  body: Record<string, unknown> = { end_user: END_USER },
  route = 'POST /connect/sessions',
): Promise<Issued> {
  const { status, body: response } = await api.send(route, { body });
  expect([status, response]).toEqual([201, { data: expect.anything() }]);
  return (response as { data: Issued }).data;
}

const bearer = (token: string): Call => ({ headers: { authorization: `Bearer ${token}` } });

async function show(token: string): Promise<Record<string, unknown>> {
  const { status, body } = await api.send('GET /connect/session', bearer(token));
  expect(status).toBe(200);
  return (body as { data: Record<string, unknown> }).data;
}

const refused = (body: unknown): Promise<Refusal> => api.refusal('POST /connect/sessions', { body });

describe('POST /connect/sessions', () => {
  it('answers 201 with a token, its link and its end in 30 minutes', async () => {
    const issued = await issue();

    expect(Object.keys(issued).sort()).toEqual(['connect_link', 'expires_at', 'token']);
    expect(issued.token).toMatch(TOKEN);
    const origin = server.url.replace('127.0.0.1', 'localhost');
    expect(issued.connect_link).toBe(`${origin}/connect/?session_token=${issued.token}`);
    expect(Math.abs(Date.parse(issued.expires_at) - clock.now() - 30 * MINUTE_MS)).toBeLessThan(5_000);
  });

  it('takes every field of the contract', async () => {
    const { token } = await issue({
      end_user: { ...END_USER, tags: { Plan: 'pro' } },
      organization: { id: 'org', display_name: 'Org' },
      allowed_integrations: ['practice'],
      integrations_config_defaults: {
        practice: {
          user_scopes: 'a',
          authorization_params: { prompt: 'x' },
          connection_config: { region: 'eu', webhook_url: 'https://hook.test' },
        },
      },
      overrides: { practice: { docs_connect: 'https://docs.test', dropped: 1 } },
      tags: { Team: 'a' },
      webhook_url_override: 'http://localhost:9/hook',
    });

    expect(await show(token)).toEqual({
      endUser: {
        id: 'user-1',
        email: 'ann@example.com',
        display_name: 'Ann',
        tags: { Plan: 'pro' },
        organization: { id: 'org', display_name: 'Org' },
      },
      connectUISettings: {
        showWatermark: false,
        defaultTheme: 'system',
        theme: { light: { primary: '#00B2E3' }, dark: { primary: '#00B2E3' } },
      },
      allowed_integrations: ['practice'],
      integrations_config_defaults: {
        practice: { authorization_params: { prompt: 'x' }, connection_config: { region: 'eu' } },
      },
      overrides: { practice: { docs_connect: 'https://docs.test' } },
      websocketsPath: '/',
    });
  });

  it('takes e-mail addresses of five characters', async () => {
    const { token } = await issue({ end_user: { id: 'u', email: 'a@b.c' }, tags: { end_user_email: 'd@e.f' } });

    expect(await show(token)).toMatchObject({ endUser: { email: 'a@b.c' } });
    expect(await refused({ end_user: { id: 'u', email: 'a@b' } })).toMatchObject({ code: 'invalid_body' });
  });

  it('needs no end user beside tags, not even beside empty ones', async () => {
    expect((await show((await issue({ tags: { a: 'b' } })).token))['endUser']).toBeNull();
    await issue({ tags: {} });
  });

  it.each([
    [undefined, 'invalid_type'],
    [{}, 'invalid_type end_user'],
    [{ end_user: {} }, 'invalid_type end_user.id'],
    [{ end_user: { id: '' } }, 'too_small end_user.id'],
    [{ end_user: { id: 'a', email: 'no-address' } }, 'invalid_format end_user.email'],
    [{ end_user: { id: 'a', other: 1 } }, 'unrecognized_keys end_user'],
    [{ end_user: END_USER, other: 1 }, 'unrecognized_keys'],
    [{ end_user: END_USER, organization: { id: 'a', other: 1 } }, 'unrecognized_keys organization'],
    [{ end_user: END_USER, allowed_integrations: 'practice' }, 'invalid_type allowed_integrations'],
    [{ end_user: END_USER, allowed_integrations: ['practice', 'none'] }, 'custom allowed_integrations.1'],
    [{ end_user: END_USER, integrations_config_defaults: { none: {} } }, 'custom integrations_config_defaults.none'],
    [
      { end_user: END_USER, integrations_config_defaults: { practice: { x: 1 } } },
      'unrecognized_keys integrations_config_defaults.practice',
    ],
    [{ end_user: END_USER, overrides: { none: {} } }, 'custom overrides.none'],
    [{ tags: { '1a': 'b' } }, 'invalid_key tags.1a'],
    [{ tags: { a: '' } }, 'too_small tags.a'],
    [{ tags: { a: 'b', A: 'c' } }, 'custom tags'],
    [{ tags: { end_user_email: 'nope' } }, 'custom tags.end_user_email'],
    [{ tags: {}, webhook_url_override: 'nope' }, 'invalid_format webhook_url_override'],
  ])('refuses %j', async (body, issues) => {
    expect(await refused(body)).toEqual({ status: 400, code: 'invalid_body', issues: [issues] });
  });

  it('refuses more than ten tags in all, with a message', async () => {
    const tags = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`t${index}`, 'v']));

    expect(await refused({ end_user: END_USER, tags })).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('refuses a query, and a session token', async () => {
    const { token } = await issue();

    expect(await api.refusal('POST /connect/sessions?a=1', { body: {} })).toMatchObject({
      code: 'invalid_query_params',
    });
    expect(await api.refusal('POST /connect/sessions', { ...bearer(token), body: { end_user: END_USER } })).toEqual({
      status: 401,
      code: 'invalid_secret_key_format',
    });
  });

  it('keeps tokens and secrets of a session out of the data folder', async () => {
    const secret = 'canary-of-a-client-secret';
    const { token } = await issue({
      tags: {},
      integrations_config_defaults: { practice: { connection_config: { oauth_client_secret_override: secret } } },
    });

    for (const file of ['homeport.db', 'homeport.db-wal']) {
      const text = await readFile(join(server.home, file), 'latin1');
      expect(text.includes(token.slice(-64))).toBe(false);
      expect(text.includes(secret)).toBe(false);
    }
  });
});

describe('POST /connect/sessions/reconnect', () => {
  const route = 'POST /connect/sessions/reconnect';

  it('is bound to its connection, whose end user it shows', async () => {
    const { token } = await issue({ connection_id: 'me', integration_id: 'practice' }, route);

    expect(await show(token)).toMatchObject({
      endUser: { id: 'stored', email: 'stored@example.com', organization: null },
      allowed_integrations: ['practice'],
      isReconnecting: true,
    });
  });

  it('shows the end user that it was given', async () => {
    const { token } = await issue({ connection_id: 'me', integration_id: 'practice', end_user: END_USER }, route);

    expect((await show(token))['endUser']).toMatchObject({ id: 'user-1' });
  });

  it.each([
    [{ connection_id: 'none', integration_id: 'practice' }],
    [{ connection_id: 'me', integration_id: 'other' }],
    [{ connection_id: 'me', integration_id: 'none' }],
  ])('refuses %j with a message', async (body) => {
    expect(await api.refusal(route, { body })).toEqual({ status: 400, code: 'invalid_body' });
  });

  it.each([
    [{}, ['invalid_type connection_id', 'invalid_type integration_id']],
    [{ connection_id: 'me', integration_id: 'practice', allowed_integrations: [] }, ['unrecognized_keys']],
    [{ connection_id: 'me', integration_id: 'practice', overrides: { none: {} } }, ['custom overrides.none']],
  ])('refuses %j', async (body, issues) => {
    expect(await api.refusal(route, { body })).toEqual({ status: 400, code: 'invalid_body', issues });
  });

  it('is not found once its connection is deleted', async () => {
    await importConnection(server, { provider_config_key: 'practice', connection_id: 'short-lived' });
    const { token } = await issue({ connection_id: 'short-lived', integration_id: 'practice' }, route);
    await api.send('DELETE /connections/short-lived?provider_config_key=practice');

    expect(await api.refusal('GET /connect/session', bearer(token))).toEqual({ status: 404, code: 'not_found' });
  });
});

describe('/connect/session', () => {
  let token: string;
  beforeEach(async () => {
    token = (await issue()).token;
  });

  it.each(['GET', 'DELETE'])('%s takes the token of a live session only', async (method) => {
    const route = `${method} /connect/session`;

    expect(await api.refusal(route, { headers: { authorization: undefined } })).toMatchObject({
      status: 401,
      code: 'missing_auth_header',
    });
    expect(await api.refusal(route)).toEqual({ status: 401, code: 'invalid_connect_session_token_format' });
    expect(await api.refusal(route, bearer(`${token}0`))).toMatchObject({
      code: 'invalid_connect_session_token_format',
    });
    expect(await api.refusal(route, bearer(UNKNOWN_TOKEN))).toEqual({
      status: 401,
      code: 'unknown_connect_session_token',
    });
  });

  it.each(['GET', 'DELETE'])('%s takes neither query nor body', async (method) => {
    expect(await api.refusal(`${method} /connect/session?a=1`, bearer(token))).toMatchObject({
      code: 'invalid_query_params',
    });
    expect(await api.refusal(`${method} /connect/session`, { ...bearer(token), body: { a: 1 } })).toMatchObject({
      code: 'invalid_body',
    });
  });

  it('is over after DELETE', async () => {
    const { status, bytes } = await api.send('DELETE /connect/session', bearer(token));

    expect([status, bytes.length]).toEqual([204, 0]);
    expect(await api.refusal('GET /connect/session', bearer(token))).toMatchObject({
      code: 'unknown_connect_session_token',
    });
  });
});

describe('the routes that a session token may use', () => {
  it.each(['GET /providers', 'GET /providers/practice', 'GET /integrations'])('%s accepts it', async (route) => {
    const { token } = await issue();

    expect((await api.send(route, bearer(token))).status).toBe(200);
    expect((await api.send(route)).status).toBe(200);
    expect(await api.refusal(route, bearer(UNKNOWN_TOKEN))).toEqual({
      status: 401,
      code: 'unknown_connect_session_token',
    });
    expect(await api.refusal(route, bearer('nango_connect_session_x'))).toEqual({
      status: 401,
      code: 'invalid_connect_session_token_format',
    });
  });

  it.each([
    'GET /connections',
    'GET /integrations/practice',
    'GET /providers/practice/templates',
    'GET /environment-variables',
  ])('%s does not', async (route) => {
    expect(await api.refusal(route, bearer((await issue()).token))).toEqual({
      status: 401,
      code: 'invalid_secret_key_format',
    });
  });

  it.each([
    [undefined, ['other', 'practice']],
    [[], ['other', 'practice']],
    [['other'], ['other']],
  ])('lists the integrations that allowed_integrations %j names', async (allowed, keys) => {
    const { token } = await issue({ tags: {}, ...(allowed ? { allowed_integrations: allowed } : {}) });
    const { body } = await api.send('GET /integrations', bearer(token));

    const { data } = body as { data: Array<Record<string, unknown>> };
    expect(data.map((one) => one['unique_key']).sort()).toEqual(keys);
    for (const one of data) expect(one).not.toHaveProperty('credentials');
  });
});

describe('POST /connect/telemetry', () => {
  const send = (body: Record<string, unknown>): Call => ({ body, headers: { authorization: undefined } });
  const event = (token: string): Record<string, unknown> => ({
    token,
    event: 'view:list',
    timestamp: new Date(clock.now()).toISOString(),
    dimensions: { integration: 'practice' },
  });

  it('answers 204', async () => {
    const { token } = await issue();

    expect((await api.send('POST /connect/telemetry', send(event(token)))).status).toBe(204);
  });

  it('reads the token from the body', async () => {
    expect(await api.refusal('POST /connect/telemetry', { body: { event: 'open' } })).toEqual({
      status: 401,
      code: 'missing_auth_header',
    });
    expect(await api.refusal('POST /connect/telemetry', send({ token: 'x' }))).toMatchObject({
      code: 'invalid_connect_session_token_format',
    });
    expect(await api.refusal('POST /connect/telemetry', send({ token: UNKNOWN_TOKEN }))).toMatchObject({
      code: 'unknown_connect_session_token',
    });
  });

  it.each([
    [{ event: 'nope' }, 'invalid_value event'],
    [{ timestamp: 'nope' }, 'invalid_type timestamp'],
    [{ timestamp: '2020-01-01T00:00:00Z' }, 'custom timestamp'],
    [{ other: 1 }, 'unrecognized_keys'],
  ])('refuses %j', async (change, issues) => {
    const { token } = await issue();

    expect(await api.refusal('POST /connect/telemetry', send({ ...event(token), ...change }))).toEqual({
      status: 400,
      code: 'invalid_body',
      issues: [issues],
    });
  });

  it('takes no query', async () => {
    const { token } = await issue();

    expect(await api.refusal('POST /connect/telemetry?x=1', send(event(token)))).toEqual({
      status: 400,
      code: 'invalid_query_params',
      issues: ['unrecognized_keys'],
    });
  });

  it.each(['/connect/telemetry', '/Connect/TELEMETRY/'])(
    'may be sent as a beacon from the connect page under the other loopback name: %s',
    async (path) => {
      const headers = {
        authorization: undefined,
        origin: 'http://localhost:3003',
        'access-control-request-method': 'POST',
      };
      const { headers: response } = await api.send(`OPTIONS ${path}`, { headers });
      const foreign = await api.send(`OPTIONS ${path}`, {
        headers: { ...headers, origin: 'https://evil.test' },
      });

      expect(response['access-control-allow-origin']).toBe('http://localhost:3003');
      expect(response['access-control-allow-credentials']).toBe('true');
      expect(foreign.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );
});

// Last, because it moves the clock past every session above.
describe('time', () => {
  it('ends a session after 30 minutes and not before', async () => {
    const { token } = await issue();

    clock.skip(29 * MINUTE_MS);
    expect((await api.send('GET /connect/session', bearer(token))).status).toBe(200);
    clock.skip(MINUTE_MS);
    expect(await api.refusal('GET /connect/session', bearer(token))).toEqual({
      status: 401,
      code: 'unknown_connect_session_token',
    });
  });
});
