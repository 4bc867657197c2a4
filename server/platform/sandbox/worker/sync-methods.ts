import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto';
import {
  type AnswerSync,
  type SyncMethods,
  URL_PARTS,
  type UrlParts,
} from '../../../../functions/runtime/guest-link.ts';
import { messageSize } from '../../../../functions/runtime/message-size.ts';
import { MAX_SYNC_BYTES, TOO_LARGE } from '../../../../functions/runtime/sync-calls.ts';

const MAX_RANDOM_BYTES = 1_048_576;
const SETTABLE = new Set<string>(URL_PARTS.filter((part) => part !== 'origin'));

const METHODS: { [K in keyof SyncMethods]: (...args: SyncMethods[K]['args']) => SyncMethods[K]['result'] } = {
  hash: (algorithm, data) => new Uint8Array(createHash(algorithm).update(data).digest()),
  hmac: (algorithm, key, data) => new Uint8Array(createHmac(algorithm, key).update(data).digest()),
  randomBytes: (size) => {
    if (!(size >= 0 && size <= MAX_RANDOM_BYTES)) throw new RangeError(`randomBytes: 0 to ${MAX_RANDOM_BYTES} bytes`);
    return new Uint8Array(randomBytes(size));
  },
  randomUUID: () => randomUUID(),
  parseUrl: (input, base) => {
    const url = URL.parse(input, base);
    return url && partsOf(url);
  },
  setUrlPart: (href, part, value) => {
    const url = new URL(href);
    if (SETTABLE.has(part)) Reflect.set(url, part, value);
    return partsOf(url);
  },
  clone: (value) => value,
};

/**
 * The pure functions that an isolate may call synchronously. They run on the worker's main thread: keep them short.
 * Never throws, because the stack of an error would show paths of this computer to author code.
 */
export const answerSyncMethod: AnswerSync = (method, ...args) => {
  try {
    if (!Object.hasOwn(METHODS, method)) throw new TypeError('There is no such method');
    // The guest checks this before the data crosses; this check holds when author code changed the guest's.
    if (messageSize(args, MAX_SYNC_BYTES) > MAX_SYNC_BYTES) throw new RangeError(TOO_LARGE);
    const call = METHODS[method as keyof SyncMethods] as (...args: unknown[]) => unknown;
    return { ok: true, value: call(...args) };
  } catch (error) {
    const { name, message } = error as Error;
    return { ok: false, name, message };
  }
};

function partsOf(url: URL): UrlParts {
  return Object.fromEntries(URL_PARTS.map((part) => [part, url[part]])) as UrlParts;
}
