import type { GuestHttpConfig, GuestHttpResponse, WireError } from './bridge.ts';
import { ACTION_ERROR_TYPE, ActionError } from './context/action-error.ts';
import { type HttpResponse, toHttpResponse } from './context/http-response.ts';
import { jsonText, toPlainJson, utf8Length } from './plain-json.ts';
import {
  ArrayIsArray,
  isInstance,
  JSONStringify,
  NumberIsFinite,
  ObjectAssign,
  ObjectDefineProperty,
  PrimordialError,
  PrimordialUint8Array,
  RegExpPrototypeTest,
  StringPrototypeIncludes,
  StringPrototypeSplit,
  toText,
} from './primordials.ts';
import { cutText, MAX_JSON_BYTES, shrinkObject } from './shrink-json.ts';

const STACK_LINE = /^\s+at /;

/** Creates an `Error` of this isolate from an error of the host, with the own properties of functions.md 4.4. */
export function fromWire(wire: WireError): Error {
  if (wire.type === ACTION_ERROR_TYPE) return new ActionError(wire.payload);
  const error = new PrimordialError(wire.message);
  define(error, 'name', wire.name);
  const own: Record<string, unknown> = {};
  if (wire.code !== undefined) own['code'] = wire.code;
  if (wire.type !== undefined) own['type'] = wire.type;
  if (wire.payload !== undefined) own['payload'] = wire.payload;
  if (wire.status !== undefined) own['status'] = wire.status;
  if (wire.config !== undefined) own['config'] = wire.config;
  if (wire.isAxiosError) own['isAxiosError'] = true;
  if (wire.response) own['response'] = toHttpResponse(wire.response, wire.config);
  return ObjectAssign(error, own);
}

/** Turns any thrown value into plain data. Each part is cut to the size that a caller may see. */
export function toWire(thrown: unknown, fileName: string): WireError {
  try {
    return describe(thrown, fileName);
  } catch {
    // A getter or toJSON of the thrown value has thrown as well, so the value cannot be read.
    return { name: 'Error', message: 'The thrown value cannot be read.' };
  }
}

function describe(thrown: unknown, fileName: string): WireError {
  if (typeof thrown !== 'object' || thrown === null) {
    const text = cutText(jsonText(thrown));
    return { name: 'Error', message: text, thrown: text };
  }
  const value = thrown as Record<string, unknown>;
  const isError = isInstance(thrown, PrimordialError);
  const text = isError ? '' : cutText(jsonText(thrown));
  const wire: WireError = {
    name: typeof value['name'] === 'string' ? cutText(value['name']) : 'Error',
    message: typeof value['message'] === 'string' ? cutText(value['message']) : text,
  };
  if (!isError) wire.thrown = text;
  const stack = ownLines(value['stack'], fileName);
  if (stack) wire.stack = cutText(stack);
  if (typeof value['code'] === 'string' || typeof value['code'] === 'number')
    wire.code = cutText(toText(value['code']));
  if (NumberIsFinite(value['status'])) wire.status = value['status'] as number;
  if (typeof value['type'] === 'string') wire.type = cutText(value['type']);
  if (value['payload'] !== undefined) wire.payload = cutPayload(toPlainJson(value['payload']));
  return value['isAxiosError'] === true ? withHttp(wire, value) : wire;
}

function withHttp(wire: WireError, value: Record<string, unknown>): WireError {
  wire.isAxiosError = true;
  const { method, url, headers } = (value['config'] ?? {}) as Partial<GuestHttpConfig>;
  // Without the repeated request body, which the function itself has sent.
  if (typeof method === 'string' && typeof url === 'string') {
    wire.config = { method, url: cutText(url), headers: objectOf(headers) as GuestHttpConfig['headers'] };
  }
  const response = value['response'];
  if (typeof response === 'object' && response !== null) wire.response = toWireResponse(response as HttpResponse);
  return wire;
}

function toWireResponse({ data, status, statusText, headers }: Partial<HttpResponse>): GuestHttpResponse {
  return {
    status: NumberIsFinite(status) ? (status as number) : 0,
    statusText: typeof statusText === 'string' ? cutText(statusText) : '',
    headers: objectOf(headers) as GuestHttpResponse['headers'],
    body: cutBody(data),
  };
}

/** A body that is not text is reduced member by member, so that it stays JSON. */
function cutBody(data: unknown): string | Uint8Array {
  if (typeof data === 'string') return cutText(data);
  if (isInstance(data, PrimordialUint8Array)) {
    return data.length <= MAX_JSON_BYTES ? new Uint8Array(data) : `[${data.length} bytes]`;
  }
  return jsonText(cutPayload(toPlainJson(data)) ?? null);
}

/**
 * Returns detached JSON data of limited size. A list that is too large is left out, because it has no largest member.
 */
function cutPayload(payload: unknown): unknown {
  if (typeof payload === 'string') return cutText(payload);
  if (typeof payload !== 'object' || payload === null) return payload;
  if (!ArrayIsArray(payload)) return shrinkObject(payload as Record<string, unknown>);
  return utf8Length(JSONStringify(payload)) <= MAX_JSON_BYTES ? payload : {};
}

function objectOf(value: unknown): Record<string, unknown> {
  const plain = toPlainJson(value);
  const isObject = typeof plain === 'object' && plain !== null && !ArrayIsArray(plain);
  return isObject ? shrinkObject(plain as Record<string, unknown>) : {};
}

/** Only the lines that name the function's own file. */
function ownLines(stack: unknown, fileName: string): string {
  if (typeof stack !== 'string') return '';
  let own = '';
  const lines = StringPrototypeSplit(stack, '\n');
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string;
    if (!RegExpPrototypeTest(STACK_LINE, line) || !StringPrototypeIncludes(line, fileName)) continue;
    own += own === '' ? line : `\n${line}`;
  }
  return own;
}

function define(target: object, name: string, value: unknown): void {
  // Without a prototype, from which a descriptor would inherit.
  const descriptor = { __proto__: null, value, writable: true, configurable: true, enumerable: false };
  ObjectDefineProperty(target, name, descriptor);
}
