import type { GuestHttpResponse, GuestLogEntry, WireError } from '../../../functions/runtime/bridge.ts';
import type { GuestResult } from '../../../functions/runtime/guest-link.ts';
import { measureMessage } from '../../../functions/runtime/message-size.ts';

/**
 * Reads messages of isolates: it checks the shapes that the guest runtime sends, in code that author code cannot reach.
 * The worker checks every message of its isolates, and the server checks those of its workers again. It uses no schema
 * library, because a worker that runs from sources may not read packages.
 */

/** Longest text of an error or a log line, in characters (functions.md 3.9 and 6.4 allow 99,000 bytes). */
const MAX_TEXT_LENGTH = 99_000;
const MAX_NAME_LENGTH = 1000;
/** The guest cuts payloads to 99,000 bytes; the size estimate counts a little more than the JSON text. */
const MAX_ERROR_PART_LENGTH = 400_000;
const TOO_LARGE = '[too large]';
const UNREADABLE = '[unreadable]';
/** One more than the guest buffers: a further line says how many lines were dropped. */
const MAX_LOG_ENTRIES = 5_001;
/** The largest time that a `Date` knows. */
const MAX_DATE_MS = 8_640_000_000_000_000;
const LEVELS: ReadonlySet<unknown> = new Set(['debug', 'info', 'warn', 'error']);
const SOURCES: ReadonlySet<unknown> = new Set([undefined, 'user', 'internal']);

/** The guest runtime never sends such a message, so author code has changed the runtime. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
}

/** Returns the value as an object with unchecked members. Throws InvalidMessageError. */
export function readObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new InvalidMessageError(`${what} is not an object`);
}

/** Reads the id of a call or run. Throws InvalidMessageError. */
export function readId(value: unknown, what: string): number {
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw new InvalidMessageError(`${what} has no valid number`);
}

/** Reads the outcome of a task; `text` is any text, JSON or not. Throws InvalidMessageError. */
export function readGuestResult(value: unknown): GuestResult {
  const result = readObject(value, 'the result of the function');
  if (result['ok'] === false) return { ok: false, error: readWireError(result['error']) };
  const { text } = result;
  if (result['ok'] !== true || typeof text !== 'string')
    throw new InvalidMessageError('the result of the function is not a text');
  return { ok: true, text };
}

/** The error that the caller of a run gets when a message of its function was refused. */
export function describeInvalidMessage(error: unknown): WireError {
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  const message = `The function sent its host an invalid message: ${reason}.`;
  return { name: 'Error', message, code: 'invalid_host_message' };
}

/** Reads log lines with their known members. Throws InvalidMessageError. */
export function readLogEntries(value: unknown): GuestLogEntry[] {
  if (!Array.isArray(value) || value.length > MAX_LOG_ENTRIES) {
    throw new InvalidMessageError(`log lines are not a list of at most ${MAX_LOG_ENTRIES}`);
  }
  return Array.from(value, readLogEntry);
}

function readLogEntry(value: unknown): GuestLogEntry {
  const { level, message, meta, at, source } = readObject(value, 'a log line');
  const isValid =
    LEVELS.has(level) &&
    typeof message === 'string' &&
    (meta === undefined || typeof meta === 'string') &&
    Number.isFinite(at) &&
    Math.abs(at as number) <= MAX_DATE_MS &&
    SOURCES.has(source);
  if (!isValid) throw new InvalidMessageError('a log line has a member of the wrong kind');
  return {
    level: level as GuestLogEntry['level'],
    message: cut(message, MAX_TEXT_LENGTH),
    at: at as number,
    ...(meta === undefined ? {} : { meta: cut(meta as string, MAX_TEXT_LENGTH) }),
    ...(source === undefined ? {} : { source: source as 'user' | 'internal' }),
  };
}

/** Reads an error with its known members, each cut to a size that is cheap to pass on. Throws InvalidMessageError. */
export function readWireError(value: unknown): WireError {
  const error = readObject(value, 'an error');
  const { status, isAxiosError, response, config, payload } = error;
  const wire: WireError = {
    name: readTextMember(error['name'], 'the name of an error', MAX_NAME_LENGTH),
    message: readTextMember(error['message'], 'the message of an error'),
  };
  for (const member of ['stack', 'code', 'type', 'thrown'] as const) {
    if (error[member] !== undefined) wire[member] = readTextMember(error[member], `the ${member} of an error`);
  }
  if (status !== undefined) wire.status = readNumber(status, 'the status of an error');
  if (payload !== undefined) wire.payload = isLarge(payload) ? TOO_LARGE : asJson(payload);
  if (isAxiosError !== undefined) wire.isAxiosError = isAxiosError === true;
  if (response !== undefined) wire.response = readResponse(response);
  if (config !== undefined) wire.config = readConfig(config);
  return wire;
}

function readResponse(value: unknown): GuestHttpResponse {
  const { status, statusText, headers, body } = readObject(value, 'the answer of an error');
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new InvalidMessageError('the answer of an error has no body');
  return {
    status: readNumber(status, 'the status of a response'),
    statusText: readTextMember(statusText, 'the status text of a response', MAX_NAME_LENGTH),
    headers: readHeaders(headers) as GuestHttpResponse['headers'],
    body: typeof body === 'string' ? cut(body, MAX_TEXT_LENGTH) : body.subarray(0, MAX_TEXT_LENGTH),
  };
}

function readConfig(value: unknown): NonNullable<WireError['config']> {
  const { method, url, headers } = readObject(value, 'the request of an error');
  return {
    method: readTextMember(method, 'the method of a request', MAX_NAME_LENGTH),
    url: readTextMember(url, 'the address of a request'),
    headers: readHeaders(headers) as Record<string, string>,
  };
}

function readHeaders(value: unknown): Record<string, unknown> {
  const headers = readObject(value, 'the headers of an error');
  if (isLarge(headers)) return {};
  const isHeader = (header: unknown): boolean =>
    typeof header === 'string' || (Array.isArray(header) && header.every((part) => typeof part === 'string'));
  return Object.fromEntries(Object.entries(headers).filter(([, header]) => isHeader(header)));
}

export function readTextMember(value: unknown, what: string, longest = MAX_TEXT_LENGTH): string {
  if (typeof value !== 'string') throw new InvalidMessageError(`${what} is not a text`);
  return cut(value, longest);
}

export function readNumber(value: unknown, what: string): number {
  if (!Number.isFinite(value)) throw new InvalidMessageError(`${what} is not a number`);
  return value as number;
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}… [truncated]`;
}

/** A structured clone can carry values that JSON cannot, such as circular references. */
function asJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null');
  } catch (error) {
    if (error instanceof TypeError) return UNREADABLE;
    throw error;
  }
}

/** Also true when an object occurs again in the value, because its JSON text could then have any size. */
function isLarge(value: unknown): boolean {
  const { bytes, isTree } = measureMessage(value, MAX_ERROR_PART_LENGTH);
  return bytes > MAX_ERROR_PART_LENGTH || !isTree;
}
