import { z } from 'zod';
import { dashboardFunctionParams } from './dashboard-functions.ts';
import { environmentQuery, isoTime, wholeResponse } from './dashboard-lists.ts';

/** What the replay of a recorded run came to. */
export const functionTestResult = z.object({
  /** Of the recording, below the functions folder. */
  path: z.string(),
  at: isoTime,
  tookMs: z.number(),
  /** `broken`: the recording or the function could not be read. */
  outcome: z.enum(['passed', 'differs', 'failed', 'broken']),
  message: z.string().nullable(),
  code: z.string().nullable(),
  /** `what` is `output` or `batchSave.Issue`; the values as JSON, cut where they are long. */
  differences: z.array(z.object({ what: z.string(), expected: z.string(), actual: z.string(), isCut: z.boolean() })),
  /** Recorded requests that the run did not send. */
  unsent: z.array(z.string()),
  /** Names what came out, to take exactly that over. */
  actualId: z.string().nullable(),
});

/** Recorded runs of a function; the first is the one that `homeport test` replays. */
export const functionTests = z.object({
  /** Why the function can have none; null when it can. */
  problem: z.string().nullable(),
  tests: z.array(z.object({ path: z.string(), isLegacy: z.boolean(), lastResult: functionTestResult.nullable() })),
  /** File that `homeport generate:tests` wrote, below the functions folder. */
  generatedTest: z.string().nullable(),
});

/** Without a path every recorded run of the function is replayed. */
export const runFunctionTestsBody = z.object({ path: z.string().min(1).optional() });
export const updateFunctionTestBody = z.object({ path: z.string().min(1), actualId: z.string().min(1) });

/** A run of the playground as it would be written. */
export const fixturePreview = z.object({
  /** Below the functions folder. */
  path: z.string(),
  /** A file is there already. */
  isThere: z.boolean(),
  /** Recorded answers. */
  requests: z.number().int(),
  sizeBytes: z.number().int(),
  /** The file; null when it is too long to show. */
  text: z.string().nullable(),
});
export const saveFixtureBody = z.object({ overwrites: z.boolean() });

export const functionTestsRouteShapes = {
  'GET /api/v1/functions/:integrationKey/:type/:name/tests': {
    meaning: 'Recorded runs of a function with how they came out last.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    response: functionTests,
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': {
    meaning: 'Replays one recorded run, or all of them, against the live version; nothing goes over the network.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    body: runFunctionTestsBody,
    response: wholeResponse(functionTestResult),
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': {
    meaning: 'Takes what a replay came to as what is expected; 409 when something else comes out by now.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    body: updateFunctionTestBody,
    response: functionTestResult,
  },
};

export type FunctionTestList = z.infer<typeof functionTests>;
export type FunctionTestResult = z.infer<typeof functionTestResult>;
export type FixturePreview = z.infer<typeof fixturePreview>;
