import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompiledFunction, CompileResult } from '../../../functions/compiler/compiled-function.ts';
import { discoverFunctions } from '../../../functions/compiler/discovery.ts';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FunctionKey, FunctionRow, FunctionsStore, FunctionType } from '../../stores/functions-store.ts';
import type { OperationLog } from '../logs/operation.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  type RunnableFunction,
  toDeployedFunction,
} from './deployed-function.ts';
import { fingerprint, fingerprintPaths } from './file-fingerprints.ts';
import { findClashes } from './function-clashes.ts';
import { type FunctionCheck, type FunctionSummary, readIfPresent, toSummaries } from './function-summary.ts';
import { nextVersion } from './next-version.ts';
import { PushedFunctions } from './pushed-functions.ts';
import { WorkspaceWatcher } from './workspace-watcher.ts';

/** What is needed of the compiler. */
export interface WorkspaceCompiler {
  compileFile(path: string): Promise<CompileResult>;
  /** Functions that the changed files belong to, as far as they were compiled since the start. */
  affectedBy(changedPaths: readonly string[]): string[];
  forget(path: string): void;
}

export interface DeploymentsServiceOptions {
  database: Database;
  functions: FunctionsStore;
  /** Called when the first file has to be compiled: a start where nothing changed never loads the compiler. */
  loadCompiler: () => Promise<WorkspaceCompiler>;
  log: OperationLog;
  clock: Clock;
  logger: Logger;
  /** Must exist. */
  workspace: string;
  /** Told of every batch of changed files, for what else lives in the workspace (its provider catalogue). */
  onFilesChanged: (paths: string[]) => void;
  /** The environment that the workspace belongs to. */
  environmentId: () => number;
}

/** Compilations at a time: esbuild works in its own process, the rest is short. */
const COMPILED_AT_A_TIME = 4;
const CACHED_FUNCTIONS = 500;

/**
 * The functions of the workspace: saving a file deploys it, one bad file never holds back another. Beside them, what
 * a command line deployed (`pushed`).
 */
export class DeploymentsService {
  readonly pushed: PushedFunctions;
  readonly #options: DeploymentsServiceOptions;
  readonly #cache = new LRUCache<string, RunnableFunction>({ max: CACHED_FUNCTIONS });
  readonly #watcher: WorkspaceWatcher;
  readonly #listeners: Array<(change: DeploymentChange) => Promise<void>> = [];
  /** Which files each known function was made of, by its path. */
  readonly #inputsOf = new Map<string, string[]>();
  readonly #checks = new Map<string, FunctionCheck>();
  #misplaced: CompileDiagnostic[] = [];
  #work: Promise<void> = Promise.resolve();
  #compiler: WorkspaceCompiler | undefined;
  #compilerLoading: Promise<WorkspaceCompiler> | undefined;
  #isStopped = false;

  constructor(options: DeploymentsServiceOptions) {
    this.#options = options;
    this.pushed = new PushedFunctions({
      ...options,
      inTurn: (work) => this.#inTurn(work),
      tell: (change) => this.#tell(change),
      forget: (key) => this.#cache.delete(cacheKey(key)),
    });
    this.#watcher = new WorkspaceWatcher({
      folder: options.workspace,
      clock: options.clock,
      logger: options.logger,
      onChange: (paths) => {
        options.onFilesChanged(paths);
        this.#enqueue(() => this.#applyChanges(paths));
      },
    });
  }

  /** Called after each change, in order; the next change waits for it. */
  onChange(listener: (change: DeploymentChange) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Versions that were live answer at once. */
  async start(): Promise<void> {
    for (const row of await this.#options.functions.listInputs(this.#options.database.reader, this.#environmentId)) {
      this.#inputsOf.set(row.path, fingerprintPaths(row.inputs));
    }
  }

  /** Compiles in the background what changed since the last time, and from now on what changes. */
  watch(): void {
    this.#enqueue(async () => {
      if (this.#isStopped) return;
      await this.#watcher.start();
      // What was saved between the reading at the start and now was seen by nobody.
      this.#options.onFilesChanged(['providers.yaml']);
      if (!this.#isStopped) await this.#compareWorkspace();
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#watcher.stop();
    await this.#work;
  }

  /** Resolves when every change seen so far is live or reported. */
  settled(): Promise<void> {
    return this.#work;
  }

  /** Files that stand where no function can be, or have names that cannot be used. */
  misplacedFiles(): CompileDiagnostic[] {
    return this.#misplaced;
  }

  async list(environmentId: number, integrationKey?: string): Promise<DeployedFunction[]> {
    const rows = await this.#options.functions.list(this.#options.database.reader, environmentId, integrationKey);
    return rows.map(toDeployedFunction);
  }

  async find(
    environmentId: number,
    integrationKey: string,
    type: FunctionType,
    name: string,
  ): Promise<DeployedFunction | undefined> {
    const row = await this.#options.functions.find(this.#options.database.reader, {
      environmentId,
      integrationKey,
      type,
      name,
    });
    return row && toDeployedFunction(row);
  }

  /** Every function as lists show it. */
  async listSummaries(environmentId: number, integrationKey?: string): Promise<FunctionSummary[]> {
    const { database, functions } = this.#options;
    const [rows, runs] = await Promise.all([
      functions.listSummaries(database.reader, environmentId, integrationKey),
      functions.listLastRuns(database.reader, environmentId),
    ]);
    return toSummaries(rows, runs);
  }

  /** Functions and switched-on ones, by the key of their folder. */
  async countByIntegration(environmentId: number): Promise<Map<string, { total: number; enabled: number }>> {
    const counts = await this.#options.functions.countByIntegration(this.#options.database.reader, environmentId);
    return new Map(counts.map(({ integrationKey, total, enabled }) => [integrationKey, { total, enabled }]));
  }

  /** The file as it is on the disk; the source of the live version when there is none. */
  async readFile(deployed: DeployedFunction): Promise<string> {
    const isFile = deployed.origin === 'workspace';
    const text = isFile ? await readIfPresent(join(this.#options.workspace, deployed.path)) : undefined;
    return text ?? (await this.readSource(deployed)) ?? '';
  }

  /** When the file was compiled last since the start, and how long that took. */
  findLastCheck(deployed: DeployedFunction): FunctionCheck | undefined {
    return this.#checks.get(deployed.path);
  }

  /** TypeScript source of the live version. */
  async readSource(deployed: DeployedFunction): Promise<string | undefined> {
    return (await this.#options.functions.findCode(this.#options.database.reader, deployed.id))?.source;
  }

  /** The live version with its bundle; undefined when there is none. Whether it is switched on is the caller's to check. */
  async findActive(
    environmentId: number,
    integrationKey: string,
    type: FunctionType,
    name: string,
  ): Promise<RunnableFunction | undefined> {
    const key = cacheKey({ environmentId, integrationKey, type, name });
    const known = this.#cache.get(key);
    if (known) return known;
    const found = await this.find(environmentId, integrationKey, type, name);
    const code = found && (await this.#options.functions.findCode(this.#options.database.reader, found.id));
    if (!found || !code || found.definition === null || found.bundleHash === null) return undefined;
    const runnable: RunnableFunction = {
      ...found,
      definition: found.definition,
      bundleHash: found.bundleHash,
      version: found.version ?? '1',
      bundle: code.bundle,
    };
    this.#cache.set(key, runnable);
    return runnable;
  }

  async setEnabled(deployed: DeployedFunction, isEnabled: boolean): Promise<void> {
    await this.#options.database.transaction((tx) => this.#options.functions.updateEnabled(tx, deployed.id, isEnabled));
    this.#cache.delete(cacheKey(deployed));
  }

  #getCompiler(): Promise<WorkspaceCompiler> {
    this.#compilerLoading ??= this.#options.loadCompiler().then((compiler) => {
      this.#compiler = compiler;
      return compiler;
    });
    return this.#compilerLoading;
  }

  get #environmentId(): number {
    return this.#options.environmentId();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work);
    // Whoever asked hears of a failure; the next change goes on.
    this.#work = turn.then(
      () => {},
      () => {},
    );
    return turn;
  }

  #enqueue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error) => {
      this.#options.logger.error({ err: error }, 'a change of the functions folder could not be applied');
    });
  }

  async #compareWorkspace(): Promise<void> {
    const { functions, diagnostics } = await discoverFunctions(this.#options.workspace);
    this.#misplaced = diagnostics;
    const stored = await this.#options.functions.listInputs(this.#options.database.reader, this.#environmentId);
    const inputsByPath = new Map(stored.map((row) => [row.path, row.inputs]));
    const stale: FunctionLocation[] = [];
    for (const location of functions) {
      const known = inputsByPath.get(location.path);
      if (known === undefined || known !== (await fingerprint(this.#options.workspace, fingerprintPaths(known))))
        stale.push(location);
    }
    const present = new Set(functions.map((location) => location.path));
    const gone = stored.filter((row) => !present.has(row.path));
    await this.#deployAll(stale, new Set(gone.map((row) => row.path)));
    for (const row of gone) await this.#remove(row);
  }

  async #applyChanges(paths: string[]): Promise<void> {
    if (this.#isStopped) return;
    const { functions, diagnostics } = await discoverFunctions(this.#options.workspace);
    this.#misplaced = diagnostics;
    const changed = new Set(paths);
    const known = new Set(this.#compiler?.affectedBy(paths));
    const affected = functions.filter(
      ({ path }) =>
        known.has(path) || changed.has(path) || this.#inputsOf.get(path)?.some((input) => changed.has(input)),
    );
    const present = new Set(functions.map((location) => location.path));
    const gone = new Set([...this.#inputsOf.keys()].filter((path) => !present.has(path)));
    await this.#deployAll(affected, gone);
    if (gone.size === 0) return;
    const stored = await this.#options.functions.listInputs(this.#options.database.reader, this.#environmentId);
    for (const row of stored) if (gone.has(row.path)) await this.#remove(row);
  }

  /** `gone`: files that no longer exist and are removed afterwards; their functions hold nobody back. */
  async #deployAll(locations: FunctionLocation[], gone: ReadonlySet<string>): Promise<void> {
    const waiting = [...locations];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next && !this.#isStopped; next = waiting.shift()) await this.#deploy(next, gone);
    };
    await Promise.all(Array.from({ length: COMPILED_AT_A_TIME }, worker));
  }

  async #deploy(location: FunctionLocation, gone: ReadonlySet<string>): Promise<void> {
    const key = this.#keyOf(location);
    const startedAt = performance.now();
    const result = await (await this.#getCompiler()).compileFile(location.path);
    this.#checks.set(location.path, {
      at: this.#options.clock.now(),
      durationMs: Math.round(performance.now() - startedAt),
    });
    if (!result.ok) {
      // A helper that stands among the functions is none itself.
      if (result.diagnostics.length === 0) return;
      await this.#storeProblems(location, key, result.diagnostics);
      return;
    }
    const { compiled } = result;
    const clashes = findClashes(compiled, await this.list(this.#environmentId, compiled.integration), gone);
    if (clashes.length > 0) {
      const problems = clashes.flatMap((clash) => clash.problems);
      await this.#storeProblems(
        location,
        key,
        problems,
        clashes.map((clash) => clash.path),
      );
      return;
    }
    this.#inputsOf.set(location.path, compiled.inputs);
    const inputs = await fingerprint(this.#options.workspace, compiled.inputs);
    const { database, functions } = this.#options;
    const previous = await functions.find(database.reader, key);
    if (
      previous?.bundleHash === compiled.bundleHash &&
      previous.path === location.path &&
      previous.origin === 'workspace'
    ) {
      await database.transaction((tx) => functions.updateInputs(tx, previous.id, inputs));
      this.#cache.delete(cacheKey(key));
      // The file was mended back to what is live: whoever shows its problems is told.
      if (previous.problems !== null) await this.#tellDeployed(key, false, previous);
      return;
    }
    await this.#storeVersion(key, compiled, inputs, previous?.version ?? null);
    await this.#tellDeployed(key, previous === undefined || previous.definition === null, previous);
  }

  async #tellDeployed(key: FunctionKey, isNew: boolean, previous: FunctionRow | undefined): Promise<void> {
    const definition = previous ? toDeployedFunction(previous).definition : null;
    await this.#tell({ kind: 'deployed', isNew, function: await this.#getDeployed(key), previous: definition });
  }

  async #storeVersion(
    key: FunctionKey,
    compiled: CompiledFunction,
    inputs: string,
    previousVersion: string | null,
  ): Promise<void> {
    const { clock, database, functions } = this.#options;
    const version = compiled.definition.version || nextVersion(previousVersion);
    await database.transaction((tx) =>
      functions.upsertDeployed(tx, {
        ...key,
        origin: 'workspace',
        path: compiled.path,
        version,
        definition: JSON.stringify({ ...compiled.definition, version }),
        bundleHash: compiled.bundleHash,
        inputs,
        code: { bundle: compiled.bundle, source: compiled.source },
        now: clock.now(),
      }),
    );
    this.#cache.delete(cacheKey(key));
    const operation = this.#startOperation(key, `Deployed ${key.name} version ${version}`);
    for (const warning of compiled.warnings) operation.log({ level: 'warn', message: describe(warning) });
    operation.finish('success');
  }

  /** `others`: files whose change may solve the problems, beside those that the diagnostics name. */
  async #storeProblems(
    location: FunctionLocation,
    key: FunctionKey,
    diagnostics: CompileDiagnostic[],
    others: string[] = [],
  ): Promise<void> {
    const { clock, database, functions, workspace } = this.#options;
    // The files of the last good version still count: mending a broken import must compile again.
    const watched = new Set([
      location.path,
      ...(this.#inputsOf.get(location.path) ?? []),
      ...diagnostics.map(({ file }) => file),
      ...others,
    ]);
    this.#inputsOf.set(location.path, [...watched]);
    const inputs = await fingerprint(workspace, [...watched]);
    const now = clock.now();
    await database.transaction((tx) =>
      functions.upsertProblems(tx, { ...key, path: location.path, inputs, problems: JSON.stringify(diagnostics), now }),
    );
    const deployed = await this.#getDeployed(key);
    const kept =
      deployed.version === null ? 'It has no earlier version.' : `Version ${deployed.version} keeps running.`;
    const operation = this.#startOperation(key, `${key.name} does not compile. ${kept}`);
    for (const diagnostic of diagnostics) operation.log({ level: 'error', message: describe(diagnostic) });
    const [first] = diagnostics;
    operation.finish('failed', first ? { error: { message: describe(first), type: first.code } } : {});
    await this.#tell({ kind: 'broken', function: deployed });
  }

  async #remove(row: FunctionKey & { id: number; path: string }): Promise<void> {
    this.#inputsOf.delete(row.path);
    this.#checks.delete(row.path);
    this.#compiler?.forget(row.path);
    const removed = await this.find(row.environmentId, row.integrationKey, row.type, row.name);
    // A file that moved was deployed under its new path before; its row now names that one.
    if (!removed || removed.path !== row.path) return;
    await this.#options.database.transaction((tx) => this.#options.functions.remove(tx, row.id));
    this.#cache.delete(cacheKey(row));
    this.#startOperation(row, `Removed ${row.name}`).finish('success');
    await this.#tell({ kind: 'removed', function: removed });
  }

  async #tell(change: DeploymentChange): Promise<void> {
    for (const listener of this.#listeners) await listener(change);
  }

  async #getDeployed(key: FunctionKey): Promise<DeployedFunction> {
    const found = await this.find(key.environmentId, key.integrationKey, key.type, key.name);
    if (!found) throw new Error(`The function ${key.name} vanished while it was deployed.`);
    return found;
  }

  #keyOf(location: FunctionLocation): FunctionKey {
    return {
      environmentId: this.#environmentId,
      integrationKey: location.integration,
      type: location.kind,
      name: location.name,
    };
  }

  #startOperation(key: FunctionKey, message: string): ReturnType<OperationLog['start']> {
    return this.#options.log.start({
      environmentId: key.environmentId,
      type: 'deploy',
      action: 'custom',
      message,
      integrationKey: key.integrationKey,
      functionName: key.name,
      trigger: 'workspace',
    });
  }
}

function cacheKey(key: FunctionKey): string {
  return `${key.environmentId}:${key.integrationKey}:${key.type}:${key.name}`;
}

function describe({ file, line, column, message }: CompileDiagnostic): string {
  return `${file}:${line}:${column} ${message}`;
}
