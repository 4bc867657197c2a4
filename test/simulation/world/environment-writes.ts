import type { Answer } from './simulated-hub.ts';
import type { World } from './world.ts';
import { get, has, list, rowsOf, type Writes, write } from './write.ts';

const OTHER = ({ beginning }: World) => beginning.environments.find(({ name }) => name === 'other');
const DEV = ({ beginning }: World) => beginning.environments.find(({ name }) => name === 'dev');

/** Ids of keys that `before` made. */
const keys = new WeakMap<World, { id: number; secret: string }>();

async function makeKey(world: World): Promise<void> {
  const body = { display_name: 'short-lived', scopes: ['environment:*'] };
  const answer = await world.machine.until('a key', world.hub.call('POST', '/environment/api-keys', { body }));
  keys.set(world, answer.body.data);
}

/** As it was before. */
const signingKeys = new WeakMap<World, string>();
const signingKey = (world: World): string =>
  JSON.stringify(rowsOf(world, "SELECT webhook_signing_key FROM environments WHERE name = 'dev'"));

const SESSION = {
  tenant: { connections: { pinned: [{ integration_id: 'sim', connection_id: 'c0' }] } },
  expires_in: '30m',
};
/** Ids of sessions that `before` made. */
const sessions = new WeakMap<World, string>();

const opens = async ({ hub }: World, secret: string | undefined): Promise<boolean> =>
  secret === undefined || (await hub.call('GET', '/connections', { key: secret })).status === 200;
const isGone = async (world: World): Promise<boolean> => !(await opens(world, keys.get(world)?.secret));
const secretOf = (answer: Answer | undefined): string | undefined => answer?.body?.data?.secret;

export const ENVIRONMENT_WRITES: Writes = {
  'create an environment': write({
    route: 'POST /environments',
    body: { name: 'third' },
    isDone: async (world) => (await list(world, '/environments')).some(({ name }) => name === 'third'),
  }),
  'delete an environment': write({
    route: 'DELETE /environments/:id',
    path: (world) => `/environments/${OTHER(world)?.id}`,
    isDone: async (world) =>
      !(await list(world, '/environments')).some(({ name }) => name === 'other') &&
      (await world.hub.call('GET', '/connections', { key: world.beginning.otherKey })).status === 401,
  }),
  'make a key': write({
    route: 'POST /environment/api-keys',
    body: { display_name: 'made', scopes: ['environment:*'] },
    isDone: (world, answer) => opens(world, secretOf(answer)),
  }),
  'make a key of a named environment': write({
    route: 'POST /environments/:environment/api-keys',
    path: (world) => `/environments/${DEV(world)?.id}/api-keys`,
    body: { display_name: 'named', scopes: ['environment:*'] },
    isDone: (world, answer) => opens(world, secretOf(answer)),
  }),
  'revoke a key': {
    route: 'DELETE /environment/api-keys',
    before: makeKey,
    send: (world) => world.hub.call('DELETE', '/environment/api-keys', { body: { key_id: keys.get(world)?.id } }),
    isDone: isGone,
  },
  'revoke a key of a named environment': write({
    route: 'DELETE /environments/:environment/api-keys/:key',
    before: makeKey,
    path: (world) => `/environments/${DEV(world)?.id}/api-keys/${keys.get(world)?.id}`,
    isDone: isGone,
  }),
  'change settings': write({
    route: 'PATCH /environment/settings',
    body: { rate_limit_per_minute: 4321, variables: [{ name: 'REGION', value: 'S3CR3T-eu' }] },
    isDone: async (world) =>
      (await has(world, '/environment/settings', '4321')) && (await has(world, '/environment-variables', 'S3CR3T-eu')),
  }),
  'rotate the signing key': write({
    route: 'POST /environment/webhook-signing-key/rotate',
    before: async (world) => signingKeys.set(world, signingKey(world)),
    isDone: async (world) => signingKey(world) !== signingKeys.get(world),
  }),
  'set a policy': write({
    route: 'PUT /environment/mcp-policies',
    body: { tool: 'note', policy: 'deny' },
    isDone: (world) => has(world, '/environment/mcp-policies', 'deny'),
  }),
  'set limits': write({
    route: 'PUT /environment/limits',
    body: { kind: 'sessions', limits: { calls_per_minute: 61, writes: 222 } },
    isDone: (world) => has(world, '/environment/limits', '222'),
  }),
  'replace the destinations of webhooks': write({
    route: 'PUT /environment/webhook-destinations',
    body: { destinations: [{ url: 'http://127.0.0.1:9300/in' }] },
    isDone: (world) => has(world, '/environment/webhook-destinations', '9300'),
  }),
  'make a backup': {
    route: undefined,
    send: ({ hub }) => hub.dashboard('POST', '/api/v1/data/backups'),
    isDone: async ({ hub }) => JSON.stringify((await hub.dashboard('GET', '/api/v1/data')).body).includes('manual'),
  },
  'register an agent': write({
    route: 'POST /agents/register',
    body: { client_name: 'Simulated agent', redirect_uris: ['http://127.0.0.1:8976/callback'] },
    isDone: async (_world, answer) => answer === undefined || typeof answer.body?.client_id === 'string',
  }),
  'end a session of an agent': write({
    route: 'DELETE /sessions/:sessionId',
    before: async (world) => {
      const answer = await world.machine.until('a session', world.hub.call('POST', '/sessions', { body: SESSION }));
      sessions.set(world, String(answer.body.data.session_id));
    },
    path: (world) => `/sessions/${sessions.get(world)}`,
    isDone: async (world) => (await get(world, `/sessions/${sessions.get(world)}`)).body?.data?.state !== 'active',
  }),
  'begin a session of an agent': write({
    route: 'POST /sessions',
    body: SESSION,
    isDone: async (world, answer) => {
      const id = answer?.body?.data?.session_id;
      return id === undefined || (await get(world, `/sessions/${id}`)).status === 200;
    },
  }),
};
