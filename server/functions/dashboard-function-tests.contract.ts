import { z } from 'zod';
import { environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { dashboardFunctionParams } from './dashboard-functions.contract.ts';

/** Result of a replay of a recorded run. */
export const functionTestResult = z.object({
  /** Path of the recording below the functions folder. */
  path: z.string(),
  at: isoTime,
  tookMs: z.number(),
  /** `broken`: the recording or the function could not be read. */
  outcome: z.enum(['passed', 'differs', 'failed', 'broken']),
  message: z.string().nullable(),
  code: z.string().nullable(),
  /** `what` is for example `output` or `batchSave.Issue`. The values are JSON, shortened if long. */
  differences: z.array(z.object({ what: z.string(), expected: z.string(), actual: z.string(), isCut: z.boolean() })),
  /** Recorded requests that the run did not send. */
  unsent: z.array(z.string()),
  /** Id of the actual result, with which a request accepts exactly this result. */
  actualId: z.string().nullable(),
});

/** Recorded runs of a function. `homeport test` replays the first one. */
export const functionTests = z.object({
  /** Why the function cannot have any; null when it can. */
  problem: z.string().nullable(),
  tests: z.array(z.object({ path: z.string(), isLegacy: z.boolean(), lastResult: functionTestResult.nullable() })),
  /** File written by `homeport generate:tests`, below the functions folder. */
  generatedTest: z.string().nullable(),
});

/** Without a path every recorded run of the function is replayed. */
export const runFunctionTestsBody = z.object({ path: z.string().min(1).optional() });
export const updateFunctionTestBody = z.object({ path: z.string().min(1), actualId: z.string().min(1) });

/** The file that a run of the playground would be saved as. */
export const fixturePreview = z.object({
  /** Path below the functions folder. */
  path: z.string(),
  /** Whether the file already exists. */
  isThere: z.boolean(),
  /** Number of recorded responses. */
  requests: z.number().int(),
  sizeBytes: z.number().int(),
  /** The content; null when it is too long to show. */
  text: z.string().nullable(),
});
export const saveFixtureBody = z.object({ overwrites: z.boolean() });

export const functionTestsRouteShapes = {
  'GET /api/v1/functions/:integrationKey/:type/:name/tests': {
    meaning: 'Recorded runs of a function with their last results.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    response: functionTests,
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': {
    meaning: 'Replays one recorded run, or all of them, with the live version and without a network.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    body: runFunctionTestsBody,
    response: wholeResponse(functionTestResult),
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': {
    meaning: 'Accepts the result of a replay as the expected one; 409 when the result is different by now.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    body: updateFunctionTestBody,
    response: functionTestResult,
  },
};

export type FunctionTestList = z.infer<typeof functionTests>;
export type FunctionTestResult = z.infer<typeof functionTestResult>;
