import { DatabaseSync } from 'node:sqlite';
import type { Answer } from './simulated-hub.ts';
import type { World } from './world.ts';

/** A write of the public API or of the person, on a hub with connection `c0`. */
export interface Write {
  send(world: World): Promise<Answer>;
  /** Whether what was asked for is there; `answer` is the one of `send`, if there was one. */
  isDone(world: World, answer: Answer | undefined): Promise<boolean>;
}

const AT_C0 = { 'provider-config-key': 'sim', 'connection-id': 'c0' };
const OF_C0 = { provider_config_key: 'sim', connection_id: 'c0' };

const get = ({ hub }: World, path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  hub.call('GET', path, { headers });
const list = async (world: World, path: string): Promise<Array<Record<string, unknown>>> =>
  ((await get(world, path)).body?.data ?? []) as never;

function write(
  method: string,
  path: string,
  body: unknown,
  isDone: Write['isDone'],
  headers: Record<string, string> = {},
): Write {
  return { send: ({ hub }) => hub.call(method, path, { body, headers }), isDone };
}

/** Of the sync `full` of `c0`. */
async function syncOf(world: World): Promise<Record<string, unknown>> {
  const { body } = await get(world, '/sync/status?provider_config_key=sim&connection_id=c0&syncs=full');
  return body?.syncs?.[0] ?? {};
}

async function connectionOf(world: World, id: string): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await get(world, `/connections/${id}?provider_config_key=sim`);
  return status === 200 ? body : undefined;
}

/** Both environments of the beginning have it; a second integration is made and changed. */
export const WRITES: Readonly<Record<string, Write>> = {
  'create an integration': write(
    'POST',
    '/integrations',
    {
      provider: 'sim',
      unique_key: 'second',
      credentials: { type: 'OAUTH2', client_id: 'a', client_secret: 'S3CR3T-b' },
    },
    async (world) => (await get(world, '/integrations/second')).status === 200,
  ),
  'change an integration': write(
    'PATCH',
    '/integrations/sim',
    { display_name: 'Changed' },
    async (world) => (await get(world, '/integrations/sim')).body?.data?.display_name === 'Changed',
  ),
  'delete an integration': write(
    'DELETE',
    '/integrations/sim',
    undefined,
    async (world) => (await get(world, '/integrations/sim')).status === 404,
  ),
  'import a connection': {
    send: (world) => {
      const account = world.provider.newAccount();
      return world.hub.call('POST', '/connections', {
        body: {
          provider_config_key: 'sim',
          connection_id: 'c1',
          credentials: {
            type: 'OAUTH2',
            access_token: world.provider.accessToken(account),
            refresh_token: world.provider.refreshToken(account),
            expires_in: 3600,
          },
        },
      });
    },
    isDone: async (world) => (await connectionOf(world, 'c1')) !== undefined,
  },
  'tag a connection': write(
    'PATCH',
    '/connections/c0?provider_config_key=sim',
    { tags: { team: 'red' } },
    async (world) =>
      (await connectionOf(world, 'c0'))?.['tags'] !== undefined &&
      JSON.stringify((await connectionOf(world, 'c0'))?.['tags']).includes('red'),
  ),
  'delete a connection': write(
    'DELETE',
    '/connections/c0?provider_config_key=sim',
    undefined,
    async (world) => (await connectionOf(world, 'c0')) === undefined,
  ),
  'replace metadata': write(
    'POST',
    '/connections/metadata',
    { ...OF_C0, metadata: { v: 'new' } },
    async (world) => JSON.stringify((await connectionOf(world, 'c0'))?.['metadata']) === '{"v":"new"}',
  ),
  'change metadata': write('PATCH', '/connections/metadata', { ...OF_C0, metadata: { w: 'more' } }, async (world) =>
    JSON.stringify((await connectionOf(world, 'c0'))?.['metadata']).includes('more'),
  ),
  'renew a token': {
    send: (world) => get(world, '/connections/c0?provider_config_key=sim&force_refresh=true'),
    isDone: async (world) => {
      const account = world.provider.accounts.get('n0');
      const sent = ((await connectionOf(world, 'c0'))?.['credentials'] as { access_token?: string } | undefined)
        ?.access_token;
      return account !== undefined && account.generation > 0 && sent === world.provider.accessToken(account);
    },
  },
  'make a connect session': write(
    'POST',
    '/connect/sessions',
    { tags: { end_user_id: 'u1' }, allowed_integrations: ['sim'] },
    async ({ hub }, answer) => {
      const token = answer?.body?.data?.token;
      return token === undefined || (await hub.call('GET', '/connect/session', { key: token })).status === 200;
    },
  ),
  'create an environment': write('POST', '/environments', { name: 'third' }, async (world) =>
    (await list(world, '/environments')).some(({ name }) => name === 'third'),
  ),
  'delete an environment': {
    send: async (world) => {
      const other = world.beginning.environments.find(({ name }) => name === 'other');
      return world.hub.call('DELETE', `/environments/${other?.id}`);
    },
    isDone: async (world) =>
      !(await list(world, '/environments')).some(({ name }) => name === 'other') &&
      (await world.hub.call('GET', '/connections', { key: world.beginning.otherKey })).status === 401,
  },
  'make a key': write(
    'POST',
    '/environment/api-keys',
    { display_name: 'made', scopes: ['environment:*'] },
    async ({ hub }, answer) => {
      const secret = answer?.body?.data?.secret;
      return secret === undefined || (await hub.call('GET', '/connections', { key: secret })).status === 200;
    },
  ),
  'change settings': write('PATCH', '/environment/settings', { rate_limit_per_minute: 4321 }, async (world) =>
    JSON.stringify((await get(world, '/environment/settings')).body).includes('4321'),
  ),
  'rotate the signing key': {
    send: ({ hub }) => hub.call('POST', '/environment/webhook-signing-key/rotate'),
    isDone: async () => true,
  },
  'set a policy': write('PUT', '/environment/mcp-policies', { tool: 'note', policy: 'deny' }, async (world) =>
    JSON.stringify((await get(world, '/environment/mcp-policies')).body).includes('deny'),
  ),
  'replace the destinations': write(
    'PUT',
    '/environment/webhook-destinations',
    { destinations: [{ url: 'http://127.0.0.1:9300/in' }] },
    async (world) => JSON.stringify((await get(world, '/environment/webhook-destinations')).body).includes('9300'),
  ),
  'trigger a sync': {
    send: ({ hub }) => hub.call('POST', '/sync/trigger', { body: { ...OF_C0, syncs: ['full'] } }),
    isDone: async (world) => {
      await world.machine.pass(10_000);
      return (await inTime(world, syncOf(world)))['status'] === 'SUCCESS';
    },
  },
  'pause a sync': write(
    'POST',
    '/sync/pause',
    { ...OF_C0, syncs: ['full'] },
    async (world) => (await syncOf(world))['status'] === 'PAUSED',
  ),
  'start a sync': write(
    'POST',
    '/sync/start',
    { ...OF_C0, syncs: ['full'] },
    async (world) => (await syncOf(world))['status'] !== 'PAUSED',
  ),
  'change a frequency': write(
    'PUT',
    '/sync/update-connection-frequency',
    { ...OF_C0, sync_name: 'full', frequency: 'every 2 hours' },
    async (world) => String((await syncOf(world))['frequency']).includes('2'),
  ),
  'add a variant': write(
    'POST',
    '/sync/full/variant/second',
    OF_C0,
    async (world) =>
      (await get(world, '/sync/status?provider_config_key=sim&connection_id=c0&syncs=full::second')).body?.syncs
        ?.length === 1,
  ),
  'run an action': {
    send: ({ hub }) =>
      hub.call('POST', '/action/trigger', { headers: AT_C0, body: { action_name: 'note', input: { key: 'one' } } }),
    isDone: async ({ provider }) => provider.notes.length > 0,
  },
  'queue an action': {
    send: ({ hub }) =>
      hub.call('POST', '/action/trigger', {
        headers: { ...AT_C0, 'x-async': 'true' },
        body: { action_name: 'note', input: { key: 'later' } },
      }),
    isDone: async (world, answer) => {
      await world.machine.pass(10_000);
      const state =
        answer?.body?.statusUrl === undefined ? undefined : await inTime(world, get(world, answer.body.statusUrl));
      // An action that the end of the program interrupted is reported as failed, and is not repeated.
      return world.provider.notes.length > 0 || (state !== undefined && state.status !== 404 && state.status !== 204);
    },
  },
  'take a webhook': {
    send: ({ hub, beginning }) =>
      hub.open('POST', `/webhook/${beginning.environments[0]?.uuid}/sim`, { note: 'hooked' }),
    isDone: async (world) => {
      const db = new DatabaseSync(world.databaseFile(), { readOnly: true });
      try {
        return db.prepare('SELECT seq FROM incoming_webhooks').all().length > 0;
      } finally {
        db.close();
      }
    },
  },
  'prune records': {
    send: async (world) => {
      const { body } = await get(world, '/records?model=Item', AT_C0);
      const cursor = body?.records?.at(-1)?._nango_metadata?.cursor;
      return world.hub.call('PATCH', '/records/prune', {
        headers: AT_C0,
        body: { model: 'Item', until_cursor: cursor },
      });
    },
    isDone: async (world) => {
      const { body } = await get(world, '/records?model=Item', AT_C0);
      return (body?.records ?? []).every(
        (row: { _nango_metadata: { pruned_at: string | null } }) => row._nango_metadata.pruned_at !== null,
      );
    },
  },
  'make a backup': {
    send: ({ hub }) => hub.dashboard('POST', '/api/v1/data/backups'),
    isDone: async ({ hub }) => JSON.stringify((await hub.dashboard('GET', '/api/v1/data')).body).includes('manual'),
  },
};

/** While it drives the machine itself, a check has to let its calls go on. */
function inTime<T>({ machine }: World, promise: Promise<T>): Promise<T> {
  return machine.until('a check', promise);
}
