import type { Clock } from './clock.ts';
import { createGarbageCollector } from './unused-memory.ts';

const CHECK_EVERY_MS = 3000;
/** Share of one processor. An open dashboard uses less, any work uses more. */
const IDLE_SHARE = 0.05;
/** A collection is worth its processor time when memory has grown by this much since the last one. */
const WORTH_BYTES = 24 * 1024 * 1024;

export interface IdleMemoryOptions {
  clock: Clock;
  /** Processor time of the program so far, in milliseconds. Default: of this process. */
  cpuMs?: () => number;
  /** Bytes of the computer's memory that the program holds. Default: of this process. */
  residentBytes?: () => number;
  collect?: () => void;
}

/**
 * Returns memory to the computer when the program is idle. V8 collects garbage only when it needs the memory, which may
 * be never. A collection stops the program, so it does not run while the program works.
 */
export class IdleMemory {
  readonly #options: Required<IdleMemoryOptions>;
  #cpuMs = 0;
  /** Memory after the last collection. None was before the first: a start leaves much garbage. */
  #keptBytes = 0;

  constructor({
    clock,
    cpuMs = ownCpuMs,
    residentBytes = () => process.memoryUsage.rss(),
    collect = createGarbageCollector(),
  }: IdleMemoryOptions) {
    this.#options = { clock, cpuMs, residentBytes, collect };
  }

  /** Runs until the program ends, and does not keep it alive. */
  start(): void {
    this.#cpuMs = this.#options.cpuMs();
    this.#options.clock.after(CHECK_EVERY_MS, () => this.#check());
  }

  #check(): void {
    const { collect, cpuMs, residentBytes } = this.#options;
    const isIdle = cpuMs() - this.#cpuMs < CHECK_EVERY_MS * IDLE_SHARE;
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
