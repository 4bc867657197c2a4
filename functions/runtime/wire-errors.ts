import type { GuestHttpConfig, GuestHttpResponse, WireError } from './bridge.ts';
import { ACTION_ERROR_TYPE, ActionError } from './context/action-error.ts';
import { type HttpResponse, toHttpResponse } from './context/http-response.ts';
import { jsonText, toPlainJson } from './plain-json.ts';

/** Rebuilds an error of the host as an `Error` of this isolate, with own properties as functions.md 4.4 lists them. */
export function fromWire(wire: WireError): Error {
  if (wire.type === ACTION_ERROR_TYPE) return new ActionError(wire.payload);
  const error = new Error(wire.message);
  define(error, 'name', wire.name);
  const own: Record<string, unknown> = {};
  if (wire.code !== undefined) own['code'] = wire.code;
  if (wire.type !== undefined) own['type'] = wire.type;
  if (wire.payload !== undefined) own['payload'] = wire.payload;
  if (wire.status !== undefined) own['status'] = wire.status;
  if (wire.config !== undefined) own['config'] = wire.config;
  if (wire.isAxiosError) own['isAxiosError'] = true;
  if (wire.response) own['response'] = toHttpResponse(wire.response, wire.config);
  return Object.assign(error, own);
}

/** Turns whatever a function threw into plain data. */
export function toWire(thrown: unknown, fileName: string): WireError {
  try {
    return describe(thrown, fileName);
  } catch {
    // A getter or toJSON of the thrown value threw in its turn: there is nothing left to read from it.
    return { name: 'Error', message: 'The thrown value cannot be read.' };
  }
}

function describe(thrown: unknown, fileName: string): WireError {
  if (typeof thrown !== 'object' || thrown === null) {
    const text = jsonText(thrown);
    return { name: 'Error', message: text, thrown: text };
  }
  const value = thrown as Record<string, unknown>;
  const isError = thrown instanceof Error;
  const text = isError ? '' : jsonText(thrown);
  const wire: WireError = {
    name: typeof value['name'] === 'string' ? value['name'] : 'Error',
    message: typeof value['message'] === 'string' ? value['message'] : text,
  };
  if (!isError) wire.thrown = text;
  const stack = ownLines(value['stack'], fileName);
  if (stack) wire.stack = stack;
  if (typeof value['code'] === 'string' || typeof value['code'] === 'number') wire.code = String(value['code']);
  if (typeof value['status'] === 'number') wire.status = value['status'];
  if (typeof value['type'] === 'string') wire.type = value['type'];
  if (value['payload'] !== undefined) wire.payload = toPlainJson(value['payload']);
  return value['isAxiosError'] === true ? withHttp(wire, value) : wire;
}

function withHttp(wire: WireError, value: Record<string, unknown>): WireError {
  wire.isAxiosError = true;
  const { method, url, headers } = (value['config'] ?? {}) as Partial<GuestHttpConfig>;
  // Without the body that it repeats: that one is the function's own.
  if (method && url) wire.config = toPlainJson({ method, url, headers: headers ?? {} }) as GuestHttpConfig;
  const response = value['response'] as HttpResponse | undefined;
  if (response) wire.response = toWireResponse(response);
  return wire;
}

function toWireResponse(response: HttpResponse): GuestHttpResponse {
  const { data, status, statusText, headers } = response;
  const body = typeof data === 'string' ? data : data instanceof Uint8Array ? new Uint8Array(data) : jsonText(data);
  return { status, statusText, headers: toPlainJson(headers) as GuestHttpResponse['headers'], body };
}

/** Only the lines that name the function's own file. */
function ownLines(stack: unknown, fileName: string): string {
  if (typeof stack !== 'string') return '';
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && line.includes(fileName))
    .join('\n');
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
}
