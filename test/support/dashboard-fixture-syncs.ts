import { functionPath } from '../../functions/compiler/function-path.ts';
import { newFunction } from '../../functions/compiler/new-function.ts';
import { FixtureRefusal, type Handler, has, need, page } from './dashboard-fixture-lists.ts';
import { seedStats } from './dashboard-fixture-seeds.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

const syncOf = (state: FixtureState, { sync, variant }: { sync: string; variant: string }) =>
  need(state.syncs.find((one) => one.name === sync && one.variant === variant));

const fileOf = (integrationKey: string, { type, name }: Pick<FunctionRow, 'type' | 'name'>): string =>
  functionPath(integrationKey, type, name);

type FunctionRow = FixtureState['functions'][number];

type Keys =
  | 'GET /api/v1/sync'
  | 'POST /api/v1/sync/command'
  | 'POST /api/v1/sync/undo'
  | 'POST /api/v1/deletions/:deletionId/keep'
  | 'POST /api/v1/deletions/:deletionId/undo'
  | 'POST /api/v1/deletions/:deletionId/end'
  | 'POST /api/v1/schedules/pause'
  | 'POST /api/v1/schedules/resume'
  | 'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'
  | 'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs'
  | 'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'
  | 'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant'
  | 'GET /api/v1/functions/:integrationKey/:type/:name/stats'
  | 'GET /api/v1/functions/:integrationKey/:type/:name/versions'
  | 'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId'
  | 'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore'
  | 'GET /api/v1/functions/:integrationKey/sync/:name/connections'
  | 'GET /api/v1/integrations/:integrationKey/function-draft'
  | 'GET /api/v1/integrations/:integrationKey/function-prompt'
  | 'POST /api/v1/integrations/:integrationKey/functions';

/** Syncs of a connection, and the state of a function on each connection. */
export const syncHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/sync': ({ query }, state) => ({ data: query.integration === 'hubspot' ? state.syncs : [] }),
  'POST /api/v1/schedules/pause': ({ body: { reason = 'person', until } }) => ({
    pausedSchedules: { until, reasons: [reason] },
  }),
  'POST /api/v1/schedules/resume': () => ({ pausedSchedules: null }),
  'POST /api/v1/sync/command': ({ body }, state) => {
    const isNamed = (one: { name: string; variant: string }): boolean =>
      one.name === body.sync && (body.connectionId === undefined || one.variant === body.variant);
    const sync = need(state.syncs.find(isNamed));
    if (body.command === 'PAUSE') Object.assign(sync, { status: 'PAUSED', scheduleStatus: 'PAUSED' });
    if (body.command === 'UNPAUSE') Object.assign(sync, { status: 'SUCCESS', scheduleStatus: 'STARTED' });
    if (body.command.startsWith('RUN')) sync.status = 'RUNNING';
    const changed = body.wantsChanged ? { changed: [`${sync.name}/${sync.variant}`] } : {};
    return {
      operationId: body.command.startsWith('RUN') ? 'op-0' : null,
      ...changed,
    };
  },
  // Deletions of the fixture happen at once.
  'POST /api/v1/deletions/:deletionId/keep': () => {
    throw new FixtureRefusal(409, 'conflict', 'The deletion has happened.');
  },
  'POST /api/v1/deletions/:deletionId/undo': () => {
    throw new FixtureRefusal(409, 'conflict', 'The deletion has happened.');
  },
  'POST /api/v1/deletions/:deletionId/end': () => ({ success: true }),
  'POST /api/v1/sync/undo': ({ body }, state) => {
    const isStarted = body.command === 'pause';
    const own = state.syncs.filter(({ name, variant }) => body.syncs.includes(`${name}/${variant}`));
    for (const sync of own)
      Object.assign(sync, {
        status: isStarted ? 'SUCCESS' : 'PAUSED',
        scheduleStatus: isStarted ? 'STARTED' : 'PAUSED',
      });
    return { count: own.length };
  },
  'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': (
    { params, body },
    state,
  ) => {
    const sync = syncOf(state, params);
    const { frequency, replaces, ...rest } = body;
    if (replaces !== undefined && JSON.stringify(replaces) !== JSON.stringify(sync.checkpoint))
      throw new FixtureRefusal(409, 'checkpoint_conflict', 'The checkpoint changed since it was read.');
    const own =
      frequency === undefined ? {} : { frequency: frequency ?? 'every 1h', hasOwnFrequency: frequency !== null };
    return Object.assign(sync, rest, own);
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant/next-runs': (_, state) => ({
    at: [1, 2, 3].map((hours) => new Date(state.now + hours * 3_600_000).toISOString()),
  }),
  'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': ({ params }, state) => {
    const made = { ...syncOf(state, { ...params, variant: 'base' }), variant: params.variant, recentRuns: [] };
    state.syncs.push(made);
    return made;
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': ({ params }, state) => {
    const gone = syncOf(state, params);
    state.syncs = state.syncs.filter((one) => one !== gone);
    return { success: true };
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/stats': (_, state) => seedStats(state.now),
  'GET /api/v1/functions/:integrationKey/:type/:name/versions': (_, state) => ({
    data: [3, 2, 1].map((id) => ({
      id,
      version: `1.${id}.0`,
      at: new Date(state.now - (4 - id) * 26 * 3_600_000).toISOString(),
      origin: id === 1 ? 'repo' : 'workspace',
    })),
  }),
  'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId': ({ params }, state) => {
    const { code, runningCode } = need(state.functions.find(({ name }) => name === params.name));
    const running = runningCode ?? code;
    return { code: params.versionId === 3 ? running : `// version ${params.versionId}\n${running}` };
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore': ({ params, body }, state) => {
    const one = need(state.functions.find(({ name }) => name === params.name));
    if (body.replaces !== one.fileHash)
      throw new FixtureRefusal(409, 'conflict', `${one.file} was changed on the disk since you opened it.`);
    return { success: true };
  },
  'GET /api/v1/integrations/:integrationKey/function-draft': ({ params, query }, state) => {
    const file = fileOf(params.integrationKey, query);
    const isThere = state.functions.some((one) => one.file === file);
    const problem = isThere ? `${file} exists already. Choose another name, or edit it.` : null;
    return { file, path: `~/homeport/functions/${file}`, code: newFunction(query.type, query.name), problem };
  },
  'GET /api/v1/integrations/:integrationKey/function-prompt': ({ params, query }) => ({
    text: `Save it as ${fileOf(params.integrationKey, query)}.`,
  }),
  'POST /api/v1/integrations/:integrationKey/functions': ({ params, body }, state) => {
    const { type, name } = body;
    const file = fileOf(params.integrationKey, body);
    const path = `~/homeport/functions/${file}`;
    const like = need(state.functions[0]);
    state.functions.push({ ...like, integrationKey: params.integrationKey, type, name, file, path });
    return { file, path };
  },
  'GET /api/v1/functions/:integrationKey/sync/:name/connections': ({ params, query }, state) =>
    page(
      state.connections
        .filter(({ detail }) => detail.integrationKey === params.integrationKey)
        .map(({ detail: { connectionId } }, index) => {
          const { variant, status, scheduleStatus, frequency, hasOwnFrequency, lastRun, nextRunAt } = need(
            state.syncs[index % state.syncs.length],
          );
          return { connectionId, variant, status, scheduleStatus, frequency, hasOwnFrequency, lastRun, nextRunAt };
        })
        .filter((row) => has(query.search, row.connectionId)),
      query,
      { connection: (row) => row.connectionId, status: (row) => row.status },
    ),
};
