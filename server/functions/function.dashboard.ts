import { join } from 'node:path';
import type { GroupBy } from '../contract/dashboard/dashboard-lists.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { takePage } from '../dashboard/api/list-page.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { MissingReport } from '../lifecycle/function-pruning.ts';
import type { RunSummary } from '../log/log-counts.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { modelSchema, withReferredModels } from '../platform/lib/model-schema.ts';
import type {
  FunctionDetail,
  FunctionListItem,
  FunctionProblem,
  MissingFunctions,
  ShownFunction,
  ShownFunctionType,
} from './dashboard-functions.contract.ts';
import type { DeployedFunction, ParsedDefinition } from './deployments/deployed-function.ts';
import type { FunctionCheck, FunctionSummary } from './deployments/function-summary.ts';

type Use = Pick<
  DashboardParts,
  'about' | 'deployments' | 'integrations' | 'functionPruning' | 'functionSyncs' | 'functionWriter' | 'logs'
>;
type Keys =
  | 'GET /api/v1/functions'
  | 'GET /api/v1/functions/missing'
  | 'POST /api/v1/functions/missing/confirm'
  | 'POST /api/v1/functions/missing/prune'
  | 'GET /api/v1/functions/:integrationKey/:type/:name'
  | 'PATCH /api/v1/functions/:integrationKey/:type/:name'
  | 'GET /api/v1/functions/:integrationKey/:type/:name/versions'
  | 'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId'
  | 'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore';

export function functionRoutes(use: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/functions': listPage(use),
    'GET /api/v1/functions/missing': async ({ environment }) =>
      viewMissing(await use.functionPruning.describe(environment.id)),

    'POST /api/v1/functions/missing/confirm': async ({ environment }) => {
      await use.functionPruning.confirm();
      return viewMissing(await use.functionPruning.describe(environment.id));
    },

    'POST /api/v1/functions/missing/prune': async ({ environment, body }) => {
      const keys = body.functions.map((one) => ({ ...one, environmentId: environment.id }));
      return { removed: (await use.functionPruning.prune(keys)).length };
    },

    'GET /api/v1/functions/:integrationKey/:type/:name': async ({ environment, params }) =>
      describe(use, environment, await findFunction(use, environment, params)),

    'PATCH /api/v1/functions/:integrationKey/:type/:name': async ({ environment, params, body }) => {
      const found = await findFunction(use, environment, params);
      const isChanged = await use.functionSyncs.setEnabled(found, body.isEnabled);
      return { ...(await describe(use, environment, await findFunction(use, environment, params))), isChanged };
    },

    'GET /api/v1/functions/:integrationKey/:type/:name/versions': async ({ environment, params }) => {
      const versions = await use.deployments.listVersions(await findFunction(use, environment, params));
      return {
        data: versions.map(({ id, version, origin, liveAt }) => ({ id, version, origin, at: isoDate(liveAt) })),
      };
    },

    'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId': async ({ environment, params }) => {
      const code = await use.deployments.readVersion(await findFunction(use, environment, params), params.versionId);
      if (code === undefined)
        throw new HomeportError('not_found', 'This version is no longer kept. Reload the list of versions.');
      return { code };
    },

    'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore': async ({
      environment,
      params,
      body,
    }) => {
      const deployed = await findFunction(use, environment, params);
      await use.functionWriter.restore(deployed, params.versionId, body.replaces);
      return { success: true };
    },
  };
}

/** What needs somebody comes first. */
const STATUS_RANKS = ['compile_error', 'type_error', 'file_missing', 'no_integration', 'ok'];

const groupOf =
  (by: GroupBy) =>
  ({ row }: { row: FunctionListItem }): { value: string; rank: number; provider: string | null } =>
    by === 'status'
      ? { value: row.status, rank: STATUS_RANKS.indexOf(row.status), provider: null }
      : { value: row.integrationKey, rank: 0, provider: row.provider };

const SORT_VALUES = {
  name: (row: FunctionListItem) => row.name,
  integration: (row: FunctionListItem) => row.integrationKey,
  type: (row: FunctionListItem) => row.type,
  status: (row: FunctionListItem) => row.status,
  lastRun: (row: FunctionListItem) => row.lastRun?.at ?? null,
  success: (row: FunctionListItem) => row.week && row.week.succeeded / row.week.runs,
  p95: (row: FunctionListItem) => row.week?.p95Ms ?? null,
  updated: (row: FunctionListItem) => row.updatedAt,
};

/** Operation type of the runs of a function, by the function's type. */
const OPERATIONS: Record<ShownFunctionType, string> = { sync: 'sync', action: 'action', 'on-event': 'events' };
const keyOf = (...parts: string[]): string => JSON.stringify(parts);

function viewWeek(week: Pick<RunSummary, 'runs' | 'succeeded' | 'p95Ms'> | undefined): FunctionListItem['week'] {
  return week ? { runs: week.runs, succeeded: week.succeeded, p95Ms: week.p95Ms } : null;
}

function listPage(use: Use): DashboardHandler<'GET /api/v1/functions'> {
  return async ({ environment, query }) => {
    const [summaries, integrations, weeks] = await Promise.all([
      use.deployments.listSummaries(environment.id),
      use.integrations.list(environment.id),
      use.logs.listRunSummaries(environment.id),
    ]);
    const weekOf = new Map(weeks.map((one) => [keyOf(one.type, one.integrationKey, one.functionName), one]));
    const providers = new Map(integrations.map((one) => [one.uniqueKey, one.provider]));
    const indexed = use.deployments.workspace.listIndexedPaths();
    const all = summaries.map((summary) => ({
      summary,
      row: {
        ...viewFunction(summary, providers.get(summary.integrationKey) ?? null),
        file: summary.path,
        path: pathOf(use, summary),
        origin: summary.origin,
        isInIndex: summary.origin !== 'workspace' || (indexed?.has(summary.path) ?? true),
        week: viewWeek(weekOf.get(keyOf(OPERATIONS[summary.type], summary.integrationKey, summary.name))),
      },
    }));
    const found = all.filter(
      ({ row }) =>
        (query.integrations?.includes(row.integrationKey) ?? true) &&
        (query.types?.includes(row.type) ?? true) &&
        (query.status?.includes(row.status) ?? true),
    );
    const page = takePage(found, {
      query,
      defaultSort: 'name',
      rowId: ({ summary }) => summary.id,
      texts: ({ summary }) => [summary.name, summary.description],
      value: ({ row }, key) => SORT_VALUES[key as keyof typeof SORT_VALUES](row),
      group: query.groupBy && groupOf(query.groupBy),
    });
    const names = new Map(integrations.map((one) => [one.uniqueKey, one.displayName]));
    return {
      data: page.rows.map(({ row }) => row),
      total: page.total,
      snapshot: page.snapshot,
      ...(page.groups && {
        groups: page.groups.map((group) => ({ ...group, label: names.get(group.value) ?? null })),
      }),
    };
  };
}

/** Resolves to the function that a path names. Throws `not_found`. */
export async function findFunction(
  use: Pick<Use, 'deployments'>,
  environment: Environment,
  key: { integrationKey: string; type: ShownFunctionType; name: string },
): Promise<DeployedFunction> {
  const deployed = await use.deployments.find(environment.id, key.integrationKey, key.type, key.name);
  if (!deployed)
    throw new HomeportError(
      'not_found',
      `There is no ${key.type} "${key.name}" in the folder "${key.integrationKey}".`,
    );
  return deployed;
}

async function describe(use: Use, environment: Environment, deployed: DeployedFunction): Promise<FunctionDetail> {
  const { deployments, integrations } = use;
  const [summaries, integration, code, source, fileHash] = await Promise.all([
    deployments.listSummaries(environment.id, deployed.integrationKey),
    integrations.find(environment.id, deployed.integrationKey),
    deployments.readFile(deployed),
    deployments.readSource(deployed),
    use.functionWriter.fileHash(deployed),
  ]);
  const summary = summaries.find((one) => one.id === deployed.id);
  if (!summary) throw new HomeportError('not_found', `The function "${deployed.name}" was removed.`);
  return viewFunctionDetail({
    summary,
    deployed,
    provider: integration?.provider ?? null,
    code,
    runningCode: source === undefined || source === code ? null : source,
    path: pathOf(use, deployed),
    fileHash,
    check: deployments.findLastCheck(deployed),
  });
}

/** The path on this computer; null for a function that was deployed over the API and has no file. */
function pathOf({ about }: Pick<Use, 'about'>, { origin, path }: { origin: string; path: string }): string | null {
  return origin === 'workspace' ? join(about.functionsFolder, path) : null;
}

function viewFunction(summary: FunctionSummary, provider: string | null): ShownFunction {
  const problems = errorsOf(summary.problems);
  return {
    integrationKey: summary.integrationKey,
    provider,
    name: summary.name,
    type: summary.type,
    isEnabled: summary.isEnabled,
    status: statusOf(summary, provider !== null),
    problem: problems[0] ?? null,
    version: summary.version,
    frequency: summary.frequency,
    models: summary.models,
    lastRun: summary.lastRun && { ...summary.lastRun, at: isoDate(summary.lastRun.at) },
    updatedAt: isoDate(summary.updatedAt),
  };
}

function viewMissing({ functions, isHeld, isFolderGone }: MissingReport): MissingFunctions {
  return {
    functions: functions.map(({ function: { integrationKey, missingSince, name, path, type }, syncs, records }) => ({
      integrationKey,
      type,
      name,
      file: path,
      since: missingSince === null ? null : isoDate(missingSince),
      syncs,
      records,
    })),
    isHeld,
    isFolderGone,
  };
}

function statusOf(
  { missingSince, problems, hasCompileErrors }: Pick<FunctionSummary, 'missingSince' | 'problems' | 'hasCompileErrors'>,
  hasIntegration: boolean,
): FunctionListItem['status'] {
  // When there are problems, the file exists and something else keeps the function switched off.
  if (missingSince !== null && !problems.some(({ severity }) => severity === 'error')) return 'file_missing';
  if (hasCompileErrors) return 'compile_error';
  if (problems.some((one) => one.severity === 'error')) return 'type_error';
  return hasIntegration ? 'ok' : 'no_integration';
}

interface FunctionFacts {
  summary: FunctionSummary;
  deployed: DeployedFunction;
  provider: string | null;
  code: string;
  runningCode: string | null;
  path: string | null;
  fileHash: string | null;
  check: FunctionCheck | undefined;
}

function viewFunctionDetail(facts: FunctionFacts): FunctionDetail {
  const { summary, deployed, provider, code, check } = facts;
  const { definition } = deployed;
  return {
    ...viewFunction(summary, provider),
    description: summary.description,
    file: deployed.path,
    code,
    problems: errorsOf(deployed.problems),
    hints: errorsOf(deployed.problems, 'hint'),
    checkedAt: isoDate(check?.at ?? summary.updatedAt),
    checkDurationMs: check?.durationMs ?? null,
    scopes: definition && 'scopes' in definition ? definition.scopes : [],
    inputSchema:
      definition && 'input' in definition && definition.input !== null
        ? schemaOf(definition, [definition.input])
        : null,
    outputSchema: definition && 'output' in definition ? schemaOf(definition, definition.output) : null,
    autoStart: definition?.type === 'sync' && definition.auto_start,
    trackDeletes: definition?.type === 'sync' && definition.track_deletes,
    origin: deployed.origin,
    path: facts.path,
    runningCode: facts.runningCode,
    fileHash: facts.fileHash,
  };
}

/** Errors; with `hint` the names that are declared but never read, which are no errors. */
function errorsOf(problems: FunctionSummary['problems'], kind: 'error' | 'hint' = 'error'): FunctionProblem[] {
  return problems
    .filter((one) => (kind === 'error' ? one.severity === 'error' : one.code === 'unused_name'))
    .map(({ message, code, typescriptCode, line, column }) => ({
      message,
      code: code === 'failed_to_build_unknown' ? null : (typescriptCode ?? code),
      line,
      column,
    }));
}

/** The schema of one model, or a union of several. Referenced models are included. */
export function schemaOf(
  definition: Exclude<ParsedDefinition, { type: 'on-event' }>,
  models: readonly string[],
): Record<string, unknown> | null {
  const { definitions } = definition.json_schema;
  const known = models.filter((model) => definitions[model] !== undefined);
  const [first] = known;
  if (first === undefined) return null;
  if (known.length === 1) return modelSchema(definitions, first) ?? null;
  return withReferredModels({ anyOf: known.map((model) => ({ title: model, ...definitions[model] })) }, definitions);
}
