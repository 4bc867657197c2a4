import type { ModelColumn } from '../queries/queries.service.ts';
import type { TargetMarks } from './destination-marks.ts';
import type { DeliveredStream } from './destinations.store.ts';

/** The records of one model and variant of a connection, with what is known of the connection. */
export interface DeliveryStream {
  id: number;
  connectionRowId: number;
  integrationKey: string;
  model: string;
  variant: string;
  connectionId: string;
  endUserId: string | null;
  /** JSON text. */
  tags: string;
}

/** A change of a record. Times are microseconds. */
export interface DeliveredRecord {
  id: string;
  /** A UUID that the record keeps for ever. */
  key: string;
  createdAt: number;
  updatedAt: number;
  isDeleted: boolean;
  /** JSON text of the record as it was stored; null after it was pruned. */
  payload: string | null;
}

/** Changes of one stream in their order: all of them after `after`, up to `until`. */
export interface BatchPart {
  stream: DeliveryStream;
  after: number;
  until: number;
  records: DeliveredRecord[];
}

/** A model of an integration, with its columns where a schema names them. */
export interface DeliveryModel {
  integrationKey: string;
  model: string;
  columns: readonly ModelColumn[] | undefined;
}

/** Changes of one model that are delivered together, or not at all. */
export interface DeliveryBatch extends DeliveryModel {
  parts: BatchPart[];
}

/** Where one destination writes to, while a job of it runs. */
export interface OpenTarget {
  /**
   * How far the target itself knows that it got, where it stores that together with the records; undefined when only
   * the hub knows.
   */
  cursors: readonly DeliveredStream[] | undefined;
  /** It has changes that the hub no longer has, because a backup of the hub was restored. */
  isAhead: boolean;
  /**
   * Says so to a target without cursors: changes after the stamp of the marks are not in the hub, all others come again
   * with this generation. Others deal with it when they are opened.
   */
  tellRestored?(generation: number): Promise<void>;
  /** From now on it is not ahead. */
  leaveMark?(): Promise<void>;
  /** What is stored in the hub together with the cursors: JSON text. */
  position(): string;
  /** Resolves when everything is stored there for good. */
  write(batch: DeliveryBatch): Promise<void>;
  /** Removes the records of streams that the hub no longer has. */
  removeStreams(streams: readonly DeliveredStream[]): Promise<void>;
  close(): Promise<void>;
}

/** What a target needs to begin. */
export interface TargetStart {
  destinationId: string;
  environment: { id: number; name: string };
  generation: number;
  /** A replay that the target may not know yet, in microseconds. */
  replayFrom: number | null;
  position: string;
  /** How far the hub knows that it got. */
  delivered: readonly DeliveredStream[];
  marks: TargetMarks;
  signal: AbortSignal;
}

/** One kind of destination, with its settings and secrets. */
export interface DeliveryTarget {
  open(start: TargetStart): Promise<OpenTarget>;
  /**
   * Checks that the destination of this id could write records, without writing any; resolves to a sentence about what
   * is there.
   */
  test(signal: AbortSignal, destinationId: string): Promise<string>;
}

export type DestinationProblem =
  | 'destination_unreachable'
  | 'destination_refused'
  | 'destination_changed'
  | 'destination_taken'
  | 'destination_failed';

/** A failed delivery: what happened, and what a person can do, without a secret. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly code: DestinationProblem;
  /** Milliseconds after which the target wants the next attempt. */
  readonly retryAfterMs: number | undefined;

  constructor(code: DestinationProblem, message: string, options: { cause?: unknown; retryAfterMs?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Another process wrote to the target meanwhile, or the answer to an earlier write was lost: read its cursor again. */
export class CursorMoved extends Error {
  override readonly name = 'CursorMoved';
  readonly streamId: number;
  readonly cursor: number;

  constructor(streamId: number, cursor: number) {
    super('The target is at another change than the hub.');
    this.streamId = streamId;
    this.cursor = cursor;
  }
}
