/**
 * One call of each public route, by its key in `ROUTE_DESCRIPTIONS`: the document shows it as a line for `curl`. They
 * use the practice provider, its functions, and a connection `me` of it. `$NAME` is a variable of the shell.
 */
export interface RouteExample {
  /** With the query; default: the path of the route. */
  path?: string;
  headers?: Readonly<Record<string, string>>;
  /** JSON. A text `$NAME as number` stands for the value of a variable without quotes. */
  body?: unknown;
}

const CONNECTION = { provider_config_key: 'practice', connection_id: 'me' };
const CONNECTION_HEADERS = { 'Provider-Config-Key': 'practice', 'Connection-Id': 'me' };
const SYNC = { ...CONNECTION, syncs: ['fetch-issues'] };
const VARIANT = { path: '/sync/fetch-issues/variant/second', body: CONNECTION };
const SESSION = { authorization: 'Bearer $CONNECT_SESSION_TOKEN' };
const APP = { type: 'OAUTH2', client_id: 'my-client', client_secret: 'my-secret', scopes: 'repo' };
const KEY = { type: 'API_KEY', apiKey: 'practice-demo-key' };
const CODE = `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Says hello',
  version: '1.0.0',
  input: z.any(),
  output: z.string(),
  exec: async () => 'hello',
});
`;
const SENT = { integration_id: 'practice', function_type: 'action', code: CODE };
const BUNDLE = {
  reconciliationScope: { kind: 'integration', integrationId: 'own-none' },
  functions: [{ integrationId: 'own-none', name: 'hello', type: 'action', code: CODE }],
};
const FLOW = {
  type: 'action',
  syncName: 'bye',
  providerConfigKey: 'practice',
  models: ['ActionOutput_practice_bye'],
  runs: null,
  track_deletes: false,
  auto_start: false,
  attributes: {},
  metadata: { description: 'Says bye', scopes: [] },
  endpoints: [],
  features: [],
  fileBody: { js: "exports.default = { type: 'action', exec: async () => 'bye' };", ts: '// bye' },
  models_json_schema: { definitions: { ActionOutput_practice_bye: { type: 'string' } } },
};
const PUSH = { flowConfigs: [FLOW], reconcile: false, debug: false, source: 'standalone' };

/** What an end user enters, of a connect session. */
function submitted(path: string, body: unknown, query = ''): RouteExample {
  return { path: `${path}?connect_session_token=$CONNECT_SESSION_TOKEN${query}`, body };
}

export const ROUTE_EXAMPLES: Readonly<Record<string, RouteExample>> = {
  'GET /providers': { path: '/providers?search=github' },
  'GET /providers/:provider': { path: '/providers/practice' },
  'GET /providers/:provider/templates': { path: '/providers/practice/templates' },

  'POST /integrations': { body: { provider: 'github', unique_key: 'github', credentials: APP } },
  'POST /integrations/quickstart': { body: { provider: 'github', unique_key: 'github' } },
  'GET /integrations/:uniqueKey': { path: '/integrations/github?include=credentials' },
  'PATCH /integrations/:uniqueKey': { path: '/integrations/github', body: { display_name: 'Our GitHub' } },
  'DELETE /integrations/:uniqueKey': { path: '/integrations/github' },
  'GET /config/:key': { path: '/config/practice' },

  'GET /connections': { path: '/connections?limit=10' },
  'POST /connections': {
    body: { provider_config_key: 'practice', connection_id: 'alice', credentials: KEY, tags: { team: 'blue' } },
  },
  'GET /connections/:connectionId': { path: '/connections/alice?provider_config_key=practice' },
  'PATCH /connections/:connectionId': {
    path: '/connections/alice?provider_config_key=practice',
    body: { tags: { team: 'red' } },
  },
  'DELETE /connections/:connectionId': { path: '/connections/alice?provider_config_key=practice' },
  'POST /connections/metadata': { body: { ...CONNECTION, metadata: { language: 'en' } } },
  'PATCH /connections/metadata': { body: { ...CONNECTION, metadata: { plan: 'pro' } } },

  'POST /connect/sessions': { body: { tags: { end_user_id: 'alice' }, allowed_integrations: ['practice'] } },
  'POST /connect/sessions/reconnect': { body: { integration_id: 'practice', connection_id: 'me' } },
  'GET /connect/session': { headers: SESSION },
  'DELETE /connect/session': { headers: SESSION },
  'POST /connect/telemetry': {
    body: { token: '$CONNECT_SESSION_TOKEN', event: 'open', timestamp: '$NOW' },
  },
  'GET /oauth/connect/:providerConfigKey': {
    path: '/oauth/connect/practice-oauth2?connect_session_token=$CONNECT_SESSION_TOKEN',
  },
  'GET /oauth/callback': { path: '/oauth/callback?state=$STATE&code=$CODE' },
  'GET /app-auth/connect': {
    path: '/app-auth/connect?installation_id=77&setup_action=install&state=$INSTALLATION_STATE',
  },
  'POST /api-auth/api-key/:providerConfigKey': submitted('/api-auth/api-key/practice', { apiKey: 'practice-demo-key' }),
  'POST /api-auth/basic/:providerConfigKey': submitted('/api-auth/basic/own-basic', {
    username: 'alice',
    password: 'secret',
  }),
  'POST /oauth2/auth/:providerConfigKey': submitted(
    '/oauth2/auth/own-cc',
    { client_id: 'id', client_secret: 'secret' },
    '&params[tenant]=acme',
  ),
  'POST /auth/unauthenticated/:providerConfigKey': submitted('/auth/unauthenticated/own-none', {}),
  'POST /auth/two-step/:providerConfigKey': submitted('/auth/two-step/own-two-step', { username: 'alice' }),
  'POST /auth/jwt/:providerConfigKey': submitted('/auth/jwt/own-jwt', { privateKey: 'id:secret' }),
  'POST /auth/tba/:providerConfigKey': submitted(
    '/auth/tba/own-tba',
    { token_id: 'id', token_secret: 'secret' },
    '&params[accountId]=acme',
  ),
  'POST /auth/bill/:providerConfigKey': submitted('/auth/bill/own-bill', {
    username: 'alice',
    password: 'secret',
    organization_id: 'acme',
    dev_key: 'key',
  }),
  'POST /auth/signature/:providerConfigKey': submitted('/auth/signature/own-signature', {
    type: 'SIGNATURE',
    username: 'alice',
    password: 'secret',
  }),
  'POST /auth/signature-based/:providerConfigKey': submitted('/auth/signature-based/own-signature', {
    type: 'SIGNATURE',
    username: 'alice',
    password: 'secret',
  }),
  'POST /auth/aws-sigv4/:providerConfigKey': submitted('/auth/aws-sigv4/own-aws', {
    role_arn: 'arn:aws:iam::123456789012:role/Reader',
  }),
  'POST /auth/oauth-outbound/:providerConfigKey': submitted('/auth/oauth-outbound/own-outbound', {}),

  'ALL /proxy/*path': { path: '/proxy/v1/echo', headers: CONNECTION_HEADERS },
  'POST /action/trigger': {
    headers: CONNECTION_HEADERS,
    body: { action_name: 'create-issue', input: { title: 'The lamp is broken' } },
  },
  'GET /action/:id': { path: '/action/$ACTION_ID' },
  'ALL /v1/*path': { path: '/v1/practice/echo', headers: CONNECTION_HEADERS },
  'POST /mcp': {
    headers: { ...CONNECTION_HEADERS, accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  },

  'POST /sync/trigger': { body: SYNC },
  'POST /sync/start': { body: SYNC },
  'POST /sync/pause': { body: SYNC },
  'GET /sync/status': { path: '/sync/status?provider_config_key=practice&connection_id=me&syncs=*' },
  'PUT /sync/update-connection-frequency': {
    body: { ...CONNECTION, sync_name: 'fetch-issues', frequency: 'every 30 minutes' },
  },
  'POST /sync/:name/variant/:variant': VARIANT,
  'DELETE /sync/:name/variant/:variant': VARIANT,
  'GET /records': { path: '/records?model=Issue&limit=10', headers: CONNECTION_HEADERS },
  'PATCH /records/prune': { headers: CONNECTION_HEADERS, body: { model: 'Issue', until_cursor: '$CURSOR' } },

  'GET /integrations/:uniqueKey/functions': { path: '/integrations/practice/functions' },
  'GET /integrations/:uniqueKey/functions/:name': { path: '/integrations/practice/functions/create-issue' },
  'GET /integrations/:uniqueKey/functions/:name/code': { path: '/integrations/practice/functions/create-issue/code' },
  'DELETE /integrations/:uniqueKey/functions/:name': {
    path: '/integrations/practice/functions/$SENT_FUNCTION?type=action',
  },
  'POST /sync/deploy/confirmation': { body: PUSH },
  'POST /sync/deploy': { body: { ...PUSH, nangoYamlBody: '' } },
  'POST /functions/compile': { body: { code: CODE } },
  'POST /functions/dryruns': { body: { ...SENT, connection_id: 'me' } },
  'GET /functions/dryruns/:id': { path: '/functions/dryruns/$DRY_RUN_ID' },
  'POST /functions/deployments': { body: { type: 'function', function_name: 'hello', ...SENT } },
  'GET /functions/deployments/:id': { path: '/functions/deployments/$DEPLOYMENT_ID' },
  'POST /functions/deployments/bundle/preview': { body: BUNDLE },
  'POST /functions/deployments/bundle': { body: BUNDLE },
  'POST /functions/invocations': {
    body: {
      integration_id: 'practice',
      connection_id: 'me',
      name: 'create-issue',
      invocation_type: 'wait',
      input: { title: 'The lamp is broken' },
    },
  },

  'POST /webhook/:environmentUuid/:providerConfigKey': { path: '/webhook/dev/own-none', body: { type: 'hello' } },

  'PATCH /environment/settings': { body: { webhook: { primary_url: 'http://localhost:8080/webhooks' } } },
  'PUT /environment/mcp-policies': { body: { tool: 'create-issue', policy: 'ask' } },
  'POST /environments': { body: { name: 'staging' } },
  'DELETE /environments/:id': { path: '/environments/$ENVIRONMENT_ID' },
  'POST /environment/api-keys': { body: { display_name: 'my-app' } },
  'DELETE /environment/api-keys': { body: { key_id: '$KEY_ID as number' } },

  'POST /cli/telemetry': { body: {} },

  'GET /connection': { path: '/connection' },
  'POST /connection': { body: { provider_config_key: 'practice', connection_id: 'bob', api_key: 'practice-demo-key' } },
  'GET /connection/:connectionId': { path: '/connection/bob?provider_config_key=practice' },
  'DELETE /connection/:connectionId': { path: '/connection/bob?provider_config_key=practice' },
  'POST /connection/metadata': { body: { ...CONNECTION, metadata: { language: 'en' } } },
  'PATCH /connection/metadata': { body: { ...CONNECTION, metadata: { plan: 'pro' } } },
  'POST /connection/:connectionId/metadata': {
    path: '/connection/me/metadata?provider_config_key=practice',
    body: { language: 'en' },
  },
  'PATCH /connection/:connectionId/metadata': {
    path: '/connection/me/metadata?provider_config_key=practice',
    body: { plan: 'pro' },
  },
};
