import { createHash, createHmac } from 'node:crypto';
import { Nango } from '@nangohq/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { afterWholeFile } from '../../support/after-whole-file.ts';
import { importConnection, officialClient, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Private in the client's types, public at run time. */
const PRIVATE = [
  'constructor',
  '_triggerAction',
  '_verifyWebhookSignatureImpl',
  'getConnectionDetails',
  'enrichHeaders',
];

const integration = 'practice';
const connectionId = 'me';
const address = { providerConfigKey: integration, connectionId };
const called = new Set<string>();

let server: StartedServer;
let nango: Nango;
/** The client polls after a first wait of its own: start at the beginning, read near the end. */
let awaited: Promise<{ connection_id: string }>;

beforeAll(async () => {
  server = await startServer({ hasExamples: true });
  nango = recording(officialClient(server));
  await nango.createIntegration({ provider: 'practice', unique_key: integration });
  await waitFor(async () => JSON.stringify(await nango.getScriptsConfig()).includes('fetch-users'), {
    what: 'the practice functions',
  });
  const imported = await importConnection(server, {
    provider_config_key: integration,
    connection_id: connectionId,
    end_user: { id: 'user-1', email: 'ann@example.com' },
  });
  expect(imported.status).toBe(201);
  await createApp('second');
  await importOAuth('oauth');
  awaited = nango.waitForConnection(integration, 'user-1');
  awaited.catch(() => {}); // Told by the test that awaits it.
});
afterAll(() => server?.stop());

/** Records which methods were called. */
function recording(client: Nango): Nango {
  return new Proxy(client, {
    get(target, name, receiver) {
      if (typeof name === 'string' && Object.hasOwn(Nango.prototype, name)) called.add(name);
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
}

const createApp = (unique_key: string) =>
  nango.createIntegration({
    provider: 'github',
    unique_key,
    credentials: { type: 'OAUTH2', client_id: 'i', client_secret: 's', scopes: 'repo' },
  });

async function importOAuth(connection_id: string): Promise<void> {
  const raw = { access_token: 'at', scope: 'repo' };
  const credentials = { type: 'OAUTH2', access_token: 'at', no_expiration: true, raw };
  await importConnection(server, { provider_config_key: 'second', connection_id, credentials });
}

async function refusal(call: Promise<unknown>): Promise<{ status: number; code: unknown }> {
  const error = await call.then(
    () => expect.unreachable('the call was accepted'),
    (reason: unknown) => reason as { response?: { status: number; data: { error?: { code?: string } } } },
  );
  if (!error.response) throw error;
  return { status: error.response.status, code: error.response.data.error?.code };
}

describe('providers', () => {
  it('listProviders', async () => {
    const { data } = await nango.listProviders({ search: 'practice' });

    expect(data.map(({ name, auth_mode }) => [name, auth_mode])).toEqual([
      ['practice', 'API_KEY'],
      ['practice-client-credentials', 'OAUTH2_CC'],
      ['practice-oauth1', 'OAUTH1'],
      ['practice-oauth2', 'OAUTH2'],
    ]);
  });

  it('getProvider', async () => {
    expect((await nango.getProvider({ provider: 'practice' })).data).toMatchObject({ name: 'practice' });
  });

  it('getProviderTemplates', async () => {
    const { data } = await nango.getProviderTemplates({ provider: 'practice' });

    expect(data.map(({ name, type }) => `${type}/${name}`)).toEqual(
      expect.arrayContaining(['action/create-issue', 'sync/fetch-issues']),
    );
  });
});

describe('integrations', () => {
  const key = 'second';

  it('createIntegration', async () => {
    const { data } = await createApp('third');

    expect(data).toMatchObject({ unique_key: 'third', provider: 'github' });
    await nango.deleteIntegration('third');
  });

  it('createQuickstartIntegration is refused: there are no shared apps', async () => {
    expect(await refusal(nango.createQuickstartIntegration({ provider: 'github', unique_key: 'x' }))).toEqual({
      status: 400,
      code: 'invalid_body',
    });
  });

  it('listIntegrations', async () => {
    expect((await nango.listIntegrations()).configs.map((config) => config.unique_key).sort()).toEqual([
      integration,
      key,
    ]);
  });

  it('getIntegration', async () => {
    const { data } = await nango.getIntegration({ uniqueKey: key }, { include: ['credentials'] });

    expect(data.credentials).toEqual({
      type: 'OAUTH2',
      client_id: 'i',
      client_secret: 's',
      scopes: 'repo',
      webhook_secret: null,
    });
  });

  it('updateIntegration', async () => {
    expect((await nango.updateIntegration({ uniqueKey: key }, { display_name: 'Second' })).data.display_name).toBe(
      'Second',
    );
  });
});

describe('functions', () => {
  it('getScriptsConfig', async () => {
    expect(await nango.getScriptsConfig()).toEqual([expect.objectContaining({ providerConfigKey: integration })]);
    expect(await nango.getScriptsConfig('openai')).toEqual({
      data: expect.arrayContaining([expect.objectContaining({ name: 'create-issue' })]),
    });
  });

  it('listFunctions', async () => {
    const { data, pagination } = await nango.listFunctions({ uniqueKey: integration }, { type: 'sync', limit: 1 });

    expect(data.map(({ name }) => name)).toEqual(['fetch-issues']);
    expect(pagination).toEqual({ total: 2, page: 0, limit: 1 });
  });

  it('getFunction', async () => {
    const { data } = await nango.getFunction({ uniqueKey: integration, name: 'fetch-users' });

    expect(data).toMatchObject({ name: 'fetch-users', type: 'sync', returns: ['User'], enabled: true, source: 'repo' });
  });

  it('getFunctionCode', async () => {
    const { type, code } = await nango.getFunctionCode(
      { uniqueKey: integration, name: 'fetch-users' },
      { type: 'sync' },
    );

    expect(type).toBe('sync');
    expect(code).toContain('createSync');
  });

  it('deleteFunction leaves files of the workspace alone', async () => {
    expect(
      await refusal(nango.deleteFunction({ uniqueKey: integration, name: 'fetch-users' }, { type: 'sync' })),
    ).toEqual({
      status: 400,
      code: 'function_managed_by_deploy',
    });
  });
});

describe('connections', () => {
  it('listConnections, in both of its forms', async () => {
    const byId = await nango.listConnections(connectionId, undefined, { limit: 10 });
    const byUser = await nango.listConnections({
      userId: 'user-1',
      integrationId: [integration, 'other'],
      tags: { end_user_id: 'user-1' },
    });

    expect(byId.connections).toEqual([
      expect.objectContaining({
        connection_id: connectionId,
        provider_config_key: integration,
        provider: 'practice',
        errors: [],
      }),
    ]);
    expect(byUser.connections.map((one) => one.connection_id)).toEqual([connectionId]);
  });

  it('getConnection', async () => {
    expect(await nango.getConnection(integration, connectionId, true)).toMatchObject({
      connection_id: connectionId,
      credentials: { type: 'API_KEY', apiKey: PRACTICE_KEY },
      end_user: { id: 'user-1' },
      created_at: expect.stringMatching(ISO),
    });
  });

  it('getToken and getRawTokenResponse', async () => {
    expect(await nango.getToken('second', 'oauth')).toBe('at');
    expect(await nango.getRawTokenResponse('second', 'oauth')).toEqual({ access_token: 'at', scope: 'repo' });
  });

  it('patchConnection', async () => {
    const done = await nango.patchConnection(
      { connectionId: 'oauth', provider_config_key: 'second' },
      { end_user: { id: 'user-2' } },
    );

    expect(done).toEqual({ success: true });
    expect((await nango.getConnection('second', 'oauth')).end_user).toMatchObject({ id: 'user-2' });
  });

  it('setMetadata, updateMetadata and getMetadata', async () => {
    expect((await nango.setMetadata('second', 'oauth', { a: 1, b: 1 })).status).toBe(201);
    const { status, data } = await nango.updateMetadata('second', ['oauth'], { b: 2 });

    expect([status, data]).toEqual([
      200,
      { connection_id: ['oauth'], provider_config_key: 'second', metadata: { b: 2 } },
    ]);
    expect(await nango.getMetadata('second', 'oauth')).toEqual({ a: 1, b: 2 });
  });

  it('deleteConnection', async () => {
    await importOAuth('gone');

    expect((await nango.deleteConnection('second', 'gone')).data).toEqual({ success: true });
    expect(await refusal(nango.getConnection('second', 'gone'))).toEqual({ status: 404, code: 'not_found' });
  });

  it('deleteIntegration', async () => {
    await createApp('gone');

    expect((await nango.deleteIntegration('gone')).data).toEqual({ success: true });
    expect(await refusal(nango.getIntegration({ uniqueKey: 'gone' }))).toEqual({ status: 404, code: 'not_found' });
  });
});

describe('connect sessions', () => {
  const session = {
    token: expect.stringMatching(/^nango_connect_session_[0-9a-f]{64}$/),
    connect_link: expect.stringContaining('/connect/?session_token=nango_connect_session_'),
    expires_at: expect.stringMatching(ISO),
  };

  it('createConnectSession', async () => {
    const { data } = await nango.createConnectSession({
      end_user: { id: 'user-1' },
      allowed_integrations: [integration],
    });

    expect(data).toEqual(session);
  });

  it('createReconnectSession', async () => {
    const { data } = await nango.createReconnectSession({ connection_id: connectionId, integration_id: integration });

    expect(data).toEqual(session);
  });
});

describe('syncs and records', () => {
  const sync = 'fetch-users';
  const practice = {
    get nango() {
      return nango;
    },
    integration,
    connectionId,
  };
  beforeEach(() => waitForSync(practice, sync, hasSucceeded));

  it('syncStatus', async () => {
    const { syncs } = await nango.syncStatus(integration, '*', connectionId);

    expect(syncs.map(({ name }) => name).sort()).toEqual(['fetch-issues', 'fetch-users']);
    expect(syncs[0]).toMatchObject({ connection_id: connectionId, variant: 'base', frequency: expect.any(String) });
  });

  it('listRecords', async () => {
    const { records, next_cursor: cursor } = await nango.listRecords({ ...address, model: 'User', limit: 2 });

    expect(records).toHaveLength(2);
    expect(records[0]).toMatchObject({ id: expect.any(String), _nango_metadata: { last_action: 'ADDED' } });
    expect((await nango.listRecords({ ...address, model: 'User', limit: 2, cursor })).records[0]?.id).not.toBe(
      records[0]?.id,
    );
  });

  it('pruneRecords', async () => {
    const { records } = await nango.listRecords({ ...address, model: 'User', limit: 1 });
    const untilCursor = records[0]?._nango_metadata.cursor ?? '';

    expect(await nango.pruneRecords({ ...address, model: 'User', untilCursor })).toEqual({ count: 1, has_more: false });
  });

  it('pauseSync and startSync', async () => {
    await nango.pauseSync(integration, [sync], connectionId);
    expect((await nango.syncStatus(integration, [sync], connectionId)).syncs[0]?.status).toBe('PAUSED');

    await nango.startSync(integration, [{ name: sync, variant: 'base' }], connectionId);
    expect((await nango.syncStatus(integration, [sync], connectionId)).syncs[0]?.status).not.toBe('PAUSED');
  });

  it('triggerSync', async () => {
    const before = (await waitForSync(practice, sync, hasSucceeded)).finishedAt ?? '';
    await nango.triggerSync(integration, [sync], connectionId, { reset: true });

    await waitForSync(practice, sync, (state) => hasSucceeded(state) && (state.finishedAt ?? '') > before);
    expect((await readAllRecords(practice, 'User')).length).toBeGreaterThan(2);
  });

  it('updateSyncConnectionFrequency', async () => {
    expect(await nango.updateSyncConnectionFrequency(integration, sync, connectionId, 'every 5 minutes')).toEqual({
      frequency: '5 minutes',
    });
    expect(await nango.updateSyncConnectionFrequency(integration, sync, connectionId, null)).toEqual({
      frequency: 'every day',
    });
  });

  it('createSyncVariant and deleteSyncVariant', async () => {
    const variant = { name: sync, variant: 'other', provider_config_key: integration, connection_id: connectionId };

    expect(await nango.createSyncVariant(variant)).toEqual({
      id: expect.stringMatching(UUID),
      name: sync,
      variant: 'other',
    });
    expect(await nango.deleteSyncVariant(variant)).toEqual({ success: true });
  });
});

describe('actions', () => {
  it('triggerAction', async () => {
    expect(
      await nango.triggerAction(integration, connectionId, 'create-issue', { title: 'By the client' }),
    ).toMatchObject({
      title: 'By the client',
      state: 'open',
    });
  });

  it('triggerActionAsync and getAsyncActionResult', async () => {
    const queued = await nango.triggerActionAsync(integration, connectionId, 'create-issue', { title: 'Later' });

    expect(queued).toEqual({ id: expect.stringMatching(UUID), statusUrl: `/action/${queued.id}` });
    const result = await waitFor(() => nango.getAsyncActionResult({ id: queued.id }), { what: 'the result' });
    expect(result).toMatchObject({ title: 'Later' });
    expect(await nango.getAsyncActionResult({ statusUrl: queued.statusUrl })).toEqual(result);
  });
});

describe('the proxy', () => {
  it('proxy and get', async () => {
    const { data } = await nango.proxy<{ login: string }>({
      ...address,
      method: 'GET',
      endpoint: '/v1/me',
      retries: 1,
    });

    expect(data.login).toEqual(expect.any(String));
    expect((await nango.get<{ login: string }>({ ...address, endpoint: '/v1/me' })).data).toEqual(data);
  });

  it.each(['post', 'put', 'patch', 'delete'] as const)('%s', async (method) => {
    const { status, data } = await nango[method]<Record<string, unknown>>({
      ...address,
      endpoint: '/v1/echo',
      params: { a: 'b' },
      headers: { 'x-own': 'c' },
      data: { text: 'd' },
    });

    expect(status).toBe(200);
    expect(data).toMatchObject({
      method: method.toUpperCase(),
      query: { a: 'b' },
      headers: { 'x-own': 'c' },
      body: { text: 'd' },
    });
  });
});

describe('the rest', () => {
  it('getEnvironmentVariables', async () => {
    expect(await nango.getEnvironmentVariables()).toEqual([]);
  });

  it('verifyWebhookSignature and verifyIncomingWebhookRequest', () => {
    const body = JSON.stringify({ type: 'sync' });
    const signature = createHash('sha256')
      .update(server.secretKey + body)
      .digest('hex');
    const hmac = createHmac('sha256', server.secretKey).update(body).digest('hex');

    expect(nango.verifyWebhookSignature(signature, JSON.parse(body))).toBe(true);
    expect(nango.verifyIncomingWebhookRequest(body, { 'x-nango-hmac-sha256': hmac })).toBe(true);
    expect(nango.verifyIncomingWebhookRequest(`${body} `, { 'x-nango-hmac-sha256': hmac })).toBe(false);
  });

  it('waitForConnection', async () => {
    expect((await awaited).connection_id).toBe(connectionId);
  });
});

// They leave no method of the client out.
afterWholeFile(() => {
  const methods = Object.getOwnPropertyNames(Nango.prototype).filter((name) => !PRIVATE.includes(name));

  expect(methods.filter((name) => !called.has(name))).toEqual([]);
});
