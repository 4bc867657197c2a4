import type { World } from './world.ts';
import { get, has, OF_C0, type Write, type Writes, write } from './write.ts';

export async function connectionOf(world: World, id: string): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await get(world, `/connections/${id}?provider_config_key=sim`);
  return status === 200 ? body : undefined;
}

function importAs(route: string, id: string, bodyOf: (tokens: { access: string; refresh: string }) => object): Write {
  return {
    route,
    send: ({ hub, provider }) => {
      const account = provider.newAccount();
      const tokens = { access: provider.accessToken(account), refresh: provider.refreshToken(account) };
      return hub.call('POST', route.split(' ')[1] ?? '', { body: bodyOf(tokens) });
    },
    isDone: async (world) => (await connectionOf(world, id)) !== undefined,
  };
}

const INTEGRATION = {
  provider: 'sim',
  unique_key: 'second',
  credentials: { type: 'OAUTH2', client_id: 'a', client_secret: 'S3CR3T-b' },
};

async function sessionToken({ hub, machine }: World): Promise<string> {
  const body = { tags: { end_user_id: 'u1' }, allowed_integrations: ['sim'] };
  const answer = await machine.until('a session', hub.call('POST', '/connect/sessions', { body }));
  return String(answer.body.data.token);
}

/** The address to which the provider sends a person who agreed. */
async function callbackOf(world: World): Promise<string> {
  const { hub, machine, provider } = world;
  const token = await sessionToken(world);
  const begun = await machine.until(
    'the start of a sign-in',
    hub.open('GET', `/oauth/connect/sim?connect_session_token=${token}`),
  );
  const state = new URL(begun.location ?? 'http://none').searchParams.get('state');
  const { name } = provider.newAccount();
  provider.codes.set(`code-${name}`, name);
  return `/oauth/callback?state=${state}&code=code-${name}`;
}

/** What `before` made: the token of a session, or the address of a callback. */
const tokens = new WeakMap<World, string>();
const isOpen = async ({ hub }: World, token: unknown): Promise<boolean> =>
  token === undefined || (await hub.call('GET', '/connect/session', { key: String(token) })).status === 200;

export const CONNECTION_WRITES: Writes = {
  'create an integration': write({
    route: 'POST /integrations',
    body: INTEGRATION,
    isDone: async (world) => (await get(world, '/integrations/second')).status === 200,
  }),
  'change an integration': write({
    route: 'PATCH /integrations/:uniqueKey',
    path: '/integrations/sim',
    body: { display_name: 'Changed' },
    isDone: (world) => has(world, '/integrations/sim', '"display_name":"Changed"'),
  }),
  'delete an integration': write({
    route: 'DELETE /integrations/:uniqueKey',
    path: '/integrations/sim',
    isDone: async (world) => (await get(world, '/integrations/sim')).status === 404,
  }),
  'import a connection': importAs('POST /connections', 'c1', ({ access, refresh }) => ({
    provider_config_key: 'sim',
    connection_id: 'c1',
    credentials: { type: 'OAUTH2', access_token: access, refresh_token: refresh, expires_in: 3600 },
  })),
  'import a flat connection': importAs('POST /connection', 'c2', ({ access, refresh }) => ({
    provider_config_key: 'sim',
    connection_id: 'c2',
    access_token: access,
    refresh_token: refresh,
    no_expiration: true,
  })),
  'tag a connection': write({
    route: 'PATCH /connections/:connectionId',
    path: '/connections/c0?provider_config_key=sim',
    body: { tags: { team: 'red' } },
    isDone: (world) => has(world, '/connections/c0?provider_config_key=sim', '"team":"red"'),
  }),
  'delete a connection': write({
    route: 'DELETE /connections/:connectionId',
    path: '/connections/c0?provider_config_key=sim',
    isDone: async (world) => (await connectionOf(world, 'c0')) === undefined,
  }),
  'replace metadata': write({
    route: 'POST /connections/metadata',
    body: { ...OF_C0, metadata: { v: 'new' } },
    isDone: async (world) => JSON.stringify((await connectionOf(world, 'c0'))?.['metadata']) === '{"v":"new"}',
  }),
  'change metadata': write({
    route: 'PATCH /connections/metadata',
    body: { ...OF_C0, metadata: { w: 'more' } },
    isDone: async (world) => JSON.stringify((await connectionOf(world, 'c0'))?.['metadata']).includes('more'),
  }),
  'renew a token': {
    route: 'GET /connections/:connectionId',
    send: (world) => get(world, '/connections/c0?provider_config_key=sim&force_refresh=true'),
    isDone: async (world) => {
      const account = world.provider.accounts.get('n0');
      const sent = ((await connectionOf(world, 'c0'))?.['credentials'] as { access_token?: string } | undefined)
        ?.access_token;
      return account !== undefined && account.generation > 0 && sent === world.provider.accessToken(account);
    },
  },
  'make a connect session': write({
    route: 'POST /connect/sessions',
    body: { tags: { end_user_id: 'u1' }, allowed_integrations: ['sim'] },
    isDone: (world, answer) => isOpen(world, answer?.body?.data?.token),
  }),
  'make a session to connect again': write({
    route: 'POST /connect/sessions/reconnect',
    body: { integration_id: 'sim', connection_id: 'c0' },
    isDone: (world, answer) => isOpen(world, answer?.body?.data?.token),
  }),
  'end a connect session': {
    route: 'DELETE /connect/session',
    before: async (world) => tokens.set(world, await sessionToken(world)),
    send: (world) => world.hub.call('DELETE', '/connect/session', { key: tokens.get(world) ?? '' }),
    isDone: async (world) => !(await isOpen(world, tokens.get(world))),
  },
  'sign in at the provider': {
    route: 'GET /oauth/callback',
    before: async (world) => tokens.set(world, await callbackOf(world)),
    send: (world) => world.hub.open('GET', tokens.get(world) ?? ''),
    // The page is loaded again. Where the process ended meanwhile, the person signs in once more.
    again: async (world) => {
      const loaded = await world.hub.open('GET', tokens.get(world) ?? '');
      return loaded.status === 400 ? world.hub.open('GET', await callbackOf(world)) : loaded;
    },
    isDone: async (world) => ((await get(world, '/connections')).body?.connections ?? []).length > 1,
  },
};
