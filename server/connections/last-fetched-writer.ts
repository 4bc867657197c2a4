import type { Clock, Timer } from '../platform/lib/clock.ts';
import type { Logger } from '../platform/lib/logger.ts';

/** `usedAt` is null when only the hub itself read the connection. */
export type FetchMark = [id: number, fetchedAt: number, usedAt: number | null];

const WRITE_MARKS_AFTER_MS = 1000;

/**
 * Collects the times "last fetched" and "last used" of connections in memory and writes them together, so that a read
 * does not cost a write. A crash loses the times of the last second, which is harmless.
 */
export class LastFetchedWriter {
  /** Times that are not written yet, by row id. */
  readonly #marks = new Map<number, { fetchedAt: number; usedAt: number | null }>();
  readonly #write: (marks: FetchMark[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: {
    write: (marks: FetchMark[]) => Promise<void>;
    clock: Clock;
    logger: Logger;
  }) {
    this.#write = options.write;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  mark(id: number, at: number, isUse: boolean): void {
    this.#marks.set(id, { fetchedAt: at, usedAt: isUse ? at : (this.#marks.get(id)?.usedAt ?? null) });
    this.#timer ??= this.#clock.after(WRITE_MARKS_AFTER_MS, () => void this.flush());
  }

  /** Resolves when all times that were marked before are written, also those of a write in progress; never rejects. */
  flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    // One write after the other: an older time must not replace a newer one.
    this.#writing = this.#writing.then(() => this.#writeMarks());
    return this.#writing;
  }

  async #writeMarks(): Promise<void> {
    if (this.#marks.size === 0) return;
    const marks = [...this.#marks].map(([id, { fetchedAt, usedAt }]): FetchMark => [id, fetchedAt, usedAt]);
    this.#marks.clear();
    try {
      await this.#write(marks);
    } catch (error) {
      this.#logger.warn({ err: error }, 'the times of the last reads could not be written');
    }
  }
}
