import { rollBackIfOpen } from './handle.ts';

/** The part of the writing handle that the queue needs. */
interface Writer {
  exec(sql: string): Promise<void>;
  run(sql: string): Promise<unknown>;
}

/** One transaction of a caller in the queue. */
export interface QueuedTransaction {
  readonly isDurable: boolean;
  readonly isShared: boolean;
  /** Resolves when the statements of the transaction may begin; rejects when they cannot. */
  readonly begun: PromiseWithResolvers<void>;
  /** Resolves when the caller's statements are over: to `undefined`, or to the error they failed with. */
  readonly worked: PromiseWithResolvers<{ error: unknown } | undefined>;
  /** Resolves when the changes are committed, or rolled back after a failure; rejects when the commit failed. */
  readonly ended: PromiseWithResolvers<void>;
  readonly afterCommit: Array<() => void>;
}

type Waiting = QueuedTransaction | (() => Promise<void>);

/** Shared transactions in one commit at most: the first of them waits for the last. */
const MAX_BATCH_SIZE = 20;

/**
 * Runs all write transactions one after the other, in the order of the calls. Shared transactions that wait while
 * another shared one runs are committed with it: each is a savepoint, so a failed one rolls back its own statements
 * only. Callers get their results after the common commit.
 */
export class WriteQueue {
  readonly #writer: Writer;
  readonly #onCommitted: (callback: () => void) => void;
  readonly #waiting: Waiting[] = [];
  #serving: Promise<void> | undefined;
  /** The last `synchronous` setting of the writer; undefined while it is being changed. */
  #synchronous: 'NORMAL' | 'FULL' | undefined = 'NORMAL';
  /** A transaction may still be open: its rollback failed, or a part of its begin. Everything after it would fail. */
  #isLeftOpen = false;

  /** `onCommitted` runs the callbacks of a commit; it must not throw. */
  constructor(writer: Writer, onCommitted: (callback: () => void) => void) {
    this.#writer = writer;
    this.#onCommitted = onCommitted;
  }

  add({ isDurable, isShared }: Pick<QueuedTransaction, 'isDurable' | 'isShared'>): QueuedTransaction {
    const queued: QueuedTransaction = {
      isDurable,
      isShared,
      begun: Promise.withResolvers(),
      worked: Promise.withResolvers(),
      ended: Promise.withResolvers(),
      afterCommit: [],
    };
    this.#enqueue(queued);
    return queued;
  }

  /** Runs `work` while no transaction is open. */
  alone(work: () => Promise<void>): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#enqueue(() => this.#endLeftOpen().then(work).then(resolve, reject));
    return promise;
  }

  /** Resolves when the queue is empty. */
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

  /** Makes one commit: of `first`, and of the waiting transactions that may share it. */
  async #commit(first: QueuedTransaction): Promise<void> {
    const isDurable = first.isDurable || (first.isShared && this.#isDurableBehind());
    try {
      await this.#begin(isDurable ? 'FULL' : 'NORMAL', first.isShared);
    } catch (error) {
      first.begun.reject(error);
      return;
    }
    const stored: QueuedTransaction[] = [];
    for (let queued: QueuedTransaction | undefined = first; queued; queued = await this.#takeNext(isDurable)) {
      queued.begun.resolve();
      const failure = await queued.worked.promise;
      if (!failure) stored.push(queued);
      else if (!(await this.#rollBackMember(queued, stored, failure.error))) return;
      if (!first.isShared || stored.length === MAX_BATCH_SIZE) break;
    }
    await this.#end(stored);
  }

  /**
   * Whether one of the transactions that will share the commit is durable. The `synchronous` setting cannot change
   * after the begin.
   */
  #isDurableBehind(): boolean {
    for (const waiting of this.#waiting.slice(0, MAX_BATCH_SIZE)) {
      if (typeof waiting === 'function' || !waiting.isShared) return false;
      if (waiting.isDurable) return true;
    }
    return false;
  }

  /** One call of the handle, also when the last transaction was of the other kind. */
  async #begin(synchronous: 'NORMAL' | 'FULL', isShared: boolean): Promise<void> {
    await this.#endLeftOpen();
    const begin = isShared ? 'BEGIN IMMEDIATE; SAVEPOINT member' : 'BEGIN IMMEDIATE';
    const isSet = this.#synchronous === synchronous;
    // The setting is unknown when this fails half-way; the next transaction sets it again.
    if (!isSet) this.#synchronous = undefined;
    this.#isLeftOpen = true;
    await this.#writer.exec(isSet ? begin : `PRAGMA synchronous=${synchronous}; ${begin}`);
    this.#isLeftOpen = false;
    this.#synchronous = synchronous;
  }

  async #endLeftOpen(): Promise<void> {
    if (!this.#isLeftOpen) return;
    await rollBackIfOpen(this.#writer);
    this.#isLeftOpen = false;
  }

  /** Takes the next transaction of the queue, if it may share the open commit. */
  async #takeNext(isDurable: boolean): Promise<QueuedTransaction | undefined> {
    const [next] = this.#waiting;
    if (next === undefined || typeof next === 'function' || !next.isShared || (next.isDurable && !isDurable))
      return undefined;
    try {
      // Fails when the last transaction ignored an error over which SQLite rolled back everything.
      await this.#writer.exec('RELEASE member; SAVEPOINT member');
    } catch {
      return undefined;
    }
    this.#waiting.shift();
    return next;
  }

  /**
   * Rolls back one transaction after a failure. Returns false when no transaction is open any more: SQLite rolls back
   * everything when the disk is full, for example.
   */
  async #rollBackMember(queued: QueuedTransaction, stored: QueuedTransaction[], error: unknown): Promise<boolean> {
    const isKept =
      stored.length > 0 &&
      (await this.#writer.exec('ROLLBACK TO member').then(
        () => true,
        () => false,
      ));
    if (!isKept) await this.#rollBack(stored, error);
    queued.ended.resolve();
    return isKept;
  }

  async #rollBack(stored: QueuedTransaction[], error: unknown): Promise<void> {
    // Its first error is the one to report; a rollback that fails is tried again before the next transaction.
    this.#isLeftOpen = true;
    await this.#endLeftOpen().catch(() => {});
    for (const queued of stored) queued.ended.reject(error);
  }

  async #end(stored: QueuedTransaction[]): Promise<void> {
    try {
      await this.#writer.run('COMMIT');
    } catch (error) {
      await this.#rollBack(stored, error);
      return;
    }
    for (const queued of stored) for (const callback of queued.afterCommit) this.#onCommitted(callback);
    for (const queued of stored) queued.ended.resolve();
  }
}
