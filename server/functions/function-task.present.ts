import { isoDate } from '../platform/lib/dates.ts';
import type { PushPlan } from './deployments/deployed-bundles.ts';
import type { FunctionTask } from './tasks/function-task.ts';

/** The response to the start of a task (http-api.md 14). */
export function presentStarted({ id, status, createdAt }: FunctionTask): Record<string, unknown> {
  return { id, status, created_at: isoDate(createdAt) };
}

/** The state of a dry run; after its end with its result. */
export function presentDryRun(task: FunctionTask): Record<string, unknown> {
  return { ...presentTask(task), ...(task.result === undefined ? {} : { result: task.result }) };
}

/** The state of a deployment; after its end with the functions that were deployed. */
export function presentDeployment(task: FunctionTask): Record<string, unknown> {
  const { deployed, functionName } = task;
  const isOver = task.completedAt !== undefined;
  return {
    ...presentTask(task),
    function_name: functionName,
    ...(isOver ? { deployed: deployed !== undefined } : {}),
    ...(deployed ? { deployed_functions: deployed } : {}),
  };
}

export function presentBundle({ added, changed, unchanged, removed }: PushPlan): Record<string, unknown> {
  const pushed = ({ integrationKey, definition }: PushPlan['added'][number]) => ({
    integrationId: integrationKey,
    name: definition.name,
  });
  return {
    created: added.map(pushed),
    updated: changed.map((one) => pushed(one.pushed)),
    unchanged: unchanged.map((one) => pushed(one.pushed)),
    deleted: removed.map(({ integrationKey, name }) => ({ integrationId: integrationKey, name })),
  };
}

function presentTask(task: FunctionTask): Record<string, unknown> {
  const { id, status, integrationKey, type, createdAt, updatedAt, startedAt, completedAt, output, error } = task;
  return {
    id,
    status,
    integration_id: integrationKey,
    function_type: type,
    created_at: isoDate(createdAt),
    updated_at: isoDate(updatedAt),
    ...(startedAt === undefined ? {} : { started_at: isoDate(startedAt) }),
    ...(completedAt === undefined ? {} : { completed_at: isoDate(completedAt) }),
    ...(startedAt === undefined || completedAt === undefined ? {} : { duration_ms: completedAt - startedAt }),
    ...(output === undefined ? {} : { output }),
    ...(error ? { error } : {}),
  };
}
