import { statSync } from 'node:fs';
import type { CompileDiagnostic } from '../../../functions/compiler/compile-diagnostic.ts';
import type { CompileResult } from '../../../functions/compiler/compiled-function.ts';
import type { FunctionLocation } from '../../../functions/compiler/function-path.ts';
import { listIndexedPaths } from '../../../functions/compiler/index-entries.ts';
import type { TypeCheckResult } from '../../../functions/compiler/type-check/type-check-result.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import { loadOnce } from '../../platform/lib/load-once.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { FunctionKey, FunctionsStore } from '../functions.store.ts';
import type { DeployLog } from './deploy-log.ts';
import { type DeployedFunction, type DeploymentChange, toDeployedFunction } from './deployed-function.ts';
import { FunctionDeployer } from './function-deployer.ts';
import { FunctionFiles } from './function-files.ts';
import type { FunctionCheck } from './function-summary.ts';
import { MissingFiles } from './missing-files.ts';
import { type TypeCheckProcess, TypeChecks } from './type-checks.ts';
import { WorkspaceInputs } from './workspace-inputs.ts';
import { WorkspaceWatcher } from './workspace-watcher.ts';

/** The required part of the compiler. */
export interface WorkspaceCompiler {
  compileFile(path: string): Promise<CompileResult>;
  /** Functions that use the changed files, among those that were compiled since the start. */
  affectedBy(changedPaths: readonly string[]): string[];
  forget(path: string): void;
}

export interface LiveWorkspaceOptions {
  database: Database;
  functionsStore: FunctionsStore;
  /** Called for the first file to compile: a start without changes does not load the compiler. */
  loadCompiler: () => Promise<WorkspaceCompiler>;
  /** Identifies the compiler and everything else that determines its output. */
  compilerVersion: () => Promise<string>;
  /** Whether a file is an unchanged shipped example; a first start with examples only checks no types. */
  isShipped?: ((path: string) => boolean) | undefined;
  /** Called for the first type check; undefined means that types are not checked. */
  createTypeChecker?: (() => Promise<TypeCheckProcess>) | undefined;
  log: DeployLog;
  clock: Clock;
  logger: Logger;
  /** The functions folder, which may be missing for a while. */
  workspace: string;
  /** Called for every batch of changed files, also for other parts of the workspace (its provider catalogue). */
  onFilesChanged: (paths: string[]) => void;
  /** Called after each reading with the files in places where functions are not loaded. */
  onFilesRead: (misplaced: CompileDiagnostic[]) => void;
  /** The environment that the workspace belongs to. */
  environmentId: () => number;
  /** Runs changes of the functions one after the other, for all callers. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Applies the consequences of a change in the transaction that stores it. */
  follow(tx: Transaction, change: DeploymentChange): Promise<void>;
  /** Called after each change. */
  notify(change: DeploymentChange): void;
  /** Called when the stored function has changed, so that caches drop it. */
  onStored(key: FunctionKey): void;
}

/** A function whose file is missing. */
export interface MissingFunction {
  function: DeployedFunction;
  /** Models that other functions save too, so their records would be kept. */
  keptModels: string[];
}

/** How often the folder is compared: replacing it by another one with the same name may cause no event. */
const FOLDER_CHECK_MS = 2000;

/**
 * The functions folder: saving a file deploys it, a faulty file does not block others, and a missing file is not
 * removed at once.
 */
export class LiveWorkspace {
  readonly missing: MissingFiles;
  readonly #options: LiveWorkspaceOptions;
  readonly #watcher: WorkspaceWatcher;
  readonly #inputs: WorkspaceInputs;
  readonly #deployer: FunctionDeployer;
  readonly #typeChecks: TypeChecks | undefined;
  readonly #files: FunctionFiles;
  /** Paths of functions with a compiled version. */
  readonly #withVersion = new Set<string>();
  readonly #getCompiler: () => Promise<WorkspaceCompiler>;
  #compiler: WorkspaceCompiler | undefined;
  /** Inode of the watched folder; undefined while it does not exist. */
  #inode: number | undefined;
  #folderTimer: Timer | undefined;
  #isStopped = false;

  constructor(options: LiveWorkspaceOptions) {
    const {
      clock,
      createTypeChecker,
      database,
      environmentId,
      functionsStore: functions,
      log,
      logger,
      workspace,
    } = options;
    const { follow, onStored } = options;
    this.#options = options;
    this.#getCompiler = loadOnce(async () => {
      this.#compiler = await options.loadCompiler();
      return this.#compiler;
    });
    const announce = (change: DeploymentChange): void => this.#announce(change);
    this.#files = new FunctionFiles(workspace, (path) => this.#withVersion.has(path));
    this.#inputs = new WorkspaceInputs(options);
    this.#deployer = new FunctionDeployer({
      database,
      functionsStore: functions,
      clock,
      log,
      inputs: this.#inputs,
      environmentId,
      compile: async (path) => (await this.#getCompiler()).compileFile(path),
      follow,
      notify: announce,
      onStored,
    });
    this.missing = new MissingFiles({
      database,
      functionsStore: functions,
      clock,
      logger,
      log,
      files: this.#files,
      workspace,
      environmentId,
      enqueue: (work) => this.#enqueue(work),
      follow,
      notify: announce,
      onStored,
      removeVersionless: async (rows) => {
        for (const row of rows) await this.#remove(row);
      },
      onSwitchedOff: (paths) => this.#redeployAfter(paths),
    });
    this.#typeChecks =
      createTypeChecker &&
      new TypeChecks({
        createProcess: createTypeChecker,
        logger,
        onChecked: (result, isCurrent) => this.#storeTypes(result, isCurrent),
      });
    this.#watcher = new WorkspaceWatcher({
      folder: workspace,
      clock,
      logger,
      onChange: (paths) => {
        options.onFilesChanged(paths);
        this.#enqueue(() => this.#applyChanges(paths));
      },
    });
  }

  /** Loads the functions; the previously live versions can run at once. */
  async start(): Promise<void> {
    const { database, environmentId, functionsStore: functions } = this.#options;
    for (const row of await functions.listInputs(database.reader, environmentId())) {
      this.#inputs.load(row.path, row.inputs);
      if (row.hasVersion) this.#withVersion.add(row.path);
    }
  }

  /** Compiles in the background what changed since the last run of the program, and every later change. */
  watch(): void {
    this.#enqueue(() => this.#watchFolder());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#folderTimer?.cancel();
    this.missing.stop();
    await this.#watcher.stop();
    await this.#typeChecks?.stop();
  }

  /** Resolves when the types of all live functions are checked. */
  async settled(): Promise<void> {
    await this.#typeChecks?.settled();
  }

  /** The last compilation of the file since the start, with its time and duration. */
  findLastCheck(path: string): FunctionCheck | undefined {
    return this.#deployer.findLastCheck(path);
  }

  /** A deploy replaced the function of a missing file. */
  handOver(path: string): void {
    this.#inputs.forget(path);
    this.#withVersion.delete(path);
  }

  /** A person confirmed that files are missing on purpose: functions that were held are switched off. */
  confirmMissing(): Promise<void> {
    return this.#options.inTurn(() => this.missing.confirm());
  }

  /** Functions with missing files, both switched off and held, sorted by path. */
  async listMissing(): Promise<MissingFunction[]> {
    const { database, environmentId, functionsStore: functions } = this.#options;
    const { held } = this.missing;
    const all = await functions.listPaths(database.reader, environmentId());
    const rows = all.filter(({ missingSince, path }) => missingSince !== null || held?.paths.has(path));
    const missing = (await functions.listByKeys(database.reader, rows)).map(toDeployedFunction);
    const listed = await this.#withKeptModels(missing);
    return listed.sort((a, b) => (a.function.path < b.function.path ? -1 : 1));
  }

  /**
   * Permanently removes functions with missing files and everything that belongs to them; a function whose file is back
   * is kept. Resolves to the removed functions.
   */
  removeMissing(keys: readonly FunctionKey[]): Promise<DeployedFunction[]> {
    return this.#options.inTurn(async () => {
      const { database, functionsStore: functions } = this.#options;
      await this.missing.compare();
      const rows = (await functions.listByKeys(database.reader, keys)).map(toDeployedFunction);
      const gone = rows.filter(({ origin, path }) => origin === 'workspace' && !this.#files.has(path));
      for (const { function: one, keptModels } of await this.#withKeptModels(gone)) await this.#remove(one, keptModels);
      await this.#redeployAfter(gone.map(({ path }) => path));
      await this.missing.compare();
      return gone;
    });
  }

  /** After a rename, another function saves the same models, and their records belong to it. */
  async #withKeptModels(leaving: readonly DeployedFunction[]): Promise<MissingFunction[]> {
    const { database, environmentId, functionsStore: functions } = this.#options;
    const ids = new Set(leaving.map(({ id }) => id));
    const kept = new Map<string, string[]>();
    for (const key of new Set(leaving.map(({ integrationKey }) => integrationKey))) {
      const rows = await functions.list(database.reader, environmentId(), key);
      const staying = rows.filter(({ id }) => !ids.has(id)).map(toDeployedFunction);
      kept.set(
        key,
        staying.flatMap(({ definition }) => (definition?.type === 'sync' ? definition.output : [])),
      );
    }
    return leaving.map((one) => ({ function: one, keptModels: kept.get(one.integrationKey) ?? [] }));
  }

  /** Paths that the folder's `index.ts` imports; undefined without one. Here folders decide (design.md 7.51). */
  listIndexedPaths(): Set<string> | undefined {
    return listIndexedPaths(this.#options.workspace);
  }

  #enqueue(work: () => Promise<void>): void {
    this.#options.inTurn(work).catch((error: unknown) => {
      this.#options.logger.error({ err: error }, 'a change of the functions folder could not be applied');
    });
  }

  /** Watches the folder, at once or when it exists again. */
  async #watchFolder(): Promise<void> {
    if (this.#isStopped) return;
    this.#inode = inodeOf(this.#options.workspace);
    if (this.#inode !== undefined) {
      await this.#watcher.start();
      // Files that were saved between the reading at the start and now were not seen yet.
      this.#options.onFilesChanged(['providers.yaml']);
    }
    if (!this.#isStopped) await this.#compareWorkspace();
    this.#checkFolderLater();
  }

  #checkFolderLater(): void {
    if (this.#isStopped) return;
    this.#folderTimer = this.#options.clock.after(FOLDER_CHECK_MS, () => {
      if (inodeOf(this.#options.workspace) === this.#inode) this.#checkFolderLater();
      else
        this.#enqueue(async () => {
          await this.#watcher.stop();
          await this.#watchFolder();
        });
    });
  }

  async #compareWorkspace(): Promise<void> {
    const { database, environmentId, functionsStore: functions, isShipped = () => false } = this.#options;
    const stored = await functions.listInputs(database.reader, environmentId());
    const rows = new Map(stored.map((row) => [row.path, row]));
    const touched: Array<{ id: number; inputs: string }> = [];
    const isUnchanged = async (path: string): Promise<boolean> => {
      const row = rows.get(path);
      const state = row ? await this.#inputs.compare(row.inputs) : 'stale';
      if (row && state === 'touched') touched.push({ id: row.id, inputs: await this.#inputs.renew(path) });
      return state !== 'stale';
    };
    const changed = this.#inode === undefined ? this.#files.clear() : await this.#files.scan(isUnchanged);
    this.#options.onFilesRead(this.#files.misplaced());
    if (touched.length > 0) await database.transaction((tx) => functions.renewInputs(tx, ...touched));
    await this.missing.compare();
    await this.#deploy(changed);
    // Also functions that an earlier run of the program left unchecked.
    const unchecked = await functions.listUnchecked(database.reader, environmentId());
    this.#typeChecks?.request(
      unchecked.filter((path) => !isShipped(path)),
      false,
    );
  }

  async #applyChanges(paths: string[]): Promise<void> {
    if (this.#isStopped) return;
    this.#files.update(paths);
    this.#options.onFilesRead(this.#files.misplaced());
    const changed = new Set(paths);
    const known = new Set(this.#compiler?.affectedBy(paths));
    const affected = this.#files
      .functions()
      .filter(
        ({ path }) => known.has(path) || changed.has(path) || this.#inputs.of(path).some((input) => changed.has(input)),
      );
    if (this.missing.hasMissing || this.#gone().size > 0) await this.missing.compare();
    const live = await this.#deploy(affected);
    this.#typeChecks?.request(live, true);
  }

  /** Paths of known functions without a file. */
  #gone(): Set<string> {
    return new Set(this.#inputs.functions().filter((path) => !this.#files.has(path)));
  }

  async #deploy(locations: FunctionLocation[]): Promise<string[]> {
    if (locations.length === 0) return [];
    this.#typeChecks?.invalidate(locations.map(({ path }) => path));
    const nonBlocking = await this.missing.findNonBlocking(this.#gone());
    return this.#deployer.deployAll(locations, nonBlocking, () => this.#isStopped);
  }

  /** Deploys functions that were blocked by these, which are no longer live. */
  async #redeployAfter(paths: readonly string[]): Promise<void> {
    const freed = new Set(paths);
    const waiting = this.#files
      .functions()
      .filter(({ path }) => this.#inputs.of(path).some((input) => freed.has(input)));
    const live = await this.#deploy(waiting);
    this.#typeChecks?.request(live, true);
  }

  async #storeTypes({ path, diagnostics, dependencies }: TypeCheckResult, isCurrent: () => boolean): Promise<void> {
    const { database, environmentId, functionsStore: functions, log, onStored } = this.#options;
    const inputs = await this.#inputs.rememberTypes(path, dependencies);
    const row = { environmentId: environmentId(), path, inputs, problems: JSON.stringify(diagnostics) };
    const isStored = await database.transaction(
      async (tx) => isCurrent() && (await functions.updateTypeProblems(tx, row)),
    );
    if (!isStored || diagnostics.length === 0) return;
    const found = await functions.findByPath(database.reader, environmentId(), path);
    if (!found) return;
    const checked = toDeployedFunction(found);
    onStored(checked);
    if (diagnostics.some(({ severity }) => severity === 'error')) log.typeErrors(checked);
    this.#announce({ kind: 'checked', function: checked });
  }

  async #remove(row: FunctionKey & { id: number; path: string }, keptModels: readonly string[] = []): Promise<void> {
    const { database, follow, functionsStore: functions, log, onStored } = this.#options;
    this.#inputs.forget(row.path);
    this.#deployer.forget(row.path);
    this.#typeChecks?.invalidate([row.path]);
    this.#compiler?.forget(row.path);
    const stored = await functions.find(database.reader, row);
    if (!stored) return;
    const removed = toDeployedFunction(stored);
    const change: DeploymentChange = { kind: 'removed', function: removed, keptModels };
    await database.transaction(async (tx) => {
      await functions.remove(tx, row.id);
      await follow(tx, change);
    });
    onStored(row);
    log.removed(removed);
    this.#announce(change);
  }

  /** A file of a live function keeps belonging to that function, whatever it contains later. */
  #announce(change: DeploymentChange): void {
    if (change.kind === 'removed') this.#withVersion.delete(change.function.path);
    else if (change.kind === 'deployed') this.#withVersion.add(change.function.path);
    this.#options.notify(change);
  }
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}
