import type { CallSync, RespondSync, SyncMethods } from './guest-link.ts';
import { MAX_LEVELS, MAX_MEMBERS, messageSize } from './message-size.ts';
import { ArrayPrototypePush, ObjectAssign, ObjectCreate, PrimordialError, ReflectApply } from './primordials.ts';

/** Limit in bytes. The worker answers one such call at a time for all of its runs, in its own memory. */
export const MAX_SYNC_BYTES = 16 * 1024 * 1024;
export const TOO_LARGE = `more than ${MAX_SYNC_BYTES} bytes (16 MB), ${MAX_MEMBERS} members or ${MAX_LEVELS} levels`;

/** The names that authors use. */
const NAMES: Record<string, string | undefined> = ObjectAssign(ObjectCreate(null), {
  hash: 'createHash',
  hmac: 'createHmac',
  clone: 'structuredClone',
});
const ERRORS: Record<string, ErrorConstructor | undefined> = ObjectAssign(ObjectCreate(null), {
  TypeError,
  RangeError,
});

const RangeErrorCtor = RangeError;

/** Returns a function that calls a sync method of the worker and throws its failure as an error of this isolate. */
export function createCallSync(respondSync: RespondSync): CallSync {
  return <K extends keyof SyncMethods>(method: K, ...args: SyncMethods[K]['args']): SyncMethods[K]['result'] => {
    if (messageSize(args, MAX_SYNC_BYTES) > MAX_SYNC_BYTES)
      throw new RangeErrorCtor(`${NAMES[method] ?? method}: ${TOO_LARGE}`);
    const all: unknown[] = [method];
    for (let index = 0; index < args.length; index++) ArrayPrototypePush(all, args[index]);
    const response: ReturnType<RespondSync> = ReflectApply(respondSync, undefined, all);
    if (response.ok) return response.value as SyncMethods[K]['result'];
    const ErrorClass = ERRORS[response.name] ?? PrimordialError;
    throw new ErrorClass(response.message);
  };
}
