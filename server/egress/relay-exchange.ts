import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, request as sendPlainly } from 'node:http';
import { request as sendSecurely } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { discardBody } from '../platform/lib/outbound-exchange.ts';
import { explainRefusal, type OutboundHttp } from '../platform/lib/outbound-http.ts';
import { type ByteReplacer, SecretStream } from '../platform/lib/secret-stream.ts';

/** Of one hop only (RFC 9110, 7.6.1), or set again by the sender. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** The encodings that can be undone are asked for instead, so that the response can be searched. */
const SEARCHABLE: ReadonlySet<string> = new Set(['accept-encoding']);
/** Two halves of a body would each hide a credential that stands in both. */
const RANGES: ReadonlySet<string> = new Set(['range', 'if-range']);
/** A cookie that follows a credential opens the account without it. */
const COOKIES: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

export interface RelayedExchange {
  url: URL;
  /** Path and query, with the credential. */
  path: string;
  /** With the credential. */
  headers: Record<string, string>;
  carriesCredential: boolean;
  allowedHosts: readonly string[];
  tls: { cert: string; key: string } | undefined;
  silenceMs: number;
  /** Made when the response arrives: credentials may have been renewed meanwhile. */
  replacer(): ByteReplacer;
}

/** The headers of a request that are sent on. */
export function passedHeaders({ headers }: IncomingMessage): Record<string, string> {
  const named = listed(headers.connection);
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_HEADERS.has(name) || SEARCHABLE.has(name) || named.has(name)
        ? []
        : [[name, [value].flat().join(name === 'cookie' ? '; ' : ', ')]],
    ),
  );
}

/**
 * Sends a request on and its response back, without the secrets of the run. Never follows a redirect: that is the
 * command's own request. Resolves to the status. Rejects with HomeportError when no response came.
 */
export async function relayExchange(
  http: Pick<OutboundHttp, 'request'>,
  { request, response, exchange }: { request: IncomingMessage; response: ServerResponse; exchange: RelayedExchange },
): Promise<number> {
  const { allowedHosts, carriesCredential, path, silenceMs, tls, url } = exchange;
  const headers = Object.fromEntries(
    Object.entries(exchange.headers).filter(([name]) => !(carriesCredential && RANGES.has(name))),
  );
  const hasBody = headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const sent = { method: request.method ?? 'GET', url, rawPath: path, headers, allowedHosts, tls, silenceMs };
  try {
    const answer = await http.request({
      ...sent,
      ...(hasBody ? { body: request } : {}),
      maxRedirects: 0,
      signal: gone.signal,
    });
    const isBodyless = request.method === 'HEAD' || answer.status === 204 || answer.status === 304;
    if (answer.headers['content-encoding'] !== undefined && !isBodyless) {
      await discardBody(answer.body);
      throw new HomeportError(
        'provider_unreachable',
        `${url.host} answered in the encoding "${String(answer.headers['content-encoding'])}", which cannot be searched for credentials.`,
        { status: 502 },
      );
    }
    const replacer = exchange.replacer();
    const clean = (text: string): string => replacer.replace(text);
    const named = listed(answer.headers.connection);
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value === undefined || HOP_HEADERS.has(name) || named.has(name)) continue;
      if (carriesCredential && COOKIES.has(name)) continue;
      // The length can change.
      if (name === 'content-length' && !isBodyless && value !== '0') continue;
      response.setHeader(clean(name), Array.isArray(value) ? value.map(clean) : clean(value));
    }
    response.writeHead(answer.status, clean(answer.statusText));
    if (isBodyless) {
      await discardBody(answer.body);
      response.end();
    } else await pipeline(answer.body, new SecretStream(replacer), response);
    return answer.status;
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw error.code === 'ERR_ADDRESS_REFUSED'
      ? new HomeportError('host_refused', explainRefusal(error, url.host), { cause: error })
      : new HomeportError('provider_unreachable', `${url.host} did not answer: ${error.message}`, {
          status: 502,
          cause: error,
        });
  }
}

/**
 * Passes a request to an address of no connection on, and its response back, as they are. The command reaches every
 * address without this proxy, too, so that no address is refused here.
 */
export async function passExchange({
  request,
  response,
  url,
}: {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}): Promise<number> {
  const named = listed(request.headers.connection);
  const isPassed = (name: string): boolean => !HOP_HEADERS.has(name) && !named.has(name);
  const headers = Object.entries(request.headers).filter(([name]) => isPassed(name));
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const send = url.protocol === 'https:' ? sendSecurely : sendPlainly;
    const sent = send(url, { method: request.method, headers: Object.fromEntries(headers), signal: gone.signal });
    // The first one is thrown below; a response that breaks off is an error of its own.
    sent.on('error', () => {});
    request.pipe(sent);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    const names = Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name));
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, Object.fromEntries(names));
    await pipeline(answer, response);
    return answer.statusCode ?? 502;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new HomeportError('provider_unreachable', `${url.host} did not answer: ${error.message}`, {
      status: 502,
      cause: error,
    });
  }
}

function listed(header: string | string[] | undefined): Set<string> {
  return new Set(
    [header ?? '']
      .flat()
      .join(',')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
}
