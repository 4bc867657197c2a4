import type { GuestLogEntry } from '../../../../functions/runtime/bridge.ts';

const MAX_LINES = 10_000;
const MAX_BYTES = 10 * 1024 * 1024;
/** After a burst, a run may write the same amount again within this many seconds. */
const REFILL_SECONDS = 100;

/**
 * Limits how much one run may log: a number of lines and bytes at once, and a hundredth of them per second after that.
 */
export class LogAllowance {
  readonly #now: () => number;
  #lines = MAX_LINES;
  #bytes = MAX_BYTES;
  #refilledAt: number;
  #isDropping = false;

  constructor(now: () => number) {
    this.#now = now;
    this.#refilledAt = now();
  }

  /** The entries that may be stored. When lines are dropped, one further line says so. */
  keep(entries: GuestLogEntry[]): GuestLogEntry[] {
    this.#refill();
    const kept: GuestLogEntry[] = [];
    for (const entry of entries) {
      const bytes = entry.message.length + (entry.meta?.length ?? 0);
      if (this.#lines >= 1 && this.#bytes >= bytes) {
        this.#lines -= 1;
        this.#bytes -= bytes;
        kept.push(entry);
      } else if (!this.#isDropping) {
        this.#isDropping = true;
        kept.push(this.#droppedEntry());
      }
    }
    return kept;
  }

  #refill(): void {
    const seconds = Math.max(0, this.#now() - this.#refilledAt) / 1000;
    this.#refilledAt = this.#now();
    this.#lines = Math.min(MAX_LINES, this.#lines + (MAX_LINES / REFILL_SECONDS) * seconds);
    this.#bytes = Math.min(MAX_BYTES, this.#bytes + (MAX_BYTES / REFILL_SECONDS) * seconds);
    // Reported again only after a pause; otherwise a function that logs all the time would cause one report per line.
    if (this.#lines >= MAX_LINES / 10 && this.#bytes >= MAX_BYTES / 10) this.#isDropping = false;
  }

  #droppedEntry(): GuestLogEntry {
    const message =
      `Further log lines were dropped: a run may write ${MAX_LINES} lines or ${MAX_BYTES} bytes at once, ` +
      `and ${MAX_LINES / REFILL_SECONDS} lines a second after that.`;
    return { level: 'warn', message, at: this.#now(), source: 'internal' };
  }
}
