import type {
  FunctionDetail,
  FunctionProblem,
  FunctionRow,
  MissingFunctions,
} from '../../contract/dashboard/dashboard-functions.ts';
import type { DeployedFunction, ParsedDefinition } from '../../services/deployments/deployed-function.ts';
import type { FunctionCheck, FunctionSummary } from '../../services/deployments/function-summary.ts';
import type { MissingReport } from '../../services/lifecycle/function-pruning.ts';
import { isoDate } from '../present/dates.ts';

export function viewFunction(summary: FunctionSummary, provider: string | null): FunctionRow {
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

export function viewMissing({ functions, isHeld, isFolderGone }: MissingReport): MissingFunctions {
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
  { missingSince, problems }: Pick<FunctionSummary, 'missingSince' | 'problems'>,
  hasIntegration: boolean,
): FunctionRow['status'] {
  // With problems the file is there, and something else keeps the function off.
  if (missingSince !== null && problems.length === 0) return 'file_missing';
  const errors = problems.filter((one) => one.severity === 'error');
  if (errors.length === 0) return hasIntegration ? 'ok' : 'no_integration';
  return errors.every((one) => one.code === 'type_error') ? 'type_error' : 'compile_error';
}

export interface FunctionFacts {
  summary: FunctionSummary;
  deployed: DeployedFunction;
  provider: string | null;
  code: string;
  check: FunctionCheck | undefined;
}

export function viewFunctionDetail({ summary, deployed, provider, code, check }: FunctionFacts): FunctionDetail {
  const { definition } = deployed;
  return {
    ...viewFunction(summary, provider),
    description: summary.description,
    file: deployed.path,
    code,
    problems: errorsOf(deployed.problems),
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
  };
}

function errorsOf(problems: FunctionSummary['problems']): FunctionProblem[] {
  return problems
    .filter((one) => one.severity === 'error')
    .map(({ message, code, typescriptCode, line, column }) => ({
      message,
      code: code === 'failed_to_build_unknown' ? null : (typescriptCode ?? code),
      line,
      column,
    }));
}

/** One model is its own schema; several are the choice between them. The models that they refer to come along. */
function schemaOf(
  definition: Exclude<ParsedDefinition, { type: 'on-event' }>,
  models: readonly string[],
): Record<string, unknown> | null {
  const { definitions } = definition.json_schema;
  const known = models.filter((model) => definitions[model] !== undefined);
  const [first] = known;
  if (first === undefined) return null;
  const own =
    known.length === 1
      ? { ...definitions[first] }
      : { anyOf: known.map((model) => ({ title: model, ...definitions[model] })) };
  return JSON.stringify(own).includes('"$ref"') ? { ...own, definitions } : own;
}
