import type { RunRequest } from './run-request.ts';

/** The runs that are going on, and how to end them from outside. */
export class RunningRuns {
  readonly #runs = new Map<RunRequest, AbortController>();

  get count(): number {
    return this.#runs.size;
  }

  /** The signal that ends the run: the caller's own, or ours. */
  begin(run: RunRequest): AbortSignal {
    const controller = new AbortController();
    this.#runs.set(run, controller);
    return run.signal ? AbortSignal.any([run.signal, controller.signal]) : controller.signal;
  }

  end(run: RunRequest): void {
    this.#runs.delete(run);
  }

  endOnConnections(connectionRowIds: ReadonlySet<number>): void {
    for (const [run, controller] of this.#runs) {
      const isSync = run.scriptType === 'sync';
      if (!isSync && connectionRowIds.has(run.connection.id))
        controller.abort(new Error('The connection was deleted.'));
    }
  }
}
