import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { discardBody, readAnnounced } from '../platform/lib/outbound-body.ts';
import { OutboundError, toBodyError } from '../platform/lib/outbound-error.ts';
import type { ProxyResponse } from './proxy.service.ts';

/**
 * Responses up to this size are sent in one piece, which is much cheaper than a stream. Larger answers are never
 * buffered.
 */
const SENT_WHOLE_BYTES = 256 * 1024;

/** Responses up to this size are written together with their headers. */
const SENT_WITH_HEADERS_BYTES = 16 * 1024;

/**
 * Sends the provider's response to the caller. Waits for the first part of the body before writing anything, so that an
 * early failure can still be reported. Rejects with OutboundError when the provider breaks off; the response is then
 * unsent or, if already started, incomplete.
 */
export async function relayResponse(method: string, body: ProxyResponse, response: ServerResponse): Promise<void> {
  const length = body.headers['content-length'];
  if (method === 'HEAD' || body.status === 204 || body.status === 304) {
    void discardBody(body.body);
    begin(body, response, method === 'HEAD' ? length : undefined);
    response.end();
  } else if (Number(length ?? Number.NaN) <= SENT_WHOLE_BYTES) {
    const bytes = await readAnnounced(body.body);
    body.tap?.take(bytes);
    begin(body, response, String(bytes.length));
    // Latin-1 has one byte per character. As a string, a small body is sent together with the headers in one write.
    if (bytes.length > SENT_WITH_HEADERS_BYTES) response.end(bytes);
    else response.end(bytes.toString('latin1'), 'latin1');
  } else {
    await stream(body, response);
  }
}

/** Writes all headers at once, which costs a fraction of setting them one by one. */
function begin(body: ProxyResponse, response: ServerResponse, length?: string | string[]): void {
  if (body.status > 999 || body.status < 200)
    throw new OutboundError('ERR_BAD_RESPONSE', `The provider answered with the status ${body.status}`);
  const headers: Array<string | string[]> = [];
  for (const name in body.headers) {
    const value = body.headers[name];
    if (value === undefined || KEPT_BACK.has(name) || name.startsWith('access-control-')) continue;
    headers.push(name, value);
  }
  if (length !== undefined) headers.push('Content-Length', length);
  try {
    response.writeHead(body.status, headers as string[]);
  } catch (error) {
    // A header is invalid. The error response must not contain the headers that were already set.
    for (const name in body.headers) response.removeHeader(name);
    response.statusMessage = '';
    throw error;
  }
}

/**
 * Hop-by-hop headers, those that the hub itself sets, and those by which a provider could act on a browser at the hub's
 * own origin (http-api.md 7).
 */
const KEPT_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'clear-site-data',
  'refresh',
  'service-worker-allowed',
]);

/** Streams at the caller's reading speed. When the caller disconnects, the signal of the call ends the body. */
function stream(upstream: ProxyResponse, response: ServerResponse): Promise<void> {
  const { body, tap } = upstream;
  const resume = (): unknown => body.resume();
  let hasBegun = false;
  return new Promise((resolve, reject) => {
    const take = (write: () => void, length?: string): void => {
      try {
        if (!hasBegun) begin(upstream, response, length);
        hasBegun = true;
        write();
      } catch (error) {
        reject(error);
        body.destroy();
      }
    };
    response.on('drain', resume);
    finished(body, { writable: false }, (error) => {
      response.off('drain', resume);
      if (error) return reject(toBodyError(error));
      take(() => response.end(), '0');
      resolve();
    });
    body.on('data', (chunk: Buffer) => {
      take(() => void (response.write(chunk) || body.pause()));
      tap?.take(chunk);
    });
  });
}
