import type { Database } from '../database/database.ts';
import { AwakeTime } from '../lib/awake-time.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { type SeenTimeRow, SeenTimeStore } from './seen-time.store.ts';

const HOUR_MS = 3_600_000;
/** A clock that is ahead of the last believed time by more than this may be wrong. */
export const MAX_STEP_MS = 72 * HOUR_MS;
/** Time awake after which such a clock is believed. */
export const BELIEVED_AFTER_MS = 12 * HOUR_MS;
const LOOK_EVERY_MS = 60_000;
const STORE_EVERY_MS = 15 * 60_000;

/**
 * Whether the clock can be believed when something is removed because it is old, which cannot be taken back. A clock that
 * went ahead by days was set wrong, or this computer was off: nobody knows at once. So nothing is removed as old until the
 * hub has run for half a day with the new time (design.md 7.55).
 */
export class SeenTime {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #store = new SeenTimeStore();
  readonly #awake: AwakeTime;
  #row: SeenTimeRow;
  #awakeMs = 0;
  #stored: SeenTimeRow | undefined;
  #timer: Timer | undefined;
  #storing: Promise<void> = Promise.resolve();

  constructor({ database, clock, logger }: { database: Database; clock: Clock; logger: Logger }) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
    this.#awake = new AwakeTime({ now: () => clock.now(), maxGapMs: 2 * LOOK_EVERY_MS });
    this.#row = { seenAt: clock.now(), doubtedMs: 0 };
  }

  /** Continues where the last process ended. */
  async start(): Promise<void> {
    this.#stored = await this.#store.find(this.#database.reader);
    this.#row = this.#stored ?? this.#row;
    this.#keepLooking();
  }

  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#look();
    await this.#storing;
    await this.#save();
  }

  /** True while nothing may be removed because of its age. */
  isDoubtful(): boolean {
    this.#look();
    return this.#clock.now() - this.#row.seenAt > MAX_STEP_MS;
  }

  #keepLooking(): void {
    this.#look();
    const { seenAt, doubtedMs } = this.#stored ?? { seenAt: Number.NEGATIVE_INFINITY, doubtedMs: 0 };
    const hasNews =
      this.#row.seenAt < seenAt ||
      this.#row.seenAt - seenAt >= STORE_EVERY_MS ||
      Math.abs(this.#row.doubtedMs - doubtedMs) >= STORE_EVERY_MS;
    if (hasNews) this.#storing = this.#save();
    this.#timer = this.#clock.after(LOOK_EVERY_MS, () => this.#keepLooking());
  }

  #look(): void {
    const now = this.#clock.now();
    const awakeMs = this.#awake.look();
    const passedMs = awakeMs - this.#awakeMs;
    this.#awakeMs = awakeMs;
    const { seenAt, doubtedMs } = this.#row;
    if (now - seenAt <= MAX_STEP_MS) this.#row = { seenAt: now, doubtedMs: 0 };
    else if (doubtedMs + passedMs >= BELIEVED_AFTER_MS) {
      this.#row = { seenAt: now, doubtedMs: 0 };
      this.#logger.info({ now }, 'the clock is believed now: what is old is removed again');
    } else {
      if (doubtedMs === 0)
        this.#logger.warn(
          { now, lastSeenAt: seenAt },
          'the clock is days ahead of the last run: nothing is removed as old until Homeport has run for twelve hours with it',
        );
      this.#row = { seenAt, doubtedMs: doubtedMs + Math.max(passedMs, 1) };
    }
  }

  /** Never fails: an older time only means that more is doubted. */
  async #save(): Promise<void> {
    const row = this.#row;
    try {
      await this.#database.transaction((tx) => this.#store.save(tx, row));
      this.#stored = row;
    } catch (error) {
      this.#logger.error({ err: error }, 'the time that was seen last could not be stored');
    }
  }
}
