import type { LogEvents } from '../../services/logs/log-events.ts';
import type { LoggedOperation } from '../../services/logs/logged-entries.ts';

export interface LiveOperationsUse {
  findOperation(environmentId: number, id: string): Promise<LoggedOperation | undefined>;
}

/** Operations in work that are remembered; further ones are read from the log when they change. */
const MOST_REMEMBERED = 20_000;

/** Completes events of the log, which name only what changed, to whole operations. */
export class LiveOperations {
  readonly #use: LiveOperationsUse;
  readonly #unfinished = new Map<string, LoggedOperation>();

  constructor(use: LiveOperationsUse) {
    this.#use = use;
  }

  /** The whole operation after the change: at once when it is remembered; undefined when it is gone. */
  complete({
    id,
    environmentId,
    changed,
  }: LogEvents['operation']): LoggedOperation | Promise<LoggedOperation | undefined> {
    const known = this.#unfinished.get(id) ?? (isWhole(changed) ? changed : undefined);
    if (!known) return this.#use.findOperation(environmentId, id);
    const row = { ...known, ...changed };
    if (row.endedAt !== null || this.#unfinished.size >= MOST_REMEMBERED) this.#unfinished.delete(id);
    else this.#unfinished.set(id, row);
    return row;
  }
}

function isWhole(changed: Partial<LoggedOperation>): changed is LoggedOperation {
  return changed.operation !== undefined;
}
