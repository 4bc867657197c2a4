import { EventEmitter } from 'node:events';
import type { CDPSession } from 'playwright-core';
import { WebSocket } from 'ws';

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

/** One target of the browser, or the browser itself. Names and values are those of the protocol, as Playwright types them. */
export class CdpTarget {
  readonly #events = new EventEmitter();
  readonly #post: (method: string, params: unknown) => Promise<unknown>;

  constructor(post: (method: string, params: unknown) => Promise<unknown>) {
    this.#post = post;
  }

  send = ((method: string, params: unknown = {}) => this.#post(method, params)) as CDPSession['send'];
  on = ((name: string, listener: (params: never) => void) => {
    this.#events.on(name, listener as (params: unknown) => void);
    return this;
  }) as unknown as CDPSession['on'];

  receive(method: string, params: unknown): void {
    this.#events.emit(method, params);
  }
}

/** The connection to the browser, with a session for each of its targets. */
export class CdpLink {
  readonly browser: CdpTarget;
  readonly #socket: WebSocket;
  readonly #targets = new Map<string, CdpTarget>();
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.browser = new CdpTarget((method, params) => this.#post(method, params));
    socket.on('message', (data) => this.#receive(JSON.parse(String(data)) as Message));
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('The browser has ended.'));
      this.#waiting.clear();
    });
  }

  static async open(url: string): Promise<CdpLink> {
    const socket = new WebSocket(url, { perMessageDeflate: false, maxPayload: 256 * 1024 * 1024 });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new CdpLink(socket);
  }

  target(sessionId: string): CdpTarget {
    const known = this.#targets.get(sessionId);
    if (known) return known;
    const target = new CdpTarget((method, params) => this.#post(method, params, sessionId));
    this.#targets.set(sessionId, target);
    return target;
  }

  close(): void {
    this.#socket.close();
  }

  #post(method: string, params: unknown, sessionId?: string): Promise<unknown> {
    this.#lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, answer);
    this.#socket.send(JSON.stringify({ id: this.#lastId, method, params, ...(sessionId ? { sessionId } : {}) }));
    return answer.promise;
  }

  #receive({ id, sessionId, method, params, result, error }: Message): void {
    if (id === undefined) {
      const target = sessionId ? this.target(sessionId) : this.browser;
      return target.receive(method ?? '', params);
    }
    const answer = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) answer?.reject(new Error(error.message));
    else answer?.resolve(result);
  }
}
