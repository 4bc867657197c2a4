import type { RawDefinition, RunFailure, SourcePosition } from '../../functions/runtime/bridge.ts';
import type { DescribedPart } from '../../functions/runtime/guest-link.ts';
import type { Clock } from '../lib/clock.ts';
import type { Bundle } from './sandbox-task.ts';

const MAX_BATCH_SIZE = 32;
/**
 * A batch normally takes some tens of milliseconds. After this time it probably contains a bundle that does not end,
 * and the next batch starts.
 */
const SLOW_MS = 1_000;

export interface DescribeQueueOptions {
  clock: Clock;
  /** Describes one bundle in its own isolate; rejects when that fails. */
  describeAlone(bundle: Bundle): Promise<RawDefinition>;
  /** Describes all bundles in one isolate; rejects when the batch could not finish. */
  describeTogether(bundles: Bundle[]): Promise<DescribedPart[]>;
}

interface Waiting {
  bundle: Bundle;
  resolve: (definition: RawDefinition) => void;
  reject: (error: unknown) => void;
}

/**
 * Describes bundles. A bundle that arrives alone gets an isolate at once; bundles that arrive meanwhile share the next
 * one. A batch that fails is repeated bundle by bundle, so that a faulty bundle does not affect others.
 */
export class DescribeQueue {
  readonly #options: DescribeQueueOptions;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;

  constructor(options: DescribeQueueOptions) {
    this.#options = options;
  }

  add(bundle: Bundle): Promise<RawDefinition> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ bundle, resolve, reject });
      this.#startBatch();
    });
  }

  /** Runs one batch at a time, so that bundles that arrive meanwhile share the next one. */
  #startBatch(): void {
    if (this.#isBusy || this.#waiting.length === 0) return;
    this.#isBusy = true;
    let isOver = false;
    const startNext = (): void => {
      if (isOver) return;
      isOver = true;
      slow.cancel();
      this.#isBusy = false;
      this.#startBatch();
    };
    const slow = this.#options.clock.after(SLOW_MS, startNext);
    void this.#describe(this.#waiting.splice(0, MAX_BATCH_SIZE)).then(startNext);
  }

  async #describe(batch: Waiting[]): Promise<void> {
    const parts = batch.length > 1 ? await this.#tryTogether(batch) : [];
    for (const [index, waiting] of batch.entries()) {
      const part = parts[index];
      if (part?.ok) waiting.resolve(part.definition);
      else await this.#options.describeAlone(waiting.bundle).then(waiting.resolve, waiting.reject);
    }
  }

  async #tryTogether(batch: Waiting[]): Promise<DescribedPart[]> {
    try {
      return await this.#options.describeTogether(batch.map(({ bundle }) => bundle));
    } catch {
      // One of the bundles ended the isolate or never ended; describing each alone shows which.
      return [];
    }
  }
}

/** Joins bundles into one that exports the factories of all. Source maps are left out, because no code runs. */
export function joinBundles(bundles: readonly Bundle[]): Bundle {
  const factories = bundles.map(
    ({ code }) =>
      `function (exports, require, module, __filename, __dirname) {${code.replace(/^\/\/# sourceMappingURL=.*$/gm, '')}\n}`,
  );
  return {
    hash: bundles.map(({ hash }) => hash).join(' '),
    code: `module.exports.push(${factories.join(',')});`,
    fileName: 'bundles.cjs',
  };
}

/** A bundle that could not be loaded, and why. */
export class DescribeError extends Error {
  override readonly name = 'DescribeError';
  readonly failure: RunFailure;
  /** Position in the author's files where it threw, if its stack shows one. */
  readonly position: SourcePosition | undefined;

  constructor(failure: RunFailure, position?: SourcePosition) {
    super(reasonOf(failure));
    this.failure = failure;
    this.position = position;
  }
}

function reasonOf(failure: RunFailure): string {
  if (failure.kind === 'thrown') return failure.error.message;
  if (failure.kind === 'timeout') return 'Its code outside of exec does not end. Move the work into exec.';
  return `The function could not be loaded: ${failure.kind}.`;
}
