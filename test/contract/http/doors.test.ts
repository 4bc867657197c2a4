import { request as sendHttp } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller, type ApiResponse, type Call } from './api-caller.ts';

type Paths = Record<string, readonly string[]>;

/** Every door beside the API of the dashboard, by who may use it. A door that is missing here fails the first test. */
const DOORS = {
  /** A key with the scope; a key with limits only for its own connections. */
  key: {
    get: [
      '/records/destinations',
      '/records/destinations/:destinationId',
      '/mcp/manage',
      '/connections/:connectionId',
      '/records',
      '/sync/status',
      '/scripts/config',
      '/environment-variables',
      '/environment/limits',
      '/environment/settings',
      '/environment/mcp-policies',
      '/environments',
      '/environment/api-keys',
      '/environment/webhook-destinations',
      '/integrations/:uniqueKey',
      '/config/:key',
      '/integrations/:uniqueKey/functions',
      '/integrations/:uniqueKey/functions/:name',
      '/integrations/:uniqueKey/functions/:name/code',
      '/functions/dryruns/:id',
      '/functions/deployments/:id',
      '/environments/:environment/api-keys',
      '/environments/:environment/api-keys/:key',
      '/connection/:connectionId',
    ],
    all: ['/^\\/proxy(?:\\/|$)/i', '/v1/*path'],
    post: [
      '/records/import',
      '/records/destinations',
      '/records/destinations/test',
      '/records/destinations/:destinationId/test',
      '/records/destinations/:destinationId/pause',
      '/records/destinations/:destinationId/resume',
      '/records/destinations/:destinationId/retry',
      '/records/destinations/:destinationId/replay',
      '/mcp/manage',
      '/action/trigger',
      '/mcp',
      '/integrations',
      '/integrations/quickstart',
      '/connections',
      '/connections/metadata',
      '/connect/sessions',
      '/connect/sessions/reconnect',
      '/sync/trigger',
      '/sync/start',
      '/sync/pause',
      '/sync/deploy/confirmation',
      '/sync/deploy',
      '/functions/dryruns',
      '/functions/deployments',
      '/functions/deployments/bundle',
      '/functions/deployments/bundle/preview',
      '/functions/invocations',
      '/environment/webhook-signing-key/rotate',
      '/environments',
      '/environment/api-keys',
      '/connection',
      '/connection/metadata',
      '/sync/:name/variant/:variant',
      '/environments/:environment/api-keys',
      '/connection/:connectionId/metadata',
    ],
    patch: [
      '/records/destinations/:destinationId',
      '/connections/metadata',
      '/records/prune',
      '/environment/settings',
      '/connection/metadata',
      '/integrations/:uniqueKey',
      '/connections/:connectionId',
      '/connection/:connectionId/metadata',
    ],
    put: [
      '/records/queries/:name',
      '/environment/limits',
      '/sync/update-connection-frequency',
      '/environment/mcp-policies',
      '/environment/webhook-destinations',
    ],
    delete: [
      '/records/destinations/:destinationId',
      '/mcp/manage',
      '/environment/api-keys',
      '/integrations/:uniqueKey',
      '/connections/:connectionId',
      '/sync/:name/variant/:variant',
      '/integrations/:uniqueKey/functions/:name',
      '/environments/:id',
      '/environments/:environment/api-keys/:key',
      '/connection/:connectionId',
    ],
  },
  /** A key with the scope, also a limited one: the response has no data of a connection, or only of its own. */
  limitedKeyToo: {
    get: [
      '/action/:id',
      '/mcp',
      '/connections',
      '/connection',
      '/records/queries',
      '/records/views',
      '/providers/:provider/templates',
      '/functions/invocations/:id',
      '/sessions',
      '/sessions/:sessionId',
      '/sessions/:sessionId/calls',
    ],
    post: ['/functions/compile', '/records/query', '/sessions', '/sessions/:sessionId/calls/:callId/undo'],
    delete: ['/mcp', '/sessions/:sessionId'],
  },
  /** A key or the token of a connect session. */
  keyOrSession: {
    get: ['/providers', '/integrations', '/providers/:provider'],
  },
  /** The token of a connect session. */
  session: {
    get: ['/connect/session'],
    delete: ['/connect/session'],
  },
  /** The token of an agent session. */
  agentSession: {
    get: ['/session/:sessionId/mcp'],
    post: ['/session/:sessionId/mcp'],
    delete: ['/session/:sessionId/mcp'],
  },
  /** The access token of a program for which a person signed in. */
  signedInAgent: {
    get: ['/agents/mcp'],
    post: ['/agents/mcp'],
    delete: ['/agents/mcp'],
  },
  /** An end user, whose session the call names itself. */
  endUser: {
    get: ['/oauth/connect/:providerConfigKey', '/oauth/device/:providerConfigKey'],
    delete: ['/oauth/device/:providerConfigKey'],
    post: [
      '/connect/telemetry',
      '/oauth/device/:providerConfigKey',
      '/api-auth/api-key/:providerConfigKey',
      '/api-auth/basic/:providerConfigKey',
      '/oauth2/auth/:providerConfigKey',
      '/auth/unauthenticated/:providerConfigKey',
      '/auth/two-step/:providerConfigKey',
      '/auth/jwt/:providerConfigKey',
      '/auth/tba/:providerConfigKey',
      '/auth/bill/:providerConfigKey',
      '/auth/signature/:providerConfigKey',
      '/auth/signature-based/:providerConfigKey',
      '/auth/aws-sigv4/:providerConfigKey',
      '/auth/oauth-outbound/:providerConfigKey',
    ],
  },
  /** Everybody: documents, reports, and calls whose sender is checked by what they contain. */
  open: {
    get: [
      '/approvals/allow/:token',
      '/approvals/deny/:token',
      '/providers.json',
      '/oauth/callback',
      '/oauth/clients/:environmentUuid',
      '/app-auth/connect',
      '/health',
      '/ready',
      '/openapi.json',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/agents/mcp',
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/agents/mcp',
      '/agents/authorize',
      '/webhook/:environmentUuid/:providerConfigKey',
    ],
    post: [
      '/approvals/allow/:token',
      '/approvals/deny/:token',
      '/pairings',
      '/cli/telemetry',
      '/webhook/:environmentUuid/:providerConfigKey',
      '/pairings/:id',
      '/agents/register',
      '/agents/token',
      '/agents/revoke',
    ],
  },
} satisfies Record<string, Paths>;

/** Below this path only the windows of this computer are let in, but for the sign-in and the commands of the same user. */
const DASHBOARD = '/api/v1/';
const SIGN_IN = 'post /api/v1/session';
const CONTROL = 'post /api/v1/login-links';

/** What Express asks before and after the routes, with an address for each page. */
const BEFORE = ['use (handler)'];
const AFTER: Array<[door: string, address?: string]> = [
  ['use (handler)', '/oauth/connect'],
  // Begins to load the routes of the dashboard.
  ['use (handler)'],
  ['use redirectToDashboard', '/'],
  ['get /^\\/images\\/template-logos\\/([a-zA-Z0-9_-]+)\\.svg$/', '/images/template-logos/practice.svg'],
  ['use (handler)', '/app/nowhere.js'],
  ['use serveStatic', '/app/assets/nowhere.js'],
  ['get /^\\/app(\\/(?!assets\\/).*)?$/', '/app/'],
  ['use serveStatic', '/connect/assets/nowhere.js'],
  ['get /connect', '/connect'],
  ['get /connect/', '/connect/'],
  ['get /docs', '/docs'],
  ['get /docs/', '/docs/'],
  ['get /docs/*path', '/docs/settings.md'],
  ['get /llms.txt', '/llms.txt'],
  ['get /llms-full.txt', '/llms-full.txt'],
  ['use (handler)', '/nowhere'],
  ['use (handler)'],
];

/** First path segments that pages of other origins may not call. */
const CLOSED =
  /^\/(|\.well-known|agents|api|app|app-auth|approvals|cli|docs|health|images|llms\.txt|llms-full\.txt|mcp|nowhere|openapi\.json|pairings|providers\.json|ready|session|webhook)(\/|$)/;

const UNKNOWN_KEY = '11111111-2222-4333-8444-555555555555';
const METHODS = ['use', 'all', 'get', 'post', 'put', 'patch', 'delete'] as const;
type Recorded = Record<(typeof METHODS)[number], (this: object, ...given: unknown[]) => unknown>;

interface Layer {
  name: string;
  route?: { path: unknown; methods: Record<string, boolean> };
}

/** What each app and router of this process was given, in its order. */
const given = new Map<object, string[]>();
const recorded = [express.application, express.Router.prototype] as unknown as Recorded[];
const originals = recorded.map((one) => ({ ...one }));
let server: InProcessServer;
let api: ApiCaller;
let unrelated: ApiCaller;
let limited: ApiCaller;

beforeAll(async () => {
  for (const [index, one] of recorded.entries())
    for (const name of METHODS)
      one[name] = function (this: object, ...parts: unknown[]) {
        // With one argument `get` reads a setting.
        if (name === 'use' || parts.length > 1)
          given.set(this, [...(given.get(this) ?? []), ...doorsOf(name, parts[0])]);
        return originals[index]?.[name].apply(this, parts);
      };
  server = await startInProcess();
  api = new ApiCaller(server);
  // An address that is switched off refuses every key.
  await api.send('PATCH /environment/settings', { body: { agents_may_build: true } });
  const page = await DashboardClient.signIn({ url: server.url, signIn: server });
  const keyWith = async (body: { scopes: string[]; allowed: null | Array<{ integrationKey: string }> }) => {
    const more = { name: body.scopes.join(), icon: null, colour: null };
    const { secret } = await page.call('POST /api/v1/keys', { query: { env: 'dev' }, body: { ...body, ...more } });
    return new ApiCaller({ url: server.url, secretKey: secret });
  };
  unrelated = await keyWith({ scopes: ['environment:logs:read'], allowed: null });
  limited = await keyWith({ scopes: ['environment:*'], allowed: [{ integrationKey: 'none' }] });
});
afterAll(async () => {
  for (const [index, one] of recorded.entries()) Object.assign(one, originals[index]);
  await server?.stop();
});

function doorsOf(method: string, first: unknown): string[] {
  if (typeof first !== 'function') return [`${method} ${String(first)}`];
  const { name, stack } = first as { name: string; stack?: Layer[] };
  if (!stack) return [`use ${name || '(handler)'}`];
  return stack.map(({ name: own, route }) =>
    route
      ? `${Object.keys(route.methods).join()} ${String(route.path)}`
      : `use ${own.replace('<anonymous>', '(handler)')}`,
  );
}

const listWith = (door: string): string[] => [...given.values()].find((doors) => doors.includes(door)) ?? [];

/** Doors of the hub's own app, with those of the dashboard in the place where it loads them. The practice provider has another app. */
function doorsOfHub(): string[] {
  const own = listWith('get /health');
  return own.toSpliced(-AFTER.length - 1, 1, ...listWith(SIGN_IN));
}

const namesOf = (kind: keyof typeof DOORS): string[] =>
  Object.entries(DOORS[kind] as Paths).flatMap(([method, paths]) => paths.map((path) => `${method} ${path}`));
const dashboardDoors = (): string[] =>
  doorsOfHub().filter((door) => door.includes(` ${DASHBOARD}`) && door !== SIGN_IN && door !== CONTROL);

/** A call through the door, with names of objects that do not exist. */
function callOf(door: string): string {
  const [method = '', path = ''] = door.split(' ');
  const filled = path.startsWith('/^') ? '/proxy/v1/me' : path.replace(/[:*]\w+/g, '987654');
  return `${method === 'all' ? 'GET' : method.toUpperCase()} ${filled}`;
}

const codeOf = ({ body }: ApiResponse): string | undefined =>
  (body as { error?: { code?: string } } | undefined)?.error?.code;

/** Status and code for each door, in one object that shows every deviation at once. */
async function outcomes(doors: string[], caller: ApiCaller, call: Call = {}): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const door of doors) {
    const response = await caller.send(callOf(door), call);
    found[door] = `${response.status} ${codeOf(response)}`;
  }
  return found;
}

const all = (doors: string[], outcome: string): Record<string, string> =>
  Object.fromEntries(doors.map((door) => [door, outcome]));
const KEYLESS = { headers: { authorization: undefined } };
const withKey = (key: string) => ({ headers: { authorization: `Bearer ${key}` } });

describe('the doors of the hub', () => {
  it('are those of the table', () => {
    const listed = (Object.keys(DOORS) as Array<keyof typeof DOORS>).flatMap(namesOf);
    const doors = doorsOfHub();
    const routes = doors.slice(BEFORE.length, -AFTER.length);

    expect(doors.slice(0, BEFORE.length)).toEqual(BEFORE);
    expect(doors.slice(-AFTER.length)).toEqual(AFTER.map(([door]) => door));
    expect(routes.filter((door) => !door.includes(` ${DASHBOARD}`)).sort()).toEqual(listed.sort());
    expect(dashboardDoors().length).toBeGreaterThan(150);
    expect(doors).toContain(SIGN_IN);
    expect(doors).toContain(CONTROL);
  });

  it('are closed to foreign host names and tunnels', async () => {
    const doors = doorsOfHub().slice(BEFORE.length, -AFTER.length);

    expect(await outcomes(doors, api, { headers: { host: 'evil.test' } })).toEqual(
      all(doors, '421 misdirected_request'),
    );
    const tunnel = { headers: { 'x-forwarded-for': '203.0.113.9' } };
    const published = /^post \/webhook|^get \/(webhook|oauth\/callback|oauth\/clients|app-auth)/;
    const own = doors.filter((door) => !published.test(door));
    expect(await outcomes(own, api, tunnel)).toEqual(all(own, '421 misdirected_request'));
    for (const [, address] of AFTER)
      if (address) {
        expect(await api.refusal(`GET ${address}`, { headers: { host: 'evil.test' } })).toMatchObject({ status: 421 });
        expect(await api.refusal(`GET ${address}`, tunnel)).toMatchObject({ status: 421 });
      }
  });

  it('show no page of another origin more than their row says', async () => {
    const headers = { authorization: undefined, origin: 'https://evil.test' };
    const addresses = AFTER.flatMap(([, address]) => (address ? [`get ${address}`] : []));
    for (const door of [...doorsOfHub().slice(BEFORE.length, -AFTER.length), ...addresses]) {
      const call = callOf(door);
      const response = await api.send(call, { headers });
      const open = response.headers['access-control-allow-origin'];
      expect([door, open]).toEqual([door, CLOSED.test(call.split(' ')[1] ?? '') ? undefined : '*']);
      expect([door, response.headers['access-control-allow-credentials']]).toEqual([door, undefined]);
    }
    expect(await outcomes(dashboardDoors(), api, { headers })).toEqual(all(dashboardDoors(), '403 forbidden'));
    expect((await api.send('POST /api/v1/session', { headers, body: { code: server.issueLinkCode() } })).status).toBe(
      403,
    );
  });

  it('for keys want one that is known, has the scope, and is not limited to others', async () => {
    const doors = [...namesOf('key'), ...namesOf('limitedKeyToo')];
    const everyKey = /^all \/v1|^get \/providers/;
    const scoped = doors.filter((door) => !everyKey.test(door));

    expect(await outcomes(doors, api, KEYLESS)).toEqual(all(doors, '401 missing_auth_header'));
    expect(await outcomes(doors, api, withKey(UNKNOWN_KEY))).toEqual(all(doors, '401 unknown_account'));
    expect(await outcomes(doors, api, withKey('nope'))).toEqual(all(doors, '401 invalid_secret_key_format'));
    expect(await outcomes(scoped, unrelated)).toEqual(all(scoped, '403 forbidden'));
    expect(await outcomes(namesOf('key'), limited)).toEqual(all(namesOf('key'), '403 forbidden'));
    for (const [door, outcome] of Object.entries(await outcomes(namesOf('limitedKeyToo'), limited)))
      expect([door, outcome]).not.toEqual([door, '403 forbidden']);
  });

  it('for programs of a sign-in want its access token, and no page of another origin', async () => {
    const doors = namesOf('signedInAgent');

    expect(await outcomes(doors, api, KEYLESS)).toEqual(all(doors, '401 missing_auth_header'));
    expect(await outcomes(doors, api)).toEqual(all(doors, '401 session_not_found'));
    const foreign = { headers: { authorization: undefined, origin: 'https://evil.test' } };
    expect(await outcomes(doors, api, foreign)).toEqual(all(doors, '403 forbidden'));
  });

  it('for agent sessions want the token of a session that is not over, and no page of another origin', async () => {
    const doors = namesOf('agentSession');

    expect(await outcomes(doors, api, KEYLESS)).toEqual(all(doors, '401 missing_auth_header'));
    expect(await outcomes(doors, api)).toEqual(all(doors, '404 session_not_found'));
    expect(await outcomes(doors, api, withKey(`homeport_agent_${'0'.repeat(64)}`))).toEqual(
      all(doors, '404 session_not_found'),
    );
    for (const origin of ['https://evil.test', 'null'])
      expect(await outcomes(doors, api, { headers: { origin } })).toEqual(all(doors, '403 forbidden'));
  });

  it('for sessions of end users want their token', async () => {
    const sessions = namesOf('session');
    const both = namesOf('keyOrSession');
    const unknown = withKey(`nango_connect_session_${'0'.repeat(64)}`);

    expect(await outcomes([...sessions, ...both], api, KEYLESS)).toEqual(
      all([...sessions, ...both], '401 missing_auth_header'),
    );
    expect(await outcomes([...sessions, ...both], api, unknown)).toEqual(
      all([...sessions, ...both], '401 unknown_connect_session_token'),
    );
    expect(await outcomes(sessions, api)).toEqual(all(sessions, '401 invalid_connect_session_token_format'));
    expect(await outcomes(both, api, withKey(UNKNOWN_KEY))).toEqual(all(both, '401 unknown_account'));
    for (const door of namesOf('endUser')) {
      const { status } = await api.send(callOf(door), door.startsWith('post') ? { ...KEYLESS, body: {} } : KEYLESS);
      expect([door, status]).toEqual([door, 401]);
    }
  });

  it('of the dashboard want its session, and take no key', async () => {
    const doors = dashboardDoors();
    const headers = { origin: server.url, 'x-homeport-csrf': '1' };

    expect(await outcomes(doors, api, { headers })).toEqual(all(doors, '401 missing_auth_header'));
    expect(await api.refusal(callOf(CONTROL), { headers })).toEqual({ status: 403, code: 'forbidden' });
  });

  it('for everybody ask for no key', async () => {
    for (const door of namesOf('open')) {
      const { status } = await api.send(callOf(door), KEYLESS);
      expect([door, [401, 403].includes(status)]).toEqual([door, false]);
    }
  });

  it('for sockets are open to this computer, at one path', async () => {
    expect(await upgrade('/')).toBe(101);
    expect(await upgrade('/', { origin: 'https://app.test' })).toBe(101);
    expect(await upgrade('/api/v1/events')).toBe(404);
    expect(await upgrade('/', { host: 'evil.test' })).toBe(404);
    expect(await upgrade('/', { 'x-forwarded-for': '203.0.113.9' })).toBe(404);
    expect(await upgrade('/', { host: ['localhost', 'localhost'] })).toBe(400);
  });
});

/** Resolves to the status with which a request for a socket is answered. */
function upgrade(path: string, more: Record<string, string | string[]> = {}): Promise<number | undefined> {
  const { hostname, port } = new URL(server.url);
  const asked = {
    host: `${hostname}:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    ...more,
  };
  const headers = Object.entries(asked).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]));
  return new Promise((resolve, reject) => {
    const request = sendHttp({ hostname, port, path, headers });
    request.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
}
