import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import type { Database, Writable } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FunctionKey, FunctionsStore, FunctionType } from '../../stores/functions-store.ts';
import type { OperationLog } from '../logs/operation.ts';
import { DeployLog } from './deploy-log.ts';
import {
  type DeployedFunction,
  type DeploymentChange,
  type RunnableFunction,
  toDeployedFunction,
} from './deployed-function.ts';
import { FunctionDeployer } from './function-deployer.ts';
import { FunctionFiles } from './function-files.ts';
import { type FunctionCheck, type FunctionSummary, readIfPresent, toSummaries } from './function-summary.ts';
import { PushedFunctions } from './pushed-functions.ts';
import { type TypeCheckProcess, TypeChecks } from './type-checks.ts';
import { WorkspaceInputs } from './workspace-inputs.ts';
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
  /** Names the compiler with everything that decides what it makes of a file. */
  compilerVersion: () => Promise<string>;
  /** Whether a file is a shipped example as it was shipped; a first start then checks no types. */
  isShipped?: (path: string) => boolean;
  /** Called when types are to be checked first; undefined = they are not checked. */
  createTypeChecker?: (() => Promise<TypeCheckProcess>) | undefined;
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

/** Bundles ready to run without a read. */
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
  readonly #followers: Array<(tx: Writable, change: DeploymentChange) => Promise<void>> = [];
  readonly #listeners: Array<(change: DeploymentChange) => void> = [];
  readonly #inputs: WorkspaceInputs;
  readonly #log: DeployLog;
  readonly #deployer: FunctionDeployer;
  readonly #typeChecks: TypeChecks | undefined;
  readonly #files: FunctionFiles;
  #work: Promise<void> = Promise.resolve();
  #compiler: WorkspaceCompiler | undefined;
  #compilerLoading: Promise<WorkspaceCompiler> | undefined;
  #isStopped = false;

  constructor(options: DeploymentsServiceOptions) {
    const { clock, createTypeChecker, database, functions, logger } = options;
    this.#options = options;
    this.pushed = new PushedFunctions({
      ...options,
      inTurn: (work) => this.#inTurn(work),
      follow: (tx, change) => this.#follow(tx, change),
      tell: (change) => this.#tell(change),
      forget: (key) => this.#cache.delete(cacheKey(key)),
    });
    this.#files = new FunctionFiles(options.workspace);
    this.#inputs = new WorkspaceInputs(options);
    this.#log = new DeployLog(options.log);
    this.#deployer = new FunctionDeployer({
      database,
      functions,
      clock,
      log: this.#log,
      inputs: this.#inputs,
      environmentId: options.environmentId,
      compile: async (path) => (await this.#getCompiler()).compileFile(path),
      follow: (tx, change) => this.#follow(tx, change),
      tell: (change) => this.#tell(change),
      onStored: (key) => this.#cache.delete(cacheKey(key)),
    });
    this.#typeChecks =
      createTypeChecker &&
      new TypeChecks({
        createProcess: createTypeChecker,
        logger,
        onChecked: (result, isCurrent) => this.#storeTypes(result, isCurrent),
      });
    this.#watcher = new WorkspaceWatcher({
      folder: options.workspace,
      clock,
      logger,
      onChange: (paths) => {
        options.onFilesChanged(paths);
        this.#enqueue(() => this.#applyChanges(paths));
      },
    });
  }

  /** Called in the transaction that stores a change: what follows from it happens together with it or not at all. */
  onStoring(follower: (tx: Writable, change: DeploymentChange) => Promise<void>): void {
    this.#followers.push(follower);
  }

  /** Called after each change, in order. */
  onChange(listener: (change: DeploymentChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Versions that were live answer at once. */
  async start(): Promise<void> {
    for (const row of await this.#options.functions.listInputs(this.#options.database.reader, this.#environmentId)) {
      this.#inputs.load(row.path, row.inputs);
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
    await this.#typeChecks?.stop();
    await this.#work;
  }

  /** Resolves when every change seen so far is live or reported, and its types are checked. */
  async settled(): Promise<void> {
    await this.#work;
    await this.#typeChecks?.settled();
  }

  /** Files that stand where no function can be, or have names that cannot be used. */
  misplacedFiles(): CompileDiagnostic[] {
    return this.#files.misplaced();
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
    return this.#deployer.findLastCheck(deployed.path);
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

  async setEnabled(tx: Writable, deployed: DeployedFunction, isEnabled: boolean): Promise<void> {
    await this.#options.functions.updateEnabled(tx, deployed.id, isEnabled);
    tx.afterCommit(() => this.#cache.delete(cacheKey(deployed)));
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
    const { database, functions } = this.#options;
    const stored = await functions.listInputs(database.reader, this.#environmentId);
    const rows = new Map(stored.map((row) => [row.path, row]));
    const touched: Array<{ id: number; inputs: string }> = [];
    const changed = await this.#files.scan(async (path) => {
      const row = rows.get(path);
      const state = row ? await this.#inputs.compare(row.inputs) : 'stale';
      if (row && state === 'touched') touched.push({ id: row.id, inputs: await this.#inputs.renew(path) });
      return state !== 'stale';
    });
    if (touched.length > 0) await database.transaction((tx) => functions.renewInputs(tx, ...touched));
    const gone = stored.filter((row) => !this.#files.has(row.path));
    await this.#deploy(changed, new Set(gone.map((row) => row.path)));
    for (const row of gone) await this.#remove(row);
    // Also those that an earlier run of the program left unchecked.
    const unchecked = await functions.listUnchecked(database.reader, this.#environmentId);
    const { isShipped = () => false } = this.#options;
    this.#typeChecks?.request(
      unchecked.filter((path) => !isShipped(path)),
      false,
    );
  }

  async #applyChanges(paths: string[]): Promise<void> {
    if (this.#isStopped) return;
    this.#files.update(paths);
    const changed = new Set(paths);
    const known = new Set(this.#compiler?.affectedBy(paths));
    const affected = this.#files
      .functions()
      .filter(
        ({ path }) => known.has(path) || changed.has(path) || this.#inputs.of(path).some((input) => changed.has(input)),
      );
    const gone = new Set(this.#inputs.functions().filter((path) => !this.#files.has(path)));
    const live = await this.#deploy(affected, gone);
    this.#typeChecks?.request(live, true);
    if (gone.size === 0) return;
    const stored = await this.#options.functions.listInputs(this.#options.database.reader, this.#environmentId);
    for (const row of stored) if (gone.has(row.path)) await this.#remove(row);
  }

  #deploy(locations: FunctionLocation[], gone: ReadonlySet<string>): Promise<string[]> {
    this.#typeChecks?.outdate(locations.map(({ path }) => path));
    return this.#deployer.deployAll(locations, gone, () => this.#isStopped);
  }

  async #storeTypes({ path, diagnostics, dependencies }: TypeCheckResult, isCurrent: () => boolean): Promise<void> {
    const { database, functions } = this.#options;
    const inputs = await this.#inputs.rememberTypes(path, dependencies);
    const row = { environmentId: this.#environmentId, path, inputs, problems: JSON.stringify(diagnostics) };
    const isStored = await database.transaction(
      async (tx) => isCurrent() && (await functions.updateTypeProblems(tx, row)),
    );
    if (!isStored || diagnostics.length === 0) return;
    const found = (await this.list(this.#environmentId, path.split('/')[0])).find((one) => one.path === path);
    if (!found) return;
    this.#cache.delete(cacheKey(found));
    this.#log.typeErrors(found);
    this.#tell({ kind: 'checked', function: found });
  }

  async #remove(row: FunctionKey & { id: number; path: string }): Promise<void> {
    this.#inputs.forget(row.path);
    this.#deployer.forget(row.path);
    this.#typeChecks?.outdate([row.path]);
    this.#compiler?.forget(row.path);
    const removed = await this.find(row.environmentId, row.integrationKey, row.type, row.name);
    // A file that moved was deployed under its new path before; its row now names that one.
    if (!removed || removed.path !== row.path) return;
    const change: DeploymentChange = { kind: 'removed', function: removed };
    await this.#options.database.transaction(async (tx) => {
      await this.#options.functions.remove(tx, row.id);
      await this.#follow(tx, change);
    });
    this.#cache.delete(cacheKey(row));
    this.#log.removed(removed);
    this.#tell(change);
  }

  async #follow(tx: Writable, change: DeploymentChange): Promise<void> {
    for (const follower of this.#followers) await follower(tx, change);
  }

  #tell(change: DeploymentChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function cacheKey(key: FunctionKey): string {
  return `${key.environmentId}:${key.integrationKey}:${key.type}:${key.name}`;
}
