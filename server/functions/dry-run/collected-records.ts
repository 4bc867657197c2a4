import type { RecordsSaved, WireRecord } from '../../../functions/runtime/bridge.ts';

export type CollectedModels = Record<string, unknown[]>;

/** Collects in memory what a run saves, updates and deletes. Nothing is stored. */
export class CollectedRecords {
  /** Everything that was passed, by model, in the order of the calls. */
  readonly saved = noModels();
  readonly updated = noModels();
  readonly deleted = noModels();

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

/** Without a prototype, because a model may have any name. */
function noModels(): CollectedModels {
  return Object.create(null) as CollectedModels;
}

const NOTHING: RecordsSaved = { added: 0, updated: 0, deleted: 0, unchanged: 0, duplicates: [] };

function append(models: CollectedModels, model: string, records: unknown[]): void {
  models[model] = [...(models[model] ?? []), ...records];
}

function parse(records: WireRecord[]): unknown[] {
  return records.map(({ id, json }) => {
    const record: unknown = JSON.parse(json);
    if (typeof record === 'object' && record !== null && !Array.isArray(record)) return record;
    throw new Error(`The record "${id}" is not an object that can be written as JSON.`);
  });
}

/** One record per id, the last one that was passed (functions.md 8.2). */
export function lastOfEach(records: unknown[]): unknown[] {
  return [...new Map(records.map((record) => [(record as { id?: unknown }).id, record])).values()];
}
