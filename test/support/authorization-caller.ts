import { on } from 'node:events';
import { WebSocket } from 'ws';
import type { ServerAddress } from './start-server.ts';

/** A page's socket: `next` resolves to the next message. */
export interface WaitingPage {
  id: string;
  ack: Record<string, unknown>;
  next(): Promise<Record<string, unknown>>;
  close(): void;
}

export interface StartParts {
  token: string;
  page?: WaitingPage;
  /** Further parameters, in query syntax. */
  query?: Record<string, string>;
  accept?: string;
}

/** The requests of an application, its page and the pop-up during an authorization. */
export class AuthorizationCaller {
  readonly #server: ServerAddress;

  constructor(server: ServerAddress) {
    this.#server = server;
  }

  /** The application's backend requests a session. */
  async newSession(body: object = {}, path = '/connect/sessions'): Promise<string> {
    const response = await fetch(this.#server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#server.secretKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ end_user: { id: 'u1', email: 'u1@example.test' }, ...body }),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return (JSON.parse(text) as { data: { token: string } }).data.token;
  }

  async openPage(): Promise<WaitingPage> {
    const socket = new WebSocket(this.#server.url.replace('http', 'ws'));
    const messages = on(socket, 'message');
    const next = async (): Promise<Record<string, unknown>> => {
      const { value } = (await messages.next()) as { value: [Buffer] };
      return JSON.parse(String(value[0])) as Record<string, unknown>;
    };
    const ack = await next();
    return { id: String(ack['ws_client_id']), ack, next, close: () => socket.close() };
  }

  /** Opens the pop-up; the response is not followed. */
  start(key: string, { token, page, query = {}, accept = '*/*' }: StartParts): Promise<Response> {
    const url = new URL(`/oauth/connect/${encodeURIComponent(key)}`, this.#server.url);
    const params = {
      ...(token === '' ? {} : { connect_session_token: token }),
      ...(page ? { ws_client_id: page.id } : {}),
      ...query,
    };
    for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
    return fetch(url, { redirect: 'manual', headers: { accept } });
  }

  /** The address of the provider's page; fails when there is none. */
  async startAt(key: string, parts: StartParts): Promise<string> {
    const response = await this.start(key, parts);
    const location = response.headers.get('location');
    if (response.status === 302 && location) return location;
    throw new Error(`The sign-in did not start: ${response.status} ${await response.text()}`);
  }
}
