import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** A collection pauses the program for tens of milliseconds, so it waits for this much garbage. */
const COLLECT_FROM_BYTES = 64 * 1024 * 1024;
const COLLECT_AFTER_MS = 2000;

type Collect = (options?: { type: 'major'; flavor: 'last-resort' }) => void;

/** V8's own function; it stops the program for tens of milliseconds. */
function exposedCollector(): Collect {
  // The flag is set only for this call: contexts that are created later do not have the function.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/**
 * Collects all garbage and returns the pages at once, which V8 otherwise does after ten seconds. Compiled code stays.
 */
export function createGarbageCollector(): () => void {
  const collect = exposedCollector();
  return () => {
    setFlagsFromString('--no-flush-bytecode');
    collect({ type: 'major', flavor: 'last-resort' });
    setFlagsFromString('--flush-bytecode');
  };
}

/**
 * Returns the memory of large messages to the computer. V8 collects garbage only when it needs the memory, which may be
 * never on a computer with much memory, so this starts a collection.
 */
export class UnusedMemory {
  readonly #collect = exposedCollector();
  #bytes = 0;
  #isDue = false;

  /** Counts bytes of messages that were passed on and are not needed any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < COLLECT_FROM_BYTES || this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#bytes = 0;
      this.#collect();
    }, COLLECT_AFTER_MS).unref();
  }
}
