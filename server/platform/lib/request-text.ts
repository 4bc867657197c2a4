import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

export interface TextRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface TextResponse {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Nobody answered, or the connection ended before the answer did. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/**
 * Sends a request and resolves to the answer with its whole text; redirects are not followed. For short commands: Node's
 * own `fetch` takes 100 ms of processor time at its first use, more than all the rest of a command.
 */
export async function requestText(address: string | URL, request: TextRequest = {}): Promise<TextResponse> {
  const url = new URL(address);
  // An `import` of node:http evaluates all its members, and one of them loads `fetch`.
  const { request: open } =
    url.protocol === 'https:' ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const { body, method = 'GET' } = request;
  // Node adds it to a POST, but not to a DELETE with a body.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...request.headers, ...length };
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      open(url, { method, headers }, resolve).once('error', reject).end(body);
    });
    const { headers: received, statusCode: status = 0 } = response;
    return { status, headers: received, text: await textOf(response) };
  } catch (error) {
    throw new NoAnswerError(`${url.origin} does not answer.`, { cause: error });
  }
}
