import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { RecordedBodyView } from './dashboard-traffic.contract.ts';
import { type HarDocument, type HarEntry, MAX_HAR_BODY_BYTES, MAX_HAR_ENTRIES } from './har-document.contract.ts';
import { operationsQueryOf, unknownOperation, viewMessage } from './log.dashboard.ts';
import type { LoggedMessage, LoggedOperation } from './logged-entries.ts';
import { viewRecordedBody } from './traffic.dashboard.ts';
import type { RecordedTraffic } from './traffic-recordings.ts';

type Use = Pick<DashboardParts, 'about' | 'logs'>;

const OPERATIONS_AT_A_TIME = 200;
const MESSAGES_AT_A_TIME = 1000;

/**
 * Requests to providers as a HAR document, for one operation or for those that match a filter. Secrets are already
 * masked in the log.
 */
export function harRoutes({ about, logs }: Use): DashboardHandlers<'GET /api/v1/logs/har'> {
  return {
    'GET /api/v1/logs/har': async ({ environment, query }) => {
      const { operationId, ...filter } = query;
      const entries: HarEntry[] = [];
      let isCut = false;
      let bodyBytes = 0;
      let isWithoutBodies = false;
      const bodiesOf = async (message: LoggedMessage): Promise<RecordedTraffic | undefined> => {
        const { operationId: id, recordingId } = message;
        if (recordingId === null) return undefined;
        isWithoutBodies ||= bodyBytes >= MAX_HAR_BODY_BYTES;
        if (isWithoutBodies) return undefined;
        const bodies = await logs.traffic.find(environment.id, id, recordingId);
        bodyBytes += (bodies?.request?.bytes.length ?? 0) + (bodies?.answer?.bytes.length ?? 0);
        return bodies;
      };
      for await (const operation of operationsOf(logs, environment.id, operationId, filter)) {
        for await (const message of requestsOf(logs, operation)) {
          isCut = entries.length >= MAX_HAR_ENTRIES;
          if (isCut) break;
          entries.push(entryOf(operation, message, await bodiesOf(message)));
        }
        if (isCut) break;
      }
      entries.sort((one, other) => Date.parse(one.startedDateTime) - Date.parse(other.startedDateTime));
      const creator = { name: 'Homeport' as const, version: about.version };
      return { log: { version: '1.2', creator, entries, comment: commentOf(isCut, isWithoutBodies) } };
    },
  };
}

function commentOf(isCut: boolean, isWithoutBodies: boolean): HarDocument['log']['comment'] {
  const cut = isCut ? ` Only the newest operations with ${MAX_HAR_ENTRIES} requests in all are in this file.` : '';
  const short = isWithoutBodies
    ? ` Bodies of the newest operations only: ${MAX_HAR_BODY_BYTES / 1_048_576} MB of them.`
    : '';
  return `Secrets are masked. Bodies are there where traffic was recorded.${cut}${short}`;
}

/** Yields the operations that sent requests to a provider, the newest first. */
async function* operationsOf(
  logs: Use['logs'],
  environmentId: number,
  operationId: string | undefined,
  filter: Parameters<typeof operationsQueryOf>[1],
): AsyncGenerator<LoggedOperation> {
  if (operationId !== undefined) {
    const operation = await logs.findOperation(environmentId, operationId);
    if (!operation) throw unknownOperation();
    yield operation;
    return;
  }
  let snapshot: number | undefined;
  for (let offset = 0; ; offset += OPERATIONS_AT_A_TIME) {
    const page = { offset, limit: OPERATIONS_AT_A_TIME, snapshot };
    const found = await logs.listOperations({ ...operationsQueryOf(environmentId, filter), ...page });
    snapshot = found.snapshot;
    yield* found.operations.filter(({ httpCalls }) => httpCalls > 0);
    if (found.operations.length < OPERATIONS_AT_A_TIME) return;
  }
}

async function* requestsOf(logs: Use['logs'], operation: LoggedOperation): AsyncGenerator<LoggedMessage> {
  const { environmentId, id } = operation;
  let snapshot: number | undefined;
  for (let offset = 0; ; offset += MESSAGES_AT_A_TIME) {
    const found = await logs.listMessages({
      ...{ environmentId, operationId: id, type: 'http' as const },
      ...{ offset, limit: MESSAGES_AT_A_TIME, snapshot },
    });
    if (!found) return;
    snapshot = found.snapshot;
    yield* found.messages;
    if (found.messages.length < MESSAGES_AT_A_TIME) return;
  }
}

/**
 * The log writes a message when the response has arrived or the attempt has failed, so the start is its time minus the
 * duration.
 */
function entryOf(operation: LoggedOperation, stored: LoggedMessage, bodies: RecordedTraffic | undefined): HarEntry {
  const { error, message, request, response, retry } = viewMessage(stored);
  const time = stored.durationMs ?? 0;
  const [method = 'GET', ...rest] = message.split(' ');
  const url = request?.url ?? rest.join(' ');
  const headers = response?.headers ?? {};
  const sent = bodies?.request && viewRecordedBody(bodies.request);
  const came = bodies?.answer && viewRecordedBody(bodies.answer);
  const attempt = retry ? `Attempt ${retry.attempt} of ${retry.max}. ` : '';
  return {
    startedDateTime: isoDate(stored.createdAt - time),
    time,
    request: {
      method: request?.method.toUpperCase() ?? method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(request?.headers ?? {}),
      queryString: [...(URL.parse(url)?.searchParams ?? [])].map(([name, value]) => ({ name, value })),
      ...(sent ? { postData: postDataOf(sent) } : {}),
      headersSize: -1,
      bodySize: sent ? sent.sizeBytes : bodies ? 0 : -1,
    },
    response: {
      status: response?.code ?? 0,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: pairsOf(headers),
      content: { size: -1, mimeType: headers['content-type'] ?? '', ...(came ? contentOf(came) : {}) },
      redirectURL: headers['location'] ?? '',
      headersSize: -1,
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: `${attempt}${error?.message ?? ''}`.trim(),
    _operationId: operation.id,
  };
}

const CUT = 'Only the beginning of this body is recorded.';

function postDataOf({ contentType, encoding, isCut, text }: RecordedBodyView): HarEntry['request']['postData'] {
  return {
    mimeType: contentType ?? '',
    params: [],
    text,
    ...(encoding === 'base64' ? { _encoding: encoding } : {}),
    ...(isCut ? { comment: CUT } : {}),
  };
}

function contentOf({ encoding, isCut, sizeBytes, text }: RecordedBodyView): Partial<HarEntry['response']['content']> {
  return {
    size: sizeBytes,
    text,
    ...(encoding === 'base64' ? { encoding } : {}),
    ...(isCut ? { comment: CUT } : {}),
  };
}

const pairsOf = (headers: Record<string, string>): HarEntry['request']['headers'] =>
  Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
