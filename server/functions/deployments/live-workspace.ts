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
import { createFunctionDeployer } from './function-deployer.ts';
import { createFunctionFiles } from './function-files.ts';
import type { FunctionCheck } from './function-summary.ts';
import { createMissingFiles } from './missing-files.ts';
import { createTypeChecks, type TypeCheckProcess } from './type-checks.ts';
import { createWorkspaceInputs } from './workspace-inputs.ts';
import { createWorkspaceWatcher } from './workspace-watcher.ts';

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
/** After a change that could not be applied, as on a full disk, the folder is compared; the delay grows. */
const FIRST_RETRY_MS = 5000;
const MAX_RETRY_MS = 60_000;

/**
 * The functions folder: saving a file deploys it, a faulty file does not block others, and a missing file is not
 * removed at once.
 */
export function createLiveWorkspace({
  clock,
  createTypeChecker,
  database,
  environmentId,
  functionsStore,
  log,
  logger,
  workspace,
  follow,
  onStored,
  loadCompiler,
  compilerVersion,
  onFilesChanged,
  inTurn,
  isShipped,
  onFilesRead,
  notify,
}: LiveWorkspaceOptions) {
  /** Paths of functions with a compiled version. */
  const withVersion = new Set<string>();
  let loadedCompiler: WorkspaceCompiler | undefined;
  /** Inode of the watched folder; undefined while it does not exist. */
  let inode: number | undefined;
  let isWatched = false;
  let folderTimer: Timer | undefined;
  let retryTimer: Timer | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isStopped = false;
  const getCompiler = loadOnce(async () => {
    loadedCompiler = await loadCompiler();
    return loadedCompiler;
  });
  const files = createFunctionFiles(workspace, (path) => withVersion.has(path));
  const inputs = createWorkspaceInputs({ workspace, compilerVersion });
  const deployer = createFunctionDeployer({
    database,
    functionsStore,
    clock,
    log,
    inputs,
    environmentId,
    compile: async (path) => (await getCompiler()).compileFile(path),
    follow,
    notify: announce,
    onStored,
  });
  const missing = createMissingFiles({
    database,
    functionsStore,
    clock,
    logger,
    log,
    files,
    workspace,
    environmentId,
    enqueue,
    follow,
    notify: announce,
    onStored,
    removeVersionless: async (rows) => {
      for (const row of rows) await remove(row);
    },
    onSwitchedOff: redeployAfter,
  });
  const typeChecks =
    createTypeChecker &&
    createTypeChecks({
      createProcess: createTypeChecker,
      logger,
      onChecked: storeTypes,
    });
  const watcher = createWorkspaceWatcher({
    folder: workspace,
    clock,
    logger,
    onChange: (paths) => {
      onFilesChanged(paths);
      enqueue(() => applyChanges(paths));
    },
  });

  /** After a rename, another function saves the same models, and their records belong to it. */
  async function withKeptModels(leaving: readonly DeployedFunction[]): Promise<MissingFunction[]> {
    const ids = new Set(leaving.map(({ id }) => id));
    const kept = new Map<string, string[]>();
    for (const key of new Set(leaving.map(({ integrationKey }) => integrationKey))) {
      const rows = await functionsStore.list(database.reader, environmentId(), key);
      const staying = rows.filter(({ id }) => !ids.has(id)).map(toDeployedFunction);
      kept.set(
        key,
        staying.flatMap(({ definition }) => (definition?.type === 'sync' ? definition.output : [])),
      );
    }
    return leaving.map((one) => ({ function: one, keptModels: kept.get(one.integrationKey) ?? [] }));
  }

  /** Not at the start, when it would delay the first response: the live functions can run without it. */
  const loadKnown = loadOnce(async () => {
    for (const row of await functionsStore.listInputs(database.reader, environmentId())) {
      inputs.load(row.path, row.inputs);
      if (row.hasVersion) withVersion.add(row.path);
    }
  });

  const inLoadedTurn = <T>(work: () => Promise<T>): Promise<T> => inTurn(() => loadKnown().then(work));

  function enqueue(work: () => Promise<void>): void {
    inLoadedTurn(work).catch((error: unknown) => {
      logger.error({ err: error }, 'a change of the functions folder could not be applied');
      compareLater();
    });
  }

  function compareLater(): void {
    retryTimer?.cancel();
    if (isStopped) return;
    retryTimer = clock.after(retryMs, () => enqueue(() => (isWatched ? compareWorkspace() : watchFolder())));
    retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
  }

  /** Watches the folder, at once or when it exists again. */
  async function watchFolder(): Promise<void> {
    isWatched = false;
    await watcher.stop();
    if (isStopped) return;
    inode = inodeOf(workspace);
    if (inode !== undefined) {
      await watcher.start();
      // Files that were saved between the reading at the start and now were not seen yet.
      onFilesChanged(['providers.yaml']);
    }
    checkFolderLater();
    isWatched = true;
    if (!isStopped) await compareWorkspace();
  }

  function checkFolderLater(): void {
    if (isStopped) return;
    folderTimer = clock.after(FOLDER_CHECK_MS, () => {
      if (inodeOf(workspace) === inode) checkFolderLater();
      else enqueue(() => watchFolder());
    });
  }

  async function compareWorkspace(): Promise<void> {
    const stored = await functionsStore.listInputs(database.reader, environmentId());
    const rows = new Map(stored.map((row) => [row.path, row]));
    const touched: Array<{ id: number; inputs: string }> = [];
    const isUnchanged = async (path: string): Promise<boolean> => {
      const row = rows.get(path);
      const state = row ? await inputs.compare(row.inputs) : 'stale';
      if (row && state === 'touched') touched.push({ id: row.id, inputs: await inputs.renew(path) });
      return state !== 'stale';
    };
    const changed = inode === undefined ? files.clear() : await files.scan(isUnchanged);
    onFilesRead(files.misplaced());
    if (touched.length > 0) await database.transaction((tx) => functionsStore.renewInputs(tx, ...touched));
    await missing.compare();
    await deploy(changed);
    // Also functions that an earlier run of the program left unchecked.
    const unchecked = await functionsStore.listUnchecked(database.reader, environmentId());
    typeChecks?.request(
      unchecked.filter((path) => !isShipped?.(path)),
      false,
    );
    retryMs = FIRST_RETRY_MS;
  }

  async function applyChanges(paths: string[]): Promise<void> {
    if (isStopped) return;
    files.update(paths);
    onFilesRead(files.misplaced());
    const changed = new Set(paths);
    const known = new Set(loadedCompiler?.affectedBy(paths));
    const affected = files
      .functions()
      .filter(
        ({ path }) => known.has(path) || changed.has(path) || inputs.of(path).some((input) => changed.has(input)),
      );
    if (missing.hasMissing || gone().size > 0) await missing.compare();
    const live = await deploy(affected);
    typeChecks?.request(live, true);
  }

  /** Paths of known functions without a file. */
  function gone(): Set<string> {
    return new Set(inputs.functions().filter((path) => !files.has(path)));
  }

  async function deploy(locations: FunctionLocation[]): Promise<string[]> {
    if (locations.length === 0) return [];
    typeChecks?.invalidate(locations.map(({ path }) => path));
    const nonBlocking = await missing.findNonBlocking(gone());
    return deployer.deployAll(locations, nonBlocking, () => isStopped);
  }

  /** Deploys functions that were blocked by these, which are no longer live. */
  async function redeployAfter(paths: readonly string[]): Promise<void> {
    const freed = new Set(paths);
    const waiting = files.functions().filter(({ path }) => inputs.of(path).some((input) => freed.has(input)));
    const live = await deploy(waiting);
    typeChecks?.request(live, true);
  }

  async function storeTypes(
    { path, diagnostics, dependencies }: TypeCheckResult,
    isCurrent: () => boolean,
  ): Promise<void> {
    const row = {
      environmentId: environmentId(),
      path,
      inputs: await inputs.rememberTypes(path, dependencies),
      problems: JSON.stringify(diagnostics),
    };
    const isStored = await database.transaction(
      async (tx) => isCurrent() && (await functionsStore.updateTypeProblems(tx, row)),
    );
    if (!isStored || diagnostics.length === 0) return;
    const found = await functionsStore.findByPath(database.reader, environmentId(), path);
    if (!found) return;
    const checked = toDeployedFunction(found);
    onStored(checked);
    if (diagnostics.some(({ severity }) => severity === 'error')) log.typeErrors(checked);
    announce({ kind: 'checked', function: checked });
  }

  async function remove(
    row: FunctionKey & { id: number; path: string },
    keptModels: readonly string[] = [],
  ): Promise<void> {
    inputs.forget(row.path);
    deployer.forget(row.path);
    typeChecks?.invalidate([row.path]);
    loadedCompiler?.forget(row.path);
    const stored = await functionsStore.find(database.reader, row);
    if (!stored) return;
    const removed = toDeployedFunction(stored);
    const change: DeploymentChange = { kind: 'removed', function: removed, keptModels };
    await database.transaction(async (tx) => {
      await functionsStore.remove(tx, row.id);
      await follow(tx, change);
    });
    onStored(row);
    log.removed(removed);
    announce(change);
  }

  /** A file of a live function keeps belonging to that function, whatever it contains later. */
  function announce(change: DeploymentChange): void {
    if (change.kind === 'removed') withVersion.delete(change.function.path);
    else if (change.kind === 'deployed') withVersion.add(change.function.path);
    notify(change);
  }

  return {
    missing,
    /** Compiles in the background what changed since the last run of the program, and every later change. */
    watch(): void {
      enqueue(() => watchFolder());
    },
    /** Deploys files that the hub has just written, and resolves when they are live or refused. */
    applySaved(paths: readonly string[]): Promise<void> {
      return inLoadedTurn(() => applyChanges([...paths]));
    },
    stop: loadOnce(async (): Promise<void> => {
      isStopped = true;
      folderTimer?.cancel();
      retryTimer?.cancel();
      missing.stop();
      await watcher.stop();
      await typeChecks?.stop();
    }),
    /** Resolves when the types of all live functions are checked. */
    async settled(): Promise<void> {
      await typeChecks?.settled();
    },
    /** The last compilation of the file since the start, with its time and duration. */
    findLastCheck: (path: string): FunctionCheck | undefined => deployer.findLastCheck(path),
    /** A deploy replaced the function of a missing file. */
    handOver(path: string): void {
      inputs.forget(path);
      withVersion.delete(path);
    },
    /** A person confirmed that files are missing on purpose: functions that were held are switched off. */
    confirmMissing(): Promise<void> {
      return inLoadedTurn(() => missing.confirm());
    },
    /** Functions with missing files, both switched off and held, sorted by path. */
    async listMissing(): Promise<MissingFunction[]> {
      const { held } = missing;
      const all = await functionsStore.listPaths(database.reader, environmentId());
      const rows = all.filter(({ missingSince, path }) => missingSince !== null || held?.paths.has(path));
      const listed = await withKeptModels(
        (await functionsStore.listByKeys(database.reader, rows)).map(toDeployedFunction),
      );
      return listed.sort((a, b) => (a.function.path < b.function.path ? -1 : 1));
    },
    /**
     * Permanently removes functions with missing files and everything that belongs to them; a function whose file is back
     * is kept. Resolves to the removed functions.
     */
    removeMissing(keys: readonly FunctionKey[]): Promise<DeployedFunction[]> {
      return inLoadedTurn(async () => {
        await missing.compare();
        const rows = (await functionsStore.listByKeys(database.reader, keys)).map(toDeployedFunction);
        const gone = rows.filter(({ origin, path }) => origin === 'workspace' && !files.has(path));
        for (const { function: one, keptModels } of await withKeptModels(gone)) await remove(one, keptModels);
        await redeployAfter(gone.map(({ path }) => path));
        await missing.compare();
        return gone;
      });
    },
    /** Paths that the folder's `index.ts` imports; undefined without one. Here folders decide (design.md 7.51). */
    listIndexedPaths: (): Set<string> | undefined => listIndexedPaths(workspace),
  };
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}
