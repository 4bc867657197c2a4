import { utf8Length } from '../plain-json.ts';
import {
  ArrayIsArray,
  DatePrototypeGetTime,
  DatePrototypeToISOString,
  forEachEntry,
  isInstance,
  JSONStringify,
  NumberIsFinite,
  NumberIsNaN,
  ObjectDefineProperty,
  PrimordialDate,
} from '../primordials.ts';
import type { GuestRun, Members } from './guest-run.ts';

const MAX_FIELDS = 16;
const MAX_KEY_LENGTH = 255;
/** As JSON. Delta links of providers have thousands of characters (design.md 7.29). */
const MAX_BYTES = 256 * 1024;

/** The checkpoint members of the context (functions.md 3.7). */
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

/** A checkpoint is flat and small. Checked here too, so that a dry run refuses the same values as the hub. */
function toCheckpoint(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || ArrayIsArray(value)) refuse('it must be an object');
  const checkpoint: Record<string, unknown> = {};
  let fields = 0;
  forEachEntry(value as Record<string, unknown>, (key, field) => {
    if (field === undefined) return;
    if (++fields > MAX_FIELDS) refuse(`it has more than ${MAX_FIELDS} fields`);
    ObjectDefineProperty(checkpoint, checkKey(key), {
      __proto__: null,
      value: toField(key, field),
      enumerable: true,
      configurable: true,
      writable: true,
    } as PropertyDescriptor);
  });
  const bytes = utf8Length(JSONStringify(checkpoint));
  if (bytes > MAX_BYTES) refuse(`it has ${bytes} bytes; at most ${MAX_BYTES} (256 kB) are stored`);
  return checkpoint;
}

function checkKey(key: string): string {
  if (key.length > MAX_KEY_LENGTH) refuse(`a key is longer than ${MAX_KEY_LENGTH} characters`);
  return key;
}

function toField(key: string, field: unknown): unknown {
  if (isInstance(field, PrimordialDate)) {
    if (NumberIsNaN(DatePrototypeGetTime(field))) refuse(`the field '${key}' is an invalid date`);
    return DatePrototypeToISOString(field);
  }
  if (typeof field === 'boolean' || (typeof field === 'number' && NumberIsFinite(field))) return field;
  if (typeof field !== 'string') refuse(`the field '${key}' must be a string, a number, a boolean or a date`);
  return field;
}

function refuse(reason: string): never {
  throw new Error(`Invalid checkpoint: ${reason}`);
}
