import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { DashboardParts } from './api/dashboard-parts.ts';
import type { DashboardHandlers } from './api/dashboard-route.ts';
import type { PlaygroundRun, SavedPlaygroundInput } from './dashboard-playground.contract.ts';
import type { PlaygroundEntry } from './playground/playground.service.ts';
import type { SavedInput } from './playground/playground-inputs.ts';

type Use = Pick<DashboardParts, 'playground'>;
type Keys =
  | 'GET /api/v1/playground/runs'
  | 'POST /api/v1/playground/runs'
  | 'DELETE /api/v1/playground/runs'
  | 'GET /api/v1/playground/runs/:runId'
  | 'POST /api/v1/playground/runs/:runId/cancel'
  | 'GET /api/v1/playground/inputs'
  | 'GET /api/v1/playground/requests'
  | 'POST /api/v1/playground/requests'
  | 'PUT /api/v1/playground/inputs'
  | 'DELETE /api/v1/playground/inputs/:inputId';

export function playgroundRoutes({ playground }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/playground/runs': async ({ environment, query }) => {
      const found = await playground.list(environment.id, { integrationKey: query.integration, name: query.name });
      return { data: found.map(viewRun) };
    },
    'POST /api/v1/playground/runs': async ({ environment, body }) => viewRun(await playground.start(environment, body)),
    'DELETE /api/v1/playground/runs': async ({ environment }) => {
      await playground.clear(environment.id);
      return { success: true };
    },
    'GET /api/v1/playground/runs/:runId': async ({ environment, params }) =>
      viewRun(await playground.get(environment.id, params.runId)),
    'POST /api/v1/playground/runs/:runId/cancel': async ({ environment, params }) => {
      await playground.cancel(environment.id, params.runId);
      return viewRun(await playground.get(environment.id, params.runId));
    },
    'GET /api/v1/playground/inputs': async ({ environment, query }) => {
      const { integration: integrationKey, kind, name: functionName } = query;
      const found = await playground.savedInputs.list(environment, { integrationKey, kind, functionName });
      return { data: found.map(viewInput) };
    },
    'GET /api/v1/playground/requests': async ({ environment }) => ({
      data: (await playground.savedInputs.listRequests(environment)).map(viewInput),
    }),
    'POST /api/v1/playground/requests': async ({ environment, body }) => {
      const { integrationKey, connectionId } = body;
      const requests = body.requests.map(({ name, request }) => ({
        name,
        request: { ...request, integrationKey, connectionId },
      }));
      return {
        data: (await playground.savedInputs.saveRequests(environment, integrationKey, requests)).map(viewInput),
      };
    },
    'PUT /api/v1/playground/inputs': async ({ environment, body }) =>
      viewInput(await playground.savedInputs.save(environment, body.name, body.request)),
    'DELETE /api/v1/playground/inputs/:inputId': async ({ environment, params }) => {
      await playground.savedInputs.remove(environment, params.inputId);
      return { success: true };
    },
  };
}

const viewInput = ({ savedAt, ...input }: SavedInput): SavedPlaygroundInput => ({
  ...input,
  savedAt: isoDate(savedAt),
});

function viewRun(entry: PlaygroundEntry): PlaygroundRun {
  const { endedAt, startedAt } = entry;
  return {
    id: entry.id,
    request: entry.request,
    state: entry.state,
    startedAt: isoDate(startedAt),
    endedAt: isoDateOrNull(endedAt),
    durationMs: endedAt === null ? null : endedAt - startedAt,
    operationId: entry.operationId,
    output: entry.output ?? null,
    response: entry.response ?? null,
    effects: entry.effects ?? null,
    replay: entry.replay ?? null,
    webhookId: entry.webhookId ?? null,
    canBeSaved: entry.recorded !== undefined && 'recording' in entry.recorded,
    whyNotSaved: entry.recorded && 'problem' in entry.recorded ? entry.recorded.problem : null,
    error: entry.error,
    isResultLost: entry.isResultLost ?? false,
  };
}
