import { APP_PORT } from './constants.ts';
import type { World } from './world.ts';
import { AT_C0, get, has, list, type Writes, write } from './write.ts';

const DESTINATIONS = '/records/destinations';
const APP = { name: 'The app', kind: 'http', url: `http://127.0.0.1:${APP_PORT}/records` };
const IMPORTED = { id: 'from-a-file', text: 'imported' };

/** The destination that `before` made. */
const ids = new WeakMap<World, string>();
async function makeDestination(world: World): Promise<void> {
  const answer = await world.machine.until('a destination', world.hub.call('POST', DESTINATIONS, { body: APP }));
  ids.set(world, String(answer.body.id ?? answer.body.data?.id));
}
const at =
  (act = '') =>
  (world: World): string =>
    `${DESTINATIONS}/${ids.get(world)}${act}`;
const destination = async (world: World) => (await list(world, DESTINATIONS)).find(({ id }) => id === ids.get(world));

export const RECORD_WRITES: Writes = {
  'prune records': {
    route: 'PATCH /records/prune',
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
  'import records': write({
    route: 'POST /records/import',
    path: '/records/import?model=Imported',
    headers: AT_C0,
    body: [IMPORTED],
    isDone: (world) => has(world, '/records?model=Imported', IMPORTED.id, AT_C0),
  }),
  'save a query': write({
    route: 'PUT /records/queries/:name',
    path: '/records/queries/saved',
    body: { sql: 'SELECT 1 AS one' },
    isDone: (world) => has(world, '/records/queries', '"saved"'),
  }),
  'make a destination of records': write({
    route: `POST ${DESTINATIONS}`,
    body: APP,
    isDone: (world) => has(world, DESTINATIONS, APP.name),
  }),
  'change a destination of records': write({
    route: `PATCH ${DESTINATIONS}/:destinationId`,
    before: makeDestination,
    path: at(),
    body: { models: ['Item'] },
    isDone: async (world) => JSON.stringify((await destination(world))?.['models']) === '["Item"]',
  }),
  'pause a destination of records': write({
    route: `POST ${DESTINATIONS}/:destinationId/pause`,
    before: makeDestination,
    path: at('/pause'),
    isDone: async (world) => (await destination(world))?.['state'] === 'paused',
  }),
  'resume a destination of records': write({
    route: `POST ${DESTINATIONS}/:destinationId/resume`,
    before: async (world) => {
      await makeDestination(world);
      await world.machine.until('a pause', world.hub.call('POST', at('/pause')(world)));
    },
    path: at('/resume'),
    isDone: async (world) => (await destination(world))?.['state'] !== 'paused',
  }),
  'replay a destination of records': write({
    route: `POST ${DESTINATIONS}/:destinationId/replay`,
    before: makeDestination,
    path: at('/replay'),
    body: { from: null },
    isDone: async (world) => (await destination(world)) !== undefined,
  }),
  'delete a destination of records': write({
    route: `DELETE ${DESTINATIONS}/:destinationId`,
    before: makeDestination,
    path: at(),
    isDone: async (world) => (await destination(world)) === undefined,
  }),
};
