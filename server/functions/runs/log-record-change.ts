import type { Operation } from '../../log/operation.ts';

/** The changes that one call of a function made to its records. */
export interface RecordsChange {
  model: string;
  /** Counts; a call that deleted unseen records also has their ids. */
  result: { added?: number; updated?: number; deleted?: number; unchanged?: number; deletedKeys?: string[] };
  durationMs: number;
}

/** Writes one entry per call that saved, updated or deleted records. The log adds up the counts of an operation. */
export function logRecordChange(operation: Operation, { model, result, durationMs }: RecordsChange): void {
  const { added = 0, updated = 0, unchanged = 0, deletedKeys = [] } = result;
  const deleted = result.deleted ?? deletedKeys.length;
  const parts = Object.entries({ added, updated, deleted, unchanged }).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name}`] : [],
  );
  if (parts.length === 0) return;
  operation.log({
    level: 'info',
    context: 'script',
    message: `Records of ${model}: ${parts.join(', ')}`,
    durationMs,
    persistResults: { model, added, updated, deleted, unchanged },
  });
}
