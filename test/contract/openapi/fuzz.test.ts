// @module-tag slow
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { INTEGRATION_PARTS } from '../authorization/authorization-providers.ts';
import type { ApiResponse } from '../http/api-caller.ts';
import { codeOf, DocumentChecker } from './document-checker.ts';
import { type FuzzRequest, requestsFor, SECRET_KEY, SESSION_TOKEN } from './request-arbitrary.ts';
import type { Words } from './schema-arbitrary.ts';
import { type SeededHub, startSeededHub } from './seeded-hub.ts';

const SEED = 20_261_120;
/** For each route; `HOMEPORT_FUZZ_REQUESTS=50` for the long run. */
const REQUESTS = Number(process.env['HOMEPORT_FUZZ_REQUESTS'] ?? 8);
/** Milliseconds for the whole run, which takes longer than other contract tests. */
const LIMIT_MS = 300_000;
/** Requests sent at once; between these groups, objects that a request may have deleted are restored. */
const GROUP = 10;

const mostly = (usual: string, ...others: string[]): string[] => [...Array<string>(8).fill(usual), ...others];
const INTEGRATIONS = mostly('practice', 'second', 'second', 'a b', 'nobody');
const CONNECTIONS = mostly('me', 'two', 'we/ird "id"', 'nobody');
const FUNCTIONS = ['echo', 'refuse', 'items', 'nobody'];
/** Placeholder for the integration of a route. */
const FITTING = 'fitting';
const SIGN_INS = [...mostly(FITTING), ...mostly(FITTING), ...Object.keys(INTEGRATION_PARTS), 'practice', 'nobody'];
const FITTING_KEYS: Record<string, string> = {
  '/api-auth/api-key': 'own-key',
  '/api-auth/basic': 'own-basic',
  '/oauth2/auth': 'own-cc',
  '/auth/unauthenticated': 'own-none',
  '/auth/signature-based': 'own-signature',
  '/auth/aws-sigv4': 'own-aws',
  '/auth/oauth-outbound': 'own-outbound',
  '/oauth/connect': 'own-oauth2',
  '/oauth/device': 'own-device',
};
const FLAGS = ['true', 'false', '1', 'OFF', 'perhaps'];
const ADDRESSES = ['', 'http://127.0.0.1:9/hook', 'ftp://127.0.0.1', 'no address', 5, null];

const WORDS: Words = {
  known: {
    uniqueKey: INTEGRATIONS,
    key: INTEGRATIONS,
    unique_key: INTEGRATIONS,
    integration_id: INTEGRATIONS,
    integrationId: INTEGRATIONS,
    provider_config_key: INTEGRATIONS,
    'provider-config-key': INTEGRATIONS,
    connectionId: CONNECTIONS,
    connection_id: CONNECTIONS,
    'connection-id': CONNECTIONS,
    force_refresh: FLAGS,
    refresh_token: FLAGS,
    refresh_github_app_jwt_token: FLAGS,
    'x-async': FLAGS,
    'x-max-retries': ['0', '2', '9'],
    'retry-on': ['404', '404,500', 'x'],
    name: [...FUNCTIONS, 'prod', 'stage'],
    variant: ['base', 'second'],
    action_name: FUNCTIONS,
    sync_name: FUNCTIONS,
    syncs: [['items'], ['items::second'], [{ name: 'items', variant: 'base' }], [], '*', 'items'],
    frequency: ['every hour', 'every 1s', 'every 99999999999999 days', null],
    model: ['Item'],
    credentials: [
      { type: 'API_KEY', apiKey: 'practice-key' },
      { type: 'NONE' },
      ...[8.64e15, -8.64e15, 1e300, '+275760-09-13T00:00:00Z', '0000-01-01', null, {}].map((expires_at) => ({
        type: 'OAUTH2',
        access_token: 'a',
        expires_at,
      })),
      { type: 'OAUTH2', access_token: 'a', expires_in: 100_000_000_000, raw: { a: [null] } },
    ],
    expires_at: [8.64e15, 1e300, '+275760-09-13T00:00:00Z', '0000-01-01', '1700000000'],
    modified_after: ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999+23:59', '2024-02-29T24:00:00Z'],
    cursor: [
      'MQ==',
      'fHw=',
      btoa('9999-99-99||x'),
      btoa('2026-01-01T00:00:00.000000Z||5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e'),
    ],
    until_cursor: [btoa('2026-01-01T00:00:00.000000Z||5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e')],
    page: ['0', '9007199254740991', '9007199254740993', '1e15', '-0'],
    limit: ['1', '2000', '10000', '1e3', 1, 10_000],
    environment_id: [1, 0, -1, Number.MAX_SAFE_INTEGER, 1.5],
    api_key: ['practice-key'],
    scopes: [['environment:*'], ['environment:records:read']],
    path: ['practice/echo', 'v1/me', 'v1/echo', 'v1/issues', 'v1/nothing'],
    token: [SESSION_TOKEN],
    connect_session_token: mostly(SESSION_TOKEN, '', 'x', `nango_connect_session_${'0'.repeat(64)}`),
    providerConfigKey: SIGN_INS,
    params: [{ tenant: 'acme', accountId: 'a', account: 'b', external_id: 'x' }, { webhook_url: 'x' }, {}],
    authorization_params: [{ state: 'x', prompt: 'undefined' }],
    client_id: ['client'],
    client_secret: ['secret', ''],
    client_private_key: ['', '{"kty":"RSA"}', 'PEM'],
    role_arn: ['arn:aws:iam::123456789012:role/R', 'x'],
    region: ['eu-west-1'],
    state: ['x', '00000000-0000-4000-8000-000000000000'],
    timestamp: [new Date().toISOString()],
    expires_in: ['3600', 3600, 1e15, -1],
  },
  only: {
    // Would call a real provider to verify keys.
    provider: ['practice', 'github', 'unknown', '', 5],
    // The first would make every later request fail, the second could revoke the test's own key.
    rate_limit_per_minute: [null, 1_000_000, 0, 'many'],
    key_id: [90_000, 3, -1, 'x', 1e300],
    // Avoids waits between retries.
    retries: mostly('0', '-1', 'x', '0.5'),
    'base-url-override': mostly('', 'http://127.0.0.1:9', 'http://127.0.0.1:9/%', 'file:///etc', 'http://', 'x'),
    webhook_url_override: ADDRESSES,
    webhook_url: ADDRESSES,
    primary_url: ADDRESSES,
    secondary_url: ADDRESSES,
    url: ADDRESSES,
  },
};

let hub: SeededHub;
let checker: DocumentChecker;

beforeAll(async () => {
  hub = await startSeededHub();
  checker = new DocumentChecker(hub.document);
});
afterAll(() => hub?.signIn.stop());

describe('the public API', () => {
  it(`answers ${REQUESTS} requests to each route as documented and never fails unexpectedly (seed ${SEED})`, {
    timeout: LIMIT_MS,
  }, async () => {
    const ofRoutes = checker
      .operations()
      .map((described) => fc.sample(requestsFor(described, WORDS), { numRuns: REQUESTS, seed: SEED }));
    // In rounds over all routes, so that one group mixes routes.
    const requests = Array.from({ length: REQUESTS }, (_, round) =>
      ofRoutes.flatMap((ofRoute) => ofRoute[round] ?? []),
    ).flat();

    const problems: string[] = [];
    const statuses = new Map<string, number>();
    for (let at = 0; at < requests.length; at += GROUP) {
      await putBack();
      const token = await openSession();
      const responses = await Promise.all(requests.slice(at, at + GROUP).map((request) => send(request, token)));
      for (const { request, response } of responses) {
        const problem = problemOf(request, response);
        if (problem !== undefined) problems.push(problem);
        const group = `${Math.floor(response.status / 100)}xx`;
        statuses.set(group, (statuses.get(group) ?? 0) + 1);
      }
    }

    expect(problems).toEqual([]);
    // Shows that the requests reach their handlers.
    expect(statuses.get('2xx')).toBeGreaterThan(requests.length / 5);
    expect(statuses.get('4xx')).toBeGreaterThan(requests.length / 5);
  });
});

function routeOf({ route, described }: FuzzRequest, session: string): string {
  const path = described.path.replace('/{providerConfigKey}', '');
  const key = FITTING_KEYS[path] ?? path.replace('/auth/', 'own-');
  return route.replace(FITTING, key).replace(encodeURIComponent(SESSION_TOKEN), session);
}

async function send(request: FuzzRequest, session: string): Promise<{ request: FuzzRequest; response: ApiResponse }> {
  const fill = (text: string) => text.replace(SECRET_KEY, hub.server.secretKey).replace(SESSION_TOKEN, session);
  const { authorization, ...headers } = request.headers;
  const body = request.body === undefined ? {} : { body: fill(request.body) };
  const token = authorization === undefined ? undefined : fill(authorization);
  return {
    request,
    response: await hub.api.send(routeOf(request, session), {
      headers: { ...headers, authorization: token },
      ...body,
    }),
  };
}

function problemOf(request: FuzzRequest, response: ApiResponse): string | undefined {
  const unexpected = codeOf(response.body) === 'generic_error_support' ? 'failed unexpectedly' : undefined;
  const problem = unexpected ?? checker.problemOf(request.described, response);
  if (problem === undefined) return undefined;
  const { operationId } = request.described.operation;
  const { route, headers, body } = request;
  const sent = JSON.stringify({ route, headers, body }).slice(0, 1500);
  return `${operationId}: ${problem}\n  ${sent}\n  ${response.bytes.toString().slice(0, 300)}`;
}

async function openSession(): Promise<string> {
  const { body } = await hub.api.send('POST /connect/sessions', { body: { end_user: { id: 'u' } } });
  return (body as { data: { token: string } }).data.token;
}

async function putBack(): Promise<void> {
  const { status } = await hub.api.send('GET /connections/me?provider_config_key=practice');
  if (status === 200) return;
  const credentials = { type: 'OAUTH2', client_id: 'id', client_secret: 'secret' };
  await hub.api.send('POST /integrations', { body: { provider: 'practice', unique_key: 'practice' } });
  await hub.api.send('POST /integrations', { body: { provider: 'github', unique_key: 'second', credentials } });
  const imported = await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'me' });
  expect(imported).toMatchObject({ status: 201 });
}
