import type { EventSink } from '../platform/lib/event-hub.ts';
import {
  changingFieldsOf,
  type LoggedMessage,
  type LoggedOperation,
  toLoggedMessage,
  toLoggedOperation,
} from './logged-entries.ts';
import type { StoredMessage } from './messages.store.ts';
import type { OperationListRow, OperationRow } from './operations.store.ts';

/** Events of the log, emitted after the entries are stored, so that a listener can read them. */
export interface LogEvents {
  /** `changed` holds the whole operation the first time, later only what may have changed. */
  operation: { id: string; environmentId: number; changed: Partial<LoggedOperation> };
  /** New messages of one operation, oldest first. */
  message: { operationId: string; environmentId: number; messages: LoggedMessage[] };
  /** Stored entries of all environments. A row is included again after each change. */
  logged: { operations: readonly OperationListRow[]; messages: readonly StoredMessage[] };
}

/** Emits the events for stored entries. */
export class LogEventEmitter {
  readonly #events: EventSink<LogEvents>;
  /** Operations whose first event was emitted. */
  readonly #emitted = new WeakSet<OperationRow>();

  constructor(events: EventSink<LogEvents>) {
    this.#events = events;
  }

  emit(operations: OperationRow[], messages: StoredMessage[]): void {
    this.#events.emit('logged', { operations, messages });
    for (const row of operations) {
      const changed = this.#emitted.has(row) ? changingFieldsOf(row) : toLoggedOperation(row);
      this.#emitted.add(row);
      this.#events.emit('operation', { id: row.id, environmentId: row.environmentId, changed });
    }
    for (const [operationId, batch] of Map.groupBy(messages, (message) => message.operationId)) {
      const environmentId = batch[0]?.environmentId ?? 0;
      this.#events.emit('message', { operationId, environmentId, messages: batch.map(toLoggedMessage) });
    }
  }
}
