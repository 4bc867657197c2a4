import { readdirSync } from 'node:fs';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import type { Logger } from '../../platform/lib/logger.ts';
import type { FunctionPathRow, FunctionsStore } from '../functions.store.ts';
import type { DeployLog } from './deploy-log.ts';
import { type DeployedFunction, type DeploymentChange, toDeployedFunction } from './deployed-function.ts';
import type { FunctionFiles } from './function-files.ts';
import { LiveIntegration } from './live-integration.ts';

/** Functions that keep running although their files are missing: too many are missing at once, so a person decides. */
export interface HeldFunctions {
  /** True when the folder of the workspace is missing or empty. */
  isFolderGone: boolean;
  paths: ReadonlySet<string>;
}

/** Editors, `git checkout` and `git stash` remove files for a moment. */
const GRACE_MS = 2000;
/** Up to this many functions may be missing together without a confirmation. */
const FEW_FUNCTIONS = 3;

/**
 * Functions with missing files (design.md 7.30). After a grace period they are switched off and kept with everything
 * that belongs to them, until the file is back or a person removes them.
 */
export function createMissingFiles({
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
  notify,
  onStored,
  removeVersionless,
  onSwitchedOff,
}: {
  database: Database;
  functionsStore: FunctionsStore;
  clock: Clock;
  logger: Logger;
  log: DeployLog;
  files: FunctionFiles;
  workspace: string;
  environmentId: () => number;
  /** Runs the work after all earlier changes are applied. */
  enqueue(work: () => Promise<void>): void;
  /** Applies the consequences of a change in the transaction that stores it. */
  follow(tx: Transaction, change: DeploymentChange): Promise<void>;
  notify(change: DeploymentChange): void;
  /** Called when the stored function has changed, so that caches drop it. */
  onStored(one: DeployedFunction): void;
  /** Removes functions that never compiled and whose files are gone: they have no state to keep. */
  removeVersionless(rows: FunctionPathRow[]): Promise<void>;
  /** Called when their models and endpoints are free again. */
  onSwitchedOff(paths: string[]): Promise<void>;
}) {
  /** When the file of a live function was first found missing. */
  const goneSince = new Map<string, number>();
  let heldFunctions: HeldFunctions | undefined;
  let isAnyMissing = false;
  let timer: Timer | undefined;

  function list(): Promise<FunctionPathRow[]> {
    return functionsStore.listPaths(database.reader, environmentId());
  }

  /** Reads the missing files again: a moved folder or an unmounted file system causes no event. */
  function readAgain(): void {
    files.updateFiles(goneSince.keys());
  }

  function scheduleCheck(): void {
    timer?.cancel();
    const first = Math.min(...goneSince.values());
    if (first === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.min(Math.max(0, first + GRACE_MS - clock.now()), GRACE_MS);
    timer = clock.after(delayMs, () => enqueue(() => check()));
  }

  async function check(): Promise<void> {
    readAgain();
    const rows = await list();
    const gone = goneOf(rows, files);
    if (areTooManyMissing(rows)) return hold(gone);
    release();
    const now = clock.now();
    noteGone(gone, now);
    // A time in the future comes from a clock that was ahead (design.md 7.55).
    const isDue = (since: number): boolean => since <= now - GRACE_MS || since > now;
    await switchOff(gone.filter(({ path }) => isDue(goneSince.get(path) ?? now)));
    scheduleCheck();
  }

  /** Forgets files that are back: their time is over for good, and would be looked at again at once, for ever. */
  function noteGone(rows: readonly FunctionPathRow[], now: number): void {
    const gone = new Set(rows.map(({ path }) => path));
    for (const path of goneSince.keys()) if (!gone.has(path)) goneSince.delete(path);
    for (const path of gone) if (!goneSince.has(path)) goneSince.set(path, now);
  }

  function areTooManyMissing(rows: readonly FunctionPathRow[]): boolean {
    const live = rows.filter(isLive);
    const gone = goneOf(live, files);
    if (gone.length === 0) return false;
    if (live.length > FEW_FUNCTIONS && gone.length * 2 > live.length) return true;
    return gone.length === live.length && isEmptyFolder(workspace);
  }

  function hold(gone: FunctionPathRow[]): void {
    const before = heldFunctions?.paths.size;
    const isFolderGone = isEmptyFolder(workspace);
    heldFunctions = { isFolderGone, paths: new Set(gone.filter(isLive).map(({ path }) => path)) };
    const count = heldFunctions.paths.size;
    if (before === count) return;
    const what = isFolderGone ? 'The functions folder is gone or empty' : `The files of ${count} functions are missing`;
    const message = `${what}. All of them keep running, and nothing is switched off, until the files are back or you confirm it in the dashboard`;
    logger.warn({ folder: workspace, functions: count }, `${message} or with "homeport functions prune".`);
    log.held(environmentId(), `${message}.`);
  }

  function release(): void {
    if (!heldFunctions) return;
    heldFunctions = undefined;
    const message = 'Most of the files of the functions folder are back.';
    logger.warn({}, message);
    log.held(environmentId(), message, 'success');
  }

  /** Switches off functions with a version, and removes those that never compiled. */
  async function switchOff(rows: FunctionPathRow[]): Promise<void> {
    if (rows.length === 0) return;
    for (const { path } of rows) goneSince.delete(path);
    await removeVersionless(rows.filter(({ hasVersion }) => !hasVersion));
    const live = rows.filter(isLive);
    if (live.length === 0) return;
    await change(live, 'missing', clock.now());
    isAnyMissing = true;
    await onSwitchedOff(live.map(({ path }) => path));
  }

  /**
   * A function whose models or endpoints another function owns meanwhile stays off; compiling its file explains why.
   */
  async function restore(rows: FunctionPathRow[]): Promise<void> {
    if (rows.length === 0) return;
    const back: FunctionPathRow[] = [];
    for (const key of new Set(rows.map(({ integrationKey }) => integrationKey))) {
      const all = await functionsStore.list(database.reader, environmentId(), key);
      const integration = new LiveIntegration(all);
      const gone = new Set(all.filter(({ path }) => !files.has(path)).map(({ path }) => path));
      for (const row of rows.filter((one) => one.integrationKey === key)) {
        const definition = integration.find(row)?.definition;
        if (!definition || integration.clashesOf({ path: row.path, definition }, gone).length > 0) continue;
        integration.claim(row.path, definition);
        back.push(row);
      }
    }
    if (back.length > 0) await change(back, 'back', null);
  }

  async function change(rows: FunctionPathRow[], kind: 'missing' | 'back', missingSince: number | null): Promise<void> {
    const changes = await database.transaction(async (tx) => {
      const ids = rows.map(({ id }) => id);
      await functionsStore.setMissing(tx, ids, missingSince);
      const stored = await functionsStore.listByKeys(tx, rows);
      const each = stored.map((row): DeploymentChange => ({ kind, function: toDeployedFunction(row) }));
      for (const change of each) await follow(tx, change);
      return each;
    });
    for (const change of changes) {
      onStored(change.function);
      if (kind === 'missing') log.missing(change.function);
      else log.back(change.function);
      notify(change);
    }
  }

  return {
    stop(): void {
      timer?.cancel();
    },
    /**
     * Call it after the files were read: restores functions whose files are back, and starts the grace period of those
     * whose files are missing.
     */
    async compare(): Promise<void> {
      const rows = await list();
      isAnyMissing = rows.some(({ missingSince }) => missingSince !== null);
      await restore(rows.filter(({ path, missingSince }) => missingSince !== null && files.has(path)));
      noteGone(goneOf(rows, files), clock.now());
      if (heldFunctions) await check();
      else scheduleCheck();
    },
    /** Of the missing files, those whose models and endpoints other functions may take; held functions keep theirs. */
    async findNonBlocking(gone: ReadonlySet<string>): Promise<ReadonlySet<string>> {
      if (gone.size === 0) return gone;
      return areTooManyMissing(await list()) ? new Set() : gone;
    },
    /** A person confirmed that the files are missing on purpose: held functions are switched off. */
    async confirm(): Promise<void> {
      readAgain();
      const gone = goneOf(await list(), files);
      heldFunctions = undefined;
      await switchOff(gone);
    },
    get held(): HeldFunctions | undefined {
      return heldFunctions;
    },
    /** True while a file is missing, or until `compare` has restored the functions of files that are back. */
    get hasMissing(): boolean {
      return isAnyMissing || goneSince.size > 0 || heldFunctions !== undefined;
    },
  };
}

function isLive({ hasVersion, missingSince }: FunctionPathRow): boolean {
  return hasVersion === 1 && missingSince === null;
}

function goneOf(rows: readonly FunctionPathRow[], files: FunctionFiles): FunctionPathRow[] {
  return rows.filter(({ path, missingSince }) => missingSince === null && !files.has(path));
}

/** True also for a missing folder; an empty mount point may mean the same. */
function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    // The folder is missing or unreadable, so its content is unknown.
    return true;
  }
}
