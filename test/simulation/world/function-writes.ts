import type { Answer } from './simulated-hub.ts';
import type { World } from './world.ts';
import { AT_C0, get, inTime, OF_C0, rowsOf, type Writes, write } from './write.ts';

/** Of a sync of `c0`. */
async function syncOf(world: World, name = 'full'): Promise<Record<string, unknown> | undefined> {
  const { body } = await get(world, `/sync/status?provider_config_key=sim&connection_id=c0&syncs=${name}`);
  return body?.syncs?.[0];
}

const VARIANT = '/sync/full/variant/second';
const isNoted = async ({ provider }: World): Promise<boolean> => provider.notes.length > 0;
const note = (world: World, key: string, headers: Record<string, string> = {}): Promise<Answer> =>
  world.hub.call('POST', '/action/trigger', {
    headers: { ...AT_C0, ...headers },
    body: { action_name: 'note', input: { key } },
  });

export const FUNCTION_WRITES: Writes = {
  'trigger a sync': write({
    route: 'POST /sync/trigger',
    body: { ...OF_C0, syncs: ['full'] },
    isDone: async (world) => {
      await world.machine.pass(10_000);
      return (await inTime(world, syncOf(world)))?.['status'] === 'SUCCESS';
    },
  }),
  'pause a sync': write({
    route: 'POST /sync/pause',
    body: { ...OF_C0, syncs: ['full'] },
    isDone: async (world) => (await syncOf(world))?.['status'] === 'PAUSED',
  }),
  'start a sync': write({
    route: 'POST /sync/start',
    body: { ...OF_C0, syncs: ['full'] },
    isDone: async (world) => (await syncOf(world))?.['status'] !== 'PAUSED',
  }),
  'change a frequency': write({
    route: 'PUT /sync/update-connection-frequency',
    body: { ...OF_C0, sync_name: 'full', frequency: 'every 2 hours' },
    isDone: async (world) => String((await syncOf(world))?.['frequency']).includes('2'),
  }),
  'add a variant': write({
    route: 'POST /sync/:name/variant/:variant',
    path: VARIANT,
    body: OF_C0,
    isDone: async (world) => (await syncOf(world, 'full::second')) !== undefined,
  }),
  'delete a variant': write({
    route: 'DELETE /sync/:name/variant/:variant',
    before: (world) => world.machine.until('a variant', world.hub.call('POST', VARIANT, { body: OF_C0 })),
    path: VARIANT,
    body: OF_C0,
    isDone: async (world) => (await syncOf(world, 'full::second')) === undefined,
  }),
  'run an action': {
    route: 'POST /action/trigger',
    send: (world) => note(world, 'one'),
    isDone: isNoted,
  },
  'invoke a function': write({
    route: 'POST /functions/invocations',
    body: {
      integration_id: 'sim',
      connection_id: 'c0',
      name: 'note',
      invocation_type: 'wait',
      input: { key: 'invoked' },
    },
    isDone: isNoted,
  }),
  'queue an action': {
    route: 'POST /action/trigger',
    send: (world) => note(world, 'later', { 'x-async': 'true' }),
    isDone: async (world, answer) => {
      await world.machine.pass(10_000);
      const state =
        answer?.body?.statusUrl === undefined ? undefined : await inTime(world, get(world, answer.body.statusUrl));
      // An action that the end of the program interrupted is reported as failed, and is not repeated.
      return world.provider.notes.length > 0 || (state !== undefined && state.status !== 404 && state.status !== 204);
    },
  },
  'take a webhook': {
    route: 'POST /webhook/:environmentUuid/:providerConfigKey',
    send: ({ hub, beginning }) =>
      hub.open('POST', `/webhook/${beginning.environments[0]?.uuid}/sim`, { note: 'hooked' }),
    isDone: async (world) => rowsOf(world, 'SELECT seq FROM incoming_webhooks').length > 0,
  },
};
