import { readdirSync } from 'node:fs';
import type { Database, Transaction } from '../../database/database.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { FunctionPathRow, FunctionsStore } from '../../stores/functions-store.ts';
import type { DeployLog } from './deploy-log.ts';
import { type DeployedFunction, type DeploymentChange, toDeployedFunction } from './deployed-function.ts';
import type { FunctionFiles } from './function-files.ts';
import { LiveIntegration } from './live-integration.ts';

export interface MissingFilesOptions {
  database: Database;
  functionsStore: FunctionsStore;
  clock: Clock;
  logger: Logger;
  log: DeployLog;
  files: FunctionFiles;
  workspace: string;
  environmentId: () => number;
  /** Does the work when every change before it is applied. */
  enqueue(work: () => Promise<void>): void;
  /** What follows from a change is stored together with it. */
  follow(tx: Transaction, change: DeploymentChange): Promise<void>;
  notify(change: DeploymentChange): void;
  /** The stored function changed: what is remembered of it is out of date. */
  onStored(one: DeployedFunction): void;
  /** Functions that never compiled and whose files are gone: there is nothing to keep. */
  removeVersionless(rows: FunctionPathRow[]): Promise<void>;
  /** Their models and endpoints are free again. */
  onSwitchedOff(paths: string[]): Promise<void>;
}

/** More files than can be missing by an edit: their functions go on until a person decides. */
export interface HeldFunctions {
  /** The folder of the workspace is gone, or empty. */
  isFolderGone: boolean;
  paths: ReadonlySet<string>;
}

/** Editors, `git checkout` and `git stash` take files away and bring them back. */
const GRACE_MS = 2000;
/** Up to so many functions may be missing together without a question. */
const FEW_FUNCTIONS = 3;

/**
 * Functions whose files are missing (design.md 7.30). They are switched off after a grace and kept with everything that
 * belongs to them, until the file is back or a person removes them.
 */
export class MissingFiles {
  readonly #options: MissingFilesOptions;
  /** When the file of a live function was first seen to be missing. */
  readonly #goneSince = new Map<string, number>();
  #held: HeldFunctions | undefined;
  #isAnyMissing = false;
  #timer: Timer | undefined;

  constructor(options: MissingFilesOptions) {
    this.#options = options;
  }

  get held(): HeldFunctions | undefined {
    return this.#held;
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** False while every function has its file, and had it before. */
  get isConcerned(): boolean {
    return this.#isAnyMissing || this.#goneSince.size > 0 || this.#held !== undefined;
  }

  /** After the files were looked at: brings back what has its file again, and gives what has none its grace. */
  async compare(): Promise<void> {
    const rows = await this.#list();
    this.#isAnyMissing = rows.some(({ missingSince }) => missingSince !== null);
    await this.#restore(
      rows.filter(({ path, missingSince }) => missingSince !== null && this.#options.files.has(path)),
    );
    const gone = new Set(goneOf(rows, this.#options.files).map(({ path }) => path));
    for (const path of this.#goneSince.keys()) if (!gone.has(path)) this.#goneSince.delete(path);
    const now = this.#options.clock.now();
    for (const path of gone) if (!this.#goneSince.has(path)) this.#goneSince.set(path, now);
    if (this.#held) await this.#check();
    else this.#plan();
  }

  /** Of files that are gone those whose functions hold no other back: not the ones that stay live. */
  async passing(gone: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    if (gone.size === 0) return gone;
    return this.#isTooMuch(await this.#list()) ? new Set() : gone;
  }

  /** A person says that the files are meant to be missing: what was held is switched off. */
  async confirm(): Promise<void> {
    this.#lookAgain();
    const gone = goneOf(await this.#list(), this.#options.files);
    this.#held = undefined;
    await this.#settle(gone);
  }

  #list(): Promise<FunctionPathRow[]> {
    const { database, environmentId, functionsStore: functions } = this.#options;
    return functions.listPaths(database.reader, environmentId());
  }

  /** Also what no event announced: a folder that is moved away as a whole, a file system that is unmounted. */
  #lookAgain(): void {
    this.#options.files.lookAgain(this.#goneSince.keys());
  }

  #plan(): void {
    this.#timer?.cancel();
    const first = Math.min(...this.#goneSince.values());
    if (first === Number.POSITIVE_INFINITY) return;
    const { clock, enqueue } = this.#options;
    this.#timer = clock.after(Math.max(0, first + GRACE_MS - clock.now()), () => enqueue(() => this.#check()));
  }

  async #check(): Promise<void> {
    const { clock, files } = this.#options;
    this.#lookAgain();
    const rows = await this.#list();
    const gone = goneOf(rows, files);
    if (this.#isTooMuch(rows)) return this.#hold(gone);
    this.#release();
    const due = clock.now() - GRACE_MS;
    await this.#settle(gone.filter(({ path }) => (this.#goneSince.get(path) ?? 0) <= due));
    this.#plan();
  }

  #isTooMuch(rows: readonly FunctionPathRow[]): boolean {
    const live = rows.filter(isLive);
    const gone = goneOf(live, this.#options.files);
    if (gone.length === 0) return false;
    if (live.length > FEW_FUNCTIONS && gone.length * 2 > live.length) return true;
    return gone.length === live.length && isEmptyFolder(this.#options.workspace);
  }

  #hold(gone: FunctionPathRow[]): void {
    const { environmentId, log, logger, workspace } = this.#options;
    const before = this.#held?.paths.size;
    const isFolderGone = isEmptyFolder(workspace);
    this.#held = { isFolderGone, paths: new Set(gone.filter(isLive).map(({ path }) => path)) };
    const count = this.#held.paths.size;
    if (before === count) return;
    const what = isFolderGone ? 'The functions folder is gone or empty' : `The files of ${count} functions are missing`;
    const message = `${what}. All of them keep running, and nothing is switched off, until the files are back or you confirm it in the dashboard`;
    logger.warn({ folder: workspace, functions: count }, `${message} or with "homeport functions prune".`);
    log.held(environmentId(), `${message}.`);
  }

  #release(): void {
    if (!this.#held) return;
    this.#held = undefined;
    const message = 'Most of the files of the functions folder are back.';
    this.#options.logger.warn({}, message);
    this.#options.log.held(this.#options.environmentId(), message, 'success');
  }

  async #settle(rows: FunctionPathRow[]): Promise<void> {
    if (rows.length === 0) return;
    for (const { path } of rows) this.#goneSince.delete(path);
    await this.#options.removeVersionless(rows.filter(({ hasVersion }) => !hasVersion));
    const live = rows.filter(isLive);
    if (live.length === 0) return;
    await this.#change(live, 'missing', this.#options.clock.now());
    this.#isAnyMissing = true;
    await this.#options.onSwitchedOff(live.map(({ path }) => path));
  }

  /** One whose models or endpoints another function has taken meanwhile stays off; compiling its file says why. */
  async #restore(rows: FunctionPathRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { database, environmentId, files, functionsStore: functions } = this.#options;
    const back: FunctionPathRow[] = [];
    for (const key of new Set(rows.map(({ integrationKey }) => integrationKey))) {
      const all = await functions.list(database.reader, environmentId(), key);
      const integration = new LiveIntegration(all);
      const gone = new Set(all.filter(({ path }) => !files.has(path)).map(({ path }) => path));
      for (const row of rows.filter((one) => one.integrationKey === key)) {
        const definition = integration.find(row)?.definition;
        if (!definition || integration.clashesOf({ path: row.path, definition }, gone).length > 0) continue;
        integration.claim(row.path, definition);
        back.push(row);
      }
    }
    if (back.length > 0) await this.#change(back, 'back', null);
  }

  async #change(rows: FunctionPathRow[], kind: 'missing' | 'back', missingSince: number | null): Promise<void> {
    const { database, follow, functionsStore: functions, log, onStored, notify: announce } = this.#options;
    const changes = await database.transaction(async (tx) => {
      const ids = rows.map(({ id }) => id);
      await functions.setMissing(tx, ids, missingSince);
      const stored = await functions.listByKeys(tx, rows);
      const each = stored.map((row): DeploymentChange => ({ kind, function: toDeployedFunction(row) }));
      for (const change of each) await follow(tx, change);
      return each;
    });
    for (const change of changes) {
      onStored(change.function);
      if (kind === 'missing') log.missing(change.function);
      else log.back(change.function);
      announce(change);
    }
  }
}

function isLive({ hasVersion, missingSince }: FunctionPathRow): boolean {
  return hasVersion === 1 && missingSince === null;
}

function goneOf(rows: readonly FunctionPathRow[], files: FunctionFiles): FunctionPathRow[] {
  return rows.filter(({ path, missingSince }) => missingSince === null && !files.has(path));
}

/** True as well for one that does not exist, which is what an empty mount point may mean. */
function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    // Gone, or not to be read: nothing is known of what is in it.
    return true;
  }
}
