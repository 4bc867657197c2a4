import { isDeepStrictEqual } from 'node:util';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CheckpointRow, CheckpointsStore } from './checkpoints.store.ts';

export type Checkpoint = Record<string, string | number | boolean>;

export interface CheckpointRange {
  /** First value read in the run. */
  from: Checkpoint | null;
  /** Last value written in the run. */
  to: Checkpoint | null;
}

interface CheckpointParts {
  database: Database;
  clock: Clock;
  checkpointsStore: CheckpointsStore;
  connectionRowId: number;
  /** `<script type>:<function>[:<variant>]`. */
  key: string;
  /** Called first in the transaction of each write; throws when the run may not change data any more. */
  assertWanted?(tx: Transaction): Promise<void>;
}

const MAX_FIELDS = 16;
const MAX_NAME_LENGTH = 255;
/**
 * Limit for the checkpoint's JSON text in bytes; providers' delta links are thousands of characters long (design.md
 * 7.29).
 */
const MAX_BYTES = 256 * 1024;

/**
 * One run's checkpoint (`checkpoint.*` of the bridge). A write throws `checkpoint_conflict` if someone else has written
 * since this run's last read or write.
 */
export class CheckpointSession {
  readonly #parts: CheckpointParts;
  /** Undefined before the first read; 0 when there is no checkpoint. */
  #version: number | undefined;
  #first: Checkpoint | null | undefined;
  #last: Checkpoint | null = null;

  constructor(parts: CheckpointParts) {
    if (parts.key.length > MAX_NAME_LENGTH)
      throw new HomeportError(
        'invalid_checkpoint',
        `The key of a checkpoint has at most ${MAX_NAME_LENGTH} characters.`,
      );
    this.#parts = parts;
  }

  get range(): CheckpointRange {
    return { from: this.#first ?? null, to: this.#last };
  }

  async get(): Promise<Checkpoint | null> {
    const { checkpointsStore: checkpoints, database, connectionRowId, key } = this.#parts;
    const row = await checkpoints.find(database.reader, connectionRowId, key);
    const value = row && !row.isDeleted ? (JSON.parse(row.value) as Checkpoint) : null;
    this.#version = row?.version ?? 0;
    if (this.#first === undefined) this.#first = value;
    return value;
  }

  /** Throws `checkpoint_conflict` when another checkpoint is stored, now or at the next write. */
  async expect(checkpoint: Record<string, unknown> | null): Promise<void> {
    if (!isDeepStrictEqual(await this.get(), checkpoint)) throw conflict();
  }

  /** Throws `invalid_checkpoint` for values that are not plain, and for more than 16 fields or 256 kB. */
  async save(checkpoint: Record<string, unknown>): Promise<void> {
    const value = checkShape(checkpoint);
    const json = JSON.stringify(value);
    const bytes = Buffer.byteLength(json);
    if (bytes > MAX_BYTES) throw invalid(`it has ${bytes} bytes; at most ${MAX_BYTES} (256 kB) are stored`);
    await this.#write(async (tx, row) => {
      const { checkpointsStore: checkpoints, connectionRowId, key, clock } = this.#parts;
      const version = (row?.version ?? 0) + 1;
      await checkpoints.upsert(tx, { connectionRowId, key, value: json, version, now: clock.now() });
      return version;
    });
    this.#last = value;
  }

  /** Removes the checkpoint, so that `get` returns null. Does nothing when there is none. */
  async clear(): Promise<void> {
    await this.#write(async (tx, row) => {
      const { checkpointsStore: checkpoints, connectionRowId, key, clock } = this.#parts;
      if (row === undefined || row.isDeleted) return row?.version ?? 0;
      await checkpoints.setDeleted(tx, connectionRowId, key, row.version + 1, clock.now());
      return row.version + 1;
    });
    this.#last = null;
  }

  /** `work` gets the stored row and returns its new version. */
  async #write(work: (tx: Transaction, row: CheckpointRow | undefined) => Promise<number>): Promise<void> {
    const { checkpointsStore: checkpoints, database, connectionRowId, key } = this.#parts;
    this.#version = await database.transaction(async (tx) => {
      await this.#parts.assertWanted?.(tx);
      const row = await checkpoints.find(tx, connectionRowId, key);
      if (this.#version !== undefined && this.#version !== (row?.version ?? 0)) throw conflict();
      return work(tx, row);
    });
  }
}

function conflict(): HomeportError {
  return new HomeportError(
    'checkpoint_conflict',
    'The checkpoint changed since it was read; read it again before writing.',
  );
}

function checkShape(checkpoint: Record<string, unknown>): Checkpoint {
  const entries = Object.entries(checkpoint);
  if (entries.length > MAX_FIELDS) throw invalid(`it has more than ${MAX_FIELDS} fields`);
  for (const [name, value] of entries) {
    if (name.length > MAX_NAME_LENGTH) throw invalid(`a field name has more than ${MAX_NAME_LENGTH} characters`);
    const isPlain =
      typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
    if (!isPlain) throw invalid(`'${name}' is not a text, a number or a boolean`);
  }
  return checkpoint as Checkpoint;
}

function invalid(problem: string): HomeportError {
  return new HomeportError('invalid_checkpoint', `The checkpoint cannot be stored: ${problem}.`);
}
