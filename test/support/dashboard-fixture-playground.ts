import type { DashboardRouteKey } from '../../server/contract/dashboard/dashboard-routes.ts';
import type { PlaygroundRun } from '../../server/dashboard/dashboard-playground.contract.ts';
import { type Handler, need } from './dashboard-fixture-lists.ts';
import type { FixtureState } from './dashboard-fixture-state.ts';

type Keys = Extract<DashboardRouteKey, `${string} /api/v1/playground${string}`>;

const runOf = (state: FixtureState, id: string): PlaygroundRun => need(state.playground.find((run) => run.id === id));

/** Every run succeeds at once and returns its input. */
export const playgroundHandlers: { [K in Keys]: Handler<K> } = {
  'GET /api/v1/playground/runs': (_, state) => ({ data: state.playground }),
  'POST /api/v1/playground/runs': ({ body }, state) => {
    const now = new Date().toISOString();
    const run: PlaygroundRun = {
      id: `play-${state.playground.length}`,
      request: body,
      state: 'success',
      startedAt: now,
      endedAt: now,
      durationMs: 318,
      operationId: 'op-3',
      output: body.kind === 'action' ? { sent: true, input: body.input ?? null } : null,
      response: null,
      effects: null,
      replay: null,
      webhookId: null,
      canBeSaved: body.kind === 'action',
      whyNotSaved: null,
      error: null,
      isResultLost: false,
    };
    state.playground.unshift(run);
    return run;
  },
  'DELETE /api/v1/playground/runs': (_, state) => {
    state.playground = [];
    return { success: true };
  },
  'GET /api/v1/playground/runs/:runId': ({ params }, state) => runOf(state, params.runId),
  'POST /api/v1/playground/runs/:runId/cancel': ({ params }, state) => runOf(state, params.runId),
  'GET /api/v1/playground/runs/:runId/fixture': () => {
    const text = JSON.stringify({ input: {}, output: { sent: true }, api: {} }, null, 2);
    const path = 'github/tests/create-issue.test.json';
    return { path, isThere: false, requests: 0, sizeBytes: text.length, text };
  },
  'GET /api/v1/playground/inputs': ({ query }, state) => ({
    data: state.savedInputs.filter(
      ({ request }) =>
        request.integrationKey === query.integration &&
        request.kind === query.kind &&
        (request.kind === 'proxy' || request.name === query.name),
    ),
  }),
  'GET /api/v1/playground/requests': (_, state) => ({
    data: state.savedInputs.filter(({ request }) => request.kind === 'proxy'),
  }),
  'POST /api/v1/playground/requests': ({ body }, state) => {
    const { integrationKey, connectionId, requests } = body;
    const data = requests.map(({ name, request }, at) => ({
      id: `input-${state.savedInputs.length + at}`,
      savedAt: new Date().toISOString(),
      name,
      request: { ...request, integrationKey, connectionId },
    }));
    state.savedInputs = [...state.savedInputs, ...data];
    return { data };
  },
  'PUT /api/v1/playground/inputs': ({ body }, state) => {
    const saved = { id: `input-${state.savedInputs.length}`, savedAt: new Date().toISOString(), ...body };
    state.savedInputs = [...state.savedInputs.filter(({ name }) => name !== body.name), saved];
    return saved;
  },
  'DELETE /api/v1/playground/inputs/:inputId': ({ params }, state) => {
    state.savedInputs = state.savedInputs.filter(({ id }) => id !== params.inputId);
    return { success: true };
  },
  'POST /api/v1/playground/runs/:runId/fixture': () => ({ path: 'github/tests/create-issue.test.json' }),
};
