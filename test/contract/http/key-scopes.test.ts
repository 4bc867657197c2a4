import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grants } from '../../../server/environments/key-scopes.contract.ts';
import type { PublicRoute } from '../../../server/platform/http/route.ts';
import { describedRoutes, type RouteServices } from '../../../server/route-table.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { ApiCaller } from './api-caller.ts';

/** The table is only read here: its handlers are those of the started server. */
const ROUTES: PublicRoute[] = describedRoutes({} as RouteServices).filter(
  ({ access, scopes }) => access.startsWith('key') && scopes !== undefined && scopes.length > 0,
);
const SCOPES = [...new Set(ROUTES.flatMap(({ scopes }) => scopes ?? []))].filter((scope) => !scope.endsWith('*'));
/** Scopes that no public route uses. */
const UNRELATED = 'environment:logs:read';

let server: InProcessServer;
let api: ApiCaller;
const callers = new Map<string, ApiCaller>();

async function callerWith(scope: string): Promise<ApiCaller> {
  const { body } = await api.send('POST /environment/api-keys', { body: { display_name: scope, scopes: [scope] } });
  return new ApiCaller({ url: server.url, secretKey: (body as { data: { secret: string } }).data.secret });
}

beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  // An address that is switched off refuses every key.
  await api.send('PATCH /environment/settings', { body: { agents_may_build: true } });
  for (const scope of [...SCOPES, UNRELATED]) callers.set(scope, await callerWith(scope));
});
afterAll(() => server?.stop());

const nameOf = ({ method, openapi, path }: PublicRoute): string => `${method} ${openapi.path ?? path}`;

/** Names of objects that do not exist, so that no call has an effect. */
function callOf({ method, openapi, path }: PublicRoute): string {
  const filled = (openapi.path ?? String(path)).replace(/[:*](\w+)|\{(\w+)\}/g, '987654');
  return `${method === 'all' ? 'GET' : method.toUpperCase()} ${filled}`;
}

describe('scopes of keys', () => {
  it('are known for every route that takes a key, but for the catalogue', () => {
    const open = describedRoutes({} as RouteServices).filter(
      ({ access, scopes }) => access.startsWith('key') && !scopes?.length,
    );

    expect(ROUTES.length).toBeGreaterThan(50);
    expect(open.map(nameOf).sort()).toMatchInlineSnapshot(`
      [
        "all /v1/*path",
        "get /providers",
        "get /providers/:provider",
        "get /providers/:provider/templates",
      ]
    `);
  });

  it.each(ROUTES.map((route) => [nameOf(route), route] as const))('%s takes its own and no other', async (_, route) => {
    const wanted = route.scopes ?? [];

    for (const [scope, caller] of callers) {
      const { status, body } = await caller.send(callOf(route));
      const isCovered = wanted.some((one) => grants([scope], one));
      const message = (body as { error?: { message?: string } } | undefined)?.error?.message ?? '';
      expect([scope, status === 403], message).toEqual([scope, !isCovered]);
      if (!isCovered) expect(message).toContain(wanted[0]);
    }
    // Routes of the whole environment are not called with an unrestricted key: some would take effect.
    if (!wanted.includes('environment:*') && route.method === 'get')
      expect((await api.send(callOf(route))).status).not.toBe(403);
  });
});
