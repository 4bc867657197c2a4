import type { ModelSchemas, RecordOf } from './schemas.ts';
import type { UntypedObject } from './untyped.ts';

/** `ignore_if_modified_after` keeps records that changed after the newest one at the time of the call. */
export type MergingStrategy = 'override' | 'ignore_if_modified_after';

/** `_nango_metadata` of a cached record. Times are ISO strings. */
export interface RecordMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: 'ADDED' | 'UPDATED' | 'DELETED' | 'added' | 'updated' | 'deleted';
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
}

/** A record as the cache returns it. */
export type ListedRecord<TRecord> = TRecord & { _nango_metadata: RecordMetadata };

/**
 * The sync's cache of records. Calls are sent in batches of 1,000, in order; a batch that fails throws and leaves
 * the earlier ones saved. A record without `id`, or a model that the sync does not declare, fails its batch.
 * Of records with the same id within a batch the first counts.
 */
export interface RecordMethods<TModels extends ModelSchemas = ModelSchemas> {
  /** Adds or replaces records. Unchanged ones count neither as added nor as updated. */
  batchSave<K extends keyof TModels & string>(records: RecordOf<TModels, K>[], model: K): Promise<boolean | null>;
  /** @deprecated Use `batchSave`. */
  batchSend<K extends keyof TModels & string>(records: RecordOf<TModels, K>[], model: K): Promise<boolean | null>;
  /**
   * Merges the given fields deeply into existing records; lists are replaced, absent fields kept, unknown ids
   * ignored.
   */
  batchUpdate<K extends keyof TModels & string>(
    records: Array<Partial<RecordOf<TModels, K>> & { id: string }>,
    model: K,
  ): Promise<boolean | null>;
  /** Marks records as deleted; only `id` is read. They stay in the cache. */
  batchDelete<K extends keyof TModels & string>(
    records: Array<Partial<RecordOf<TModels, K>> & { id: string }>,
    model: K,
  ): Promise<boolean | null>;
  /** Cached records by requested id; unknown ids are absent. */
  getRecordsByIds<TId extends string | number, K extends keyof TModels & string>(
    ids: TId[],
    model: K,
  ): Promise<Map<TId, RecordOf<TModels, K> & UntypedObject>>;
  /** The same as `getRecordsByIds`. */
  getRecordsById<TId extends string | number, K extends keyof TModels & string>(
    ids: TId[],
    model: K,
  ): Promise<Map<TId, RecordOf<TModels, K> & UntypedObject>>;
  /** All records of a model in the order of the cache, read 100 at a time. `cursor` continues after a record. */
  listRecords<K extends keyof TModels & string>(
    model: K,
    options?: { cursor?: string },
  ): AsyncGenerator<ListedRecord<RecordOf<TModels, K>>, void, void>;
  /** Call before the first request and the first batch; the first call per model counts. */
  setMergingStrategy<K extends keyof TModels & string>(merging: { strategy: MergingStrategy }, model: K): Promise<void>;
  /**
   * Opens the window of a complete fetch. Call before the first batch of the model. The window survives a failed
   * run until `trackDeletesEnd`.
   */
  trackDeletesStart<K extends keyof TModels & string>(model: K): Promise<void>;
  /**
   * Marks every record of the model as deleted that was not saved since `trackDeletesStart`. Call after the last
   * batch. Throws without an open window.
   */
  trackDeletesEnd<K extends keyof TModels & string>(model: K): Promise<{ deletedKeys: string[] }>;
  /** @deprecated Use `trackDeletesStart` and `trackDeletesEnd`. Call once, after the last batch. */
  deleteRecordsFromPreviousExecutions<K extends keyof TModels & string>(model: K): Promise<{ deletedKeys: string[] }>;
}
