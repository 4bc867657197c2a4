import type { ModelSchemas, RecordOf } from './schemas.ts';
import type { UntypedObject } from './untyped.ts';

/**
 * `ignore_if_modified_after` does not overwrite records that changed after the one that was newest at the call of
 * `setMergingStrategy`.
 */
export type MergingStrategy = 'override' | 'ignore_if_modified_after';

/** `_nango_metadata` of a stored record. Times are ISO strings. */
export interface RecordMetadata {
  first_seen_at: string;
  last_modified_at: string;
  last_action: 'ADDED' | 'UPDATED' | 'DELETED' | 'added' | 'updated' | 'deleted';
  deleted_at: string | null;
  pruned_at: string | null;
  cursor: string;
}

/** A stored record as it is read. */
export type ListedRecord<TRecord> = TRecord & { _nango_metadata: RecordMetadata };

/**
 * The stored records of the sync. Calls are sent in batches of 1,000, in order; a batch that fails throws, and earlier
 * batches stay saved. A record without `id`, or a model that the sync does not declare, fails its batch. Of records
 * with the same id within a batch, the first one is used.
 *
 * `TRecord` is the type of the records, not the name of the model, as in the public types of the Nango API.
 */
export interface RecordMethods<
  TModels extends ModelSchemas = ModelSchemas,
  TName extends keyof TModels & string = keyof TModels & string,
> {
  /** Adds or replaces records. Unchanged records count neither as added nor as updated. */
  batchSave<TRecord extends { id: string } = RecordOf<TModels, TName>>(
    records: TRecord[],
    model: TName,
  ): Promise<boolean>;
  /** @deprecated Use `batchSave`. */
  batchSend<TRecord extends { id: string } = RecordOf<TModels, TName>>(
    records: TRecord[],
    model: TName,
  ): Promise<boolean | null>;
  /**
   * Merges the given fields deeply into existing records. Lists are replaced, missing fields are kept, unknown ids are
   * ignored.
   */
  batchUpdate<TRecord extends { id: string } = RecordOf<TModels, TName>>(
    records: Array<Partial<TRecord> & { id: string }>,
    model: TName,
  ): Promise<boolean>;
  /** Marks records as deleted; only `id` is read. Deleted records can still be read. */
  batchDelete<TRecord extends { id: string } = RecordOf<TModels, TName>>(
    records: Array<Partial<TRecord> & { id: string }>,
    model: TName,
  ): Promise<boolean>;
  /** Stored records by requested id. Unknown ids are left out. */
  getRecordsByIds: GetRecordsByIds<TModels>;
  /** The same as `getRecordsByIds`. */
  getRecordsById: GetRecordsByIds<TModels>;
  /**
   * Iterates over all records of a model in their stored order, reading 100 at a time. `cursor` continues after a
   * record.
   */
  listRecords<K extends TName>(
    model: K,
    options?: { cursor?: string },
  ): AsyncGenerator<ListedRecord<RecordOf<TModels, K>>, void, void>;
  listRecords<TRecord extends { id: string }>(
    model: TName,
    options?: { cursor?: string },
  ): AsyncGenerator<ListedRecord<TRecord>, void, void>;
  /**
   * Sets the merging strategy of a model. Call it before the first request and the first batch; only the first call per
   * model has an effect.
   */
  setMergingStrategy(merging: { strategy: MergingStrategy }, model: TName): Promise<void>;
  /**
   * Starts the detection of deleted records for a complete fetch. Call it before the first batch of the model. After a
   * failed run the detection stays open until `trackDeletesEnd`.
   */
  trackDeletesStart(model: TName): Promise<void>;
  /**
   * Marks every record of the model as deleted that was not saved since `trackDeletesStart`. Call it after the last
   * batch. Throws without an earlier `trackDeletesStart`.
   */
  trackDeletesEnd(model: TName): Promise<{ deletedKeys: string[] }>;
  /** @deprecated Use `trackDeletesStart` and `trackDeletesEnd`. Call once, after the last batch. */
  deleteRecordsFromPreviousExecutions(model: TName): Promise<{ deletedKeys: string[] }>;
}

/** Without type arguments the records have the type of the named model. */
interface GetRecordsByIds<TModels extends ModelSchemas> {
  <
    TId extends string | number,
    K extends keyof TModels & string,
    TRecord extends { id: string } = RecordOf<TModels, K> & UntypedObject,
  >(
    ids: TId[],
    model: K,
  ): Promise<Map<TId, TRecord>>;
  <TId = string | number, TRecord extends { id: string } = RecordOf<TModels, keyof TModels>>(
    ids: TId[],
    model: keyof TModels & string,
  ): Promise<Map<TId, TRecord>>;
}
