import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { actionSource, saveFunction, syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, waitForSync } from '../../support/wait-for-sync.ts';

/** The methods that work with any connection that has tokens. */
const TOKENS = actionSource(`
    const plain = await nango.getConnection();
    const full = await nango.getConnection(undefined, undefined, { refreshToken: true });
    const forced = await nango.getConnection(undefined, undefined, { forceRefresh: true }).then(
      () => 'renewed', (error) => [error instanceof Error, typeof error.message]);
    const unknown = await nango.getConnection('acme', 'nobody').catch((error) => [error instanceof Error, error.code]);
    return { plain, full, forced, unknown, token: await nango.getToken() };`);

const FILES = {
  'actions/mapping.ts': actionSource(`
    const before = await nango.getFieldMapping();
    await nango.setFieldMapping({ fieldMapping: { name: 'title' }, other: 1 });
    return { before, after: await nango.getFieldMapping(), metadata: await nango.getMetadata() };`),
  'actions/stale.ts': actionSource(`
    const before = await nango.getMetadata();
    await nango.get({ endpoint: '/change-metadata' });
    const cached = await nango.getMetadata();
    const { metadata: fresh } = await nango.getConnection(undefined, undefined, { refreshToken: true });
    const still = await nango.getMetadata();
    await nango.get({ endpoint: '/locked' }).catch(() => {});
    return { before, cached, fresh, still, after401: await nango.getMetadata() };`),
  'actions/environment.ts': actionSource(`return nango.getEnvironmentVariables();`),
  'actions/flow.ts': actionSource(`
    try { return nango.getFlowAttributes(); } catch (error) { return [error instanceof Error, error.message]; }`),
  'syncs/properties.ts': syncSource(`
    await nango.post({ endpoint: '/properties', data: {
      syncId: nango.syncId, jobId: nango.syncJobId, variant: nango.variant, kind: nango.scriptType,
      last: nango.lastSyncDate === undefined ? null : [nango.lastSyncDate instanceof Date, nango.lastSyncDate.toISOString()],
      trackDeletes: nango.track_deletes, emptyCache: nango.emptyCache, models: nango.syncConfig.models,
      schemas: Object.keys(nango.syncConfig.models_json_schema.definitions), attributes: nango.getFlowAttributes(),
      activityLogId: nango.activityLogId,
    } });`),
};

let hub: FunctionHub;

beforeAll(async () => {
  hub = await startFunctionHub(FILES);
  hub.provider.on('POST /properties', { body: {} });
  for (const provider of ['practice-oauth1', 'practice-oauth2']) {
    const created = await hub.call('POST', '/integrations', {
      body: {
        provider,
        unique_key: provider,
        credentials: { type: provider.endsWith('1') ? 'OAUTH1' : 'OAUTH2', client_id: 'id', client_secret: 'secret' },
      },
    });
    expect(created).toMatchObject({ status: 200 });
    await saveFunction(hub.server.workspace, `${provider}/actions/tokens.ts`, TOKENS);
  }
});
afterAll(() => hub?.stop());

async function tokensOf(integration: string, credentials: Record<string, unknown>) {
  const body = { provider_config_key: integration, connection_id: 'me', credentials };
  expect((await importConnection(hub.server, body)).status).toBe(201);
  const headers = { 'provider-config-key': integration, 'connection-id': 'me' };
  return waitFor(async () => {
    const response = await hub.call('POST', '/action/trigger', { headers, body: { action_name: 'tokens' } });
    return response.status === 404 ? undefined : response.body;
  });
}

describe('tokens', () => {
  it('of OAuth 2: the access token; the refresh token only when asked for', async () => {
    const seen = await tokensOf('practice-oauth2', {
      type: 'OAUTH2',
      access_token: 'at',
      refresh_token: 'rt',
      expires_at: '2099-01-01T00:00:00.000Z',
    });

    expect(seen.token).toBe('at');
    expect(seen.plain.credentials).toMatchObject({ type: 'OAUTH2', access_token: 'at' });
    expect(JSON.stringify(seen.plain)).not.toContain('"rt"');
    expect(seen.full.credentials).toMatchObject({ refresh_token: 'rt' });
    // The practice provider did not issue this token, so it refuses a forced renewal.
    expect(seen.forced).toEqual([true, 'string']);
    expect(seen.unknown).toEqual([true, 'not_found']);
  });

  it('of OAuth 1: the pair', async () => {
    const seen = await tokensOf('practice-oauth1', {
      type: 'OAUTH1',
      oauth_token: 'one',
      oauth_token_secret: 'two',
    });

    expect(seen.token).toEqual({ oAuthToken: 'one', oAuthTokenSecret: 'two' });
  });
});

describe('metadata', () => {
  it('holds the field mapping of older functions', async () => {
    expect((await hub.action('mapping')).body).toEqual({
      before: {},
      after: { name: 'title' },
      metadata: { fieldMapping: { name: 'title' }, other: 1 },
    });
  });

  it('is read once within a run, until a 401 or an option makes it doubtful', async () => {
    const change = (n: number) =>
      hub.call('POST', '/connections/metadata', {
        body: { connection_id: 'c1', provider_config_key: 'acme', metadata: { n } },
      });
    await change(1);
    hub.provider
      .on('GET /change-metadata', async () => {
        await change(2);
        return { body: {} };
      })
      .on('GET /locked', { status: 401, body: {} });

    expect((await hub.action('stale')).body).toEqual({
      before: { n: 1 },
      cached: { n: 1 },
      fresh: { n: 2 },
      still: { n: 1 },
      after401: { n: 2 },
    });
  });
});

describe('the environment', () => {
  it('gives its variables as they are at the moment', async () => {
    const variables = [
      { name: 'ONE', value: '1' },
      { name: 'TWO', value: 'zwei ä' },
    ];
    await hub.call('PATCH', '/environment/settings', { body: { variables } });
    expect((await hub.action('environment')).body).toEqual(variables);

    await hub.call('PATCH', '/environment/settings', { body: { variables: [] } });
    expect((await hub.action('environment')).body).toEqual([]);
  });
});

describe('the context of a sync', () => {
  const propertiesOf = async (options?: object) => {
    const before = hub.provider.requestsTo('/properties').length;
    await hub.connection.nango.triggerSync('acme', ['properties'], 'c1', options as never);
    await waitFor(() => Promise.resolve(hub.provider.requestsTo('/properties').length > before));
    await waitForSync(hub.connection, 'properties', hasSucceeded);
    return JSON.parse(hub.provider.requestsTo('/properties').at(-1)?.body.toString() ?? '');
  };

  it('says which run this is, and when the last good one began', async () => {
    const first = await propertiesOf();
    const began = Date.now();
    const second = await propertiesOf();
    const third = await propertiesOf({ reset: true, emptyCache: true });

    expect(first).toEqual({
      syncId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      jobId: expect.any(Number),
      variant: 'base',
      kind: 'sync',
      last: null,
      trackDeletes: false,
      emptyCache: false,
      models: ['Item'],
      schemas: ['Item'],
      attributes: {},
      activityLogId: expect.any(String),
    });
    expect(second).toMatchObject({ syncId: first.syncId, last: [true, expect.any(String)], emptyCache: false });
    expect(Date.parse(second.last[1])).toBeLessThanOrEqual(began);
    expect(second.jobId).toBeGreaterThan(first.jobId);
    expect(second.activityLogId).not.toBe(first.activityLogId);
    expect(third).toMatchObject({ last: null, emptyCache: true });
  });

  it('is not that of an action', async () => {
    expect((await hub.action('flow')).body).toEqual([true, expect.any(String)]);
  });
});
