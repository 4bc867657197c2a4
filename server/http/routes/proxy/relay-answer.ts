import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { discardBody, readAnnounced } from '../../../lib/outbound-body.ts';
import { OutboundError, toBodyError } from '../../../lib/outbound-error.ts';
import type { ProxyResponse } from '../../../services/proxy/proxy-service.ts';

/** Answers up to this size are sent in one piece, which costs a fraction of a stream; larger ones are never held. */
const SENT_WHOLE_BYTES = 256 * 1024;

/** Answers up to this size are written together with their headers. */
const SENT_WITH_HEADERS_BYTES = 16 * 1024;

/** Where an answer goes. */
export interface Receiver {
  response: ServerResponse;
  /** Names and values in turn: what the answer carries beside the provider's headers and those that are set already. */
  openHeaders: readonly string[];
}

/**
 * Hands the answer on. Nothing of it is written before there is something of its body, so that a provider that breaks off
 * can be reported. Rejects with OutboundError when it breaks off; the response is then open or, once begun, incomplete.
 */
export async function relayAnswer(method: string, answer: ProxyResponse, to: Receiver): Promise<void> {
  const { response } = to;
  const length = answer.headers['content-length'];
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304) {
    void discardBody(answer.body);
    begin(answer, to, method === 'HEAD' ? length : undefined);
    response.end();
  } else if (Number(length ?? Number.NaN) <= SENT_WHOLE_BYTES) {
    const bytes = await readAnnounced(answer.body);
    answer.tap?.take(bytes);
    begin(answer, to, String(bytes.length));
    // As Latin-1, which has one character per byte, a small body leaves together with the headers, in one write.
    if (bytes.length > SENT_WITH_HEADERS_BYTES) response.end(bytes);
    else response.end(bytes.toString('latin1'), 'latin1');
  } else {
    await stream(answer, to);
  }
}

/** Writes the headers, all at once: one by one they cost several times as much. */
function begin(answer: ProxyResponse, { openHeaders, response }: Receiver, length?: string | string[]): void {
  if (answer.status > 999 || answer.status < 200)
    throw new OutboundError('ERR_BAD_RESPONSE', `The provider answered with the status ${answer.status}`);
  const headers: Array<string | string[]> = [...openHeaders];
  for (const name in answer.headers) {
    const value = answer.headers[name];
    if (value === undefined || KEPT_BACK.has(name) || name.startsWith('access-control-')) continue;
    headers.push(name, value);
  }
  if (length !== undefined) headers.push('Content-Length', length);
  try {
    response.writeHead(answer.status, headers as string[]);
  } catch (error) {
    // A header that may not be passed on: what reports it goes out without those that may.
    for (const name in answer.headers) response.removeHeader(name);
    response.statusMessage = '';
    throw error;
  }
}

/** Headers of one hop, and those that the hub itself decides (http-api.md 7, HP). */
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
]);

/** As fast as the caller reads. When the caller goes, the signal of the call breaks the body. */
function stream(answer: ProxyResponse, to: Receiver): Promise<void> {
  const { body, tap } = answer;
  const { response } = to;
  const resume = (): unknown => body.resume();
  let hasBegun = false;
  return new Promise((resolve, reject) => {
    const take = (write: () => void, length?: string): void => {
      try {
        if (!hasBegun) begin(answer, to, length);
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
