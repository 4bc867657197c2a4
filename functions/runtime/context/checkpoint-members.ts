import { ArrayIsArray, NumberIsFinite, ObjectEntries, ObjectFromEntries } from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

const MOST_FIELDS = 16;
const LONGEST_KEY = 255;
const LONGEST_TEXT = 4000;

/** functions.md 3.7. */
export function checkpointMembers(run: GuestRun): Members {
  return {
    getCheckpoint: () => run.host.call('checkpoint.get', {}),
    saveCheckpoint: async (value: unknown) => {
      await run.host.call('checkpoint.save', { checkpoint: toCheckpoint(value) });
    },
    clearCheckpoint: async () => {
      await run.host.call('checkpoint.clear', {});
    },
  };
}

/** A checkpoint is flat and small. */
function toCheckpoint(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || ArrayIsArray(value)) refuse('it must be an object');
  const entries = ObjectEntries(value as object).filter(([, field]) => field !== undefined);
  if (entries.length > MOST_FIELDS) refuse(`it has more than ${MOST_FIELDS} fields`);
  return ObjectFromEntries(entries.map(([key, field]) => [checkKey(key), toField(key, field)]));
}

function checkKey(key: string): string {
  if (key.length > LONGEST_KEY) refuse(`a key is longer than ${LONGEST_KEY} characters`);
  return key;
}

function toField(key: string, field: unknown): unknown {
  if (field instanceof Date) return field.toISOString();
  if (typeof field === 'boolean' || (typeof field === 'number' && NumberIsFinite(field))) return field;
  if (typeof field !== 'string') refuse(`the field '${key}' must be a string, a number, a boolean or a date`);
  if ((field as string).length > LONGEST_TEXT) refuse(`the field '${key}' is longer than ${LONGEST_TEXT} characters`);
  return field;
}

function refuse(reason: string): never {
  throw new Error(`Invalid checkpoint: ${reason}`);
}
