import type { StoredError } from '../../platform/database/stored-error.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import type { StoredMessage } from '../messages.store.ts';
import type { OperationListRow } from '../operations.store.ts';

/** OTLP spans in JSON, as text. Built from stored log entries, which contain no secrets. */

/** Numeric values of OTLP's enumerations. */
const INTERNAL = 1;
const CLIENT = 3;
const FAILED = 2;

/** In characters. Longer texts are cut, because attributes are for searching. */
const MAX_TEXT_LENGTH = 4096;
/** `http.request.method` has a closed list of values (semantic conventions of HTTP). */
const METHODS: ReadonlySet<string> = new Set([
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'QUERY'],
]);

type AttributeValue = string | number | null | undefined;

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, AttributeValue>;
  /** Why it failed; absent when it did not fail. */
  failure?: string | undefined;
}

/** A list of attributes in OTLP's form; attributes without a value are left out. */
export function toAttributes(values: Record<string, AttributeValue>): unknown[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    // 64-bit numbers are texts in JSON.
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: cut(value) } }];
  });
}

/** The span of an operation that has ended. */
export function operationSpan(row: OperationListRow): string {
  const { action, error, functionName, id, state, type } = row;
  const hasFailed = state === 'failed' || state === 'timeout';
  const startedAt = row.startedAt ?? row.createdAt;
  return toText({
    ...idsOf(id),
    name: functionName === null ? `${type}.${action}` : `${type}.${action} ${functionName}`,
    kind: INTERNAL,
    startedAt,
    // Without a duration the span ends at its start: the operation never ran, or the program stopped before its end.
    endedAt: startedAt + (row.durationMs ?? 0),
    attributes: {
      'homeport.operation.id': id,
      'homeport.operation.type': type,
      'homeport.operation.action': action,
      'homeport.operation.state': state,
      'homeport.integration': row.integrationKey,
      'homeport.provider': row.providerName,
      'homeport.connection': row.connectionId,
      'homeport.function': functionName,
      'homeport.sync.variant': row.variant,
      'homeport.trigger': row.trigger,
      'homeport.actor': row.actor,
      'homeport.session': row.sessionId,
      'homeport.http_calls': row.httpCalls,
      'homeport.records.added': row.recordsAdded,
      'homeport.records.updated': row.recordsUpdated,
      'homeport.records.deleted': row.recordsDeleted,
      'error.type': hasFailed ? (typeOf(error) ?? state) : null,
    },
    failure: hasFailed ? (error?.message ?? '') : undefined,
  });
}

/** The span of a request to a provider or an app, from its entry in the log. */
export function requestSpan(message: StoredMessage): string {
  const { createdAt, details, durationMs, id, operationId } = message;
  const request = isJsonObject(details?.request) ? details.request : {};
  const response = isJsonObject(details?.response) ? details.response : {};
  const retry = isJsonObject(details?.retry) ? details.retry : {};
  const method = textOf(request['method']) ?? '';
  const url = textOf(request['url']);
  const status = numberOf(response['code']);
  const attempt = numberOf(retry['attempt']) ?? 1;
  const { spanId: parentSpanId, traceId } = idsOf(operationId);
  const isRefused = status !== undefined && status >= 400;
  const hasFailed = isRefused || details?.error !== undefined;
  return toText({
    traceId,
    // Ids of messages are unique and not zero.
    spanId: id.toString(16).padStart(16, '0'),
    parentSpanId,
    name: METHODS.has(method) ? method : 'HTTP',
    kind: CLIENT,
    startedAt: createdAt - (durationMs ?? 0),
    endedAt: createdAt,
    attributes: {
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      'http.request.method_original': METHODS.has(method) ? null : method || null,
      'url.full': url,
      ...addressOf(url),
      'http.response.status_code': status,
      'http.request.resend_count': attempt > 1 ? attempt - 1 : null,
      'error.type': isRefused ? String(status) : typeOf(details?.error),
    },
    failure: hasFailed ? (details?.error?.message ?? '') : undefined,
  });
}

/** A span without content, to test the collector. */
export function testSpan({ at, ...ids }: { traceId: string; spanId: string; at: number }): string {
  const attributes = { 'homeport.operation.type': 'test' };
  return toText({ ...ids, name: 'homeport.test', kind: INTERNAL, startedAt: at, endedAt: at, attributes });
}

function toText({ attributes, endedAt, failure, startedAt, ...span }: Span): string {
  return JSON.stringify({
    ...span,
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toAttributes(attributes),
    ...(failure === undefined ? {} : { status: { code: FAILED, ...(failure ? { message: cut(failure) } : {}) } }),
  });
}

/**
 * A UUID has the length of a trace id. Its second half is the id of the operation's span; the UUID variant ensures that
 * it is not zero.
 */
function idsOf(operationId: string): { traceId: string; spanId: string } {
  const traceId = operationId.replaceAll('-', '');
  return { traceId, spanId: traceId.slice(16) };
}

function addressOf(url: string | undefined): Record<string, AttributeValue> {
  const parsed = url === undefined ? null : URL.parse(url);
  if (!parsed?.hostname) return {};
  const port = parsed.port || (parsed.protocol === 'http:' ? '80' : '443');
  return { 'server.address': parsed.hostname, 'server.port': Number(port) };
}

const toNanoseconds = (ms: number): string => `${ms}000000`;
const typeOf = (error: StoredError | null | undefined): string | undefined => error?.type ?? error?.name;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) ? value : undefined;

function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : `${text.slice(0, MAX_TEXT_LENGTH - 1).toWellFormed()}…`;
}
