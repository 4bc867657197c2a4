import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { bareHost, isLoopbackHost, isLoopbackIp, isPrivateHost, isPrivateIp, portOf } from './address-guard.ts';
import { hubStopping } from './homeport-error.ts';
import { ACCEPTED_ENCODINGS, decodeBody } from './outbound-decode.ts';
import { OutboundError, toOutboundError } from './outbound-error.ts';
import { discardBody, exchange, type StreamedResponse } from './outbound-exchange.ts';

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
  #publicAgent: Agent;
  #openAgent: Agent;
  /** Whose requests are ended because the hub stops: nobody failed to answer them. */
  readonly #ended = new WeakSet<Agent>();
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
      const admitted = request.admit?.(hop.url.hostname);
      if (admitted) await admitted;
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

  /** Ends what is running; what is still sent by the parts that stop later is not concerned. */
  async endRunning(): Promise<void> {
    const before = [this.#publicAgent, this.#openAgent];
    this.#publicAgent = this.#createAgent(true, undefined);
    this.#openAgent = this.#createAgent(false, undefined);
    for (const agent of before) this.#ended.add(agent);
    await Promise.all(before.map((agent) => agent.destroy()));
  }

  async stop(): Promise<void> {
    const agents = [this.#publicAgent, this.#openAgent, ...this.#certificateAgents.values()];
    for (const agent of agents) this.#ended.add(agent);
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
    const agent = this.#agentFor(isAllowed, request.tls);
    try {
      if (!isAllowed && isPrivateHost(url.hostname)) throw this.#refusalOf(url);
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
      throw this.#ended.has(agent) ? hubStopping() : toOutboundError(error, url.host, count);
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

/** Node's `dns.lookup` with `all: true`. */
type ResolveHost = (
  hostname: string,
  options: LookupOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface ConnectRules {
  resolveHost: ResolveHost;
  /** True allows public addresses only; false also allows private ones, but never the hub itself. */
  publicOnly: boolean;
  /** The hub's port on this computer. */
  ownPort: () => number | undefined;
  tls: { cert: string; key: string } | undefined;
}

/** The refusal of an IP address; undefined when it may be dialled. */
type Refusal = (address: string) => OutboundError | undefined;

/**
 * Opens sockets only to addresses that pass the guard. The check runs between name look-up and connect, on the
 * addresses that are dialled, so that a name cannot resolve to another address in between (DNS rebinding).
 */
function guardedConnector(rules: ConnectRules): buildConnector.connector {
  const { resolveHost } = rules;
  const refusalFor =
    (host: string, ownPort?: number): Refusal =>
    (address) => {
      if (ownPort !== undefined && isLoopbackIp(address)) return new OwnAddressError(`${host}:${ownPort}`);
      return rules.publicOnly && isPrivateIp(address) ? connectRefusal(bareHost(host)) : undefined;
    };
  const options = { allowH2: false, ...rules.tls };
  const connect = buildConnector({ ...options, lookup: guardedLookup(resolveHost, (host) => refusalFor(host)) });
  const connectToOwnPort = buildConnector({
    ...options,
    lookup: guardedLookup(resolveHost, (host) => refusalFor(host, rules.ownPort())),
  });

  return (target, callback) => {
    const port = portOf(target);
    const isOwnPort = port === rules.ownPort();
    const literal = bareHost(target.hostname);
    const refusal =
      isIP(literal) === 0 ? undefined : refusalFor(target.hostname, isOwnPort ? port : undefined)(literal);
    if (refusal) return callback(refusal, null);
    return (isOwnPort ? connectToOwnPort : connect)(target, callback);
  };
}

function guardedLookup(resolveHost: ResolveHost, refusalFor: (host: string) => Refusal): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const refusal = addresses?.map(({ address }) => refusalFor(hostname)(address)).find((one) => one !== undefined);
      if (error) callback(error, '', 0);
      else if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
      // One refused address refuses the name, because Node chooses which of the addresses is dialled.
      else if (refusal) callback(refusal, '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The address of the hub itself, which no setting allows. */
export class OwnAddressError extends OutboundError {
  constructor(host: string) {
    super('ERR_ADDRESS_REFUSED', `Requests to ${host} are not allowed: it is the address of Homeport itself`);
  }
}

/** A refused address in full sentences, with the way to allow it if there is one. */
export function explainRefusal(error: OutboundError, host = 'the host'): string {
  return error instanceof OwnAddressError
    ? `${error.message}.`
    : `${error.message}. Add ${host} to allowed_hosts (PATCH /environment/settings) to reach it.`;
}

function connectRefusal(host: string): OutboundError {
  return new OutboundError('ERR_ADDRESS_REFUSED', `Requests to ${host} are not allowed`);
}

interface Hop {
  method: string;
  url: URL;
  /** Raw path and query, when they must not be normalised. */
  rawPath?: string | undefined;
  headers: Record<string, string>;
  body: string | Uint8Array | Readable | undefined;
}

interface RedirectRules {
  keepsHeaders: boolean;
  /** True repeats the request unchanged after any redirect. */
  keepsMethod: boolean;
  /** Further header names that carry credentials. */
  sensitiveHeaders: readonly string[];
  /** Body to send to another host instead. Default: the same body. */
  bodyWithoutSecrets?: { content: string | Uint8Array | undefined } | undefined;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'proxy-authorization'];
const BODY_HEADERS = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

/** The target of a redirect; undefined when the response is not a redirect. */
export function redirectTarget(status: number, location: string | string[] | undefined, from: URL): URL | undefined {
  const target = Array.isArray(location) ? location[0] : location;
  if (!REDIRECT_STATUSES.has(status) || !target) return undefined;
  return URL.parse(target, from.href) ?? undefined;
}

/**
 * The request of the next hop. Credentials are removed when the host changes or https ends, unless the caller asked to
 * keep them. 303, and 301/302 after POST, continue as GET without a body, unless the caller asked to keep method and
 * body.
 */
export function followRedirect(hop: Hop, status: number, target: URL, rules: RedirectRules): Hop {
  const becomesGet =
    !rules.keepsMethod &&
    ((status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST'));
  const changesHost = target.host !== hop.url.host || (hop.url.protocol === 'https:' && target.protocol !== 'https:');
  const leavesSecrets = changesHost && !rules.keepsHeaders;
  const repeated = leavesSecrets && rules.bodyWithoutSecrets ? rules.bodyWithoutSecrets.content : hop.body;
  const body = becomesGet ? undefined : repeated;
  const dropped = new Set([
    'host',
    ...(becomesGet || (hop.body !== undefined && body === undefined) ? BODY_HEADERS : []),
    ...(leavesSecrets ? [...CREDENTIAL_HEADERS, ...rules.sensitiveHeaders] : []),
  ]);
  return {
    method: becomesGet ? 'GET' : hop.method,
    url: target,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped.has(name.toLowerCase()))),
    body,
  };
}
