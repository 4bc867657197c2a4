import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { parseBody } from '../platform/http/parse-body.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';

/** The HTTP side of an MCP address: what its requests and responses look like, whatever the revision. */

/** JSON-RPC codes of refusals. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
  unsupportedRevision: -32022,
} as const;

/** The refusal of a whole request, before a tool is concerned. */
export class McpRefusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly data: unknown;

  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

export function refusalResponse({ status, code, message, data }: McpRefusal, id: unknown): Response {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return Response.json(
    { jsonrpc: '2.0', error, id: typeof id === 'string' || typeof id === 'number' ? id : null },
    { status },
  );
}

/** Parses the body. Throws `McpRefusal` when it is not JSON, or more than the hub reads. */
export function readMessages(http: HttpRequest, bytes: unknown): unknown {
  const type = http.headers['content-type'];
  if (!Buffer.isBuffer(bytes)) throw new McpRefusal(400, RPC.parseError, 'Parse error: the request has no body.');
  if (!type?.toLowerCase().startsWith('application/json'))
    throw new McpRefusal(415, RPC.refused, 'Unsupported media type: send application/json.');
  try {
    return bytes.length === 0 ? undefined : parseBody(bytes, type);
  } catch (error) {
    if (!(error instanceof HomeportError)) throw error;
    if (error.code !== 'invalid_json') throw new McpRefusal(error.status, RPC.invalidRequest, error.message);
    if (isJson(bytes))
      throw new McpRefusal(400, RPC.invalidRequest, 'Invalid request: the body is no JSON-RPC message.');
    throw new McpRefusal(400, RPC.parseError, 'Parse error: the body is not valid JSON.');
  }
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** The forms of an answer; a client accepts both, because the server chooses. */
const ANSWER_TYPES = ['application/json', 'text/event-stream'];

/** Throws unless the client accepts both forms, also by a wildcard. */
export function requireBothForms(accept: string | undefined): void {
  const ranges = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.split(';').map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((one) => /^q\s*=\s*0(\.0*)?$/.test(one)))
    .map(([range]) => range);
  const takes = (type: string): boolean =>
    ranges.includes(type) || ranges.includes(`${type.split('/')[0]}/*`) || ranges.includes('*/*');
  if (ANSWER_TYPES.every(takes)) return;
  throw new McpRefusal(
    406,
    RPC.refused,
    'Not acceptable: the Accept header must list application/json and text/event-stream.',
  );
}

/** Pages of other origins may not use an MCP address with a key that they found (MCP, transports, security warning). */
export function requireOwnOrigin({ origin, host }: HttpRequest['headers']): void {
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())) return;
  throw new McpRefusal(403, RPC.refused, 'Forbidden: pages of other origins may not use this address.');
}

/** The request in the form that the MCP library takes. */
export function toWebRequest(http: HttpRequest): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(http.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  // It was checked, and the library reads no wildcards.
  headers.set('accept', ANSWER_TYPES.join(', '));
  return new Request(`http://localhost${http.originalUrl}`, { method: http.method, headers });
}

/** Writes the library's response. Resolves when it was sent, or the client has gone. */
export async function writeResponse(from: Response, to: HttpResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) {
    to.end();
    return;
  }
  if (from.headers.get('content-type')?.startsWith('application/json')) {
    to.end(Buffer.from(await from.arrayBuffer()));
    return;
  }
  // Clients wait for the first event of a stream.
  to.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(from.body as Parameters<typeof Readable.fromWeb>[0]), to);
  } catch (error) {
    // The client has gone, which has ended its calls.
    if (!to.destroyed) throw error;
  }
}
