import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';

/** `usedAt` is null after background upkeep alone. */
type FetchMark = [id: number, fetchedAt: number, usedAt: number | null];

/**
 * "Last fetched" and "last used" of connections, gathered in memory and written together: a read must not cost a write.
 * A crash loses at most the last second of marks, which nothing depends on.
 */
export class FetchMarks {
  readonly #marks = new Map<number, { fetchedAt: number; usedAt: number | null }>();
  readonly #write: (marks: FetchMark[]) => Promise<void>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #timer: Timer | undefined;

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
    this.#timer ??= this.#clock.after(1000, () => void this.flush());
  }

  async flush(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
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
