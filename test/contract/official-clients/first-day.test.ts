import type { Nango } from '@nangohq/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  importConnection,
  officialClient,
  PRACTICE_KEY,
  type PracticeConnection,
} from '../../support/import-practice-connection.ts';
import { readAllRecords } from '../../support/read-all-records.ts';
import { type StartedServer, startServer } from '../../support/start-server.ts';
import { STORY_LIMIT_MS, step } from '../../support/step.ts';
import { waitFor } from '../../support/wait-for.ts';
import { hasSucceeded, syncState, waitForSync } from '../../support/wait-for-sync.ts';

interface Issue {
  id: string;
  title: string;
  state: string;
}

const ISO_MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
const RECORD_METADATA = ['cursor', 'deleted_at', 'first_seen_at', 'last_action', 'last_modified_at', 'pruned_at'];

let server: StartedServer;
let nango: Nango;
const integration = 'practice';
const connectionId = 'first-day';
const address = { providerConfigKey: integration, connectionId };
let connection: PracticeConnection;

// All other suites start the built program; this one checks that the sources, which `npm run dev` starts, behave the same.
beforeAll(async () => {
  server = await startServer({ isFromSources: true, hasExamples: true });
  nango = officialClient(server);
  connection = { nango, integration, connectionId };
});
afterAll(() => server?.stop());

/** The body of an error response, as callers of the client read it. */
async function refusal(call: Promise<unknown>): Promise<{ status: number; body: Record<string, unknown> }> {
  const error = await call.then(
    () => expect.unreachable('the call was accepted'),
    (reason: unknown) => reason as { response?: { status: number; data: Record<string, unknown> } },
  );
  if (!error.response) throw error;
  return { status: error.response.status, body: error.response.data };
}

it('a first day with the official client', { timeout: STORY_LIMIT_MS }, async () => {
  await step('finds the practice provider in the catalogue', async () => {
    const { data } = await nango.getProvider({ provider: 'practice' });

    expect(data).toMatchObject({ name: 'practice', display_name: 'Practice tracker', auth_mode: 'API_KEY' });
  });

  await step('creates an integration', async () => {
    const { data } = await nango.createIntegration({ provider: 'practice', unique_key: integration });

    expect(data).toMatchObject({ unique_key: integration, provider: 'practice', display_name: 'Practice tracker' });
    const { configs } = await nango.listIntegrations();
    expect(configs.map((config) => config.unique_key)).toEqual([integration]);
  });

  await step('finds the starter functions deployed', async () => {
    const config = await waitFor(async () => {
      const configs = (await nango.getScriptsConfig()) as Array<{
        providerConfigKey: string;
        syncs: Array<{ name: string }>;
        actions: Array<{ name: string }>;
      }>;
      return configs.find(({ syncs, actions }) => syncs.length === 2 && actions.length === 2);
    });

    expect(config.providerConfigKey).toBe(integration);
    expect(config.syncs.map((sync) => sync.name)).toEqual(['fetch-issues', 'fetch-users']);
    expect(config.actions.map((action) => action.name)).toEqual(['close-issue', 'create-issue']);
  });

  await step('reports that the key is refused, and stores nothing', async () => {
    const response = await importConnection(server, {
      provider_config_key: integration,
      credentials: { type: 'API_KEY', apiKey: 'not-a-practice-key' },
    });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'connection_test_failed' } });
    expect((await nango.listConnections()).connections).toEqual([]);
  });

  await step('imports a connection with its API key', async () => {
    const response = await importConnection(server, {
      provider_config_key: integration,
      connection_id: connectionId,
      metadata: { team: 'blue' },
      end_user: { id: 'u1', email: 'u1@example.test' },
    });

    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      id: expect.any(Number),
      connection_id: connectionId,
      provider_config_key: integration,
      provider: 'practice',
      errors: [],
      end_user: { id: 'u1', email: 'u1@example.test' },
      connection_config: {},
      credentials: { type: 'API_KEY', apiKey: PRACTICE_KEY },
    });
  });

  await step('reads the connection and its token back', async () => {
    const read = await nango.getConnection(integration, connectionId);

    expect(read).toMatchObject({ connection_id: connectionId, credentials: { type: 'API_KEY', apiKey: PRACTICE_KEY } });
    expect(await nango.getToken(integration, connectionId)).toMatchObject({ apiKey: PRACTICE_KEY });
    const { connections } = await nango.listConnections();
    expect(connections).toHaveLength(1);
    expect(connections[0]).not.toHaveProperty('credentials');
  });

  await step('sees both syncs start by themselves and succeed', async () => {
    const issues = await waitForSync(connection, 'fetch-issues', hasSucceeded);
    const users = await waitForSync(connection, 'fetch-users', hasSucceeded);

    expect(issues).toMatchObject({
      name: 'fetch-issues',
      frequency: 'every hour',
      nextScheduledSyncAt: expect.any(String),
      // The tracker changes four issues every minute: a run across that moment gets them twice.
      latestResult: { Issue: { updated: expect.any(Number), deleted: 0 } },
      recordCount: { Issue: expect.any(Number) },
      checkpoint: { updatedSince: expect.any(String) },
    });
    expect(users).toMatchObject({
      recordCount: { User: 40 },
      latestResult: { User: { added: 40, updated: 0, deleted: 0 } },
    });
  });

  await step('reads all records by cursor, each once and in order', async () => {
    const records = await readAllRecords<Issue & Record<string, unknown>>(connection, 'Issue');

    // The tracker replaces one issue every ten minutes: a run across that moment gets both.
    expect(records.length).toBeGreaterThanOrEqual(250);
    expect(records.length).toBeLessThanOrEqual(252);
    expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
    const changes = records.map((record) => record._nango_metadata.last_modified_at);
    expect(changes).toEqual([...changes].sort());
    const first = records[0];
    expect(first).toMatchObject({ id: expect.stringMatching(/^issue-\d+$/), title: expect.any(String) });
    expect(Object.keys(first?._nango_metadata ?? {}).sort()).toEqual(RECORD_METADATA);
    expect(first?._nango_metadata).toMatchObject({
      last_action: 'ADDED',
      first_seen_at: expect.stringMatching(ISO_MICROSECONDS),
      deleted_at: null,
    });
  });

  await step('finds the metadata that the on-event function added to its own', async () => {
    const metadata = await waitFor(async () => {
      const current = await nango.getMetadata(integration, connectionId);
      return 'accountLogin' in current && current;
    });

    expect(metadata).toEqual({ team: 'blue', accountId: 'user-me', accountLogin: 'me' });
  });

  await step('calls the provider through the proxy, query and headers included', async () => {
    const { status, data } = await nango.get({
      ...address,
      endpoint: '/v1/echo/deep',
      params: { q: 'two words', n: '1' },
      headers: { 'x-own': 'yes' },
    });

    expect(status).toBe(200);
    expect(data).toMatchObject({ method: 'GET', path: '/v1/echo/deep', query: { q: 'two words', n: '1' } });
    expect(data.headers).toMatchObject({ authorization: `Bearer ${PRACTICE_KEY}`, 'x-own': 'yes' });
    expect(Object.keys(data.headers).filter((name) => /nango|provider-config|connection-id/.test(name))).toEqual([]);
    expect(JSON.stringify(data)).not.toContain(server.secretKey);
  });

  await step('sends bodies through the proxy and gets refusals of the provider unchanged', async () => {
    const echoed = await nango.put({ ...address, endpoint: '/v1/echo', data: { deep: { list: [1, 'ü'] } } });
    expect(echoed.data).toMatchObject({ method: 'PUT', body: { deep: { list: [1, 'ü'] } } });

    const refused = await refusal(nango.post({ ...address, endpoint: '/v1/issues', data: { title: '' } }));
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
  });

  await step('triggers actions and gets their answers', async () => {
    const created = await nango.triggerAction<unknown, Issue>(integration, connectionId, 'create-issue', {
      title: 'Made on my first day',
    });
    expect(created).toMatchObject({ title: 'Made on my first day', state: 'open' });

    const closed = await nango.triggerAction<unknown, Issue>(integration, connectionId, 'close-issue', {
      id: created.id,
    });
    expect(closed).toMatchObject({ id: created.id, state: 'closed' });
    const { data } = await nango.get<Issue>({ ...address, endpoint: `/v1/issues/${created.id}` });
    expect(data.state).toBe('closed');
  });

  await step('reads why an action refused', async () => {
    const refused = await refusal(nango.triggerAction(integration, connectionId, 'close-issue', { id: 'issue-0' }));

    expect(refused.status).toBe(500);
    expect(refused.body).toMatchObject({
      error_type: 'action_script_failure',
      payload: { code: 'issue_not_found' },
      error: { code: 'action_script_runtime_error', payload: { code: 'issue_not_found' } },
    });
  });

  await step('runs an action in the background and collects its answer', async () => {
    const { id, statusUrl } = await nango.triggerActionAsync(integration, connectionId, 'create-issue', {
      title: 'Later',
    });

    expect(statusUrl).toBe(`/action/${id}`);
    const response = await waitFor(() => nango.getAsyncActionResult<Issue>({ id }));
    expect(response).toMatchObject({ title: 'Later' });
  });

  await step('triggers a sync and reads the changes since', async () => {
    const before = await syncState(connection, 'fetch-issues');

    await nango.triggerSync(integration, ['fetch-issues'], connectionId);

    const after = await waitForSync(
      connection,
      'fetch-issues',
      (state) => hasSucceeded(state) && state.finishedAt !== before?.finishedAt,
    );
    expect(after.latestResult?.['Issue']?.added).toBeGreaterThanOrEqual(2);
    const records = await readAllRecords<Issue & Record<string, unknown>>(connection, 'Issue');
    expect(records.slice(-20).map((record) => record.title)).toContain('Made on my first day');
  });

  await step('deletes the connection and everything that belongs to it', async () => {
    await nango.deleteConnection(integration, connectionId);

    expect((await nango.listConnections()).connections).toEqual([]);
    expect(await refusal(nango.getConnection(integration, connectionId))).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
    expect(await refusal(nango.listRecords({ ...address, model: 'Issue' }))).toMatchObject({
      status: 400,
      body: { error: { code: 'unknown_connection' } },
    });
  });
});
