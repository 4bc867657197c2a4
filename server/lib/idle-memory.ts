import type { Clock } from './clock.ts';
import { collectEverything } from './unused-memory.ts';

const LOOK_EVERY_MS = 3000;
/** Of one processor. A dashboard that is open takes less, any work more. */
const IDLE_SHARE = 0.05;
/** What has come since the last collection is worth the processor time of another. */
const WORTH_BYTES = 24 * 1024 * 1024;

export interface IdleMemoryOptions {
  clock: Clock;
  /** Processor time of the program so far, in milliseconds. */
  cpuMs?: () => number;
  /** What the program holds of the computer's memory. */
  residentBytes?: () => number;
  collect?: () => void;
}

/**
 * Gives memory back to the computer once there is nothing to do: V8 collects what work leaves behind when it needs the
 * room, which may be never. While somebody waits for the program it is left alone, as a collection stops it.
 */
export class IdleMemory {
  readonly #options: Required<IdleMemoryOptions>;
  #cpuMs = 0;
  /** After the last collection; at first what the program began with. */
  #keptBytes: number;

  constructor({
    clock,
    cpuMs = ownCpuMs,
    residentBytes = () => process.memoryUsage.rss(),
    collect = collectEverything(),
  }: IdleMemoryOptions) {
    this.#options = { clock, cpuMs, residentBytes, collect };
    this.#keptBytes = residentBytes();
  }

  /** For as long as the program runs; it does not keep the program running. */
  start(): void {
    this.#cpuMs = this.#options.cpuMs();
    this.#options.clock.after(LOOK_EVERY_MS, () => this.#look());
  }

  #look(): void {
    const { collect, cpuMs, residentBytes } = this.#options;
    const isIdle = cpuMs() - this.#cpuMs < LOOK_EVERY_MS * IDLE_SHARE;
    if (isIdle && residentBytes() - this.#keptBytes > WORTH_BYTES) {
      collect();
      this.#keptBytes = residentBytes();
    }
    this.start();
  }
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
