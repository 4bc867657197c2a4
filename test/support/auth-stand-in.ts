import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { callbackPage, providerPage } from './auth-stand-in-pages.ts';

/** A received authorization call; calls that the protocol does not allow are refused before. */
export interface AuthorizationCall {
  path: string;
  query: Record<string, string>;
  body: unknown;
}

interface Refusal {
  code: string;
  message: string;
}

const MODES: Record<string, string[]> = {
  'api-auth/api-key': ['apiKey'],
  'api-auth/basic': ['username', 'password'],
  'auth/unauthenticated': [],
  'oauth2/auth': ['client_id', 'client_secret', 'client_certificate', 'client_private_key'],
};
const QUERY = /^(connect_session_token|ws_client_id|params\[.+\]|credentials\[oauth_\w+_override\])$/;
const CORS = { 'access-control-allow-origin': '*' };

/**
 * The authorization endpoints and their socket (auth-and-connect.md 1 and 2), in front of a real hub that answers
 * everything else. It refuses calls that violate the protocol, and ends authorizations as the test decides.
 */
export class AuthStandIn {
  readonly calls: AuthorizationCall[] = [];
  /** Telemetry, and the hub's response to it. */
  readonly notes: Array<{ body: unknown; status: number }> = [];
  /** Blocks the next calls until it resolves. */
  gate: Promise<void> = Promise.resolve();
  /** The provider's page isolates the window from the page that opened it. */
  isolatesProvider = false;
  /** The socket's message about a success. */
  isPending = false;
  readonly #hubUrl: string;
  readonly #sockets = new Map<string, WebSocket>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  readonly #upgrades = new WebSocketServer({ server: this.#server, path: '/' });
  #refusal: (Refusal & { status: number }) | undefined;

  private constructor(hubUrl: string) {
    this.#hubUrl = hubUrl;
    this.#upgrades.on('connection', (socket) => {
      const id = randomUUID();
      this.#sockets.set(id, socket);
      socket.on('close', () => this.#sockets.delete(id));
      socket.send(JSON.stringify({ message_type: 'connection_ack', ws_client_id: id }));
    });
  }

  /** As after the start: what the test before set and called is forgotten. */
  reset(): void {
    this.calls.length = 0;
    this.isolatesProvider = false;
    this.isPending = false;
  }

  static async start(hubUrl: string): Promise<AuthStandIn> {
    const standIn = new AuthStandIn(hubUrl);
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openSockets(): number {
    return this.#sockets.size;
  }

  /** Answers the next call with this error. */
  refuseNext(status: number, code: string, message: string): void {
    this.#refusal = { status, code, message };
  }

  /** Ends every socket without a result, as a restart of the server does. */
  dropSockets(): void {
    for (const socket of this.#sockets.values()) socket.terminate();
  }

  async stop(): Promise<void> {
    this.dropSockets();
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const [, mode = '', key = ''] = /^\/((?:api-auth|auth|oauth2)\/[a-z0-9-]+)\/([^/]+)$/.exec(url.pathname) ?? [];
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const method = request.method ?? 'GET';
    if (method === 'POST' && mode) await this.#takeCredentials(mode, key, url, body, request, response);
    else if (method === 'GET' && url.pathname.startsWith('/oauth/connect/'))
      await this.#startAuthorization(url, response);
    else if (method === 'GET' && url.pathname === '/oauth/callback') this.#endAuthorization(url, response);
    else await this.#forward(method, request, body, response);
  }

  async #takeCredentials(
    mode: string,
    key: string,
    url: URL,
    bytes: Buffer,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const body: unknown = bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
    const names = Object.keys((body as object | undefined) ?? {});
    const problem =
      (await this.#queryProblem(url)) ??
      (names.some((name) => !MODES[mode]?.includes(name)) ? `${mode} does not take ${names.join(', ')}` : undefined) ??
      (body !== undefined && request.headers['content-type'] !== 'application/json'
        ? 'the body is no JSON'
        : undefined);
    if (problem !== undefined) return refuse(response, 400, { code: 'invalid_body', message: problem });
    this.calls.push({ path: url.pathname, query: Object.fromEntries(url.searchParams), body });
    await this.gate;
    if (!(await this.#isSession(url))) {
      return refuse(response, 401, { code: 'unknown_connect_session_token', message: 'The session is over.' });
    }
    const refusal = this.#refusal;
    this.#refusal = undefined;
    if (refusal) return refuse(response, refusal.status, refusal);
    respond(response, 200, { connectionId: randomUUID(), providerConfigKey: decodeURIComponent(key) });
  }

  async #startAuthorization(url: URL, response: ServerResponse): Promise<void> {
    const clientId = url.searchParams.get('ws_client_id') ?? '';
    const problem = this.#sockets.has(clientId) ? await this.#queryProblem(url) : 'no socket of this id is open';
    if (problem !== undefined) return refuse(response, 400, { code: 'invalid_query_params', message: problem });
    const key = decodeURIComponent(url.pathname.slice('/oauth/connect/'.length));
    this.calls.push({ path: url.pathname, query: Object.fromEntries(url.searchParams), body: undefined });
    const headers = this.isolatesProvider ? { 'cross-origin-opener-policy': 'same-origin' } : {};
    sendPage(response, 200, providerPage(key, `${key}~${clientId}`), headers);
  }

  /** `state` is `<integration>~<socket>`; `error` as a provider sends it. */
  #endAuthorization(url: URL, response: ServerResponse): void {
    const [key = '', clientId = ''] = (url.searchParams.get('state') ?? '').split('~');
    const error = url.searchParams.get('error');
    const socket = this.#sockets.get(clientId);
    this.#sockets.delete(clientId);
    if (error !== null) {
      const message = `The provider said: ${error}`;
      socket?.send(JSON.stringify({ message_type: 'error', error_type: 'callback_err', error_desc: message }));
      const payload = { message: JSON.stringify({ error }), errorType: 'callback_err' };
      return sendPage(response, 400, callbackPage({ type: 'nango_oauth_callback_error', payload }));
    }
    const ids = { provider_config_key: key, connection_id: randomUUID() };
    socket?.send(JSON.stringify({ message_type: 'success', ...ids, is_pending: this.isPending }));
    sendPage(response, 200, callbackPage({ type: 'nango_oauth_callback_success' }));
  }

  async #queryProblem(url: URL): Promise<string | undefined> {
    const unknown = [...url.searchParams.keys()].find((name) => !QUERY.test(name));
    return unknown === undefined ? undefined : `the query does not take ${unknown}`;
  }

  async #isSession(url: URL): Promise<boolean> {
    const authorization = `Bearer ${url.searchParams.get('connect_session_token')}`;
    return (await fetch(`${this.#hubUrl}/connect/session`, { headers: { authorization } })).ok;
  }

  async #forward(method: string, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const given = await fetch(`${this.#hubUrl}${request.url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]) as [string, string][],
      redirect: 'manual',
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    });
    if (method === 'POST' && request.url === '/connect/telemetry')
      this.notes.push({ body: JSON.parse(body.toString()), status: given.status });
    const { 'content-encoding': _encoding, 'content-length': _length, ...kept } = Object.fromEntries(given.headers);
    response.writeHead(given.status, kept).end(Buffer.from(await given.arrayBuffer()));
  }
}

function refuse(response: ServerResponse, status: number, { code, message }: Refusal): void {
  respond(response, status, { error: { code, message } });
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { ...CORS, 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendPage(response: ServerResponse, status: number, html: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(html);
}
