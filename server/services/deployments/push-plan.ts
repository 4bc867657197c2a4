import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import type { FunctionOrigin } from '../../stores/functions-store.ts';
import type { DeployedFunction } from './deployed-function.ts';

/** A function that somebody pushes, compiled elsewhere. */
export interface PushedFunction {
  integrationKey: string;
  /** `version` is empty when the hub counts up. */
  definition: ParsedDefinition;
  bundle: string;
  source: string;
}

export interface Push {
  environmentId: number;
  functions: PushedFunction[];
  origin: Exclude<FunctionOrigin, 'workspace'>;
  /** What is removed when the push does not name it: nothing, functions of the integrations it names, or all. */
  removes: 'nothing' | 'integrations' | 'all';
}

/** What a push would change. */
export interface PushPlan {
  added: PushedFunction[];
  changed: Array<{ pushed: PushedFunction; live: DeployedFunction }>;
  unchanged: Array<{ pushed: PushedFunction; live: DeployedFunction }>;
  removed: DeployedFunction[];
  /** Models that no function of their integration has any more. */
  removedModels: string[];
}

/** Compares a push with what is live. Functions of the workspace are never removed while their files are there. */
export function planPush({ functions, removes }: Push, live: readonly DeployedFunction[]): PushPlan {
  const liveByKey = new Map(live.map((one) => [keyOf(one.integrationKey, one.type, one.name), one]));
  const plan: PushPlan = { added: [], changed: [], unchanged: [], removed: [], removedModels: [] };
  const named = new Set<string>();
  for (const pushed of functions) {
    const key = keyOf(pushed.integrationKey, pushed.definition.type, pushed.definition.name);
    const known = liveByKey.get(key);
    named.add(key);
    if (!known || known.definition === null) plan.added.push(pushed);
    else if (known.missingSince !== null) plan.changed.push({ pushed, live: known });
    else (isSame(pushed, known) ? plan.unchanged : plan.changed).push({ pushed, live: known });
  }
  const integrations = new Set(functions.map(({ integrationKey }) => integrationKey));
  // A push of nothing is a mistake, not the wish to lose everything (syncs-and-records.md 1.12).
  if (removes !== 'nothing' && functions.length > 0) {
    plan.removed = live.filter(
      (one) =>
        !isOfFile(one) &&
        !named.has(keyOf(one.integrationKey, one.type, one.name)) &&
        (removes === 'all' || integrations.has(one.integrationKey)),
    );
  }
  plan.removedModels = findRemovedModels(plan, live);
  return plan;
}

/** A file of the workspace is in charge of it; one that is missing is not (design.md 7.30). */
export function isOfFile({ origin, missingSince }: DeployedFunction): boolean {
  return origin === 'workspace' && missingSince === null;
}

export function hashOf(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex');
}

function keyOf(integrationKey: string, type: string, name: string): string {
  return JSON.stringify([integrationKey, type, name]);
}

function isSame({ bundle, definition }: PushedFunction, live: DeployedFunction): boolean {
  const version = definition.version || live.version;
  return live.bundleHash === hashOf(bundle) && isDeepStrictEqual({ ...definition, version }, live.definition);
}

function findRemovedModels({ changed, removed }: PushPlan, live: readonly DeployedFunction[]): string[] {
  const gone = new Set(removed.map(({ id }) => id));
  const after = new Map(changed.map(({ pushed, live: { id } }) => [id, pushed.definition]));
  const kept = live
    .filter(({ id }) => !gone.has(id))
    .flatMap((one) => modelsOf(after.get(one.id) ?? one.definition).map((model) => `${one.integrationKey}:${model}`));
  const before = live.flatMap((one) =>
    modelsOf(one.definition).map((model) => ({ model, place: `${one.integrationKey}:${model}` })),
  );
  const lost = before.filter(({ place }) => !kept.includes(place)).map(({ model }) => model);
  return [...new Set(lost)];
}

function modelsOf(definition: ParsedDefinition | null): string[] {
  return definition?.type === 'sync' ? definition.output : [];
}
