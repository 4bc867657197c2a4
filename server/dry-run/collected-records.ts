import type { RecordsSaved, WireRecord } from '../../functions/runtime/bridge.ts';

export type CollectedModels = Record<string, unknown[]>;

/** What a run saved, updated and deleted, kept in memory: nothing is written anywhere. */
export class CollectedRecords {
  /** Everything that was passed, in order, by model. */
  readonly saved: CollectedModels = {};
  readonly updated: CollectedModels = {};
  readonly deleted: CollectedModels = {};

  save(model: string, records: WireRecord[]): RecordsSaved {
    append(this.saved, model, parse(records));
    return { ...NOTHING, added: records.length };
  }

  update(model: string, records: WireRecord[]): RecordsSaved {
    append(this.updated, model, parse(records));
    return { ...NOTHING, updated: records.length };
  }

  remove(model: string, ids: string[]): RecordsSaved {
    append(
      this.deleted,
      model,
      ids.map((id) => ({ id })),
    );
    return { ...NOTHING, deleted: ids.length };
  }
}

const NOTHING: RecordsSaved = { added: 0, updated: 0, deleted: 0, unchanged: 0, duplicates: [] };

function append(models: CollectedModels, model: string, records: unknown[]): void {
  models[model] = [...(models[model] ?? []), ...records];
}

function parse(records: WireRecord[]): unknown[] {
  return records.map(({ json }) => JSON.parse(json) as unknown);
}

/** One record for each id, the last one that was given (functions.md 8.2). */
export function lastOfEach(records: unknown[]): unknown[] {
  return [...new Map(records.map((record) => [(record as { id?: unknown }).id, record])).values()];
}
