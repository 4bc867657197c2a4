import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AllowedConnections } from '../../../server/environments/allowed-connections.contract.ts';
import type { PublicRoute } from '../../../server/platform/http/route.ts';
import { describedRoutes, type RouteServices } from '../../../server/route-table.ts';
import { importConnection, importPracticeConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller, type ApiResponse } from './api-caller.ts';

const ALL_ROUTES = describedRoutes({} as RouteServices);
const ROUTES = ALL_ROUTES.filter(({ access }) => access.startsWith('key'));
const nameOf = ({ method, openapi, path }: PublicRoute): string => `${method} ${openapi.path ?? path}`;

/** Whether the description of a route has a place for a connection: path, query, headers or body. */
function namesConnection({ openapi, path }: PublicRoute): boolean {
  const { body, headers, params, query } = openapi;
  const schemas = [params, query, headers, body].filter((one) => one !== undefined);
  const names = schemas.map((one) => JSON.stringify(z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' })));
  return [String(path), ...names].some((text) => /connection[_-]?id/i.test(text));
}
const MINE = { integration: 'practice', connection: 'mine' };
const OTHER = { integration: 'practice', connection: 'other' };
const ELSEWHERE = { integration: 'second', connection: 'mine' };
const MISSING = { integration: 'practice', connection: 'never-made' };
type ConnectionNames = typeof MINE;

let server: InProcessServer;
let page: DashboardClient;
let whole: ApiCaller;
let mine: ApiCaller;
let made = 0;

/** A caller with every scope and these limits. */
async function callerFor(allowed: AllowedConnections): Promise<ApiCaller> {
  made += 1;
  const body = { name: `app ${made}`, scopes: ['environment:*'], allowed, icon: 'robot', colour: 'green' };
  const { secret } = await page.call('POST /api/v1/keys', { query: { env: 'dev' }, body });
  return new ApiCaller({ url: server.url, secretKey: secret });
}

beforeAll(async () => {
  server = await startInProcess();
  page = await DashboardClient.signIn({ url: server.url, signIn: server });
  whole = new ApiCaller(server);
  await importPracticeConnection(server, { connectionId: 'mine' });
  await importPracticeConnection(server, { integration: 'second', connectionId: 'mine' });
  await importConnection(server, { provider_config_key: 'practice', connection_id: 'other' });
  await importConnection(server, { provider_config_key: 'practice', connection_id: 'blue', tags: { team: 'blue' } });
  mine = await callerFor([{ integrationKey: 'practice', connectionId: 'mine' }]);
});
afterAll(() => server?.stop());

/** The call of a route with the connection in every place from which a route reads it. */
function send(caller: ApiCaller, route: string, { integration, connection }: ConnectionNames): Promise<ApiResponse> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern
    .replace(':connectionId', encodeURIComponent(connection))
    .replace(':uniqueKey', integration)
    .replace(/[:*]\w+/g, 'v987654');
  const named = { provider_config_key: integration, connection_id: connection };
  const query = /^get|^delete \/connection|^patch \/connections\/:|metadata$/.test(route)
    ? `?${new URLSearchParams(named)}`
    : '';
  const verb = method === 'all' ? 'GET' : method.toUpperCase();
  return caller.send(`${verb} ${path}${query}`, {
    headers: { 'provider-config-key': integration, 'connection-id': connection },
    ...(verb === 'GET' ? {} : { body: { ...named, integration_id: integration, allowed_integrations: [integration] } }),
  });
}
it('reads no environment variables for limited keys, unless their scopes name them', async () => {
  const allowed: AllowedConnections = [{ integrationKey: 'practice', connectionId: 'mine' }];
  const statusWith = async (scopes: string[]): Promise<number> => {
    made += 1;
    const body = { name: `app ${made}`, scopes, allowed };
    const { secret } = await page.call('POST /api/v1/keys', { query: { env: 'dev' }, body });
    return (await new ApiCaller({ url: server.url, secretKey: secret }).send('GET /environment-variables')).status;
  };

  expect(await statusWith(['environment:*'])).toBe(403);
  expect(await statusWith(['environment:variables:*'])).toBe(403);
  expect(await statusWith(['environment:*', 'environment:variables:read'])).toBe(200);
  expect(await statusWith(['environment:variables:read'])).toBe(200);
  expect((await whole.send('GET /environment-variables')).status).toBe(200);
});

const codeOf = ({ body }: ApiResponse): string | undefined => (body as { error?: { code?: string } })?.error?.code;
const listed = ({ body }: ApiResponse): string[] =>
  (body as { connections: Array<{ connection_id: string; provider_config_key: string }> }).connections
    .map((one) => `${one.provider_config_key}/${one.connection_id}`)
    .sort();

describe('a key that is limited to connections', () => {
  it('has a rule for every route that takes a key, and for no other', () => {
    const withRule = ALL_ROUTES.filter(({ limitedKeys }) => limitedKeys !== undefined);
    expect(withRule.map(nameOf)).toEqual(ROUTES.map(nameOf));
  });

  it('is open nowhere for a route that names a connection', () => {
    const named = ROUTES.filter(namesConnection);
    expect(named.length).toBeGreaterThan(25);
    expect(named.filter(({ limitedKeys }) => limitedKeys === 'open').map(nameOf)).toEqual([]);
  });

  it.each(ROUTES.map((row) => [nameOf(row), row.limitedKeys] as const))('%s keeps to them', async (route, limit) => {
    if (limit === 'open' || limit === 'filtered') {
      expect((await send(mine, route, OTHER)).status).not.toBe(403);
      return;
    }
    const others =
      limit === 'refused'
        ? [MINE]
        : typeof limit === 'object' && 'integration' in limit
          ? [ELSEWHERE]
          : [OTHER, ELSEWHERE, MISSING];
    for (const other of others) {
      const response = await send(mine, route, other);
      expect([other, response.status, codeOf(response)]).toEqual([other, 403, 'forbidden']);
    }
    // A scope by its name has a test of its own.
    if (limit === 'refused' || (typeof limit === 'object' && 'scope' in limit)) return;
    // Calls that delete or change fail for unrestricted keys too, because the bodies do not fit.
    if (/^delete|\/connect\/sessions$/.test(route)) return;
    expect(codeOf(await send(mine, route, MINE))).not.toBe('forbidden');
  });

  it('sees no other in lists, with any filter and on any page', async () => {
    expect(listed(await mine.send('GET /connections'))).toEqual(['practice/mine']);
    expect(listed(await mine.send('GET /connection?connectionId=other'))).toEqual([]);
    expect(listed(await mine.send('GET /connections?limit=1&page=1'))).toEqual([]);
    expect(listed(await whole.send('GET /connections')).length).toBeGreaterThan(1);
    const { body } = await mine.send('GET /integrations');
    expect((body as { data: Array<{ unique_key: string }> }).data.map((one) => one.unique_key)).toEqual(['practice']);
  });

  it('reads its own also from memory, and never another one', async () => {
    for (let round = 0; round < 3; round += 1) {
      expect((await mine.send('GET /connections/mine?provider_config_key=practice')).status).toBe(200);
      expect((await whole.send('GET /connections/other?provider_config_key=practice')).status).toBe(200);
      expect((await mine.send('GET /connections/other?provider_config_key=practice')).status).toBe(403);
    }
  });

  it('cannot name two connections where one is checked', async () => {
    const twice = await mine.send('GET /connections/other?provider_config_key=practice&provider_config_key=practice');
    expect(twice.status).toBe(403);
    const many = { provider_config_key: 'practice', connection_id: ['mine', 'other'], metadata: { a: 1 } };
    expect((await mine.send('POST /connections/metadata', { body: many })).status).toBe(403);
    const sync = { provider_config_key: 'practice', syncs: [] };
    expect((await mine.send('POST /sync/trigger', { body: sync })).status).toBe(403);
    const headers = { 'provider-config-key': 'practice', 'connection-id': 'other' };
    expect((await mine.send('GET /proxy/v1/me?connection_id=mine', { headers })).status).toBe(403);
    const own = { ...headers, 'connection-id': 'mine' };
    expect((await mine.send('GET /proxy/v1/me', { headers: own })).status).toBe(200);
    // Paths differ in case and ending; the rule is the same.
    expect((await mine.send('GET /CONNECTIONS/other/?provider_config_key=practice')).status).toBe(403);
  });

  it('makes connections and sessions only of whole integrations', async () => {
    const session = (allowed: string[] | undefined) => ({
      body: { tags: { user: 'u1' }, ...(allowed ? { allowed_integrations: allowed } : {}) },
    });
    const second = await callerFor([{ integrationKey: 'second' }]);
    expect((await second.send('POST /connect/sessions', session(['second']))).status).toBe(201);
    for (const allowed of [undefined, [], ['practice'], ['second', 'practice']])
      expect([allowed, (await second.send('POST /connect/sessions', session(allowed))).status]).toEqual([allowed, 403]);
    expect((await mine.send('POST /connect/sessions', session(['practice']))).status).toBe(403);
    const connection = (integration: string) => ({
      body: { provider_config_key: integration, credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' } },
    });
    expect((await second.send('POST /connections', connection('second'))).status).toBe(201);
    expect((await second.send('POST /connections', connection('practice'))).status).toBe(403);
  });

  it('follows tags as they are now', async () => {
    const blue = await callerFor([{ tags: { Team: 'blue' } }]);
    expect(listed(await blue.send('GET /connections'))).toEqual(['practice/blue']);
    expect((await blue.send('GET /connections/blue?provider_config_key=practice')).status).toBe(200);
    expect((await blue.send('GET /connections/mine?provider_config_key=practice')).status).toBe(403);
    await whole.send('PATCH /connections/blue?provider_config_key=practice', { body: { tags: { team: 'red' } } });
    expect((await blue.send('GET /connections/blue?provider_config_key=practice')).status).toBe(403);
  });

  it('loses and gains connections with the next call, and is shown with its look', async () => {
    const query = { env: 'dev' };
    const { id, secret } = await page.call('POST /api/v1/keys', {
      query,
      body: { name: 'changing', scopes: ['environment:*'], allowed: [{ integrationKey: 'second' }], icon: 'mail' },
    });
    const caller = new ApiCaller({ url: server.url, secretKey: secret });
    const ask = async () => (await caller.send('GET /connections/other?provider_config_key=practice')).status;
    expect(await ask()).toBe(403);
    const change = (allowed: AllowedConnections) =>
      page.call('PATCH /api/v1/keys/:keyId', { params: { keyId: String(id) }, query, body: { allowed } });
    await change([{ integrationKey: 'practice' }]);
    expect(await ask()).toBe(200);
    const { data } = await page.call('GET /api/v1/keys', { query });
    expect(data.find((key) => key.id === id)).toMatchObject({
      scopes: ['environment:*'],
      allowed: [{ integrationKey: 'practice' }],
      icon: 'mail',
      colour: null,
    });
    await change(null);
    expect((await caller.send('GET /environment/settings')).status).toBe(200);
  });
});
