import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** So many bytes passed on leave enough behind to be worth a pause of some tens of milliseconds. */
const WORTH_BYTES = 64 * 1024 * 1024;
const COLLECT_AFTER_MS = 2000;

type Collect = (options?: { type: 'major'; flavor: 'last-resort' }) => void;

/** V8's own function; it stops the program for tens of milliseconds. */
function garbageCollector(): Collect {
  // Only for a moment: contexts that are made later have no such function.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  return collect;
}

/** Collects all there is and hands the pages back at once, which takes V8 ten seconds else. Compiled code stays. */
export function collectEverything(): () => void {
  const collect = garbageCollector();
  return () => {
    setFlagsFromString('--no-flush-bytecode');
    collect({ type: 'major', flavor: 'last-resort' });
    setFlagsFromString('--flush-bytecode');
  };
}

/**
 * Gives back what large messages leave behind. V8 collects it when it needs the memory, which on a machine with much
 * of it may be never; this asks for it once a while has passed.
 */
export class UnusedMemory {
  readonly #collect = garbageCollector();
  #bytes = 0;
  #isDue = false;

  /** So many bytes were passed on and are not needed any more. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < WORTH_BYTES || this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#bytes = 0;
      this.#collect();
    }, COLLECT_AFTER_MS).unref();
  }
}
