import { functionPath } from '../../../functions/compiler/function-path.ts';
import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { FunctionKey, FunctionsStore } from '../../stores/functions-store.ts';
import type { OperationLog } from '../logs/operation.ts';
import { type DeployedFunction, type DeploymentChange, toDeployedFunction } from './deployed-function.ts';
import { nextVersion } from './next-version.ts';
import { hashOf, type Push, type PushedFunction, type PushPlan, planPush } from './push-plan.ts';

export interface PushedFunctionsOptions {
  database: Database;
  functions: FunctionsStore;
  log: OperationLog;
  clock: Clock;
  /** One change of the functions at a time, whoever makes it. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** What follows from a change is stored together with it. */
  follow(tx: Writable, change: DeploymentChange): Promise<void>;
  /** Told after each change. */
  tell(change: DeploymentChange): void;
  /** The live version of a function is another one now. */
  forget(key: FunctionKey): void;
}

/** Functions that a command line deploys (http-api.md 15): compiled elsewhere, owned by the deploy, not by a file. */
export class PushedFunctions {
  readonly #options: PushedFunctionsOptions;
  /** Environments with a push under way. */
  readonly #busy = new Set<number>();

  constructor(options: PushedFunctionsOptions) {
    this.#options = options;
  }

  async plan(push: Push): Promise<PushPlan> {
    const { database, functions } = this.#options;
    const live = (await functions.list(database.reader, push.environmentId)).map(toDeployedFunction);
    refuseOwned(push, live);
    return planPush(push, live);
  }

  /** Makes it so; the functions of the push as they are now. */
  async apply(push: Push): Promise<DeployedFunction[]> {
    this.requireIdle(push.environmentId);
    this.#busy.add(push.environmentId);
    try {
      return await this.#options.inTurn(() => this.#apply(push));
    } finally {
      this.#busy.delete(push.environmentId);
    }
  }

  /** Throws while a push of the environment is under way. */
  requireIdle(environmentId: number): void {
    if (!this.#busy.has(environmentId)) return;
    throw new HomeportError(
      'concurrent_deployment',
      'Another deploy of this environment is under way; try again when it is done.',
    );
  }

  /** Takes away a function that a deploy brought. */
  remove(deployed: DeployedFunction): Promise<void> {
    return this.#options.inTurn(() => this.#remove(deployed));
  }

  async #apply(push: Push): Promise<DeployedFunction[]> {
    const plan = await this.plan(push);
    const deployed = new Map(plan.unchanged.map(({ pushed, live }) => [pushed, live]));
    for (const pushed of plan.added) deployed.set(pushed, await this.#store(push, pushed, undefined));
    for (const { pushed, live } of plan.changed) deployed.set(pushed, await this.#store(push, pushed, live));
    for (const gone of plan.removed) await this.#remove(gone);
    return push.functions.flatMap((pushed) => deployed.get(pushed) ?? []);
  }

  async #store(
    { environmentId, origin }: Push,
    { integrationKey, definition, bundle, source }: PushedFunction,
    previous: DeployedFunction | undefined,
  ): Promise<DeployedFunction> {
    const { clock, database, functions } = this.#options;
    const { name, type } = definition;
    const key = { environmentId, integrationKey, type, name };
    const version = definition.version || nextVersion(previous?.version ?? null);
    const change = await database.transaction(async (tx): Promise<DeploymentChange> => {
      await functions.upsertDeployed(tx, {
        ...key,
        origin,
        path: functionPath(integrationKey, type, name),
        version,
        definition: JSON.stringify({ ...definition, version }),
        bundleHash: hashOf(bundle),
        inputs: '[]',
        code: { bundle, source },
        now: clock.now(),
      });
      const row = await functions.find(tx, key);
      if (!row) throw new Error(`The function ${name} vanished while it was deployed.`);
      const stored: DeploymentChange = {
        kind: 'deployed',
        isNew: previous === undefined,
        function: toDeployedFunction(row),
        previous: previous?.definition ?? null,
      };
      await this.#options.follow(tx, stored);
      return stored;
    });
    this.#options.forget(key);
    this.#log(key, `Deployed ${name} version ${version}`);
    this.#options.tell(change);
    return change.function;
  }

  async #remove(gone: DeployedFunction): Promise<void> {
    const { database, functions } = this.#options;
    const change: DeploymentChange = { kind: 'removed', function: gone };
    await database.transaction(async (tx) => {
      await functions.remove(tx, gone.id);
      await this.#options.follow(tx, change);
    });
    this.#options.forget(gone);
    this.#log(gone, `Removed ${gone.name}`);
    this.#options.tell(change);
  }

  #log({ environmentId, integrationKey, name }: FunctionKey, message: string): void {
    this.#options.log
      .start({
        environmentId,
        type: 'deploy',
        action: 'custom',
        message,
        integrationKey,
        functionName: name,
        trigger: 'api',
      })
      .finish('success');
  }
}

/**
 * A file in the functions folder stays in charge: the next save would undo a deploy over it. So does a project over
 * what is deployed beside it.
 */
function refuseOwned({ functions, origin }: Push, live: readonly DeployedFunction[]): void {
  const owned = live.find(
    (one) =>
      (one.origin === 'workspace' || (one.origin === 'repo' && origin === 'standalone')) &&
      functions.some(
        ({ integrationKey, definition: { name, type } }) =>
          integrationKey === one.integrationKey && type === one.type && name === one.name,
      ),
  );
  if (!owned) return;
  const who = `The function ${owned.name} of ${owned.integrationKey} comes from`;
  throw new HomeportError(
    'invalid_request',
    owned.origin === 'workspace'
      ? `${who} the file ${owned.path} in the functions folder. Save your change there, or remove that file first.`
      : `${who} a project. Change it there and deploy the project again.`,
  );
}
