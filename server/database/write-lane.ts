/** What the lane needs of the handle that writes. */
interface Writer {
  exec(sql: string): Promise<void>;
  run(sql: string): Promise<unknown>;
}

/** One transaction of a caller, on its way through the lane. */
export interface Turn {
  readonly isDurable: boolean;
  readonly isShared: boolean;
  /** Resolves when its statements may begin; rejects when they cannot. */
  readonly begun: PromiseWithResolvers<void>;
  /** The caller's statements are over: `undefined`, or what they failed with. */
  readonly worked: PromiseWithResolvers<{ error: unknown } | undefined>;
  /** Resolves when what it wrote is committed, or taken back after a failure; rejects when it could not be committed. */
  readonly ended: PromiseWithResolvers<void>;
  readonly afterCommit: Array<() => void>;
}

type Waiting = Turn | (() => Promise<void>);

/** Shared transactions that one commit holds at most: the first of them waits for the last. */
const MOST_TOGETHER = 20;

/**
 * The order of all that is written: one transaction after the other, in the order of the calls. Shared ones that wait
 * while another shared one runs are committed with it: each is a savepoint, so that one that fails takes back its own
 * statements only. No caller hears of success before the common commit.
 */
export class WriteLane {
  readonly #writer: Writer;
  readonly #onCommitted: (callback: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #serving: Promise<void> | undefined;
  /** As the writer was last told; undefined while it is being told. */
  #synchronous: 'NORMAL' | 'FULL' | undefined = 'NORMAL';

  /** `onCommitted` runs what was to follow a commit; it must not throw. */
  constructor(writer: Writer, onCommitted: (callback: () => void) => void) {
    this.#writer = writer;
    this.#onCommitted = onCommitted;
  }

  add({ isDurable, isShared }: Pick<Turn, 'isDurable' | 'isShared'>): Turn {
    const turn: Turn = {
      isDurable,
      isShared,
      begun: Promise.withResolvers(),
      worked: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      afterCommit: [],
    };
    this.#enqueue(turn);
    return turn;
  }

  /** Runs `work` between transactions. */
  alone(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#enqueue(() => work().then(resolve, reject));
    return promise;
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#serving) await this.#serving;
  }

  #enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#serving ??= this.#serve();
  }

  async #serve(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift())
      await (typeof next === 'function' ? next() : this.#commit(next));
    this.#serving = undefined;
  }

  /** One commit: that of `first`, and of those that may share it. */
  async #commit(first: Turn): Promise<void> {
    const isDurable = first.isDurable || (first.isShared && this.#isDurableBehind());
    try {
      await this.#begin(isDurable ? 'FULL' : 'NORMAL', first.isShared);
    } catch (error) {
      first.begun.reject(error);
      return;
    }
    const stored: Turn[] = [];
    for (let turn: Turn | undefined = first; turn; turn = await this.#takeNext(isDurable)) {
      turn.begun.resolve();
      const failure = await turn.worked.promise;
      if (!failure) stored.push(turn);
      else if (!(await this.#takeBack(turn, stored, failure.error))) return;
      if (!first.isShared || stored.length === MOST_TOGETHER) break;
    }
    await this.#end(stored);
  }

  /** Whether one of those that will share the commit waits for the disk: how it is written is settled at its begin. */
  #isDurableBehind(): boolean {
    for (const waiting of this.#waiting.slice(0, MOST_TOGETHER)) {
      if (typeof waiting === 'function' || !waiting.isShared) return false;
      if (waiting.isDurable) return true;
    }
    return false;
  }

  /** One step of the handle, also when the last transaction was of the other kind. */
  async #begin(synchronous: 'NORMAL' | 'FULL', isShared: boolean): Promise<void> {
    const begin = isShared ? 'BEGIN IMMEDIATE; SAVEPOINT member' : 'BEGIN IMMEDIATE';
    if (this.#synchronous === synchronous) return this.#writer.exec(begin);
    // Not known when this fails half-way: the next transaction says it again.
    this.#synchronous = undefined;
    await this.#writer.exec(`PRAGMA synchronous=${synchronous}; ${begin}`);
    this.#synchronous = synchronous;
  }

  /** The next in the queue, if it may share the commit that is open. */
  async #takeNext(isDurable: boolean): Promise<Turn | undefined> {
    const [next] = this.#waiting;
    if (next === undefined || typeof next === 'function' || !next.isShared || (next.isDurable && !isDurable))
      return undefined;
    try {
      // Fails when SQLite has taken back everything over an error that the last one ignored.
      await this.#writer.exec('RELEASE member; SAVEPOINT member');
    } catch {
      return undefined;
    }
    this.#waiting.shift();
    return next;
  }

  /** After a failure. False when nothing is open any more: SQLite takes back everything over a full disk, for example. */
  async #takeBack(turn: Turn, stored: Turn[], error: unknown): Promise<boolean> {
    const isKept =
      stored.length > 0 &&
      (await this.#writer.exec('ROLLBACK TO member').then(
        () => true,
        () => false,
      ));
    if (!isKept) await this.#rollBack(stored, error);
    turn.ended.resolve();
    return isKept;
  }

  async #rollBack(stored: Turn[], error: unknown): Promise<void> {
    // SQLite may have done so itself; its first error is the one that counts.
    await this.#writer.run('ROLLBACK').catch(() => {});
    for (const turn of stored) turn.ended.reject(error);
  }

  async #end(stored: Turn[]): Promise<void> {
    try {
      await this.#writer.run('COMMIT');
    } catch (error) {
      await this.#rollBack(stored, error);
      return;
    }
    for (const turn of stored) for (const callback of turn.afterCommit) this.#onCommitted(callback);
    for (const turn of stored) turn.ended.resolve();
  }
}
