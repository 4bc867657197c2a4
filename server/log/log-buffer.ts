import type { MessageRow } from './messages.store.ts';
import type { OperationRow } from './operations.store.ts';
import type { RecordingInsert } from './traffic-recordings.store.ts';

/** Sizes are estimates of the memory taken. */
export interface BufferedOperation {
  row: OperationRow;
  sizeBytes: number;
}

export interface BufferedMessage {
  row: MessageRow;
  sizeBytes: number;
}

/** What one transaction writes. */
export interface LogBatch {
  operations: BufferedOperation[];
  messages: BufferedMessage[];
  recordings: RecordingInsert[];
}

export interface BufferLimits {
  operations: number;
  operationBytes: number;
  messages: number;
  messageBytes: number;
  recordingBytes: number;
  /** Size of one batch: a writer that waits behind it should not notice. */
  batchEntries: number;
  batchBytes: number;
}

export const BUFFER_LIMITS: BufferLimits = {
  operations: 20_000,
  operationBytes: 32 * 1024 * 1024,
  messages: 20_000,
  messageBytes: 32 * 1024 * 1024,
  recordingBytes: 16 * 1024 * 1024,
  batchEntries: 500,
  batchBytes: 1024 * 1024,
};

const isMinor = (message: BufferedMessage): boolean => message.row.level === 'debug' || message.row.level === 'info';

/** Log entries in memory that are not written yet. Memory is bounded: debug and info messages are dropped first. */
export class LogBuffer {
  readonly #limits: BufferLimits;
  readonly #operations = new Map<string, BufferedOperation>();
  #operationBytes = 0;
  #messages: BufferedMessage[] = [];
  #messageBytes = 0;
  #minorMessages = 0;
  readonly #dropped = new Map<string, number>();
  #droppedOperations = 0;
  #recordings: RecordingInsert[] = [];
  #recordingBytes = 0;
  #droppedRecordings = 0;

  constructor(limits: BufferLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#operations.size + this.#messages.length + this.#recordings.length;
  }

  get isEmpty(): boolean {
    return this.size === 0 && this.#dropped.size === 0;
  }

  /** The row is read when its batch is written, so further changes until then are free. */
  touch(row: OperationRow, sizeBytes: number): void {
    const known = this.#operations.get(row.id);
    this.#operationBytes += sizeBytes - (known?.sizeBytes ?? 0);
    if (known) known.sizeBytes = sizeBytes;
    else this.#operations.set(row.id, { row, sizeBytes });
    this.#dropOldOperations();
  }

  #dropOldOperations(): void {
    for (const [id, { sizeBytes }] of this.#operations) {
      const { size } = this.#operations;
      if (size <= this.#limits.operations && this.#operationBytes <= this.#limits.operationBytes) return;
      this.#operations.delete(id);
      this.#operationBytes -= sizeBytes;
      this.#droppedOperations += 1;
    }
  }

  push(message: BufferedMessage): void {
    if (!this.#hasRoomFor(message) && !isMinor(message) && this.#minorMessages > 0) this.#dropMinor();
    if (!this.#hasRoomFor(message)) {
      this.#countDropped(message);
      return;
    }
    this.#messages.push(message);
    this.#account(message, 1);
  }

  /** Dropped when the buffer is full: then the request is in the log without its bodies. */
  record(recording: RecordingInsert): void {
    if (this.#recordingBytes + recording.sizeBytes > this.#limits.recordingBytes) {
      this.#droppedRecordings += 1;
      return;
    }
    this.#recordings.push(recording);
    this.#recordingBytes += recording.sizeBytes;
  }

  #hasRoomFor(message: BufferedMessage): boolean {
    const { messages, messageBytes } = this.#limits;
    return this.#messages.length < messages && this.#messageBytes + message.sizeBytes <= messageBytes;
  }

  #account(message: BufferedMessage, sign: 1 | -1): void {
    this.#messageBytes += sign * message.sizeBytes;
    if (isMinor(message)) this.#minorMessages += sign;
  }

  #dropMinor(): void {
    const kept: BufferedMessage[] = [];
    for (const message of this.#messages) {
      if (!isMinor(message)) {
        kept.push(message);
        continue;
      }
      this.#account(message, -1);
      this.#countDropped(message);
    }
    this.#messages = kept;
  }

  #countDropped(message: BufferedMessage): void {
    const id = message.row.operationId;
    this.#dropped.set(id, (this.#dropped.get(id) ?? 0) + 1);
  }

  /** Number of operations that were dropped since the last call, for which there is no row to report it. */
  takeDroppedOperations(): number {
    const count = this.#droppedOperations;
    this.#droppedOperations = 0;
    return count;
  }

  takeDroppedRecordings(): number {
    const count = this.#droppedRecordings;
    this.#droppedRecordings = 0;
    return count;
  }

  /** Operations come first, because messages and recordings can be stored only after their operation. */
  takeBatch(now: number): LogBatch {
    const { batchEntries } = this.#limits;
    const operations = this.#fitting(this.#operations.values(), batchEntries);
    for (const { row, sizeBytes } of operations) {
      this.#operations.delete(row.id);
      this.#operationBytes -= sizeBytes;
    }
    if (this.#operations.size > 0) return { operations, messages: [], recordings: [] };

    const count = this.#fitting(this.#messages, Math.max(batchEntries - operations.length, 1)).length;
    const messages = this.#messages.splice(0, count);
    for (const message of messages) this.#account(message, -1);
    if (this.#messages.length === 0) messages.push(...this.#takeWarnings(now));
    const recordings = this.#recordings.splice(0, this.#fitting(this.#recordings, batchEntries).length);
    for (const { sizeBytes } of recordings) this.#recordingBytes -= sizeBytes;
    return { operations, messages, recordings };
  }

  /** The first entries that one batch may hold, at least one. */
  #fitting<Entry extends { sizeBytes: number }>(entries: Iterable<Entry>, maxEntries: number): Entry[] {
    const fitting: Entry[] = [];
    let freeBytes = this.#limits.batchBytes;
    for (const entry of entries) {
      freeBytes -= entry.sizeBytes;
      if (fitting.length >= maxEntries || (fitting.length > 0 && freeBytes < 0)) break;
      fitting.push(entry);
    }
    return fitting;
  }

  #takeWarnings(now: number): BufferedMessage[] {
    const warnings = [...this.#dropped].map(([operationId, count]) => droppedWarning(operationId, count, now));
    this.#dropped.clear();
    return warnings;
  }

  /** Returns a batch that could not be written to the front of the queue. */
  putBack(batch: LogBatch): void {
    const later = [...this.#operations.values()];
    this.#operations.clear();
    this.#operationBytes = 0;
    for (const { row, sizeBytes } of [...batch.operations, ...later]) this.touch(row, sizeBytes);
    this.#messages = [...batch.messages, ...this.#messages];
    for (const message of batch.messages) this.#account(message, 1);
    this.#recordings = [...batch.recordings, ...this.#recordings];
    for (const { sizeBytes } of batch.recordings) this.#recordingBytes += sizeBytes;
  }
}

function droppedWarning(operationId: string, count: number, createdAt: number): BufferedMessage {
  const noun = count === 1 ? '1 message was' : `${count} messages were`;
  const message = `${noun} dropped here: they came faster than they could be stored.`;
  return {
    sizeBytes: message.length,
    row: {
      operationId,
      createdAt,
      level: 'warn',
      type: 'log',
      source: 'internal',
      context: null,
      durationMs: null,
      message,
      details: null,
    },
  };
}
