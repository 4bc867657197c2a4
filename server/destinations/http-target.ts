import { createHash } from 'node:crypto';
import { writtenHosts } from '../platform/lib/address-guard.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readStart } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import { isSuccessStatus } from '../platform/lib/success-status.ts';
import { emptiedLine, recordLine, restoredLine } from './destination-lines.ts';
import { type DeliveryTarget, DestinationError, type OpenTarget } from './destination-target.ts';
import { createMarkFile } from './mark-file.ts';

/** Longest wait for an answer. */
const TIMEOUT_MS = 30_000;
/** Longest wait that a receiver can ask for. */
const MOST_RETRY_AFTER_S = 3600;
const CONTENT_TOO_LARGE = 413;
/** How much of an answer is read. */
const READ_BYTES = 16_384;

export interface HttpTargetParts {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  userAgent: string;
  /** Valid signing keys, the newest first. */
  listKeys(): Promise<readonly string[]>;
  /** Where the mark of the last run is kept: beside the database, so that a restored backup does not have it. */
  markFile: string;
  /** The headers that sign a body, as webhooks have them. */
  sign(key: string, body: string): Record<string, string>;
}

/**
 * An address that gets batches by POST. It has a batch when it answers with a status 2xx; until then it gets the same
 * changes again, so it may get some twice: `Idempotency-Key` is the same then. It is told when a backup of the hub was
 * restored.
 */
export function createHttpTarget(url: string, token: string | null, parts: HttpTargetParts): DeliveryTarget {
  const { clock, http, listKeys, sign, userAgent } = parts;

  async function postOnce(body: string, headers: Record<string, string>, signal: AbortSignal) {
    const target = new URL(url);
    const timeout = new AbortController();
    const timer = clock.after(TIMEOUT_MS, () => timeout.abort());
    try {
      const answer = await http.request({
        method: 'POST',
        url: target,
        headers,
        body,
        // The user wrote this host, local or not.
        allowedHosts: writtenHosts(target),
        // Another address gets no records.
        maxRedirects: 0,
        decompress: false,
        signal: AbortSignal.any([signal, timeout.signal]),
      });
      await readStart(answer.body, READ_BYTES);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      const why = timeout.signal.aborted
        ? `did not answer within ${TIMEOUT_MS / 1000} seconds`
        : error instanceof OutboundError
          ? /WRONG_VERSION_NUMBER|EPROTO/.test(error.message)
            ? 'does not speak https. Write http:// if the way there is safe'
            : `cannot be reached: ${error.message.charAt(0).toLowerCase()}${error.message.slice(1)}`
          : undefined;
      if (why === undefined) throw error;
      throw new DestinationError('destination_unreachable', `The address ${why}.`, { cause: error });
    } finally {
      timer.cancel();
    }
  }

  /** Throws unless the address has it, or says that it is too large. */
  async function post(body: string, idempotencyKey: string, signal: AbortSignal): Promise<'taken' | 'too-large'> {
    const own = {
      'content-type': 'application/json',
      'user-agent': userAgent,
      'idempotency-key': idempotencyKey,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const keys = await listKeys();
    let first: Awaited<ReturnType<typeof postOnce>> | undefined;
    // A receiver that knows only the signing key before a rotation refuses the new one.
    for (const key of keys) {
      const answer = await postOnce(body, { ...own, ...sign(key, body) }, signal);
      if (isSuccessStatus(answer.status)) return 'taken';
      if (answer.status === CONTENT_TOO_LARGE) return 'too-large';
      first ??= answer;
      if (answer.status !== 401 && answer.status !== 403) break;
    }
    throw refusalOf(first?.status ?? 0, first?.headers ?? {}, clock.now());
  }

  async function postWhole(body: string, idempotencyKey: string, signal: AbortSignal): Promise<void> {
    if ((await post(body, idempotencyKey, signal)) === 'taken') return;
    throw new DestinationError(
      'destination_refused',
      `The address answered 413: it does not take a request of ${formatKilobytes(body)}. Raise its limit.`,
    );
  }

  return {
    async open({ destinationId, environment, generation, marks, signal }): Promise<OpenTarget> {
      const markFile = createMarkFile(parts.markFile);
      const mark = await markFile.read();
      let isMarked = mark === marks.next;
      async function leaveMark(): Promise<void> {
        if (!isMarked) await markFile.write(marks.next);
        isMarked = true;
      }
      const keyOf = (...about: unknown[]): string =>
        createHash('sha256')
          .update(JSON.stringify([destinationId, ...about]))
          .digest('hex')
          .slice(0, 32);
      // Records of a request that the address takes, as far as it is known.
      let most = Number.POSITIVE_INFINITY;
      const envelope = { type: 'records', destination: destinationId, environment: environment.name, generation };
      return {
        cursors: undefined,
        // A run was confirmed, and its mark is missing: the backup was restored in another data folder.
        isAhead: mark === undefined ? marks.known.length > 1 : !marks.known.includes(mark),
        async tellRestored(newest) {
          const key = keyOf('restored', newest);
          const about = JSON.stringify({ ...envelope, type: 'restored', generation: newest, batch: key });
          const line = restoredLine(marks.stamp, new Date(clock.now()).toISOString());
          await postWhole(`${about.slice(0, -1)},${line.slice(1)}`, key, signal);
        },
        leaveMark,
        position: () => '{}',
        async write({ integrationKey, model, parts: batch }) {
          await leaveMark();
          // Of a replay too, whose changes are not those that it has.
          const key = keyOf(
            generation,
            batch.map(({ after, stream, until }) => [stream.id, after, until]),
          );
          const lines = batch.flatMap(({ records, stream }) => records.map((record) => recordLine(stream, record)));
          /** An address that does not take the batch gets its halves, with keys of their own that stay the same. */
          const send = async (some: readonly string[], batchKey: string): Promise<void> => {
            const about = JSON.stringify({ ...envelope, batch: batchKey, integration: integrationKey, model });
            const body = `${about.slice(0, -1)},"records":[${some.join(',')}]}`;
            if (some.length === 1) return postWhole(body, batchKey, signal);
            const isSmall = some.length <= most;
            if (isSmall && (await post(body, batchKey, signal)) === 'taken') return;
            const half = Math.ceil(some.length / 2);
            if (isSmall) most = half;
            await send(some.slice(0, half), `${batchKey}0`);
            await send(some.slice(half), `${batchKey}1`);
          };
          await send(lines, key);
        },
        async removeStreams(streams) {
          await leaveMark();
          const at = new Date(clock.now()).toISOString();
          const key = keyOf(generation, streams);
          const about = JSON.stringify({ ...envelope, type: 'emptied', batch: key });
          const lines = streams.map((stream) => emptiedLine(stream, at));
          await postWhole(`${about.slice(0, -1)},"emptied":[${lines.join(',')}]}`, key, signal);
        },
        close: async () => {},
      };
    },
    async test(signal) {
      const body = JSON.stringify({ type: 'test' });
      await postWhole(body, createHash('sha256').update(String(clock.now())).digest('hex').slice(0, 32), signal);
      return 'The address accepts a test: a POST with the type "test" and no records.';
    },
  };
}

const formatKilobytes = (body: string): string => `${Math.ceil(Buffer.byteLength(body) / 1024)} kB`;

const SERVER_HINT = 'Something is wrong there, or in between; its own log says what.';
const OTHER_HINT = 'A status from 200 to 299 says that it has the records.';
const ANSWER_HINTS: Readonly<Record<number, string>> = {
  401: 'It refuses the token or the signature.',
  403: 'It refuses the token or the signature.',
  404: 'There is nothing at this path.',
  405: 'It takes no POST at this path.',
  429: 'It wants fewer requests; the hub waits.',
};

function refusalOf(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  now: number,
): DestinationError {
  const retryAfterMs = readRetryAfter(headers['retry-after'], now);
  const options = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status >= 300 && status < 400) {
    const host = URL.parse(String(headers['location'] ?? ''))?.host;
    return new DestinationError(
      'destination_refused',
      `The address answered ${status}: it redirects${host ? ` to ${host}` : ''}. Records go only to the address that is set, so set the final one.`,
    );
  }
  return new DestinationError(
    status >= 500 || status === 429 || status === 408 ? 'destination_unreachable' : 'destination_refused',
    `The address answered ${status}. ${ANSWER_HINTS[status] ?? (status >= 500 ? SERVER_HINT : OTHER_HINT)}`,
    options,
  );
}

/** Milliseconds that the header asks to wait. */
function readRetryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = String(header ?? '');
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), MOST_RETRY_AFTER_S) * 1000 : undefined;
}
