import type { RunChange } from '../seams/simulated-workers.ts';
import type { Account } from './simulated-provider.ts';
import type { World } from './world.ts';

/** A value that is known, or one of several after an answer that never came. */
export class Possible<T> {
  #values: Set<T>;
  /** Everything it has ever been: a loss of power may bring back what was not written to the disk. */
  readonly #former = new Set<T>();
  /** Sets that get whatever it may be. */
  readonly #records = new Set<Set<T>>();

  constructor(value: T) {
    this.#values = new Set([value]);
    this.#former.add(value);
  }

  get values(): ReadonlySet<T> {
    return this.#values;
  }

  has(value: T): boolean {
    return this.#values.has(value);
  }

  /** Acknowledged. */
  set(value: T): void {
    this.become([value]);
  }

  /** Acknowledged: one of these. */
  become(values: Iterable<T>): void {
    this.#values = new Set(values);
    for (const value of this.#values) this.#note(value);
  }

  /** The write may have happened. */
  maybe(value: T): void {
    this.#values.add(value);
    this.#note(value);
  }

  /** Everything that it may be from now on, until `stop`. */
  record(): { values: Set<T>; stop(): void } {
    const values = new Set(this.#values);
    this.#records.add(values);
    return { values, stop: () => void this.#records.delete(values) };
  }

  /** It is what it was once, and nothing that came later can come back. */
  reset(values: Iterable<T>): void {
    this.#former.clear();
    this.become(values);
  }

  #note(value: T): void {
    this.#former.add(value);
    for (const values of this.#records) values.add(value);
  }

  /** Seen; false when it cannot be. */
  see(value: T): boolean {
    const isPossible = this.#values.has(value);
    this.#values = new Set([value]);
    return isPossible;
  }

  loosen(): void {
    for (const value of this.#former) this.maybe(value);
  }
}

/** The version of a function whose file was deleted: it runs no more. */
export const OFF = 0;
/** A run that was on its way when its sync was paused begins within this time. */
const PAUSED_WITHIN_MS = 5_000;

export interface ExpectedConnection {
  readonly environment: 'dev' | 'other';
  readonly id: string;
  /** Name of the account, or `none`. */
  readonly account: Possible<string>;
  readonly metadata: Possible<string>;
  /** Time awake when the pause of its sync `changes` was acknowledged; undefined when it may run. */
  pausedAt: number | undefined;
  /** Somebody asked for a pause; it has to be ended at the end. */
  wasPaused: boolean;
  /** Stored, but not checked by its functions, which may still refuse it. */
  isUnchecked: boolean;
  /** A call of this connection has no answer yet. */
  isBusy: boolean;
}

/** What must hold, as far as the callers know. */
export class Expectations {
  readonly connections = new Map<string, ExpectedConnection>();
  /** When the creation of connections in `dev` was acknowledged last, by the true time; each needs a webhook. */
  readonly createdInDev = new Map<string, number>();
  /** Accounts whose sign-in ended well, and which are somebody's connection now. */
  readonly signedIn = new Set<string>();
  /** Running syncs by `<environment> <sync id>`. */
  readonly #running = new Map<string, number>();
  /** Time awake of the last start of each sync, by `<connection> <sync>`. */
  readonly lastRunAt = new Map<string, number>();
  /** Tokens that the hub has read, by account: the number of its statements then. */
  readonly #tokens = new Map<Account, { statements: number }>();
  readonly #versions = new Map<string, Possible<number>>();
  onNew: (connection: ExpectedConnection) => void = () => {};
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  connection(environment: 'dev' | 'other', id: string): ExpectedConnection {
    const key = `${environment}/${id}`;
    const known = this.connections.get(key);
    if (known) return known;
    const made = {
      environment,
      id,
      account: new Possible('none'),
      metadata: new Possible(''),
      pausedAt: undefined,
      wasPaused: false,
      isUnchecked: false,
      isBusy: false,
    };
    this.connections.set(key, made);
    this.onNew(made);
    return made;
  }

  /** Of a function, by the file of its bundle. */
  versions(fileName: string): Possible<number> {
    const known = this.#versions.get(fileName) ?? new Possible(1);
    this.#versions.set(fileName, known);
    return known;
  }

  noteRun({ context, fileName, isStart, version }: RunChange): void {
    const versions = this.versions(fileName);
    if (isStart && !versions.has(version))
      this.#world.violate(`${fileName} runs version ${version}; expected ${[...versions.values].join(' or ')}`);
    if (context.scriptType !== 'sync') return;
    const key = `${context.environmentId} ${context.syncId}`;
    const count = (this.#running.get(key) ?? 0) + (isStart ? 1 : -1);
    this.#running.set(key, count);
    const { sync_name: name } = context.syncConfig as { sync_name: string };
    if (count > 1) this.#world.violate(`the sync ${name} of ${context.connectionId} runs twice at once`);
    const pausedAt = name === 'changes' ? this.connections.get(`dev/${context.connectionId}`)?.pausedAt : undefined;
    const { awakeMs } = this.#world.machine.clock;
    if (isStart && pausedAt !== undefined && awakeMs - pausedAt > PAUSED_WITHIN_MS)
      this.#world.violate(`the sync ${name} of ${context.connectionId} runs, and is paused`);
    if (isStart) this.lastRunAt.set(`${context.connectionId} ${name}`, this.#world.machine.clock.awakeMs);
  }

  noteToken(account: Account): void {
    this.#tokens.set(account, { statements: this.#world.machine.boot.calls.database });
  }

  /** The process ends. What it had read and could not write yet is lost with it. */
  noteEnd(losesPower: boolean): void {
    const { boot } = this.#world.machine;
    this.#running.clear();
    for (const [account, { statements }] of this.#tokens) {
      if (boot.calls.database === statements) account.lostBecause = 'the process ended while it wrote the token down';
      else if (boot.hasFailedFiles) account.lostBecause = 'the disk had failed';
    }
    this.#tokens.clear();
    if (losesPower)
      for (const connection of this.connections.values()) {
        const { account, metadata } = connection;
        connection.pausedAt = undefined;
        metadata.loosen();
        // Credentials are written through; a deletion is not.
        if (!account.has('none')) continue;
        account.loosen();
      }
  }

  /** A restored database has an older version until the file was compiled again. */
  loosenVersions(): void {
    for (const versions of this.#versions.values()) versions.loosen();
  }

  /** After an orderly end nothing is in memory only. */
  noteStop(): void {
    this.#tokens.clear();
    this.#running.clear();
  }
}
