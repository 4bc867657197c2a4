import {
  type CompileDiagnostic,
  fileError,
  isCompileError,
  NO_DEFAULT_EXPORT,
} from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction, CompileResult } from '../../../functions/compiler/compiled-function.ts';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { FunctionKey, FunctionsStore, NewVersion } from '../functions.store.ts';
import type { DeployLog } from './deploy-log.ts';
import { nextVersion } from './deployed-bundles.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  functionMapKey,
  toDeployedFunction,
} from './deployed-function.ts';
import type { FunctionCheck } from './function-summary.ts';
import { LiveIntegration } from './live-integration.ts';
import type { WorkspaceInputs } from './workspace-inputs.ts';

/** Files compiled at the same time: enough for the compiler to describe bundles together. */
const COMPILED_AT_A_TIME = 48;
const STORED_TOGETHER = 64;

interface Attempt {
  key: FunctionKey;
  path: string;
  result: CompileResult;
}

/** The result of an attempt. Results are decided in the order in which the attempts ended. */
type Outcome =
  | { kind: 'live'; compiled: CompiledFunction; previous: DeployedFunction | undefined; version: string }
  | { kind: 'unchanged'; compiled: CompiledFunction; previous: DeployedFunction }
  | { kind: 'broken'; path: string; diagnostics: CompileDiagnostic[]; others: string[] };

interface Change {
  outcome: Outcome;
  change: DeploymentChange;
}

type Decided = { key: FunctionKey; outcome: Outcome; inputs: string };

/** Compiles files and makes them live: many at the same time, each independent of the others. */
export function createFunctionDeployer({
  database,
  functionsStore,
  clock,
  log,
  inputs,
  environmentId,
  compile,
  follow,
  notify,
  onStored,
}: {
  database: Database;
  functionsStore: FunctionsStore;
  clock: Clock;
  log: DeployLog;
  inputs: WorkspaceInputs;
  environmentId: () => number;
  compile(path: string): Promise<CompileResult>;
  /** Applies the consequences of a change in the transaction that stores it. */
  follow(tx: Transaction, change: DeploymentChange): Promise<void>;
  notify(change: DeploymentChange): void;
  /** Called when the stored function has changed, so that caches drop it. */
  onStored(key: FunctionKey): void;
}) {
  const checks = new Map<string, FunctionCheck>();

  async function attempt({ path, integration, kind, name }: FunctionLocation): Promise<Attempt> {
    const startedAt = performance.now();
    const result = await compile(path);
    const durationMs = Math.round(performance.now() - startedAt);
    checks.set(path, { at: clock.now(), durationMs });
    const key = { environmentId: environmentId(), integrationKey: integration, type: kind, name };
    return { key, path, result };
  }

  async function store(
    attempts: Attempt[],
    integrations: Map<string, LiveIntegration>,
    gone: ReadonlySet<string>,
  ): Promise<string[]> {
    const decided: Decided[] = [];
    for (const attempt of attempts) {
      const integration = await findIntegration(integrations, attempt.key);
      const outcome = decide(attempt, integration, gone);
      if (!outcome) continue;
      const inputs = await rememberInputs(outcome);
      decided.push({ key: attempt.key, outcome, inputs });
    }
    if (decided.length === 0) return [];
    report(await write(decided));
    return decided.flatMap(({ outcome }) => (outcome.kind === 'broken' ? [] : [outcome.compiled.path]));
  }

  async function findIntegration(known: Map<string, LiveIntegration>, key: FunctionKey): Promise<LiveIntegration> {
    const found = known.get(key.integrationKey);
    if (found) return found;
    const rows = await functionsStore.list(database.reader, key.environmentId, key.integrationKey);
    const integration = new LiveIntegration(rows);
    known.set(key.integrationKey, integration);
    return integration;
  }

  function rememberInputs(outcome: Outcome): Promise<string> {
    if (outcome.kind !== 'broken') return inputs.remember(outcome.compiled.path, outcome.compiled.inputs);
    // The files of the last good version still count, so that repairing a broken import starts a new compilation.
    const { path, diagnostics, others } = outcome;
    return inputs.remember(path, [path, ...inputs.of(path), ...diagnostics.map(({ file }) => file), ...others]);
  }

  /** Stores functions together with the consequences of their change. */
  async function write(decided: Decided[]): Promise<Change[]> {
    const now = clock.now();
    const versions: NewVersion[] = [];
    const unchanged: Array<{ id: number; inputs: string }> = [];
    const changes = await database.transaction(async (tx) => {
      for (const { key, outcome, inputs } of decided) {
        if (outcome.kind === 'live') versions.push({ ...toVersion(outcome), ...key, inputs, now });
        else if (outcome.kind === 'unchanged') unchanged.push({ id: outcome.previous.id, inputs });
        else {
          const problems = JSON.stringify(outcome.diagnostics);
          await functionsStore.upsertProblems(tx, { ...key, path: outcome.path, inputs, problems, now });
        }
      }
      if (versions.length > 0) await functionsStore.upsertDeployed(tx, ...versions);
      if (unchanged.length > 0) await functionsStore.updateInputs(tx, ...unchanged);
      return followAll(tx, decided);
    });
    for (const { key } of decided) onStored(key);
    return changes;
  }

  /** In the order in which the files were compiled. */
  async function followAll(tx: Transaction, decided: Decided[]): Promise<Change[]> {
    const changed = decided.filter(
      ({ outcome }) => outcome.kind !== 'unchanged' || outcome.previous.problems.length > 0,
    );
    const rows = await functionsStore.listByKeys(
      tx,
      changed.map(({ key }) => key),
    );
    const byKey = new Map(rows.map((row) => [functionMapKey(row), toDeployedFunction(row)]));
    const changes: Change[] = [];
    for (const { key, outcome } of changed) {
      const deployed = byKey.get(functionMapKey(key));
      if (!deployed) throw new Error(`The function ${key.name} was removed while it was deployed.`);
      const change = toChange(deployed, outcome);
      await follow(tx, change);
      changes.push({ outcome, change });
    }
    return changes;
  }

  function report(changes: Change[]): void {
    for (const { outcome, change } of changes) {
      if (outcome.kind === 'broken') log.broken(change.function, outcome.diagnostics);
      else if (outcome.kind === 'live') log.deployed(change.function, outcome.compiled.warnings);
      notify(change);
    }
  }

  return {
    /** The last compilation of the file since the start, with its time and duration. */
    findLastCheck(path: string): FunctionCheck | undefined {
      return checks.get(path);
    },
    /** Drops the last compilation of a removed file. */
    forget(path: string): void {
      checks.delete(path);
    },
    /**
     * `gone`: files that no longer exist and will be removed; their functions do not block others. Resolves to the paths
     * whose types must be checked. What is not compiled when the hub stops is left to the next start.
     */
    async deployAll(
      locations: readonly FunctionLocation[],
      gone: ReadonlySet<string>,
      isStopped: () => boolean,
    ): Promise<string[]> {
      const waiting = [...locations];
      const live: string[] = [];
      const integrations = new Map<string, LiveIntegration>();
      const storing = new BatchedWork<Attempt>({
        batchSize: STORED_TOGETHER,
        work: async (attempts) => void live.push(...(await store(attempts, integrations, gone))),
      });
      const worker = async (): Promise<void> => {
        for (let next = waiting.shift(); next && !isStopped(); next = waiting.shift())
          await attempt(next).then(
            (ended) => storing.add(ended),
            (error: unknown) => {
              if (!isStopped()) throw error;
            },
          );
      };
      await Promise.all(Array.from({ length: COMPILED_AT_A_TIME }, worker));
      await storing.finish();
      return live;
    },
  };
}

function toChange(deployed: DeployedFunction, outcome: Outcome): DeploymentChange {
  if (outcome.kind === 'broken') return { kind: 'broken', function: deployed };
  // Only its types can differ, and they are checked again.
  if (outcome.kind === 'unchanged' && !wasBroken(outcome.previous)) return { kind: 'checked', function: deployed };
  const previous = outcome.previous?.definition ?? null;
  return { kind: 'deployed', isNew: previous === null, function: deployed, previous };
}

/** Undefined for a helper file in a functions folder that contains no function. */
function decide(
  { key, path, result }: Attempt,
  integration: LiveIntegration,
  gone: ReadonlySet<string>,
): Outcome | undefined {
  if (!result.ok) {
    // The file was removed since it was seen; a missing file is not compiled.
    if (result.diagnostics.some(({ code }) => code === 'no_file')) return undefined;
    const isLive = integration.find(key)?.definition != null;
    const diagnostics =
      isLive && result.diagnostics.length === 0
        ? [fileError(path, 'no_default_export', NO_DEFAULT_EXPORT)]
        : result.diagnostics;
    return diagnostics.length === 0 ? undefined : { kind: 'broken', path, diagnostics, others: [] };
  }
  const { compiled } = result;
  const clashes = integration.clashesOf(compiled, gone);
  if (clashes.length > 0) {
    const diagnostics = clashes.map(({ problem }) => problem);
    return { kind: 'broken', path, diagnostics, others: clashes.map((clash) => clash.path) };
  }
  integration.claim(path, compiled.definition);
  const previous = integration.find(key);
  return previous && isLive(previous, compiled)
    ? { kind: 'unchanged', compiled, previous }
    : { kind: 'live', compiled, previous, version: versionOf(compiled, previous) };
}

/** A newer compiler may read another definition from the same code. */
function isLive(previous: DeployedFunction, compiled: CompiledFunction): boolean {
  const definition = { ...compiled.definition, version: versionOf(compiled, previous) };
  return (
    previous.origin === 'workspace' &&
    previous.missingSince === null &&
    previous.bundleHash === compiled.bundleHash &&
    previous.path === compiled.path &&
    JSON.stringify(previous.definition) === JSON.stringify(definition)
  );
}

/** A label for the UI (functions.md 1.7), which counts up when the code changes. */
function versionOf({ bundleHash, definition }: CompiledFunction, previous: DeployedFunction | undefined): string {
  if (definition.version) return definition.version;
  const last = previous?.version ?? null;
  return last !== null && previous?.bundleHash === bundleHash ? last : nextVersion(last);
}

function toVersion({ compiled, version }: Extract<Outcome, { kind: 'live' }>) {
  return {
    origin: 'workspace' as const,
    path: compiled.path,
    version,
    definition: JSON.stringify({ ...compiled.definition, version }),
    bundleHash: compiled.bundleHash,
    code: { bundle: compiled.bundle, source: compiled.source },
  };
}

/** The file was repaired back to the live version: screens that show its problems must be notified. */
function wasBroken({ problems }: DeployedFunction): boolean {
  return problems.some(isCompileError);
}

/** Processes items in batches: items that are added during one batch form the next. */
export class BatchedWork<T> {
  readonly #batchSize: number;
  readonly #work: (items: T[]) => Promise<void>;
  readonly #waiting: T[] = [];
  #running: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  constructor(options: { batchSize: number; work: (items: T[]) => Promise<void> }) {
    this.#batchSize = options.batchSize;
    this.#work = options.work;
  }

  /** Resolves at once, or after the running batch when a full batch waits. */
  async add(item: T): Promise<void> {
    this.#waiting.push(item);
    this.#running ??= this.#run();
    if (this.#waiting.length >= this.#batchSize) await this.#running;
  }

  /** Resolves when all items are processed; rejects with the first failure, after which processing stopped. */
  async finish(): Promise<void> {
    await this.#running;
    if (this.#failure) throw this.#failure.error;
  }

  async #run(): Promise<void> {
    try {
      while (this.#waiting.length > 0 && !this.#failure) await this.#work(this.#waiting.splice(0, this.#batchSize));
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#running = undefined;
    }
  }
}
