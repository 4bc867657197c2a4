import { lookup } from 'node:dns';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { Agent, type Dispatcher } from 'undici';
import { bareHost, isLoopbackHost, isPrivateHost, portOf } from './address-guard.ts';
import { discardBody } from './outbound-body.ts';
import { connectRefusal, guardedConnector, OwnAddressError, type ResolveHost } from './outbound-connect.ts';
import { ACCEPTED_ENCODINGS, decodeBody } from './outbound-decode.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { exchange, type StreamedResponse } from './outbound-exchange.ts';
import { followRedirect, type Hop, redirectTarget } from './outbound-redirect.ts';

export interface OutboundRequest {
  method: string;
  url: URL | string;
  /** Path and query that are sent byte for byte, instead of the normalised ones of the URL. */
  rawPath?: string | undefined;
  /** Lower-case names. */
  headers?: Record<string, string>;
  /** A stream is sent once, so that `maxRedirects` has to be 0. */
  body?: string | Uint8Array | Readable | undefined;
  /** Hosts (`name` or `name:port`) that may be loopback or private. Default none. The hub itself is never allowed. */
  allowedHosts?: readonly string[] | 'all';
  /** Default 5; 0 returns the redirect response itself. */
  maxRedirects?: number;
  /** Repeats method and body also after 301, 302 and 303, where browsers continue with GET. */
  keepMethodOnRedirect?: boolean;
  /** Keeps credentials when a redirect changes the host. */
  forwardHeadersOnRedirect?: boolean;
  /** Where credentials may be kept at all. Default everywhere. */
  keepsHeadersAt?: (url: URL) => boolean;
  /** Body to send instead when a redirect changes the host. Default: the same body. */
  bodyWithoutSecrets?: { content: string | Uint8Array | undefined } | undefined;
  /** Names of headers that carry credentials, beside authorization and cookie. */
  sensitiveHeaders?: readonly string[];
  /**
   * Default true: asks for encodings, decodes the body and removes `content-encoding`. A HEAD response has no body to
   * decode: its headers describe the plain body.
   */
  decompress?: boolean;
  /** Longest silence before the response begins, and between two chunks of its body. Default: no limit. */
  silenceMs?: number | undefined;
  /** Client certificate and key, PEM. */
  tls?: { cert: string; key: string } | undefined;
  signal?: AbortSignal | undefined;
  /** Called with each host before anything is sent to it, those of redirects too. What it throws ends the request. */
  admit?: ((host: string) => Promise<void> | undefined) | undefined;
}

export interface OutboundResponse {
  status: number;
  statusText: string;
  /** Lower-case names; a header that was sent more than once is a list. */
  headers: Record<string, string | string[] | undefined>;
  /** Not read yet. Read it to its end or destroy it, because it holds a connection. */
  body: Readable;
  /** The address that answered, after redirects. */
  url: URL;
}

export interface OutboundHttpOptions {
  /** The hub's own port, which is never reachable through this client. */
  ownPort: () => number | undefined;
  resolveHost?: ResolveHost;
}

/** Sockets per host: enough for bursts of a sync, and not so many that they overload a provider. */
const CONNECTIONS_PER_ORIGIN = 64;
const MAX_REDIRECTS = 5;
const MAX_CERTIFICATES = 20;

/**
 * The HTTP client for all requests to other hosts. Opening a connection may take 10 s. A response has no time limit:
 * callers pass `signal` or `silenceMs`. Rejects with OutboundError; a response with any status resolves.
 */
export class OutboundHttp {
  readonly #options: OutboundHttpOptions;
  /** Two pools, so that a connection to a private host never serves a request that may reach public hosts only. */
  readonly #publicAgent: Agent;
  readonly #openAgent: Agent;
  readonly #certificateAgents = new LRUCache<string, Agent>({
    max: MAX_CERTIFICATES,
    dispose: (agent) => void agent.close(),
  });

  constructor(options: OutboundHttpOptions) {
    this.#options = options;
    this.#publicAgent = this.#createAgent(true, undefined);
    this.#openAgent = this.#createAgent(false, undefined);
  }

  async request(request: OutboundRequest): Promise<OutboundResponse> {
    const maxRedirects = request.maxRedirects ?? MAX_REDIRECTS;
    const decompress = request.decompress !== false && request.method !== 'HEAD';
    let hop: Hop = {
      method: request.method,
      // A text is parsed once, so that the address that is checked is the address that is dialled.
      url: typeof request.url === 'string' ? new URL(request.url) : request.url,
      rawPath: request.rawPath,
      headers: request.headers ?? {},
      body: request.body,
    };
    for (let count = 0; ; count++) {
      await request.admit?.(hop.url.hostname);
      const response = await this.#send(hop, request, { count, decompress });
      const target = maxRedirects > 0 ? redirectTarget(response.status, response.headers.location, hop.url) : undefined;
      if (!target) return present(response, hop.url, decompress);
      await discardBody(response.body);
      if (count === maxRedirects)
        throw new OutboundError('ERR_TOO_MANY_REDIRECTS', `More than ${maxRedirects} redirects (${hop.url.host})`, {
          hop: count,
        });
      hop = followRedirect(hop, response.status, target, {
        keepsHeaders: request.forwardHeadersOnRedirect === true && (request.keepsHeadersAt?.(target) ?? true),
        keepsMethod: request.keepMethodOnRedirect ?? false,
        sensitiveHeaders: request.sensitiveHeaders ?? [],
        bodyWithoutSecrets: request.bodyWithoutSecrets,
      });
    }
  }

  /** Drops the client certificates of earlier requests. Running requests are not interrupted. */
  closeCertificatePools(): void {
    this.#certificateAgents.clear();
  }

  async stop(): Promise<void> {
    const agents = [this.#publicAgent, this.#openAgent, ...this.#certificateAgents.values()];
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  async #send(
    hop: Hop,
    request: OutboundRequest,
    { count, decompress }: { count: number; decompress: boolean },
  ): Promise<StreamedResponse> {
    const { url } = hop;
    const silenceMs = request.silenceMs ?? 0;
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new OutboundError('ERR_ADDRESS_REFUSED', `Only http and https are allowed, not ${url.protocol}`, {
        hop: count,
      });
    }
    const isAllowed = isAllowedHost(url, request.allowedHosts ?? []);
    try {
      if (!isAllowed && isPrivateHost(url.hostname)) throw this.#refusalOf(url);
      const agent = this.#agentFor(isAllowed, request.tls);
      return await exchange(
        agent,
        {
          origin: url.origin,
          path: hop.rawPath ?? url.pathname + url.search,
          method: hop.method as Dispatcher.HttpMethod,
          headers: decompress ? withAcceptedEncodings(hop.headers) : hop.headers,
          body: hop.body ?? null,
          headersTimeout: silenceMs,
          bodyTimeout: silenceMs,
        },
        request.signal,
      );
    } catch (error) {
      throw toOutboundError(error, url.host, count);
    }
  }

  #refusalOf(url: URL): OutboundError {
    return portOf(url) === this.#options.ownPort() && isLoopbackHost(url.hostname)
      ? new OwnAddressError(url.host)
      : connectRefusal(url.hostname);
  }

  #agentFor(isAllowed: boolean, tls: OutboundRequest['tls']): Agent {
    if (!tls) return isAllowed ? this.#openAgent : this.#publicAgent;
    const key = JSON.stringify([isAllowed, tls.cert, tls.key]);
    const agent = this.#certificateAgents.get(key) ?? this.#createAgent(!isAllowed, tls);
    this.#certificateAgents.set(key, agent, { noDisposeOnSet: true });
    return agent;
  }

  #createAgent(publicOnly: boolean, tls: OutboundRequest['tls']): Agent {
    const {
      ownPort,
      resolveHost = (hostname, options, callback) => lookup(hostname, { ...options, all: true }, callback),
    } = this.#options;
    return new Agent({
      connect: guardedConnector({ resolveHost, publicOnly, ownPort, tls }),
      connections: CONNECTIONS_PER_ORIGIN,
    });
  }
}

/**
 * Whether the address is one of the hosts that may be loopback or private: `name:port` stands for this port only, a
 * `name` for every port (design.md 7.48).
 */
export function isAllowedHost(url: URL, allowedHosts: readonly string[] | 'all'): boolean {
  if (allowedHosts === 'all') return true;
  const names = [url.hostname, bareHost(url.hostname), `${url.hostname}:${portOf(url)}`];
  return allowedHosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

/** A range counts the bytes of the encoded body, which cannot be decoded from its middle. */
function withAcceptedEncodings(headers: Record<string, string>): Record<string, string> {
  if (headers['accept-encoding'] !== undefined) return headers;
  return { ...headers, 'accept-encoding': headers['range'] === undefined ? ACCEPTED_ENCODINGS : 'identity' };
}

function present(response: StreamedResponse, url: URL, decompress: boolean): OutboundResponse {
  const { status, statusText, headers, body } = response;
  const encoding = headers['content-encoding'];
  const isEmpty = status === 204 || status === 304 || headers['content-length'] === '0';
  const isPart = status === 206;
  const decoded =
    decompress && encoding !== undefined && !isEmpty && !isPart ? decodeBody(body, String(encoding)) : undefined;
  if (!decoded) return { status, statusText, headers, body, url };
  const { 'content-encoding': _encoding, 'content-length': _length, ...rest } = headers;
  return { status, statusText, headers: rest, body: decoded, url };
}
