import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { functionPath } from '../../../functions/compiler/function-path.ts';
import type { ParsedDefinition } from '../../../functions/compiler/parsed-definition.ts';
import type { OperationLog } from '../../log/operation.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { FunctionKey, FunctionOrigin, FunctionsStore, NewVersion } from '../functions.store.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  functionMapKey,
  toDeployedFunction,
} from './deployed-function.ts';

/**
 * Functions that a command line deploys (http-api.md 15): compiled elsewhere, and owned by the deploy instead of a
 * file.
 */
export function createDeployedBundles({
  database,
  functionsStore,
  log,
  clock,
  inTurn,
  follow,
  notify,
  onStored,
}: {
  database: Database;
  functionsStore: FunctionsStore;
  log: OperationLog;
  clock: Clock;
  /** Runs changes of the functions one after the other, for all callers. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Applies the consequences of a change in the transaction that stores it. */
  follow(tx: Transaction, change: DeploymentChange): Promise<void>;
  /** Called after each change. */
  notify(change: DeploymentChange): void;
  /** Called when the stored function has changed, so that caches drop it. */
  onStored(key: FunctionKey): void;
}) {
  /** Environments with a running push. */
  const busy = new Set<number>();

  async function planOf(push: Push): Promise<PushPlan> {
    const live = (await functionsStore.list(database.reader, push.environmentId)).map(toDeployedFunction);
    refuseOwned(push, live);
    return planPush(push, live);
  }

  /** Throws while a push of the environment is running. */
  function requireIdle(environmentId: number): void {
    if (!busy.has(environmentId)) return;
    throw new HomeportError(
      'concurrent_deployment',
      'Another deployment of this environment is in progress; try again when it has finished.',
    );
  }

  /** In one transaction, so that a project is live completely or not at all (http-api.md 15). */
  async function applyNow(push: Push): Promise<DeployedFunction[]> {
    const plan = await planOf(push);
    const changes = await database.transaction(async (tx) => [
      ...(await store(tx, push, plan)),
      ...(await removeAll(tx, plan.removed)),
    ]);
    for (const change of changes) report(change);
    const live = new Map(changes.map(({ function: one }) => [functionMapKey(one), one]));
    for (const { live: one } of plan.unchanged) live.set(functionMapKey(one), one);
    return push.functions.flatMap((pushed) => live.get(keyOfPushed(pushed)) ?? []);
  }

  async function store(tx: Transaction, { environmentId, origin }: Push, plan: PushPlan): Promise<DeploymentChange[]> {
    const now = clock.now();
    const stored = [
      ...plan.added.map((pushed) => ({ pushed, previous: undefined })),
      ...plan.changed.map(({ pushed, live }) => ({ pushed, previous: live })),
    ].map(({ pushed: { integrationKey, definition, bundle, source }, previous }) => {
      const { name, type } = definition;
      const version = definition.version || nextVersion(previous?.version ?? null);
      const row: NewVersion = {
        environmentId,
        integrationKey,
        type,
        name,
        origin,
        path: functionPath(integrationKey, type, name),
        version,
        definition: JSON.stringify({ ...definition, version }),
        bundleHash: hashOf(bundle),
        inputs: '[]',
        code: { bundle, source },
        now,
      };
      return { row, previous };
    });
    if (stored.length === 0) return [];
    const versions = stored.map(({ row }) => row);
    await functionsStore.upsertDeployed(tx, ...versions);
    const rows = await functionsStore.listByKeys(tx, versions);
    const byKey = new Map(rows.map((row) => [functionMapKey(row), toDeployedFunction(row)]));
    const changes: DeploymentChange[] = [];
    for (const { row, previous } of stored) {
      const deployed = byKey.get(functionMapKey(row));
      if (!deployed) throw new Error(`The function ${row.name} was removed while it was deployed.`);
      const isNew = previous === undefined;
      const change = { kind: 'deployed' as const, isNew, function: deployed, previous: previous?.definition ?? null };
      await follow(tx, change);
      changes.push(change);
    }
    return changes;
  }

  async function removeAll(tx: Transaction, removed: readonly DeployedFunction[]): Promise<DeploymentChange[]> {
    const changes = removed.map((gone): DeploymentChange => ({ kind: 'removed', function: gone }));
    for (const change of changes) {
      await functionsStore.remove(tx, change.function.id);
      await follow(tx, change);
    }
    return changes;
  }

  function report(change: DeploymentChange): void {
    const { function: one, kind } = change;
    onStored(one);
    log
      .start({
        environmentId: one.environmentId,
        type: 'deploy',
        action: 'custom',
        message:
          kind === 'removed'
            ? `Removed ${one.type} ${one.name}`
            : `Deployed ${one.type} ${one.name} version ${one.version}`,
        integrationKey: one.integrationKey,
        functionName: one.name,
        trigger: 'api',
      })
      .finish('success');
    notify(change);
  }

  return {
    plan: planOf,
    requireIdle,
    /** Applies a push; resolves to its functions after that. */
    async apply(push: Push): Promise<DeployedFunction[]> {
      requireIdle(push.environmentId);
      busy.add(push.environmentId);
      try {
        return await inTurn(() => applyNow(push));
      } finally {
        busy.delete(push.environmentId);
      }
    },
    /** Removes a function that was deployed. */
    remove(deployed: DeployedFunction): Promise<void> {
      return inTurn(async () => {
        const changes = await database.transaction((tx) => removeAll(tx, [deployed]));
        for (const change of changes) report(change);
      });
    },
  };
}

/**
 * A function with a file in the functions folder cannot be replaced by a deploy, because the next save would undo it. A
 * function of a project cannot be replaced by a deploy outside of the project.
 */
function refuseOwned({ functions, origin }: Push, live: readonly DeployedFunction[]): void {
  const pushedKeys = new Set(functions.map(keyOfPushed));
  const owned = live.find(
    (one) =>
      (isOfFile(one) || (one.origin === 'repo' && origin === 'standalone')) && pushedKeys.has(functionMapKey(one)),
  );
  if (!owned) return;
  const start = `The function ${owned.name} of ${owned.integrationKey} comes from`;
  throw new HomeportError(
    'invalid_request',
    isOfFile(owned)
      ? `${start} the file ${owned.path} in the functions folder. Save your change there, or remove that file first.`
      : `${start} a project. Change it there and deploy the project again.`,
  );
}

/** A function of a push, compiled elsewhere. */
export interface PushedFunction {
  integrationKey: string;
  /** With an empty `version` the hub counts up. */
  definition: ParsedDefinition;
  bundle: string;
  source: string;
}

export interface Push {
  environmentId: number;
  functions: PushedFunction[];
  origin: Exclude<FunctionOrigin, 'workspace'>;
  /**
   * What is removed when the push does not contain it: nothing, functions of the integrations in the push, or all
   * functions.
   */
  removes: 'nothing' | 'integrations' | 'all';
}

/** The changes that a push would make. */
export interface PushPlan {
  added: PushedFunction[];
  changed: Array<{ pushed: PushedFunction; live: DeployedFunction }>;
  unchanged: Array<{ pushed: PushedFunction; live: DeployedFunction }>;
  removed: DeployedFunction[];
  /** Models that no function of their integration saves any more. */
  removedModels: string[];
}

/** Compares a push with the live functions. Functions of the workspace are not removed while their files exist. */
function planPush({ functions, removes }: Push, live: readonly DeployedFunction[]): PushPlan {
  const liveByKey = new Map(live.map((one) => [functionMapKey(one), one]));
  const plan: PushPlan = { added: [], changed: [], unchanged: [], removed: [], removedModels: [] };
  const named = new Set<string>();
  for (const pushed of functions) {
    const key = keyOfPushed(pushed);
    const known = liveByKey.get(key);
    named.add(key);
    if (!known || known.definition === null) plan.added.push(pushed);
    else if (known.missingSince !== null) plan.changed.push({ pushed, live: known });
    else (isSame(pushed, known) ? plan.unchanged : plan.changed).push({ pushed, live: known });
  }
  const integrations = new Set(functions.map(({ integrationKey }) => integrationKey));
  // An empty push is a mistake, not a request to remove everything (syncs-and-records.md 1.12).
  if (removes !== 'nothing' && functions.length > 0) {
    plan.removed = live.filter(
      (one) =>
        !isOfFile(one) &&
        !named.has(functionMapKey(one)) &&
        (removes === 'all' || integrations.has(one.integrationKey)),
    );
  }
  plan.removedModels = findRemovedModels(plan, live);
  return plan;
}

function keyOfPushed({ integrationKey, definition: { type, name } }: PushedFunction): string {
  return functionMapKey({ integrationKey, type, name });
}

/** Whether a workspace file owns the function; a missing file does not (design.md 7.30). */
function isOfFile({ origin, missingSince }: DeployedFunction): boolean {
  return origin === 'workspace' && missingSince === null;
}

function hashOf(bundle: string): string {
  return createHash('sha256').update(bundle).digest('hex');
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
    modelsOf(one.definition).map((model) => ({ model, key: `${one.integrationKey}:${model}` })),
  );
  const lost = before.filter(({ key }) => !kept.includes(key)).map(({ model }) => model);
  return [...new Set(lost)];
}

function modelsOf(definition: ParsedDefinition | null): string[] {
  return definition?.type === 'sync' ? definition.output : [];
}

/** A label for the UI (functions.md 1.7): the number at its end counts up; without a number it starts at 1. */
export function nextVersion(previous: string | null): string {
  const found = /(?<!\d)\d+$/.exec(previous ?? '');
  return `${found ? found.input.slice(0, found.index) : ''}${BigInt(found?.[0] ?? 0) + 1n}`;
}
