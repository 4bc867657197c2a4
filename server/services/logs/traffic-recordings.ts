import type { KeyObject } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database } from '../../database/database.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { readStart } from '../../lib/outbound-body.ts';
import { decodeBody } from '../../lib/outbound-decode.ts';
import type {
  RecordedBodyFacts,
  RecordingInsert,
  RecordingState,
  TrafficRecordingsStore,
} from '../../stores/traffic-recordings-store.ts';
import { sealBytes, unsealBytes } from '../../vault/seal.ts';
import { redactBody, wholeCharacters } from './body-redaction.ts';
import type { AnswerTap, SentTraffic } from './operation.ts';
import { SecretRedactor } from './secret-redactor.ts';
import { type CollectedBody, CUT_MARGIN_BYTES, MOST_BODY_BYTES, TrafficTap } from './traffic-tap.ts';

export interface RecordedBody extends RecordedBodyFacts {
  bytes: Buffer;
}

/** Null when there was no body. */
export interface RecordedTraffic {
  request: RecordedBody | null;
  answer: RecordedBody | null;
}

interface TrafficOptions {
  database: Pick<Database, 'transaction' | 'reader'>;
  store: TrafficRecordingsStore;
  ids: Ids;
  logger: Logger;
  /** Throws `vault_locked` while the vault is locked. */
  sealingKey: () => KeyObject;
  /** Stores the recording with the next entries of the log. */
  push(recording: RecordingInsert): void;
  flush(): Promise<void>;
}

/** Limit for bodies that are not stored yet, of all requests together. */
const MOST_HELD_BYTES = 32 * 1_048_576;
/** Size of a recording without its bodies. */
const ENTRY_BYTES = 300;
/** Recordings removed per transaction: their bodies are overwritten, and other writers wait meanwhile. */
const SLICE = 25;

/**
 * Records traffic while it is switched on (ui.md 6.16): bodies of requests to providers and of their answers, sealed.
 */
export class TrafficRecordings {
  readonly #options: TrafficOptions;
  /** One per connection, because creating it compiles a pattern for each secret. */
  readonly #redactors = new WeakMap<readonly string[], SecretRedactor>();
  #isOn = false;
  #heldBytes = 0;
  /** Redacts and seals one recording after the other, beside the calls. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#isOn = (await this.state()).isOn;
  }

  state(): Promise<RecordingState> {
    return this.#options.store.getState(this.#options.database.reader);
  }

  /** Switching off keeps the recordings; a smaller limit removes the oldest ones at once. */
  async change(change: { isOn: boolean; mostBytes: number }): Promise<void> {
    const { database, store } = this.#options;
    await database.transaction((tx) => store.updateState(tx, change));
    this.#isOn = change.isOn;
    let removed: number;
    do removed = await database.transaction((tx) => store.removeSurplus(tx, SLICE));
    while (removed === SLICE);
  }

  /** Removes all recordings, also those that are not stored yet. */
  async clear(): Promise<void> {
    const { database, flush, store } = this.#options;
    await flush();
    let removed: number;
    do removed = await database.transaction((tx) => store.removeAny(tx, SLICE));
    while (removed === SLICE);
  }

  /** Undefined while recording is off; then this check is the only cost of a call. */
  record(operationId: string, redactor: SecretRedactor, sent: SentTraffic): AnswerTap | undefined {
    if (!this.#isOn) return undefined;
    const id = this.#options.ids.uuid();
    const own = this.#redactorOf(sent.secrets);
    const redact = (text: string): string => redactor.redact(own.redact(text));
    let heldBytes = 0;
    const hold = (bytes: number): boolean => {
      if (this.#heldBytes + bytes > MOST_HELD_BYTES) return false;
      heldBytes += bytes;
      this.#heldBytes += bytes;
      return true;
    };
    return new TrafficTap({
      id,
      sent,
      hold,
      onEnd: (request, answer) => {
        this.#work = this.#work
          .then(() => this.#store({ id, operationId, request, answer, redact }))
          .finally(() => {
            this.#heldBytes -= heldBytes;
          });
      },
    });
  }

  /** Resolves when all recordings that have ended are passed to the log. */
  settle(): Promise<void> {
    return this.#work;
  }

  /** Undefined when the recording was removed. Throws `vault_locked`. */
  async find(environmentId: number, operationId: string, id: string): Promise<RecordedTraffic | undefined> {
    const { database, sealingKey, store } = this.#options;
    const row = await store.find(database.reader, { environmentId, operationId, id });
    if (!row) return undefined;
    const open = (facts: RecordedBodyFacts | null, sealed: Buffer | null, part: BodyPart): RecordedBody | null => {
      if (facts === null) return null;
      const bytes = sealed ? unsealBytes(sealingKey(), sealed, sealContext(id, part)) : Buffer.alloc(0);
      return { ...facts, bytes };
    };
    return {
      request: open(row.facts.request, row.request, 'request'),
      answer: open(row.facts.answer, row.answer, 'answer'),
    };
  }

  #redactorOf(secrets: readonly string[]): SecretRedactor {
    const known = this.#redactors.get(secrets);
    if (known) return known;
    // Bodies that are not text are read byte by byte, and so are secrets in them.
    const redactor = new SecretRedactor(secrets.flatMap((one) => [one, Buffer.from(one).toString('latin1')]));
    this.#redactors.set(secrets, redactor);
    return redactor;
  }

  /** Never rejects: when recording fails the recording is missing, and the call is not affected. */
  async #store({ id, operationId, request, answer, redact }: EndedTraffic): Promise<void> {
    const { logger, push, sealingKey } = this.#options;
    try {
      const [sent, came] = [await keptBody(request, redact), await keptBody(answer, redact)];
      const seal = (body: RecordedBody | null, part: BodyPart): Buffer | null =>
        body && body.bytes.length > 0 ? sealBytes(sealingKey(), body.bytes, sealContext(id, part)) : null;
      const sealed = { request: seal(sent, 'request'), answer: seal(came, 'answer') };
      const sizeBytes = (sealed.request?.length ?? 0) + (sealed.answer?.length ?? 0) + ENTRY_BYTES;
      push({ id, operationId, sizeBytes, facts: { request: factsOf(sent), answer: factsOf(came) }, ...sealed });
    } catch (error) {
      // The vault was locked after the call: a recording that cannot be sealed is not stored.
      if (error instanceof HomeportError && error.code === 'vault_locked') return;
      logger.error({ err: error }, 'The bodies of a request could not be recorded.');
    }
    // Redacting takes milliseconds, so calls go first.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

type BodyPart = 'request' | 'answer';

interface EndedTraffic {
  id: string;
  operationId: string;
  request: CollectedBody | null;
  answer: CollectedBody | null;
  redact: (text: string) => string;
}

function sealContext(id: string, part: BodyPart): string {
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
  const kept = redacted.subarray(0, Math.min(end, MOST_BODY_BYTES));
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
  const { start, isCut: isLonger } = await readStart(body, MOST_BODY_BYTES + CUT_MARGIN_BYTES);
  return { bytes: start, isCut: isCut || isLonger };
}
