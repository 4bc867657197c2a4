import type { Response } from 'express';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { FunctionTestResult } from './dashboard-function-tests.contract.ts';
import { findFunction } from './function.dashboard.ts';
import type { ReplayedTest } from './function-tests.service.ts';

type Use = Pick<DashboardParts, 'deployments' | 'functionTests' | 'playground'>;
type Keys =
  | 'GET /api/v1/functions/:integrationKey/:type/:name/tests'
  | 'POST /api/v1/functions/:integrationKey/:type/:name/tests/run'
  | 'POST /api/v1/functions/:integrationKey/:type/:name/tests/update'
  | 'GET /api/v1/playground/runs/:runId/fixture'
  | 'POST /api/v1/playground/runs/:runId/fixture';

/** Longer files are not sent to the page, in characters. */
const MAX_SHOWN = 500_000;

export function functionTestRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/functions/:integrationKey/:type/:name/tests': async ({ environment, params }) => {
      const deployed = await findFunction(use, environment, params);
      const { tests, generatedTest } = await use.functionTests.list(deployed);
      return {
        problem: use.functionTests.whyNotSaved(deployed) ?? null,
        tests: tests.map(({ lastResult, ...test }) => ({ ...test, lastResult: lastResult && viewResult(lastResult) })),
        generatedTest,
      };
    },

    'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': async ({ environment, params, body, response }) => {
      const deployed = await findFunction(use, environment, params);
      const results = await use.functionTests.run(deployed, body.path, untilClosed(response));
      return { data: results.map(viewResult) };
    },

    'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': async ({
      environment,
      params,
      body,
      response,
    }) => {
      const deployed = await findFunction(use, environment, params);
      return viewResult(await use.functionTests.update(deployed, body, untilClosed(response)));
    },

    'GET /api/v1/playground/runs/:runId/fixture': async ({ environment, params }) => {
      const { recording, path, isThere } = await use.playground.describeRecording(environment.id, params.runId);
      const text = JSON.stringify(recording, null, 2);
      const responses = Object.values(recording.api ?? {}).flatMap((paths) => Object.values(paths).flat());
      return {
        path,
        isThere,
        requests: responses.length,
        sizeBytes: Buffer.byteLength(text),
        text: text.length > MAX_SHOWN ? null : text,
      };
    },

    'POST /api/v1/playground/runs/:runId/fixture': async ({ environment, params, body }) => ({
      path: await use.playground.saveRecording(environment.id, params.runId, body),
    }),
  };
}

/** Returns a signal that aborts when the waiting page disconnects. */
export function untilClosed(response: Response): AbortSignal {
  const abort = new AbortController();
  response.once('close', () => abort.abort(new Error('The page was closed.')));
  return abort.signal;
}

function viewResult({ at, differences, ...result }: ReplayedTest): FunctionTestResult {
  return {
    ...result,
    at: isoDate(at),
    differences: differences.map(({ what, expected, actual }) => {
      const texts = { expected: textOf(expected), actual: textOf(actual) };
      const isCut = texts.expected.length > MAX_SHOWN || texts.actual.length > MAX_SHOWN;
      return {
        what,
        expected: texts.expected.slice(0, MAX_SHOWN),
        actual: texts.actual.slice(0, MAX_SHOWN),
        isCut,
      };
    }),
  };
}

/** The value as text; empty when there is none. */
function textOf(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
