import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { bareHost, portOf } from '../platform/lib/address-guard.ts';
import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';
import type { RunCertificates } from './run-certificates.ts';

export interface EgressProxyOptions {
  /** Of the command, in the address of the proxy. */
  secret: string;
  /** Of the command line, which follows the run; the command does not know it. */
  ownerSecret: string;
  certificates: RunCertificates;
  /** Whether the TLS of this address is opened, because a credential may go there. */
  opens(url: URL): boolean;
  /** Connects to an address that is not opened. Rejects for one that the run may not reach. */
  connect(url: URL, signal: AbortSignal): Promise<Duplex>;
  /** Answers one request. */
  forward(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  /** The command line follows the run with this response until it closes. */
  follow(response: ServerResponse): void;
  onUnexpected(error: unknown): void;
}

/** The path at which the command line follows its run. */
export const FOLLOW_PATH = '/run';
const REALM = 'Basic realm="homeport run"';

/**
 * The HTTP proxy of one run, on a port of its own on this computer: it takes requests with the secret of the run only,
 * opens the TLS of some addresses with certificates of the run, and passes the rest on unread.
 */
export class EgressProxy {
  readonly #options: EgressProxyOptions;
  readonly #outer: Server;
  /** Requests inside of opened TLS. */
  readonly #inner: Server;
  readonly #origins = new WeakMap<Duplex, URL>();
  readonly #sockets = new Set<Duplex>();

  constructor(options: EgressProxyOptions) {
    this.#options = options;
    // Large uploads take as long as they take; a header has a limit.
    const limits = { requestTimeout: 0, keepAliveTimeout: 30_000 };
    this.#outer = createServer(limits, (request, response) => void this.#answerOuter(request, response));
    this.#outer.on('connect', (request, socket, head) => void this.#connect(request, socket, head));
    this.#outer.on('connection', (socket) => this.#keep(socket));
    this.#inner = createServer(limits, (request, response) => void this.#answerInner(request, response));
  }

  /** Resolves to the port. */
  start(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#outer.once('error', reject);
      this.#outer.listen(0, '127.0.0.1', () => resolve((this.#outer.address() as AddressInfo).port));
    });
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#outer.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #answerOuter(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const role = this.#roleOf(request);
    if (role === undefined) return refuseUnknown(response);
    if (role === 'owner') {
      if (request.url === FOLLOW_PATH) this.#options.follow(response);
      else writeError(response, new HomeportError('not_found', 'There is nothing at this address.'));
      return;
    }
    const url = URL.parse(request.url ?? '');
    // Only the absolute form names a host (RFC 9112, 3.2.2).
    if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
      return writeError(
        response,
        new HomeportError('invalid_uri_params', 'This is an HTTP proxy: send it an address.'),
      );
    await this.#forward(request, response, url);
  }

  async #answerInner(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = this.#origins.get(request.socket);
    const target = request.url ?? '';
    const url = origin && URL.parse(target.startsWith('/') ? origin.origin + target : target);
    if (!origin || !url)
      return writeError(response, new HomeportError('invalid_uri_params', 'The address is not valid.'));
    const named = origin && URL.parse(`${origin.protocol}//${request.headers.host ?? ''}`);
    if (url.origin !== origin.origin || named?.origin !== origin.origin)
      return writeError(
        response,
        new HomeportError(
          'misdirected_request',
          `The request names another host than ${origin.host}, to which it was sent.`,
        ),
      );
    await this.#forward(request, response, url);
  }

  async #forward(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    // The address that is read here is the one that is sent: a fragment is no part of it.
    url.hash = '';
    try {
      await this.#options.forward(request, response, url);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else writeError(response, this.#expected(error));
    }
  }

  async #connect(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    if (this.#roleOf(request) !== 'command')
      return endWith(socket, 407, 'Proxy Authentication Required', ANSWER_UNKNOWN, [`proxy-authenticate: ${REALM}`]);
    const target = request.url ?? '';
    const url = URL.parse(`https://${target}`);
    if (!url || !/:\d+$/.test(target) || url.pathname !== '/' || url.search !== '' || url.username !== '')
      return endWith(
        socket,
        400,
        'Bad Request',
        errorText(new HomeportError('invalid_uri_params', 'Name a host and a port.')),
      );
    const plain = new URL(url.href.replace(/^https/, 'http'));
    plain.port = String(portOf(url));
    const isOpened = { https: this.#options.opens(url), http: this.#options.opens(plain) };
    if (isOpened.https || isOpened.http) {
      socket.write(ESTABLISHED);
      const isTls = await startsTls(socket, head);
      if (isTls === undefined) return;
      if (isTls && isOpened.https) return this.#open(socket, url);
      if (!isTls && isOpened.http) return this.#serve(socket, plain);
      socket.destroy();
      return;
    }
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    try {
      const upstream = await this.#options.connect(url, gone.signal);
      this.#keep(upstream);
      upstream.on('error', () => socket.destroy());
      socket.once('close', () => upstream.destroy());
      upstream.once('close', () => socket.destroy());
      socket.write(ESTABLISHED);
      if (head.length > 0) upstream.write(head);
      socket.pipe(upstream).pipe(socket);
    } catch (error) {
      const known = this.#expected(error);
      endWith(socket, known.status, 'Refused', errorText(known));
    }
  }

  /** Takes the place of the host: the command speaks TLS with a certificate of the run. */
  #open(socket: Duplex, url: URL): void {
    const host = bareHost(url.hostname);
    const secured = new TLSSocket(socket as Socket, {
      isServer: true,
      secureContext: this.#options.certificates.contextOf(host),
      // Programs that ask for another host inside of this tunnel get no TLS. An IP address is never asked for (RFC 6066).
      SNICallback: (name, done) =>
        isIP(host) !== 0 || name.toLowerCase() === host.toLowerCase()
          ? done(null, this.#options.certificates.contextOf(host))
          : done(new Error('another host')),
      ALPNProtocols: ['http/1.1'],
    });
    secured.on('error', () => socket.destroy());
    this.#keep(secured);
    this.#serve(secured, url);
  }

  /** Answers the requests of a tunnel in the place of the host. */
  #serve(socket: Duplex, url: URL): void {
    this.#origins.set(socket, url);
    this.#inner.emit('connection', socket);
  }

  #roleOf({ headers }: IncomingMessage): 'command' | 'owner' | undefined {
    const encoded = /^basic +(\S+)$/i.exec(headers['proxy-authorization'] ?? '')?.[1] ?? '';
    const given = Buffer.from(encoded, 'base64').toString();
    if (isSame(given, `run:${this.#options.secret}`)) return 'command';
    return isSame(given, `owner:${this.#options.ownerSecret}`) ? 'owner' : undefined;
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #expected(error: unknown): HomeportError {
    if (error instanceof HomeportError) return error;
    this.#options.onUnexpected(error);
    return new HomeportError('server_error', UNEXPECTED_ERROR);
  }
}

const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
/** The first byte of TLS (RFC 8446, 5.1). */
const TLS_HANDSHAKE = 0x16;
const ANSWER_UNKNOWN = errorText(
  new HomeportError(
    'forbidden',
    'This proxy belongs to one run of "homeport run" and takes requests of its command only.',
  ),
);

function refuseUnknown(response: ServerResponse): void {
  response.writeHead(407, { 'proxy-authenticate': REALM, 'content-type': 'application/json' });
  response.end(ANSWER_UNKNOWN);
}

/** Whether the command begins with TLS; undefined when it says nothing. What was read is read again. */
async function startsTls(socket: Duplex, head: Buffer): Promise<boolean | undefined> {
  if (head.length > 0) socket.unshift(head);
  while (socket.readableLength === 0) {
    if (socket.readableEnded || socket.destroyed) return undefined;
    await new Promise<void>((resolve) => {
      for (const event of ['readable', 'end', 'close'] as const) socket.once(event, () => resolve());
    });
  }
  const chunk = socket.read() as Buffer;
  socket.unshift(chunk);
  return chunk[0] === TLS_HANDSHAKE;
}

function endWith(socket: Duplex, status: number, reason: string, body: string, headers: string[] = []): void {
  const length = Buffer.byteLength(body);
  const lines = ['content-type: application/json', `content-length: ${length}`, 'connection: close', ...headers];
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

function writeError(response: ServerResponse, error: HomeportError): void {
  // What was not read of the request would be taken for the next one.
  if (error.retryAfterS !== undefined) response.setHeader('retry-after', error.retryAfterS);
  response.writeHead(error.status, { 'content-type': 'application/json', connection: 'close' });
  response.end(errorText(error));
}

function errorText({ code, message, payload }: HomeportError): string {
  return `${JSON.stringify({ error: { code, message, payload } })}\n`;
}

function isSame(given: string, known: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(known)];
  return a.length === b.length && timingSafeEqual(a, b);
}
