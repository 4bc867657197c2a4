import type { Bundle } from './sandbox-task.ts';
import { withoutMap } from './source-lines.ts';
import type { ToWorker } from './worker-protocol.ts';

/**
 * The bundles that a worker holds. The server alone decides which, so both sides always have the same list: a bundle is
 * sent once, and the least recently used one is dropped when there are too many.
 */
export class SentBundles {
  readonly #most: number;
  readonly #send: (message: ToWorker) => void;
  readonly #keys = new Set<string>();

  constructor(options: { most: number; send: (message: ToWorker) => void }) {
    this.#most = options.most;
    this.#send = options.send;
  }

  /** Sends the bundle unless the worker has it; returns its key. */
  ensure(bundle: Bundle): string {
    const key = keyOf(bundle);
    const isKnown = this.#keys.delete(key);
    this.#keys.add(key);
    if (isKnown) return key;
    this.#send({ kind: 'bundle', key, code: withoutMap(bundle.code), fileName: bundle.fileName });
    const [oldest] = this.#keys;
    if (this.#keys.size > this.#most && oldest !== undefined) this.#drop(oldest);
    return key;
  }

  /** Drops the bundle from the worker. */
  drop(bundle: Bundle): void {
    this.#drop(keyOf(bundle));
  }

  #drop(key: string): void {
    if (this.#keys.delete(key)) this.#send({ kind: 'drop', key });
  }
}

function keyOf({ hash, fileName }: Bundle): string {
  return `${hash} ${fileName}`;
}
