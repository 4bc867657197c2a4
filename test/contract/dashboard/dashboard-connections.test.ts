import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionsStore } from '../../../server/connections/connections.store.ts';
import { DashboardClient } from './dashboard-client.ts';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const TOKEN = 'canary-access-token';
const REFRESH = 'canary-refresh-token';
const KEY = 'practice-canary-key';
const ONE = 'GET /api/v1/connections/:integrationKey/:connectionId';
const EXPIRES = '2031-01-01T00:00:00.000Z';

let server: DashboardFixture;
let client: DashboardClient;
beforeAll(async () => {
  server = await startDashboard();
  client = await DashboardClient.signIn(server);
  await client.call('POST /api/v1/integrations', { body: { provider: 'github', key: 'gh' } });
  await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key: 'tracker' } });
  await importApiKey('beta', { end_user: { id: 'u1', email: 'ann@example.com', display_name: 'Ann' } });
  await importApiKey('alpha/1', { tags: { team: 'blue-team' } });
});
afterAll(() => server.close());

function importApiKey(id: string, more: Record<string, unknown> = {}) {
  const credentials = { type: 'API_KEY', apiKey: KEY };
  return client.call('POST /api/v1/connections', {
    body: { provider_config_key: 'tracker', connection_id: id, credentials, ...more },
  });
}

function importOauth(id: string) {
  const credentials = {
    type: 'OAUTH2',
    access_token: TOKEN,
    refresh_token: REFRESH,
    expires_at: EXPIRES,
    raw: { scope: 'repo user' },
  };
  return client.call('POST /api/v1/connections', {
    body: { provider_config_key: 'gh', connection_id: id, credentials },
  });
}

async function rowIdOf(connectionId: string): Promise<number> {
  const integration = await server.integrations.find(server.environment.id, 'tracker');
  const connection = integration && (await server.connections.find(integration, connectionId));
  if (!connection) throw new Error(`There is no ${connectionId}.`);
  return connection.id;
}

const list = (query: Record<string, string> = {}) =>
  client.call('GET /api/v1/connections', { query: { integrations: 'tracker', ...query } });
const ids = async (query: Record<string, string> = {}) => (await list(query)).data.map((row) => row.connectionId);

describe('connections of the dashboard', () => {
  it('tell who they belong to, never their secrets', async () => {
    const page = await list({ sort: 'id' });

    expect(page.data).toMatchObject([
      {
        connectionId: 'alpha/1',
        displayName: null,
        status: 'ok',
        authMode: 'API_KEY',
        isRefreshable: false,
        tags: { team: 'blue-team' },
      },
      { connectionId: 'beta', displayName: 'Ann', email: 'ann@example.com', integrationName: 'Practice tracker' },
    ]);
    expect(JSON.stringify(page)).not.toContain(KEY);
  });

  it('are found by id, end user, address and tag', async () => {
    expect(await ids({ search: 'alpha' })).toEqual(['alpha/1']);
    expect(await ids({ search: 'ANN' })).toEqual(['beta']);
    expect(await ids({ search: 'ann@example' })).toEqual(['beta']);
    expect(await ids({ search: 'blue-team' })).toEqual(['alpha/1']);
    expect(await ids({ search: '%' })).toEqual([]);
  });

  it.each(['name', 'integration', 'auth', 'id', 'status', 'syncs', 'records', 'expires', 'used', 'error', 'created'])(
    'are ordered by %s both ways',
    async (sort) => {
      const [up, down] = [await ids({ sort }), await ids({ sort: `-${sort}` })];

      expect([...up].sort()).toEqual(['alpha/1', 'beta']);
      expect([...down].sort()).toEqual(['alpha/1', 'beta']);
      if (sort === 'id' || sort === 'created' || sort === 'name') expect(up).toEqual([...down].reverse());
    },
  );

  it('are paged inside a snapshot', async () => {
    const first = await list({ sort: 'created', limit: '1' });
    await importApiKey('later');
    const rest = await list({ sort: 'created', offset: '1', snapshot: first.snapshot });
    await server.lifecycle.deleteConnection(server.environment, 'tracker', 'later');

    expect(first).toMatchObject({ total: 2, data: [{ connectionId: 'beta' }] });
    expect(rest).toMatchObject({ total: 2, data: [{ connectionId: 'alpha/1' }] });
  });

  it('have the worst status that is true of them, and are counted by it', async () => {
    const id = await rowIdOf('beta');
    const { connections, database } = server;
    await database.transaction(async (tx) => {
      await connections.setError(tx, id, { type: 'sync', source: 's', logId: 'op-sync' });
      await connections.setError(tx, id, { type: 'auth', source: '', logId: 'op-auth' });
    });

    expect(await list({ status: 'error' })).toMatchObject({
      total: 1,
      data: [{ status: 'auth_error', errors: [expect.anything(), expect.anything()] }],
    });
    expect(await client.call('GET /api/v1/connections/count', { query: { integrations: 'tracker' } })).toEqual({
      total: 2,
      ok: 1,
      auth_error: 1,
      sync_error: 0,
      paused: 0,
    });
    await database.transaction((tx) => new ConnectionsStore().removeErrors(tx, id, 'auth', ''));
    expect(await ids({ status: 'sync_error' })).toEqual(['beta']);
    const { data: integrations } = await client.call('GET /api/v1/integrations', { query: { search: 'tracker' } });
    expect(integrations.find(({ key }) => key === 'tracker')).toMatchObject({ errorCount: 1, connectionCount: 2 });
    await database.transaction((tx) => connections.removeSyncErrors(tx, [{ connectionRowId: id, syncId: 's' }]));
  });

  it('show the last failure, from the log', async () => {
    const id = await rowIdOf('beta');
    const { connections, database, environment, logs } = server;
    const operation = logs.start({ environmentId: environment.id, type: 'sync', action: 'run', message: 'Sync' });
    operation.finish('failed', { error: { message: 'The tracker answered 403\nand more' } });
    await logs.flush();
    const lastErrors = async () => (await list({ sort: 'id' })).data.map(({ lastError }) => lastError);

    await database.transaction((tx) =>
      connections.setError(tx, id, { type: 'sync', source: 's', logId: operation.id }),
    );
    expect(await lastErrors()).toEqual([
      null,
      { at: expect.any(String), operationId: operation.id, message: 'The tracker answered 403' },
    ]);
    expect(await ids({ sort: '-error' })).toEqual(['beta', 'alpha/1']);

    await database.transaction((tx) => connections.setError(tx, id, { type: 'auth', source: '', logId: 'op-gone' }));
    await database.transaction((tx) => connections.removeSyncErrors(tx, [{ connectionRowId: id, syncId: 's' }]));
    expect(await lastErrors()).toMatchObject([null, { operationId: 'op-gone', message: null }]);
    await database.transaction((tx) => new ConnectionsStore().removeErrors(tx, id, 'auth', ''));
  });

  it('have a log level of their own until it is taken back', async () => {
    const params = { integrationKey: 'tracker', connectionId: 'beta' };
    const change = (logLevel: string | null) =>
      client.call('PATCH /api/v1/connections/:integrationKey/:connectionId', { params, body: { logLevel } });

    expect((await client.call(ONE, { params })).logLevel).toBeNull();
    expect((await change('debug')).logLevel).toBe('debug');
    expect((await client.call(ONE, { params })).logLevel).toBe('debug');
    expect((await change(null)).logLevel).toBeNull();
    expect(
      await client.refusal('PATCH /api/v1/connections/:integrationKey/:connectionId', {
        params,
        body: { logLevel: 'loud' },
      }),
    ).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('show which credentials there are, with secret values left out', async () => {
    const detail = await importOauth('octo/cat');

    expect(detail).toMatchObject({
      isRefreshable: true,
      tokenExpiresAt: EXPIRES,
      nextRefreshAt: '2030-12-31T23:45:00.000Z',
      scopes: ['repo', 'user'],
    });
    expect(detail.credentials?.find((one) => one.name === 'access_token')).toEqual({
      name: 'access_token',
      title: 'Access token',
      isSecret: true,
      value: null,
    });
    expect(detail.credentials?.find((one) => one.name === 'expires_at')).toMatchObject({
      isSecret: false,
      value: EXPIRES,
    });
    expect(JSON.stringify(detail)).not.toMatch(new RegExp(`${TOKEN}|${REFRESH}`));
    expect(await client.call(ONE, { params: { integrationKey: 'gh', connectionId: 'octo/cat' } })).toMatchObject({
      connectionId: 'octo/cat',
    });
  });

  it('give one secret at a time', async () => {
    await importOauth('octo');
    const target = { kind: 'credential', integrationKey: 'gh', connectionId: 'octo', field: 'refresh_token' };

    expect(await client.call('POST /api/v1/reveal', { body: target })).toEqual({ value: REFRESH });
    expect(await client.refusal('POST /api/v1/reveal', { body: { ...target, field: 'nothing' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
    expect(await client.refusal('POST /api/v1/reveal', { body: { ...target, connectionId: 'nobody' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
    expect(server.logLines.join('')).not.toContain(REFRESH);
  });

  it('replace metadata and tags', async () => {
    await importApiKey('replaced', { tags: { team: 'blue' } });
    const params = { integrationKey: 'tracker', connectionId: 'replaced' };
    const change = 'PATCH /api/v1/connections/:integrationKey/:connectionId';

    const changed = await client.call(change, { params, body: { metadata: { plan: 'pro' }, tags: { team: 'red' } } });

    expect(changed).toMatchObject({ metadata: { plan: 'pro' }, tags: { team: 'red' } });
    expect(await client.refusal(change, { params, body: { tags: { '1': 'x' } } })).toEqual({
      status: 400,
      code: 'invalid_body',
    });
    await server.lifecycle.deleteConnection(server.environment, 'tracker', 'replaced');
  });

  it('are listed in groups with the number of rows of each, over all pages', async () => {
    const read = async (query: Record<string, string>) => {
      const first = await client.call('GET /api/v1/connections', { query: { ...query, limit: '1' } });
      const rows = [...first.data];
      while (rows.length < first.total) {
        const more = { ...query, limit: '1', offset: String(rows.length), snapshot: first.snapshot };
        rows.push(...(await client.call('GET /api/v1/connections', { query: more })).data);
      }
      return { groups: first.groups ?? [], rows, total: first.total };
    };
    const all = await read({ sort: 'name' });
    expect(all.groups).toEqual([]);
    for (const groupBy of ['integration', 'status'] as const) {
      const { groups, rows, total } = await read({ sort: 'name', groupBy });
      const groupOf = (row: (typeof rows)[number]) => (groupBy === 'status' ? row.status : row.integrationKey);
      expect(groups.flatMap(({ value, count }) => Array.from({ length: count }, () => value))).toEqual(
        rows.map(groupOf),
      );
      expect(new Set(groups.map(({ value }) => value)).size).toBe(groups.length);
      expect(total).toBe(all.total);
      // Inside a group in the order of the list.
      for (const { value } of groups) {
        const inOrder = all.rows.filter((row) => groupOf(row) === value).map((row) => row.connectionId);
        expect(rows.filter((row) => groupOf(row) === value).map((row) => row.connectionId)).toEqual(inOrder);
      }
    }
    const searched = await read({ groupBy: 'integration', search: 'alpha' });
    expect(searched.groups.reduce((sum, { count }) => sum + count, 0)).toBe(searched.total);
    expect(await client.refusal('GET /api/v1/connections', { query: { groupBy: 'colour' } })).toMatchObject({
      status: 400,
    });
  });

  it('add and remove single tags, and keep those that were stored meanwhile', async () => {
    const change = 'PATCH /api/v1/connections/:integrationKey/:connectionId';
    await importApiKey('tagged', { tags: { team: 'blue', plan: 'free' } });
    const params = { integrationKey: 'tracker', connectionId: 'tagged' };
    const tag = (tagChange: object) => client.call(change, { params, body: { tagChange } });

    await Promise.all([tag({ set: { Region: 'eu' } }), tag({ set: { plan: 'pro' } }), tag({ remove: ['TEAM'] })]);
    expect((await tag({})).tags).toEqual({ region: 'eu', plan: 'pro' });

    const refuse = (tagChange: object) => client.refusal(change, { params, body: { tagChange } });
    const refusal = { status: 400, code: 'invalid_body' };
    expect(await refuse({ set: { '1': 'x' } })).toEqual(refusal);
    expect(await refuse({ set: { empty: '' } })).toEqual(refusal);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, 'x']));
    expect(await refuse({ set: many })).toEqual(refusal);
    expect((await tag({})).tags).toEqual({ region: 'eu', plan: 'pro' });
    // Another spelling of a name is the same tag, also in a command for many.
    await client.call('POST /api/v1/connections/bulk', {
      body: { command: 'tag', targets: [params], tags: { Plan: 'max' } },
    });
    expect((await tag({})).tags).toEqual({ region: 'eu', plan: 'max' });
    await server.lifecycle.deleteConnection(server.environment, 'tracker', 'tagged');
  });

  it('take a name and a webhook address, and keep the other tags', async () => {
    const change = 'PATCH /api/v1/connections/:integrationKey/:connectionId';
    await importApiKey('named', { tags: { team: 'blue' } });
    const params = { integrationKey: 'tracker', connectionId: 'named' };

    expect(
      await client.call(change, { params, body: { displayName: 'Acme', webhookUrl: 'https://app.example/hooks' } }),
    ).toMatchObject({
      displayName: 'Acme',
      webhookUrl: 'https://app.example/hooks',
      tags: { team: 'blue', end_user_display_name: 'Acme' },
    });
    expect(await client.call(change, { params, body: { webhookUrl: null } })).toMatchObject({ webhookUrl: null });
    expect(await client.refusal(change, { params, body: { webhookUrl: 'there' } })).toMatchObject({ status: 400 });
    const beta = await client.call(change, {
      params: { integrationKey: 'tracker', connectionId: 'beta' },
      body: { displayName: 'Ann B' },
    });
    expect(beta).toMatchObject({ displayName: 'Ann B', endUser: { id: 'u1', email: 'ann@example.com' } });
    await client.call(change, { params: { ...params, connectionId: 'beta' }, body: { displayName: 'Ann' } });
    await server.lifecycle.deleteConnection(server.environment, 'tracker', 'named');
  });

  it('are refused like the public import refuses them', async () => {
    const credentials = { type: 'OAUTH2', access_token: TOKEN };

    expect(
      await client.refusal('POST /api/v1/connections', { body: { provider_config_key: 'gh', credentials } }),
    ).toEqual({ status: 400, code: 'invalid_body' });
  });

  it('refresh only renewable credentials', async () => {
    const refresh = 'POST /api/v1/connections/:integrationKey/:connectionId/refresh';
    await importOauth('renew');

    expect(await client.call(refresh, { params: { integrationKey: 'gh', connectionId: 'renew' } })).toMatchObject({
      connectionId: 'renew',
    });
    expect(await client.refusal(refresh, { params: { integrationKey: 'tracker', connectionId: 'beta' } })).toEqual({
      status: 400,
      code: 'invalid_credentials',
    });
  });

  it('go when they are deleted', async () => {
    await importOauth('gone');
    const params = { integrationKey: 'gh', connectionId: 'gone' };

    expect(await client.call('DELETE /api/v1/connections/:integrationKey/:connectionId', { params })).toEqual({
      success: true,
    });
    expect(await client.refusal(ONE, { params })).toEqual({ status: 404, code: 'not_found' });
  });
});

describe('POST /api/v1/practice', () => {
  it('sets up integration and connection once', async () => {
    const connection = await client.call('POST /api/v1/practice');

    expect(await client.call('POST /api/v1/practice')).toEqual(connection);
    expect(await client.call(ONE, { params: connection })).toMatchObject({ provider: 'practice', status: 'ok' });
    expect(await client.call('GET /api/v1/connections/count', { query: { integrations: 'practice' } })).toMatchObject({
      total: 1,
    });
  });
});

describe('POST /api/v1/practice/sign-in', () => {
  const READY = 'POST /api/v1/practice/sign-in';
  const show = (integrationKey: string) =>
    client.call('GET /api/v1/integrations/:integrationKey', { params: { integrationKey } });

  it('makes an integration that knows the practice client, once', async () => {
    const ready = await client.call(READY, { body: {} });

    expect(ready).toEqual({ integrationKey: 'practice-oauth2' });
    expect(await client.call(READY, { body: {} })).toEqual(ready);
    expect(await show('practice-oauth2')).toMatchObject({
      provider: 'practice-oauth2',
      missingFields: [],
      config: { client_id: 'practice-client', scopes: 'issues:read,issues:write,directory:read' },
    });
  });

  it('adds the client to an integration that has none, and keeps one that a person entered', async () => {
    const create = (key: string, config: Record<string, string>) =>
      client.call('POST /api/v1/integrations', { body: { provider: 'practice-oauth1', key, config } });
    await create('signed', {});
    await create('own', { client_id: 'mine', client_secret: 'my-secret' });

    for (const integrationKey of ['signed', 'own']) await client.call(READY, { body: { integrationKey } });

    expect((await show('signed')).config).toMatchObject({ client_id: 'practice-client' });
    expect((await show('own')).config).toMatchObject({ client_id: 'mine' });
  });

  it('touches no integration of another provider', async () => {
    expect(await client.refusal(READY, { body: { integrationKey: 'gh' } })).toEqual({ status: 409, code: 'conflict' });
    expect(await client.refusal(READY, { body: { integrationKey: 'nowhere' } })).toEqual({
      status: 404,
      code: 'not_found',
    });
  });
});

describe('sign-ins that the dashboard begins', () => {
  it('are sessions for one integration, with the values of the form', async () => {
    const { link, token } = await client.call('POST /api/v1/connect-sessions', {
      body: {
        integrationKey: 'gh',
        endUser: { id: 'u7', email: 'u7@example.test' },
        scopes: 'repo,user',
        clientId: 'own-id',
        authorizationParams: { prompt: 'consent' },
      },
    });

    expect(link).toBe(`http://localhost:${new URL(server.url).port}/connect/?session_token=${token}`);
    expect(await server.connectSessions.find(token)).toMatchObject({
      allowedIntegrations: ['gh'],
      endUser: { id: 'u7', email: 'u7@example.test' },
      configDefaults: {
        gh: {
          authorization_params: { prompt: 'consent' },
          connection_config: { oauth_scopes_override: 'repo,user', oauth_client_id_override: 'own-id' },
        },
      },
    });
  });

  it.each([
    ['https://redirectmeto.com/http://localhost:3003/oauth/callback', 'http://localhost:3003'],
    ['http://127.0.0.1:3003/oauth/callback', 'http://127.0.0.1:3003'],
    ['https://hub.example.com/oauth/callback', undefined],
  ])('have a link to a page of this computer while providers lead to %s', async (callbackUrl, origin) => {
    await client.call('PATCH /api/v1/callback', { body: { callbackUrl } });
    const { link } = await client.call('POST /api/v1/connect-sessions', { body: { integrationKey: 'gh' } });
    await client.call('PATCH /api/v1/callback', { body: { callbackUrl: null } });

    expect(new URL(link).origin).toBe(origin ?? server.url.replace('127.0.0.1', 'localhost'));
  });

  it('renew a connection and leave its end user alone', async () => {
    const { token } = await client.call('POST /api/v1/connect-sessions', {
      body: { integrationKey: 'tracker', connectionId: 'beta' },
    });

    const session = await server.connectSessions.find(token);
    expect(session).toMatchObject({ reconnect: { integrationKey: 'tracker', connectionId: 'beta' } });
    expect(session?.endUser).toBeUndefined();
  });
});
