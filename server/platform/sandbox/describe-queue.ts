import type { RawDefinition, RunFailure, SourcePosition } from '../../../functions/runtime/bridge.ts';
import type { Clock } from '../lib/clock.ts';
import type { Bundle } from './sandbox-task.ts';

/** More would take slots from runs, and are hardly faster. */
const AT_ONCE = 4;
/** A description takes some milliseconds. After this time its bundle probably does not end, and the next one starts. */
const SLOW_MS = 1_000;
/** Including the slow ones. */
const MOST_AT_ONCE = 2 * AT_ONCE;

interface Waiting {
  bundle: Bundle;
  resolve: (definition: RawDefinition) => void;
  reject: (error: unknown) => void;
}

/**
 * Describes a few bundles at a time, in the order in which they arrive. When their worker is lost, each is described once more
 * when no other one is, so that only the bundle that ends its worker fails.
 */
export class DescribeQueue {
  readonly #clock: Clock;
  readonly #describe: (bundle: Bundle) => Promise<RawDefinition>;
  readonly #waiting: Waiting[] = [];
  /** Bundles whose worker was lost. */
  readonly #lost: Waiting[] = [];
  #isAlone = false;
  #running = 0;
  #slow = 0;

  /** `describe` describes one bundle in a context of its own; it rejects when that fails. */
  constructor(options: { clock: Clock; describe: (bundle: Bundle) => Promise<RawDefinition> }) {
    this.#clock = options.clock;
    this.#describe = options.describe;
  }

  add(bundle: Bundle): Promise<RawDefinition> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bundle, resolve, reject });
      this.#startWaiting();
    });
  }

  #startWaiting(): void {
    if (this.#running === 0) {
      const lost = this.#lost.shift();
      this.#isAlone = lost !== undefined;
      if (lost) void this.#start(lost);
    }
    while (!this.#isAlone && this.#running - this.#slow < AT_ONCE && this.#running < MOST_AT_ONCE) {
      const next = this.#waiting.shift();
      if (!next) return;
      void this.#start(next);
    }
  }

  async #start(waiting: Waiting): Promise<void> {
    const { bundle, resolve, reject } = waiting;
    const isAgain = this.#isAlone;
    let isSlow = false;
    this.#running++;
    const timer = this.#clock.after(SLOW_MS, () => {
      isSlow = true;
      this.#slow++;
      this.#startWaiting();
    });
    await this.#describe(bundle).then(resolve, (error: unknown) => {
      if (!isAgain && error instanceof DescribeError && error.failure.kind === 'worker_lost') this.#lost.push(waiting);
      else reject(error);
    });
    timer.cancel();
    this.#running--;
    if (isSlow) this.#slow--;
    this.#startWaiting();
  }
}

/** A bundle that could not be loaded, and why. */
export class DescribeError extends Error {
  override readonly name = 'DescribeError';
  readonly failure: RunFailure;
  /** Position in the author's files where it threw, if its stack shows one. */
  readonly position: SourcePosition | undefined;
  /** The sandbox stopped. */
  readonly isInterrupted: boolean;

  constructor(failure: RunFailure, position?: SourcePosition) {
    super(reasonOf(failure));
    this.failure = failure;
    this.position = position;
    this.isInterrupted = failure.kind === 'aborted';
  }
}

function reasonOf(failure: RunFailure): string {
  if (failure.kind === 'thrown') return failure.error.message;
  if (failure.kind === 'timeout') return 'Its code outside of exec does not end. Move the work into exec.';
  if (failure.kind === 'worker_lost') return 'The process that loads it ended twice.';
  return `The function could not be loaded: ${failure.kind}.`;
}
