import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { afterWholeFile } from '../../support/after-whole-file.ts';
import { answerConsent } from '../../support/authorize-practice.ts';
import { actionSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { acceptAll } from '../authorization/authorization-providers.ts';
import { pushedAction } from '../functions/pushed-action.ts';
import type { ApiResponse, Call } from '../http/api-caller.ts';
import { codeOf, DocumentChecker } from './document-checker.ts';
import { type SeededHub, startSeededHub } from './seeded-hub.ts';
import { AGENT_REDIRECT, AGENT_VERIFIER, allowAgent, authorizeQuery } from './signed-in-agent.ts';
import { makeWrittenCall } from './written-call.ts';

let hub: SeededHub;
let checker: DocumentChecker;
/** The seen statuses, by `METHOD /path`. */
const met = new Map<string, Set<number>>();

beforeAll(async () => {
  hub = await startSeededHub();
  checker = new DocumentChecker(hub.document);
});
afterAll(() => hub?.signIn.stop());

const named = { 'provider-config-key': 'practice', 'connection-id': 'me' };
const key = '?provider_config_key=practice';

/** Calls an operation of the document and checks the response against it. */
async function call(
  route: string,
  params: Record<string, string> = {},
  options: Call & { query?: string } = {},
): Promise<ApiResponse> {
  const described = checker.get(route);
  const path = described.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x');
  const response = await hub.api.send(`${described.method} ${path}${options.query ?? ''}`, options);
  expect(
    checker.problemOf(described, response),
    `${route}: ${response.bytes.toString().slice(0, 500)}`,
  ).toBeUndefined();
  met.set(route, (met.get(route) ?? new Set()).add(response.status));
  return response;
}

/** Input of end users, by route: the integration, the body, the rest of the query. */
const SUBMISSIONS: Record<string, [string, object, string?]> = {
  '/api-auth/api-key': ['own-key', { apiKey: 'k' }],
  '/api-auth/basic': ['own-basic', { username: 'u', password: '' }],
  '/oauth2/auth': ['own-cc', { client_id: 'i', client_secret: 's' }, 'params[tenant]=acme'],
  '/auth/unauthenticated': ['own-none', {}],
  '/auth/two-step': ['own-two-step', { username: 'u' }],
  '/auth/jwt': ['own-jwt', { privateKey: 'id:secret' }],
  '/auth/tba': ['own-tba', { token_id: 'i', token_secret: 's' }, 'params[accountId]=a'],
  '/auth/bill': ['own-bill', { username: 'u', password: 'p', organization_id: 'o', dev_key: 'd' }],
  '/auth/signature': ['own-signature', { type: 'SIGNATURE', username: 'u', password: 'p' }],
  '/auth/signature-based': ['own-signature', { type: 'SIGNATURE', username: 'u', password: 'p' }],
  '/auth/aws-sigv4': ['own-aws', { role_arn: 'arn:aws:iam::123456789012:role/R' }],
  '/auth/oauth-outbound': ['own-outbound', {}],
};

const data = ({ body }: ApiResponse): Record<string, unknown> => (body as { data: Record<string, unknown> }).data;

describe('answers fit the document', () => {
  it('of the server and its catalogue', async () => {
    await call('GET /health');
    await call('GET /ready');
    await call('GET /openapi.json');
    await call('POST /cli/telemetry', {}, { body: {} });
    await call('GET /providers.json');
    await call('GET /providers');
    await call('GET /providers/{provider}', { provider: 'practice' });
    await call('GET /providers/{provider}', { provider: 'nobody' });
    await call('GET /providers/{provider}/templates', { provider: 'practice' });
  });

  it('of integrations', async () => {
    const app = { type: 'OAUTH2', client_id: 'id', client_secret: 'secret', scopes: 'a,b' };
    await call('POST /integrations', {}, { body: { provider: 'github', unique_key: 'gh', credentials: app } });
    await call('POST /integrations', {}, { body: { provider: 'github', unique_key: 'gh', credentials: app } });
    await call('POST /integrations/quickstart', {}, { body: { provider: 'github', unique_key: 'q' } });
    await call('GET /integrations');
    await call('GET /integrations/{uniqueKey}', { uniqueKey: 'gh' }, { query: '?include=webhook&include=credentials' });
    await call('GET /integrations/{uniqueKey}', { uniqueKey: 'practice' }, { query: '?include=credentials' });
    await call('GET /integrations/{uniqueKey}', { uniqueKey: 'nobody' });
    await call('PATCH /integrations/{uniqueKey}', { uniqueKey: 'gh' }, { body: { display_name: 'Hub' } });
    await call('GET /config/{key}', { key: 'gh' }, { query: '?include_creds=true' });
    await call('GET /config/{key}', { key: 'practice' });
    await call('DELETE /integrations/{uniqueKey}', { uniqueKey: 'gh' });
  });

  it.each([
    ['OAUTH2', 'github', { access_token: 'a', refresh_token: 'r', no_expiration: true }],
    ['API_KEY', 'practice', { apiKey: 'practice-other' }],
  ])('of %s connections', async (type, provider, credentials) => {
    const app = { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' };
    const body = { provider, unique_key: type, ...(type === 'OAUTH2' ? { credentials: app } : {}) };
    await call('POST /integrations', {}, { body });
    const endUser = { id: 'u', email: 'u@example.com', tags: { Team: 'x' } };
    const integration = { provider_config_key: type, connection_id: 'c' };
    const made = { ...integration, credentials: { type, ...credentials }, end_user: endUser, metadata: { a: 1 } };
    const at = { connectionId: 'c' };
    const query = `?provider_config_key=${type}`;

    await call('POST /connections', {}, { body: made });
    await call(
      'POST /connections',
      {},
      { body: { ...made, credentials: { type: 'BASIC', username: '', password: '' } } },
    );
    await call('GET /connections', {}, { query: '?tags[team]=x&limit=5' });
    await call('GET /connections/{connectionId}', at, { query: `${query}&refresh_token=true` });
    await call('GET /connections/{connectionId}', { connectionId: 'nobody' }, { query });
    await call('PATCH /connections/{connectionId}', at, { query, body: { tags: { a: 'b' } } });
    await call('POST /connections/metadata', {}, { body: { ...integration, metadata: { b: 2 } } });
    await call('PATCH /connections/metadata', {}, { body: { ...integration, connection_id: ['c'], metadata: {} } });
    await call('DELETE /connections/{connectionId}', at, { query });
    await call('DELETE /connections/{connectionId}', at, { query });
  });

  it('of the replaced routes', async () => {
    const at = { connectionId: 'me' };
    const address = { provider_config_key: 'practice', connection_id: 'flat' };

    await call('POST /connection', {}, { body: { ...address, api_key: 'practice-flat' } });
    await call('POST /connection', {}, { body: address });
    await call('GET /connection');
    await call('GET /connection/{connectionId}', at, { query: key });
    await call('POST /connection/metadata', {}, { body: { ...address, metadata: {} } });
    await call('PATCH /connection/metadata', {}, { body: { ...address, metadata: {} } });
    await call('POST /connection/{connectionId}/metadata', at, { query: key, body: { a: 1 } });
    await call('PATCH /connection/{connectionId}/metadata', at, { headers: named, body: { b: 1 } });
    await call('PATCH /connection/{connectionId}/metadata', at, { body: {} });
    await call('DELETE /connection/{connectionId}', { connectionId: 'flat' }, { query: key });
  });

  it('of agent sessions', async () => {
    const connections = { pinned: [{ integration_id: 'practice', connection_id: 'me' }] };
    const made = data(await call('POST /sessions', {}, { body: { tenant: { connections } } }));
    const gone = { pinned: [{ integration_id: 'practice', connection_id: 'gone' }] };
    await call('POST /sessions', {}, { body: { tenant: { connections: gone } } });
    const params = { sessionId: String(made['session_id']) };

    const token = { authorization: `Bearer ${made['session_token']}`, accept: 'application/json, text/event-stream' };
    const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    await call('POST /session/{sessionId}/mcp', params, { headers: token, body: listTools });
    await call('POST /session/{sessionId}/mcp', { sessionId: 'gone' }, { headers: token, body: listTools });
    await call('GET /session/{sessionId}/mcp', params, { headers: token });
    await call('DELETE /session/{sessionId}/mcp', params, { headers: token });
    await call('GET /sessions');
    await call('GET /sessions/{sessionId}', params);
    await call('GET /sessions/{sessionId}/calls', params);
    await call('POST /sessions/{sessionId}/calls/{callId}/undo', { ...params, callId: 'gone' });
    await call('POST /sessions/{sessionId}/calls/{callId}/undo', { ...(await makeWrittenCall(hub)) });
    await call('DELETE /sessions/{sessionId}', params);
    await call('GET /sessions/{sessionId}', { sessionId: 'gone' });
  });

  it('of programs that sign in', async () => {
    const none = { authorization: undefined };
    const metadata = { redirect_uris: [AGENT_REDIRECT] };
    const registered = await call('POST /agents/register', {}, { headers: none, body: metadata });
    const { client_id } = registered.body as { client_id: string };
    await call('POST /agents/register', {}, { headers: none, body: { redirect_uris: ['https://a.test/'] } });
    const query = `?${authorizeQuery(client_id)}`;
    const { headers } = await call('GET /agents/authorize', {}, { headers: none, query });
    await call('GET /agents/authorize', {}, { headers: none });
    const code = await allowAgent(hub, String(headers['location']));
    const body = { grant_type: 'authorization_code', code, code_verifier: AGENT_VERIFIER, client_id };
    const tokens = (await call('POST /agents/token', {}, { headers: none, body })).body as { access_token: string };
    const authorization = `Bearer ${tokens.access_token}`;
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const accept = 'application/json, text/event-stream';
    await call('POST /agents/mcp', {}, { headers: { authorization, accept }, body: rpc });
    await call('POST /agents/mcp', {}, { headers: { accept, authorization: 'Bearer gone' }, body: rpc });
    await call('POST /agents/token', {}, { headers: none, body });
    await call('POST /agents/revoke', {}, { headers: none, body: { token: tokens.access_token } });
  });

  it('of connect sessions', async () => {
    const session = { end_user: { id: 'u' }, allowed_integrations: ['practice'] };
    const again = { connection_id: 'me', integration_id: 'practice' };
    const made = data(await call('POST /connect/sessions', {}, { body: session }));
    await call('POST /connect/sessions/reconnect', {}, { body: again });
    await call('POST /connect/sessions/reconnect', {}, { body: { ...again, connection_id: 'nobody' } });
    const token = String(made['token']);
    const headers = { authorization: `Bearer ${token}` };

    await call('GET /connect/session', {}, { headers });
    await call('GET /integrations', {}, { headers });
    const event = { token, event: 'open', timestamp: new Date().toISOString() };
    await call('POST /connect/telemetry', {}, { body: event });
    await call('POST /connect/telemetry', {}, { body: { ...event, timestamp: '1999-01-01' } });
    await call('DELETE /connect/session', {}, { headers });
    await call('GET /connect/session', {}, { headers });
  });

  it.each(Object.entries(SUBMISSIONS))('of connecting at %s', async (path, [integration, body, params = '']) => {
    const route = `POST ${path}/{providerConfigKey}`;
    const headers = { authorization: undefined };
    const at = { providerConfigKey: integration };
    const submit = async (given: unknown, session?: object) => {
      const token = await hub.signIn.openSession(session);
      return call(route, at, { headers, body: given, query: `?connect_session_token=${token}&${params}` });
    };

    await submit(body);
    await submit([]);
    await submit(body, { allowed_integrations: ['practice'] });
    const token = await hub.signIn.openSession();
    const withToken = { headers, body, query: `?connect_session_token=${token}` };
    await call(route, { providerConfigKey: 'nobody' }, withToken);
    await call(route, { providerConfigKey: 'no|way' }, withToken);
    await call(route, { providerConfigKey: 'practice' }, withToken);
    await call(route, at, { ...withToken, query: `${withToken.query}&connection_id=x` });
    await call(route, at, { headers, body });
    await call(route, at, { headers, body, query: '?public_key=x' });
    await call(route, at, { headers, body, query: '?connect_session_token=x' });
  });

  it('of signing in with a code', async () => {
    const at = { providerConfigKey: 'own-device' };
    const headers = { authorization: undefined };
    const query = `?connect_session_token=${await hub.signIn.openSession()}`;

    const { data: environments } = (await hub.api.send('GET /environments')).body as { data: Array<{ uuid: string }> };
    for (const environmentUuid of [environments[0]?.uuid ?? '', 'nobody'])
      await call('GET /oauth/clients/{environmentUuid}', { environmentUuid }, { headers });
    await call('GET /oauth/device/{providerConfigKey}', at, { headers, query });
    await call('POST /oauth/device/{providerConfigKey}', at, { headers, body: {}, query });
    await call('POST /oauth/device/{providerConfigKey}', at, { headers, body: { other: 1 }, query });
    await call(
      'POST /oauth/device/{providerConfigKey}',
      { providerConfigKey: 'own-oauth2' },
      { headers, body: {}, query },
    );
    await call('GET /oauth/device/{providerConfigKey}', at, { headers, query });
    await call('GET /oauth/device/{providerConfigKey}', at, { headers });
    await call('DELETE /oauth/device/{providerConfigKey}', at, { headers, query });
    await call('DELETE /oauth/device/{providerConfigKey}', at, { headers });
  });

  it('of credentials that the provider refuses', async () => {
    hub.signIn.provider
      .on('GET /check-key', { status: 401 })
      .on('POST /cc/acme/token', { status: 400 })
      .on('POST /session', { status: 400 })
      .on('POST /bill/login', { drop: true });
    for (const path of ['/api-auth/api-key', '/oauth2/auth', '/auth/two-step', '/auth/bill']) {
      const [integration, body, params = ''] = SUBMISSIONS[path] ?? ['', {}];
      const query = `?connect_session_token=${await hub.signIn.openSession()}&${params}`;
      const refused = await call(
        `POST ${path}/{providerConfigKey}`,
        { providerConfigKey: integration },
        { headers: { authorization: undefined }, body, query },
      );
      expect(refused.status).toBe(400);
    }
    acceptAll(hub.signIn.provider);
  });

  it('of signing in at the provider', async () => {
    const app = { type: 'OAUTH2', client_id: PRACTICE_CLIENT.id, client_secret: PRACTICE_CLIENT.secret };
    const made = { provider: 'practice-oauth2', unique_key: 'practice-oauth2', credentials: app };
    await call('POST /integrations', {}, { body: made });
    const start = async (integration: string): Promise<URL> => {
      const query = `?connect_session_token=${await hub.signIn.openSession()}`;
      const response = await call(
        'GET /oauth/connect/{providerConfigKey}',
        { providerConfigKey: integration },
        { query },
      );
      return new URL(response.headers.location ?? '');
    };

    const callback = await answerConsent((await start('practice-oauth2')).href);
    await call('GET /oauth/callback', {}, { query: callback.search });
    await call('GET /oauth/callback', {}, { query: callback.search });
    const { searchParams } = await start('own-app');
    const query = `?installation_id=77&setup_action=install&state=${searchParams.get('state')}`;
    await call('GET /app-auth/connect', {}, { query });
    await call('GET /app-auth/connect', {}, { query });
    await call('GET /app-auth/connect', {}, { query: '?installation_id=77&setup_action=update' });
    await call('GET /oauth/connect/{providerConfigKey}', { providerConfigKey: 'own-app' });
  });

  it('of calls to the provider', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
      await call(`${method} /proxy/{path}`, { path: 'v1/echo' }, { headers: named });
    await call('GET /proxy/{path}', { path: 'v1/me' }, { headers: { ...named, 'connection-id': 'nobody' } });
    await call('GET /proxy/{path}', { path: 'v1/me' });
  });

  it('of actions', async () => {
    const run = (action_name: string, headers = {}) =>
      call('POST /action/trigger', {}, { body: { action_name, input: 1 }, headers: { ...named, ...headers } });

    await run('echo');
    await run('refuse');
    await run('nobody');
    const { id } = (await run('echo', { 'x-async': 'true' })).body as { id: string };
    await waitFor(async () => (await call('GET /action/{id}', { id })).status === 200, { what: 'the queued action' });
    await call('POST /v1/{path}', { path: 'practice/echo' }, { body: {}, headers: named });
    await call('GET /v1/{path}', { path: 'practice/nothing' }, { headers: named });
  });

  it('of the MCP server', async () => {
    const headers = { ...named, accept: 'application/json, text/event-stream' };

    await call('POST /mcp', {}, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    await call('POST /mcp', {}, { headers, body: { jsonrpc: '2.0', id: 1, method: 'no/such' } });
    await call('POST /mcp', {}, { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } });
    await call('POST /mcp', {}, { headers: named, body: {} });
    await call('POST /mcp', {}, { headers: { ...headers, 'connection-id': 'nobody' }, body: {} });
    await call('GET /mcp');
    await call('POST /mcp/manage', {}, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
    await call('PATCH /environment/settings', {}, { body: { agents_may_build: true } });
    await call('POST /mcp/manage', {}, { headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
  });

  it('of syncs and records', async () => {
    const sync = { provider_config_key: 'practice', connection_id: 'me' };
    const items = { ...sync, syncs: ['items'] };
    const variant = { name: 'items', variant: 'second' };
    const frequency = { ...sync, sync_name: 'items', frequency: 'every hour' };
    const query = '?model=Item';
    const read = () => call('GET /records', {}, { headers: named, query });

    await call('POST /sync/trigger', {}, { body: items });
    await call('POST /sync/trigger', {}, { body: { ...items, connection_id: 'nobody' } });
    await waitFor(async () => ((await read()).body as { records: unknown[] }).records.length === 2, {
      what: 'records',
    });
    await waitFor(
      async () =>
        JSON.stringify((await call('GET /sync/status', {}, { query: `${key}&syncs=*` })).body).includes(
          '"latestResult"',
        ),
      { what: 'the end of the sync' },
    );
    await call('POST /sync/start', {}, { body: items });
    await call('POST /sync/pause', {}, { body: items });
    await call('PUT /sync/update-connection-frequency', {}, { body: frequency });
    await call('PUT /sync/update-connection-frequency', {}, { body: { ...frequency, frequency: 'every 1s' } });
    await call('POST /sync/{name}/variant/{variant}', variant, { body: sync });
    await call('POST /sync/{name}/variant/{variant}', variant, { body: sync });
    await call('DELETE /sync/{name}/variant/{variant}', variant, { body: sync });
    await call('DELETE /sync/{name}/variant/{variant}', variant, { body: sync });
    const page = (await read()).body as { records: Array<{ _nango_metadata: { cursor: string } }> };
    const body = { model: 'Item', until_cursor: page.records[0]?._nango_metadata.cursor };
    await call('PATCH /records/prune', {}, { headers: named, body });
    await read();
    await call('GET /records', {}, { headers: named, query: `${query}&cursor=x` });
    await call('GET /records/views');
    await call('PUT /records/queries/{name}', { name: 'One' }, { body: { sql: 'SELECT 1 AS one' } });
    await call('GET /records/queries');
    await call('POST /records/query', {}, { body: { sql: 'SELECT 1 AS one', format: 'json' } });
    await call('POST /records/query', {}, { body: { sql: 'SELECT nothing' } });
    const sent = { headers: named, query: '?model=Seed' };
    await call('POST /records/import', {}, { ...sent, body: [{ id: 'a' }] });
    await call('POST /records/import', {}, { ...sent, body: [{}] });
  });

  it('of record destinations', async () => {
    // Nothing listens there.
    const body = { name: 'Receiver', kind: 'http', url: 'http://127.0.0.1:9/records' };
    await call('POST /records/destinations/test', {}, { body });
    const { id: destinationId } = data(await call('POST /records/destinations', {}, { body })) as { id: string };
    await call('POST /records/destinations', {}, { body });
    await call('POST /records/destinations', {}, { body: { ...body, kind: 'postgres' } });
    await call('GET /records/destinations');
    const one = { destinationId };
    for (const act of ['pause', 'resume', 'retry', 'test'])
      await call(`POST /records/destinations/{destinationId}/${act}`, one);
    await call('POST /records/destinations/{destinationId}/replay', one, { body: {} });
    await call('GET /records/destinations/{destinationId}', one);
    await call('GET /records/destinations/{destinationId}', { destinationId: crypto.randomUUID() });
    await call('PATCH /records/destinations/{destinationId}', one, { body: { models: ['Item'] } });
    await call('DELETE /records/destinations/{destinationId}', one);
    await call('DELETE /records/destinations/{destinationId}', one);
  });

  it('of functions', async () => {
    const at = { uniqueKey: 'practice', name: 'echo' };

    await call('GET /integrations/{uniqueKey}/functions', at);
    await call('GET /integrations/{uniqueKey}/functions/{name}', at);
    await call('GET /integrations/{uniqueKey}/functions/{name}/code', at);
    await call('DELETE /integrations/{uniqueKey}/functions/{name}', at, { query: '?type=action' });
    const push = { flowConfigs: [pushedAction('pushed')], reconcile: false, debug: false, source: 'standalone' };
    await call('POST /sync/deploy/confirmation', {}, { body: push });
    await call('POST /sync/deploy', {}, { body: { ...push, nangoYamlBody: '' } });
    await call('POST /sync/deploy', {}, { body: { ...push, flowConfigs: [pushedAction('echo')], nangoYamlBody: '' } });
    await call(
      'DELETE /integrations/{uniqueKey}/functions/{name}',
      { ...at, name: 'pushed' },
      { query: '?type=action' },
    );
    await call('GET /scripts/config');
    await call('GET /scripts/config', {}, { query: '?format=openai' });
  });

  it('of code that is sent', async () => {
    const code = actionSource('return 1;');
    const subject = { integration_id: 'practice', function_type: 'action', code };
    const idOf = ({ body }: { body: unknown }) => ({ id: (body as { id: string }).id });
    const nobody = { id: '11111111-1111-4111-8111-111111111111' };

    await call('POST /functions/compile', {}, { body: { code } });
    await call('POST /functions/compile', {}, { body: { code: 'x' } });
    const run = await call('POST /functions/dryruns', {}, { body: { ...subject, connection_id: 'me' } });
    await call('GET /functions/dryruns/{id}', idOf(run));
    await call('GET /functions/dryruns/{id}', nobody);
    const sent = { ...subject, type: 'function', function_name: 'sent' };
    const deployed = idOf(await call('POST /functions/deployments', {}, { body: sent }));
    // One deploy at a time: the bundle below would be refused.
    await waitFor(
      async () => {
        const { body } = await call('GET /functions/deployments/{id}', deployed);
        return (body as { status: string }).status === 'success';
      },
      { what: 'the end of the deploy' },
    );
    await call('GET /functions/deployments/{id}', nobody);
    const template = { type: 'template', integration_id: 'practice', template: 'none' };
    await call('POST /functions/deployments', {}, { body: template });
    const bundle = { reconciliationScope: { kind: 'environment' }, functions: [] };
    await call('POST /functions/deployments/bundle/preview', {}, { body: bundle });
    await call('POST /functions/deployments/bundle', {}, { body: bundle });
    const invocation = { integration_id: 'practice', connection_id: 'me', name: 'echo', invocation_type: 'wait' };
    await call('POST /functions/invocations', {}, { body: { ...invocation, input: 1 } });
    const later = { ...invocation, input: 1, invocation_type: 'no_wait' };
    const invoked = idOf(await call('POST /functions/invocations', {}, { body: later }));
    await waitFor(async () => (await call('GET /functions/invocations/{id}', invoked)).status === 200, {
      what: 'the invoked action',
    });
    await call('GET /functions/invocations/{id}', nobody);
    await call('POST /functions/invocations', {}, { body: { ...invocation, name: 'none' } });
  });

  it('of the environment', async () => {
    const variables = [{ name: 'A', value: 'b' }];
    await call('PATCH /environment/settings', {}, { body: { variables, retention: { logs_days: 5 } } });
    await call('GET /environment/settings');
    await call('GET /environment-variables');
    await call('POST /environment/webhook-signing-key/rotate');
    await call('POST /environment/webhook-signing-key/rotate');
    const destinations = [
      { url: 'http://127.0.0.1:9/hook', name: 'Billing', types: ['sync'], integrations: ['practice'] },
    ];
    await call('PUT /environment/webhook-destinations', {}, { body: { destinations } });
    await call('GET /environment/webhook-destinations');
    await call('PUT /environment/webhook-destinations', {}, { body: { destinations: [{ url: 'no address' }] } });
    const unknown = { id: '00000000-0000-4000-8000-000000000000', url: 'http://127.0.0.1:9/hook' };
    await call('PUT /environment/webhook-destinations', {}, { body: { destinations: [unknown] } });
    await call('PUT /environment/webhook-destinations', {}, { body: { destinations: [] } });
    await call('PUT /environment/mcp-policies', {}, { body: { tool: 'echo', policy: 'ask' } });
    await call('PUT /environment/mcp-policies', {}, { body: { tool: 'nosuch', policy: 'ask' } });
    await call('GET /environment/mcp-policies');
    await call('PUT /environment/limits', {}, { body: { kind: 'sessions', limits: { writes: 500, hosts: null } } });
    await call('PUT /environment/limits', {}, { body: { kind: 'key', id: '0', limits: null } });
    await call('GET /environment/limits');
    await call('POST /environments', {}, { body: { name: 'stage' } });
    await call('POST /environments', {}, { body: { name: 'stage' } });
    await call('GET /environments');
    const { id } = data(await call('POST /environments', {}, { body: { name: 'mistyped' } }));
    await call('DELETE /environments/{id}', { id: String(id) });
    await call('DELETE /environments/{id}', { id: String(id) });
    await call('DELETE /environments/{id}', { id: '1' });
    await call('GET /environment/api-keys');
    const made = data(await call('POST /environment/api-keys', {}, { body: { display_name: 'k' } }));
    await call('DELETE /environment/api-keys', {}, { body: { key_id: made['id'] } });
    await call('DELETE /environment/api-keys', {}, { body: { key_id: made['id'] } });
    const of = { environment: '1' };
    const other = data(await call('POST /environments/{environment}/api-keys', of, { body: { display_name: 'of' } }));
    await call('GET /environments/{environment}/api-keys', of);
    const its = { ...of, key: String(other['uuid']) };
    await call('GET /environments/{environment}/api-keys/{key}', its);
    await call('DELETE /environments/{environment}/api-keys/{key}', its);
    await call('DELETE /environments/{environment}/api-keys/{key}', its);
    const asked = data(await call('POST /pairings', {}, { body: { name: 'App' } }));
    await call('POST /pairings', {}, { body: { name: 'App', environment: 'nowhere' } });
    await call('POST /pairings/{id}', { id: String(asked['id']) }, { body: { code: asked['code'] } });
    await call('POST /pairings/{id}', { id: String(asked['id']) }, { body: { code: 'BBBB-BBBB' } });
  });

  it('of webhooks of providers', async () => {
    const integration = { provider: 'unauthenticated', unique_key: 'sender' };
    await call('POST /integrations', {}, { body: integration });
    const response = await call(
      'GET /integrations/{uniqueKey}',
      { uniqueKey: 'sender' },
      { query: '?include=webhook' },
    );
    const [environmentUuid = ''] = String(data(response)['webhook_url']).split('/').slice(-2);
    const route = 'POST /webhook/{environmentUuid}/{providerConfigKey}';
    const at = { environmentUuid, providerConfigKey: 'sender' };

    expect((await call(route, at, { body: { type: 'x' } })).status).toBe(200);
    expect((await call(route, at, { headers: { authorization: undefined } })).status).toBe(204);
    expect((await call(route, { ...at, providerConfigKey: 'nobody' }, { body: {} })).status).toBe(404);
    expect((await call(route, { ...at, environmentUuid: crypto.randomUUID() }, { body: {} })).status).toBe(404);
    expect((await call(route, { environmentUuid: 'X' }, { body: {} })).status).toBe(400);
  });

  it('of refusals by the pipeline, on every route', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const { method, path } of checker.operations()) {
      const route = `${method} ${path}`;
      expect(codeOf((await call(route, {}, { headers: { host: 'evil.example' } })).body)).toBe('misdirected_request');
      await call(route, {}, { headers: { authorization: undefined, host: '127.0.0.1' } });
      // The proxy, MCP and imports read bodies themselves; for a webhook and a session the address is checked first.
      if (!/^\/(proxy|webhook|session|mcp|agents\/mcp|records\/import)(\/|$)/.test(path))
        expect([route, codeOf((await call(route, {}, { body: '{', headers })).body)]).toEqual([route, 'invalid_json']);
    }
  });

  // They cover a success of every route that has one.
  afterWholeFile(() => {
    const missing = checker.operations().filter(({ method, path, operation }) => {
      const statuses = [...(met.get(`${method} ${path}`) ?? [])];
      const hasSuccess = Object.keys(operation.responses).some((status) => status.startsWith('2'));
      return hasSuccess && !statuses.some((status) => status < 300);
    });

    const others = ['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} /v1/{path}`);
    // The keys of a role are verified at AWS itself.
    const untried = 'POST /auth/aws-sigv4/{providerConfigKey}';
    const expected = [...others, untried].sort();
    expect(missing.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(expected);
  });
});
