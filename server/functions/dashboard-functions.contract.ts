import { z } from 'zod';
import {
  commaList,
  dashboardIntegrationParams,
  dashboardJsonObject,
  done,
  environmentQuery,
  groupBy,
  groupedResponse,
  isoTime,
  listQuery,
  listResponse,
  timeZoneName,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { syncRow } from '../syncs/dashboard-syncs.contract.ts';

export const functionType = z.enum(['sync', 'action', 'on-event']);
/**
 * `type_error`: it runs. `compile_error`: the last good version, if any, continues to run. `file_missing`: it does not
 * run and keeps its syncs, settings and records. `no_integration`: it compiles and becomes active when an integration
 * with its folder's name is created; errors take precedence over this status, and `provider` is null with them too.
 */
export const functionStatus = z.enum(['ok', 'type_error', 'compile_error', 'file_missing', 'no_integration']);

export const functionProblem = z.object({
  message: z.string(),
  /** `TS2339`, or the name of a source check; null for bundling errors. */
  code: z.string().nullable(),
  line: z.number().int().min(1).nullable(),
  column: z.number().int().min(1).nullable(),
});

export const functionQuery = listQuery([
  'name',
  'integration',
  'type',
  'status',
  'lastRun',
  'success',
  'p95',
  'updated',
]).extend({
  integrations: commaList(z.string()).optional(),
  types: commaList(functionType).optional(),
  status: commaList(functionStatus).optional(),
  groupBy: groupBy.optional(),
});

/**
 * `workspace`: a file of the functions folder. `repo`: deployed by a project. `standalone`: deployed by another API
 * call.
 */
const functionOrigin = z.enum(['workspace', 'repo', 'standalone']);

export const functionRow = z.object({
  /** First folder of the path. An integration with this key may not exist yet. */
  integrationKey: z.string(),
  provider: z.string().nullable(),
  name: z.string(),
  type: functionType,
  isEnabled: z.boolean(),
  status: functionStatus,
  /** The first problem; null when the status is `ok`. */
  problem: functionProblem.nullable(),
  /** The version that runs; null when no version ever compiled. */
  version: z.string().nullable(),
  frequency: z.string().nullable(),
  models: z.array(z.string()),
  lastRun: z.object({ operationId: z.string(), at: isoTime, state: z.string() }).nullable(),
  updatedAt: isoTime,
});

/** Includes the results of its runs in the last seven days; null when it did not run. */
export const listedFunction = functionRow.extend({
  /** Path below the functions folder. */
  file: z.string(),
  /** Path on this computer; null when there is no file. */
  path: z.string().nullable(),
  origin: functionOrigin,
  /** False: the folder has an `index.ts` that does not import the file, so a deploy of the folder leaves it out. */
  isInIndex: z.boolean(),
  week: z
    .object({
      runs: z.number().int(),
      succeeded: z.number().int(),
      /** 95th percentile of successful runs in milliseconds, accurate to 5 %; null when none succeeded. */
      p95Ms: z.number().int().nullable(),
    })
    .nullable(),
});

export const functionDetail = functionRow.extend({
  description: z.string().nullable(),
  /** Path below the functions folder. */
  file: z.string(),
  /** Content of the file on disk, also when it does not compile. */
  code: z.string(),
  problems: z.array(functionProblem),
  /** Names that are declared but never read. */
  hints: z.array(functionProblem),
  checkedAt: isoTime,
  /** Null when the file was not compiled since the start. */
  checkDurationMs: z.number().nullable(),
  scopes: z.array(z.string()),
  /** JSON Schemas; null when the function declares none. */
  inputSchema: dashboardJsonObject.nullable(),
  outputSchema: dashboardJsonObject.nullable(),
  autoStart: z.boolean(),
  trackDeletes: z.boolean(),
  origin: functionOrigin,
  /** Path on this computer; null when there is no file. */
  path: z.string().nullable(),
  /** Source of the version that runs, if it differs from the file; else null. */
  runningCode: z.string().nullable(),
  /** Identifies the content of the file on the disk; null when there is no file. */
  fileHash: z.string().nullable(),
});

/** A version that went live. Another route returns its source. */
export const functionVersionRow = z.object({
  id: z.number().int(),
  version: z.string(),
  at: isoTime,
  /** Where the version came from. */
  origin: functionOrigin,
});

export const functionVersionSource = z.object({ code: z.string() });

export const functionStatsQuery = environmentQuery.extend({
  /** Number of days, including today. */
  days: z.coerce.number().int().min(1).max(30).default(7),
  /** Time zone of the buckets. */
  timeZone: timeZoneName.default('UTC'),
});

/** Finished runs of the last days. */
export const functionStats = z.object({
  total: z.number().int(),
  succeeded: z.number().int(),
  /** 50th and 95th percentile of successful runs in milliseconds; null when none succeeded. */
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  /** The oldest first. Empty buckets are included. */
  buckets: z.array(z.object({ at: isoTime, succeeded: z.number().int(), failed: z.number().int() })),
});

export const functionConnectionQuery = listQuery(['connection', 'status', 'lastRun', 'next']);

/** A sync on one connection. */
export const functionConnectionRow = syncRow
  .pick({
    variant: true,
    status: true,
    scheduleStatus: true,
    frequency: true,
    hasOwnFrequency: true,
    lastRun: true,
    nextRunAt: true,
  })
  .extend({ connectionId: z.string() });

/** A shipped function that an integration can add. */
export const templateRow = z.object({
  name: z.string(),
  type: z.enum(['sync', 'action']),
  description: z.string(),
  /** Target path below the functions folder. */
  file: z.string(),
  code: z.string(),
  /** Frequency of a sync; null for actions. */
  frequency: z.string().nullable(),
  /** Whether the sync starts by itself for every connection. */
  autoStart: z.boolean(),
  scopes: z.array(z.string()),
  inputSchema: dashboardJsonObject.nullable(),
  outputSchema: dashboardJsonObject.nullable(),
  /** Whether a recorded run ships with it. */
  canBeTried: z.boolean(),
  /** Whether the file already exists. */
  isThere: z.boolean(),
  /** Content of the existing file, if it differs from the template. */
  ownCode: z.string().nullable(),
  /** Other needed files that exist with different content. They must be renamed before the template can be added. */
  blockedBy: z.array(z.string()),
});

/** Paths below the functions folder. `kept` files already existed with the same content. */
export const addedTemplate = z.object({ written: z.array(z.string()), kept: z.array(z.string()) });

/** Result of a template over its recorded run. The run used no network and stored nothing. */
export const triedTemplate = z.object({
  /** Why it failed; null when it succeeded. */
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  durationMs: z.number(),
  /** Requests that it sent, with the recorded responses. */
  requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.number().int() })),
  /** Input of an action as JSON; null for syncs. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  /** Records that a sync saved, as JSON; only the first ones when there are many. */
  records: z.array(
    z.object({ model: z.string(), saved: z.number().int(), deleted: z.number().int(), rows: z.string() }),
  ),
});

/** A function whose file is missing, and what a removal would delete. */
export const missingFunction = z.object({
  integrationKey: z.string(),
  type: functionType,
  name: z.string(),
  /** Path below the functions folder. */
  file: z.string(),
  /** Time since when it is switched off; null while it still runs. */
  since: isoTime.nullable(),
  /** Number over all connections, variants included. */
  syncs: z.number().int(),
  /** Number of live records that would be marked as deleted. */
  records: z.number().int(),
});

export const missingFunctionsResponse = z.object({
  functions: z.array(missingFunction),
  /** So many files are missing at once that no function is switched off until a person confirms. */
  isHeld: z.boolean(),
  isFolderGone: z.boolean(),
});

/** The functions that the person saw. A function whose file went missing later is not removed. */
export const pruneFunctionsBody = z.object({
  functions: z.array(missingFunction.pick({ integrationKey: true, type: true, name: true })).min(1),
});

/** A function that does not exist yet. */
const newFunction = z.object({ type: functionType, name: z.string().min(1).max(255) });

/** The file of a new function before it is written. */
export const functionDraft = z.object({
  /** Path below the functions folder. */
  file: z.string(),
  /** Path on this computer. */
  path: z.string(),
  code: z.string(),
  /** Why it cannot be written; null when it can. */
  problem: z.string().nullable(),
});

export const updateFunctionBody = z.object({ isEnabled: z.boolean() });

export const dashboardFunctionParams = dashboardIntegrationParams.extend({ type: functionType, name: z.string() });

export const functionsRouteShapes = {
  'GET /api/v1/functions': {
    meaning: 'Functions of all integrations; search in name and description.',
    query: functionQuery,
    response: groupedResponse(listedFunction),
  },
  'GET /api/v1/functions/missing': {
    meaning: 'Functions whose files are missing, with the syncs and records that would be removed with them.',
    query: environmentQuery,
    response: missingFunctionsResponse,
  },
  'POST /api/v1/functions/missing/confirm': {
    meaning: 'Switches off functions that still run although most files are missing; everything of them is kept.',
    query: environmentQuery,
    response: missingFunctionsResponse,
  },
  'POST /api/v1/functions/missing/prune': {
    meaning: 'Removes these permanently, with syncs and records, except functions whose files exist again.',
    query: environmentQuery,
    body: pruneFunctionsBody,
    response: z.object({ removed: z.number().int() }),
  },
  'GET /api/v1/functions/:integrationKey/:type/:name': {
    meaning: 'One function with code, problems and schemas.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    response: functionDetail,
  },
  'PATCH /api/v1/functions/:integrationKey/:type/:name': {
    meaning: 'Switches it on or off.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    body: updateFunctionBody,
    /** `isChanged` is false when it was so already. */
    response: functionDetail.extend({ isChanged: z.boolean() }),
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/versions': {
    meaning: 'The versions that went live, newest first: at most 20.',
    params: dashboardFunctionParams,
    query: environmentQuery,
    response: wholeResponse(functionVersionRow),
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId': {
    meaning: 'The source of one of them.',
    params: dashboardFunctionParams.extend({ versionId: z.coerce.number().int() }),
    query: environmentQuery,
    response: functionVersionSource,
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore': {
    meaning:
      'Writes one of them into the file of the function, which deploys it; 409 when the file is not the one of `replaces` any more.',
    params: dashboardFunctionParams.extend({ versionId: z.coerce.number().int() }),
    query: environmentQuery,
    /** The `fileHash` of the file that the person saw; null for no file. */
    body: z.object({ replaces: z.string().nullable() }),
    response: done,
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/stats': {
    meaning: 'Number, results and durations of the runs in the last days.',
    params: dashboardFunctionParams,
    query: functionStatsQuery,
    response: functionStats,
  },
  'GET /api/v1/functions/:integrationKey/sync/:name/connections': {
    meaning:
      'The state of a sync on each connection of its integration, variants included; search in the connection id.',
    params: dashboardFunctionParams.omit({ type: true }),
    query: functionConnectionQuery,
    response: listResponse(functionConnectionRow),
  },
  'GET /api/v1/integrations/:integrationKey/function-draft': {
    meaning: 'The file that a new function starts with, and whether it can be written.',
    params: dashboardIntegrationParams,
    query: environmentQuery.extend(newFunction.shape),
    response: functionDraft,
  },
  'GET /api/v1/integrations/:integrationKey/function-prompt': {
    meaning: 'What an agent needs to know to write a new function: the integration, its models, the rules, the file.',
    params: dashboardIntegrationParams,
    query: environmentQuery.extend(newFunction.shape),
    response: z.object({ text: z.string() }),
  },
  'POST /api/v1/integrations/:integrationKey/functions': {
    meaning: 'Writes the file of a new function into the functions folder; 409 when it exists.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: newFunction,
    response: functionDraft.pick({ file: true, path: true }),
  },
  'GET /api/v1/integrations/:integrationKey/templates': {
    meaning: 'Functions that ship for the provider of the integration; actions, then syncs.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    response: wholeResponse(templateRow),
  },
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name': {
    meaning: 'Copies one into the functions folder; 409 when an existing file would have to change.',
    params: dashboardIntegrationParams.extend({ type: z.enum(['sync', 'action']), name: z.string() }),
    query: environmentQuery,
    response: addedTemplate,
  },
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name/try': {
    meaning: 'Runs one over the recording that ships with it; stores nothing.',
    params: dashboardIntegrationParams.extend({ type: z.enum(['sync', 'action']), name: z.string() }),
    query: environmentQuery,
    response: triedTemplate,
  },
};

export type TemplateRow = z.infer<typeof templateRow>;
export type TriedTemplate = z.infer<typeof triedTemplate>;
export type MissingFunctions = z.infer<typeof missingFunctionsResponse>;
export type ShownFunctionType = z.infer<typeof functionType>;
export type FunctionProblem = z.infer<typeof functionProblem>;
export type ShownFunction = z.infer<typeof functionRow>;
export type FunctionListItem = z.infer<typeof listedFunction>;
export type FunctionVersion = z.infer<typeof functionVersionRow>;
export type FunctionStats = z.infer<typeof functionStats>;
export type FunctionConnectionRow = z.infer<typeof functionConnectionRow>;
export type FunctionDetail = z.infer<typeof functionDetail>;
