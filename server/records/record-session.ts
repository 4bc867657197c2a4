import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CheckpointsStore } from './checkpoints.store.ts';
import type { RecordReader } from './record-reader.ts';
import type { RecordStreamsStore } from './record-streams.store.ts';
import {
  cleanRecord,
  dropDuplicates,
  isExternalId,
  type RecordInput,
  type RecordWriter,
  toExternalId,
  type WriteResult,
  type WriteTarget,
} from './record-writer.ts';
import type { RecordsStore } from './records.store.ts';

export interface ModelCounts {
  added: number;
  updated: number;
  deleted: number;
}

export interface BatchResult extends ModelCounts {
  unchanged: number;
  /** Ids that occurred more than once in the batch; the first occurrence was kept. */
  duplicates: string[];
}

export type RecordMergingStrategy = 'override' | 'ignore_if_modified_after';

/** The records that one run may use. */
export interface SessionScope {
  connectionRowId: number;
  variant: string;
  /** Generation for deletion detection. */
  jobId: number;
  /** Generation of a run that continues an earlier one from its checkpoint. Default: `jobId`. */
  findGeneration?(tx: Transaction): Promise<number>;
  /** Log operation of the run, which versions refer to. */
  operationId?: string;
  /** Declared models, without variant. */
  models: string[];
  /** `<script type>:<function>:<variant>`: prefix of the keys under which deletion tracking stores its markers. */
  checkpointKey: string;
  /** Called first in the transaction of each change; throws when the run may not change data any more. */
  assertWanted?(tx: Transaction): Promise<void>;
  /** Called in the transaction of each change, with the totals of the run. */
  onCounts?(tx: Transaction, counts: Record<string, ModelCounts>): Promise<void>;
}

export interface SessionParts {
  database: Database;
  clock: Clock;
  recordStreamsStore: RecordStreamsStore;
  recordsStore: RecordsStore;
  checkpointsStore: CheckpointsStore;
  writer: RecordWriter;
  reader: RecordReader;
}

const NO_CHANGE: ModelCounts = { added: 0, updated: 0, deleted: 0 };
const sizeOf = ({ json }: RecordInput): number => json.length;
/** Guard stamp that lets every record be modified. */
const NO_GUARD = Number.MAX_SAFE_INTEGER;

/**
 * Operations of a running sync or webhook handler on records (`records.*` of the bridge). Counts per model over all
 * calls.
 */
export class RecordSession {
  readonly #parts: SessionParts;
  readonly #scope: SessionScope;
  #counts: Record<string, ModelCounts>;
  /** Guard stamps of models with a merging strategy: records that changed later are not modified. */
  readonly #guards = new Map<string, number>();

  constructor(parts: SessionParts, scope: SessionScope) {
    this.#parts = parts;
    this.#scope = scope;
    this.#counts = Object.fromEntries(scope.models.map((model) => [model, NO_CHANGE]));
  }

  /** Totals of the run, with every declared model. */
  get counts(): Record<string, ModelCounts> {
    return this.#counts;
  }

  /** Inserts and replaces records. Throws `invalid_record`. */
  async save(model: string, records: RecordInput[]): Promise<BatchResult> {
    this.#checkModel(model);
    const { kept, duplicates } = dropDuplicates(await mapInSlices(records, sizeOf, cleanRecord));
    const hashed = await this.#parts.writer.prepare(kept);
    return this.#write(model, duplicates, (tx, target) => this.#parts.writer.save(tx, target, hashed));
  }

  /** Merges into existing records. Throws `invalid_record`. */
  async update(model: string, records: RecordInput[]): Promise<BatchResult> {
    this.#checkModel(model);
    const { kept, duplicates } = dropDuplicates(await mapInSlices(records, sizeOf, cleanRecord));
    return this.#write(model, duplicates, (tx, target) => this.#parts.writer.update(tx, target, kept));
  }

  /** Marks records as deleted. Throws `invalid_record`. */
  async remove(model: string, ids: string[]): Promise<BatchResult> {
    this.#checkModel(model);
    const { kept, duplicates } = dropDuplicates(ids.map((id) => ({ id: toExternalId(id) })));
    const externalIds = kept.map((item) => item.id);
    return this.#write(model, duplicates, (tx, target) => this.#parts.writer.remove(tx, target, externalIds));
  }

  /** Also finds deleted records. Unknown and invalid ids are left out. */
  async getByIds(model: string, ids: string[]): Promise<{ records: RecordInput[] }> {
    const known = ids.filter(isExternalId);
    if (known.length === 0) return { records: [] };
    const page = await this.#read(model, { ids: known, limit: known.length });
    return { records: page.records };
  }

  async list(
    model: string,
    options: { cursor?: string; limit: number },
  ): Promise<{ records: RecordInput[]; nextCursor: string | null }> {
    return this.#read(model, options);
  }

  /** Returns false and keeps the existing strategy if the model already has one. */
  async setMergingStrategy(model: string, strategy: RecordMergingStrategy): Promise<boolean> {
    this.#checkModel(model);
    if (this.#guards.has(model)) return false;
    this.#guards.set(model, NO_GUARD);
    if (strategy === 'ignore_if_modified_after') {
      const { recordStreamsStore: streams, recordsStore: records, database } = this.#parts;
      const stream = await streams.find(database.reader, this.#scope.connectionRowId, model, this.#scope.variant);
      this.#guards.set(model, stream ? await records.findLastStamp(database.reader, stream.id) : 0);
    }
    return true;
  }

  /** Starts the tracking with this run, unless an earlier run has started it and it has not ended. */
  async trackDeletesStart(model: string): Promise<void> {
    this.#checkModel(model);
    const { connectionRowId, jobId } = this.#scope;
    const { checkpointsStore: checkpoints, database, clock } = this.#parts;
    const key = this.#trackingKey(model);
    await database.transaction(async (tx) => {
      await this.#scope.assertWanted?.(tx);
      const open = await checkpoints.find(tx, connectionRowId, key);
      if (open) return;
      await checkpoints.upsert(tx, {
        connectionRowId,
        key,
        value: JSON.stringify({ jobId }),
        version: 1,
        now: clock.now(),
      });
    });
  }

  /** Deletes the records that no run has saved since the tracking started. Throws `invalid_record` if it did not. */
  async trackDeletesEnd(model: string): Promise<{ deletedKeys: string[] }> {
    this.#checkModel(model);
    const { checkpointsStore: checkpoints } = this.#parts;
    const { connectionRowId } = this.#scope;
    const key = this.#trackingKey(model);
    return this.#deleteUnseen(model, async (tx) => {
      const open = await checkpoints.find(tx, connectionRowId, key);
      if (!open)
        throw new HomeportError(
          'invalid_record',
          `trackDeletesEnd('${model}') needs trackDeletesStart('${model}') before it.`,
        );
      await checkpoints.removeWithPrefixes(tx, [{ connectionRowId, key }]);
      return (JSON.parse(open.value) as { jobId: number }).jobId;
    });
  }

  /** Deletes the records that neither this run nor the ones that it continues have saved. */
  deleteFromPreviousExecutions(model: string): Promise<{ deletedKeys: string[] }> {
    this.#checkModel(model);
    return this.#deleteUnseen(model, async (tx) => (await this.#scope.findGeneration?.(tx)) ?? this.#scope.jobId);
  }

  async #deleteUnseen(
    model: string,
    generationOf: (tx: Transaction) => Promise<number>,
  ): Promise<{ deletedKeys: string[] }> {
    const { connectionRowId, variant, jobId, operationId = null } = this.#scope;
    const target = { connectionRowId, model, variant };
    const { deletedKeys } = await this.#counting(model, async (tx) => {
      const generation = await generationOf(tx);
      const removed = await this.#parts.writer.removeUnseen(tx, target, generation, { jobId, operationId });
      return { ...NO_CHANGE, deleted: removed.length, deletedKeys: removed };
    });
    return { deletedKeys };
  }

  async #write(
    model: string,
    duplicates: string[],
    work: (tx: Transaction, target: WriteTarget) => Promise<WriteResult>,
  ): Promise<BatchResult> {
    const { connectionRowId, variant, jobId, operationId = null } = this.#scope;
    const result = await this.#counting(model, async (tx) => {
      // Read in the transaction: a run may save several batches at once, and its own changes do not count as later ones.
      const guardStamp = this.#guards.get(model) ?? NO_GUARD;
      const written = await work(tx, { connectionRowId, model, variant, jobId, operationId, guardStamp });
      if (guardStamp !== NO_GUARD && written.lastStamp > 0)
        tx.afterCommit(() => this.#guards.set(model, written.lastStamp));
      return written;
    });
    return {
      added: result.added,
      updated: result.updated,
      deleted: result.deleted,
      unchanged: result.unchanged,
      duplicates,
    };
  }

  /** Runs one transaction and adds its changes to the totals of the run after the commit. */
  async #counting<T extends ModelCounts>(model: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#parts.database.transaction(async (tx) => {
      await this.#scope.assertWanted?.(tx);
      const change = await work(tx);
      if (change.added + change.updated + change.deleted > 0) {
        const counts = withChange(this.#counts, model, change);
        await this.#scope.onCounts?.(tx, counts);
        // Set before the next transaction begins, which may be one of this run.
        tx.afterCommit(() => {
          this.#counts = counts;
        });
      }
      return change;
    });
  }

  #read(model: string, options: { cursor?: string; ids?: string[]; limit: number }): ReturnType<RecordReader['list']> {
    const { connectionRowId, variant } = this.#scope;
    return this.#parts.reader.list({ connectionRowId, model, variant, ...options });
  }

  #trackingKey(model: string): string {
    return `${this.#scope.checkpointKey}:trackDeletes:${model}`;
  }

  #checkModel(model: string): void {
    if (this.#scope.models.includes(model)) return;
    const declared = this.#scope.models.join(', ') || 'none';
    throw new HomeportError(
      'invalid_record',
      `The model '${model}' is not included in the declared sync models (${declared}).`,
    );
  }
}

function withChange(
  counts: Record<string, ModelCounts>,
  model: string,
  change: ModelCounts,
): Record<string, ModelCounts> {
  const { added, updated, deleted } = counts[model] ?? NO_CHANGE;
  return {
    ...counts,
    [model]: { added: added + change.added, updated: updated + change.updated, deleted: deleted + change.deleted },
  };
}
