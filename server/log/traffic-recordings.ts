import { isUtf8 } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database } from '../platform/database/database.ts';
import { removeInSlices } from '../platform/database/remove-in-slices.ts';
import { isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { decodeBody } from '../platform/lib/outbound-decode.ts';
import { readStart } from '../platform/lib/outbound-exchange.ts';
import { REDACTED } from '../platform/lib/secret-replacer.ts';
import { isRedactedKey } from '../platform/lib/secrets.ts';
import { sealBytes, unsealBytes } from '../platform/vault/seal.ts';
import type { ResponseTap, SentTraffic } from './operation.ts';
import { SecretRedactor } from './secret-redactor.ts';
import type {
  RecordedBodyFacts,
  RecordingInsert,
  RecordingState,
  TrafficRecordingsStore,
} from './traffic-recordings.store.ts';
import { type CollectedBody, CUT_MARGIN_BYTES, MAX_BODY_BYTES, TrafficTap } from './traffic-tap.ts';

export interface RecordedBody extends RecordedBodyFacts {
  bytes: Buffer;
}

/** Null when there was no body. */
export interface RecordedTraffic {
  request: RecordedBody | null;
  answer: RecordedBody | null;
}

/** Limit for bodies that are not stored yet, of all requests together. */
const MAX_HELD_BYTES = 32 * 1_048_576;
/** Size of a recording without its bodies. */
const ENTRY_BYTES = 300;
/** Recordings removed per transaction: few, because their bodies are overwritten while other writers wait. */
const SLICE = 25;

/**
 * Records traffic while it is switched on (ui.md 6.16): bodies of requests to providers and of their responses, sealed.
 */
export function createTrafficRecordings(use: {
  database: Pick<Database, 'transaction' | 'reader'>;
  store: TrafficRecordingsStore;
  ids: Ids;
  logger: Logger;
  /** Throws `vault_locked` while the vault is locked. */
  sealingKey: () => KeyObject;
  /** Stores the recording with the next entries of the log. */
  push(recording: RecordingInsert): void;
  flush(): Promise<void>;
}) {
  const { database, store, ids, logger, sealingKey, push, flush } = use;
  /** One per connection, because creating it compiles a pattern for each secret. */
  const redactors = new WeakMap<readonly string[], SecretRedactor>();
  let isOn = false;
  let heldByAll = 0;
  /** Redacts and seals one recording after the other, beside the calls. */
  let work = Promise.resolve();

  async function start(): Promise<void> {
    isOn = (await state()).isOn;
  }

  function state(): Promise<RecordingState> {
    return store.getState(database.reader);
  }

  /** Switching off keeps the recordings; a smaller limit removes the oldest ones at once. */
  async function change(change: { isOn: boolean; mostBytes: number }): Promise<void> {
    await database.transaction((tx) => store.updateState(tx, change));
    isOn = change.isOn;
    await removeInSlices({ database, sliceSize: SLICE }, (tx) => store.removeSurplus(tx, SLICE));
  }

  /** Removes all recordings, also those that are not stored yet. */
  async function clear(): Promise<void> {
    await flush();
    await removeInSlices({ database, sliceSize: SLICE }, (tx) => store.removeAny(tx, SLICE));
  }

  /** Undefined while recording is off; then this check is the only cost of a call. */
  function record(operationId: string, redactor: SecretRedactor, sent: SentTraffic): ResponseTap | undefined {
    if (!isOn) return undefined;
    const id = ids.uuid();
    const own = redactorOf(sent.secrets);
    const redact = (text: string): string => redactor.redact(own.redact(text));
    let heldBytes = 0;
    const hold = (bytes: number): boolean => {
      if (heldByAll + bytes > MAX_HELD_BYTES) return false;
      heldByAll += bytes;
      heldBytes += bytes;
      return true;
    };
    return new TrafficTap({
      id,
      sent,
      hold,
      onEnd: (request, response) => {
        work = work
          .then(() => storeEnded({ id, operationId, request, answer: response, redact }))
          .finally(() => {
            heldByAll -= heldBytes;
          });
      },
    });
  }

  /** Resolves when all recordings that have ended are passed to the log. */
  function settle(): Promise<void> {
    return work;
  }

  /** Undefined when the recording was removed. Throws `vault_locked`. */
  async function find(environmentId: number, operationId: string, id: string): Promise<RecordedTraffic | undefined> {
    const row = await store.find(database.reader, { environmentId, operationId, id });
    if (!row) return undefined;
    const open = (facts: RecordedBodyFacts | null, sealed: Buffer | null, part: BodyPart): RecordedBody | null => {
      if (facts === null) return null;
      const bytes = sealed ? unsealBytes(sealingKey(), sealed, recordingContext(id, part)) : Buffer.alloc(0);
      return { ...facts, bytes };
    };
    return {
      request: open(row.facts.request, row.request, 'request'),
      answer: open(row.facts.answer, row.answer, 'answer'),
    };
  }

  function redactorOf(secrets: readonly string[]): SecretRedactor {
    const known = redactors.get(secrets);
    if (known) return known;
    // Bodies that are not text are read byte by byte, and so are secrets in them.
    const redactor = new SecretRedactor(secrets.flatMap((one) => [one, Buffer.from(one).toString('latin1')]));
    redactors.set(secrets, redactor);
    return redactor;
  }

  /** Never rejects: when recording fails the recording is missing, and the call is not affected. */
  async function storeEnded({ id, operationId, request, answer: response, redact }: EndedTraffic): Promise<void> {
    try {
      const [sent, received] = [await keptBody(request, redact), await keptBody(response, redact)];
      const seal = (body: RecordedBody | null, part: BodyPart): Buffer | null =>
        body && body.bytes.length > 0 ? sealBytes(sealingKey(), body.bytes, recordingContext(id, part)) : null;
      const sealed = { request: seal(sent, 'request'), answer: seal(received, 'answer') };
      const sizeBytes = (sealed.request?.length ?? 0) + (sealed.answer?.length ?? 0) + ENTRY_BYTES;
      push({ id, operationId, sizeBytes, facts: { request: factsOf(sent), answer: factsOf(received) }, ...sealed });
    } catch (error) {
      // The vault was locked after the call: a recording that cannot be sealed is not stored.
      if (isVaultLocked(error)) return;
      logger.error({ err: error }, 'The bodies of a request could not be recorded.');
    }
    // Redacting takes milliseconds, so other work runs between two recordings.
    await new Promise((resolve) => setImmediate(resolve));
  }

  return { start, state, change, clear, record, settle, find };
}

type BodyPart = 'request' | 'answer';

interface EndedTraffic {
  id: string;
  operationId: string;
  request: CollectedBody | null;
  answer: CollectedBody | null;
  redact: (text: string) => string;
}

export function recordingContext(id: string, part: BodyPart): string {
  return `traffic-recording:${id}:${part}`;
}

function factsOf(body: RecordedBody | null): RecordedBodyFacts | null {
  return body && { contentType: body.contentType, sizeBytes: body.sizeBytes, isCut: body.isCut };
}

/** The decoded body without secrets, at most 256 kB. */
async function keptBody(body: CollectedBody | null, redact: (text: string) => string): Promise<RecordedBody | null> {
  if (body === null) return null;
  const { contentType, isBroken, sizeBytes } = body;
  const { bytes, isCut } = await decoded(body);
  const redacted = redactBody(isCut || isBroken ? wholeCharacters(bytes) : bytes, redact);
  // Cuts the margin off, which may hold the beginning of a secret.
  const end = isCut ? Math.max(redacted.length - CUT_MARGIN_BYTES, 0) : redacted.length;
  const kept = redacted.subarray(0, Math.min(end, MAX_BODY_BYTES));
  const isWhole = kept.length === redacted.length;
  return {
    contentType,
    sizeBytes,
    isCut: isCut || isBroken || !isWhole,
    bytes: isWhole ? kept : wholeCharacters(kept),
  };
}

/** Secrets are found in plain text only, so a body with an unknown encoding is not stored. */
async function decoded({ chunks, contentEncoding, isCut }: CollectedBody): Promise<{ bytes: Buffer; isCut: boolean }> {
  const bytes = Buffer.concat(chunks);
  if (contentEncoding === undefined || contentEncoding === '' || contentEncoding === 'identity')
    return { bytes, isCut };
  const body = decodeBody(Readable.from([bytes]), contentEncoding);
  if (!body) return { bytes: Buffer.alloc(0), isCut: true };
  const { start, isCut: isLonger } = await readStart(body, MAX_BODY_BYTES + CUT_MARGIN_BYTES);
  return { bytes: start, isCut: isCut || isLonger };
}

/**
 * A JSON string, with the colon behind it if it is a name. An unclosed one ends with its line, so that a stray quote
 * has no effect beyond it. The pattern matches from every quote, so that a body is not read twice.
 */
const JSON_NAME = /"([^"\\\n]*(?:\\.[^"\\\n]*)*)(?:"(\s*:\s*)?|(?=\n)|\\?$)/gs;
const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"?/sy;
const JSON_PLAIN = /[^\s,}\]"[{]+/y;
const XML_ELEMENT = /<(?:[\w.-]+:)?([\w.-]+)((?:\s[^<>]*)?)>[^<]+/g;
/** Bounded, because a body of headers only would otherwise be read once for each header. */
const FORM_PART = /(\bname="([^"]{0,200})"[^\r\n]{0,300}(?:\r\n[^\r\n]{1,300}){0,4}\r\n\r\n)([\s\S]*?)(?=\r\n--|$)/g;
const FORM_START = /^[\w.%[\]-]+=/;

/**
 * Removes secrets from a recorded body: values that `redact` knows, and members with names of secrets, as in the log.
 * The body may be cut anywhere, so it is not parsed, and its other text does not change. Bytes that are not text are
 * read as one character each.
 */
export function redactBody(body: Buffer, redact: (text: string) => string): Buffer {
  const encoding = isUtf8(body) ? 'utf8' : 'latin1';
  return Buffer.from(redactNamed(body.toString(encoding), redact), encoding);
}

/** Cheap checks come first: most bodies have one format only. */
function redactNamed(text: string, redact: (text: string) => string): string {
  let result = text;
  if (result.includes('"')) result = redactMembers(result);
  if (result.includes('</')) result = redactElements(result);
  if (result.includes('\r\n\r\n')) result = redactParts(result);
  // The first pair of a form has no `&` before it, which the pattern needs.
  return FORM_START.test(result) ? redact(`&${result}`).slice(1) : redact(result);
}

function redactMembers(text: string): string {
  let result = '';
  let copied = 0;
  for (const found of text.matchAll(JSON_NAME)) {
    const start = found.index + found[0].length;
    if (found.index < copied || found[2] === undefined || !isRedactedKey(found[1] ?? '')) continue;
    const end = endOfValue(text, start);
    if (end === start || /^(?:true|false|null)$/.test(text.slice(start, end))) continue;
    result += `${text.slice(copied, start)}"${REDACTED}"`;
    copied = end;
  }
  return result + text.slice(copied);
}

/** The end of the JSON value that begins at `start`; the end of the text when the value is cut. */
function endOfValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const character = text[at];
    if (character === '"') at = endOf(JSON_TEXT, text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (depth === 0) return endOf(JSON_PLAIN, text, at);
    if (character !== '"') at += 1;
  } while (depth > 0 && at < text.length);
  return depth < 0 ? start : at;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function redactElements(text: string): string {
  return text.replace(XML_ELEMENT, (whole, name: string) =>
    isRedactedKey(name) ? `${whole.slice(0, whole.indexOf('>') + 1)}${REDACTED}` : whole,
  );
}

function redactParts(text: string): string {
  return text.replace(FORM_PART, (whole, head: string, name: string) =>
    isRedactedKey(name) ? `${head}${REDACTED}` : whole,
  );
}

/** The bytes without an incomplete character at their end. */
export function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
