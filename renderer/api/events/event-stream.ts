import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { DashboardEvent, DashboardEventName } from '../../../server/contract/dashboard/dashboard-events.ts';
import { retryDelayMs } from '../query-client.ts';
import { sessionHeader } from '../session-token.ts';

export type StreamState = 'connecting' | 'open' | 'reconnecting' | 'refused';
type Listener<Name extends DashboardEventName> = (data: DashboardEvent<Name>) => void;

/** Messages between tabs: events from the tab that holds the stream, and the request for the last ones of a new tab. */
type TabMessage =
  | { kind: 'event'; event: EventSourceMessage }
  | { kind: 'state'; state: StreamState; lastId: string | undefined }
  | { kind: 'question' };

/**
 * The server's events of one environment over fetch, because EventSource neither tells a 401 from a restart nor
 * lets us set `Last-Event-ID` after our own back-off. One tab of a browser holds the stream and forwards its events
 * to the others; when it closes, the next tab continues after the last event.
 */
export class EventStream {
  readonly #environment: string;
  readonly #listeners = new Map<string, Set<Listener<never>>>();
  readonly #everyListener = new Set<(name: DashboardEventName, data: never) => void>();
  readonly #stateListeners = new Set<() => void>();
  #state: StreamState = 'connecting';
  #lastId: string | undefined;
  #abort: AbortController | undefined;
  /** To the other tabs; absent until the start, and where the browser has no locks. */
  #tabs: BroadcastChannel | undefined;
  #hasStream = false;

  /** `lastId`: id of the event after which the stream begins. Data fetched since then is updated by the events after it. */
  constructor(environment: string, lastId: string | undefined) {
    this.#environment = environment;
    this.#lastId = lastId;
  }

  /** Name of the lock and of the channel between tabs. */
  get #name(): string {
    return `homeport-events-${this.#environment}`;
  }

  /** Whether this tab has the stream: what one tab is to do, for example a sound, is done by it. */
  get hasStream(): boolean {
    return this.#hasStream;
  }

  /** The id of the newest event, with which a later stream of this environment goes on. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  get state(): StreamState {
    return this.#state;
  }

  on<Name extends DashboardEventName>(name: Name, listener: Listener<Name>): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set.add(listener as Listener<never>));
    return () => set.delete(listener as Listener<never>);
  }

  /** Hears events of every name, after those who listen to one. */
  onEvery(listener: (name: DashboardEventName, data: never) => void): () => void {
    this.#everyListener.add(listener);
    return () => this.#everyListener.delete(listener);
  }

  onState(listener: () => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  start(): void {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    if ('locks' in navigator) this.#joinTabs(signal);
    void this.#run(signal);
  }

  stop(): void {
    this.#abort?.abort();
  }

  #joinTabs(signal: AbortSignal): void {
    const tabs = new BroadcastChannel(this.#name);
    this.#tabs = tabs;
    tabs.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#onTabMessage(data);
    signal.addEventListener('abort', () => {
      this.#tabs = undefined;
      tabs.close();
    });
    tabs.postMessage({ kind: 'question' } satisfies TabMessage);
  }

  #onTabMessage(message: TabMessage): void {
    if (message.kind === 'question') {
      if (this.#hasStream) this.#tellState();
    } else if (this.#hasStream) return;
    else if (message.kind === 'event') this.#deliver(message.event);
    else {
      this.#lastId = message.lastId ?? this.#lastId;
      this.#setState(message.state);
    }
  }

  #tellState(): void {
    this.#tabs?.postMessage({ kind: 'state', state: this.#state, lastId: this.#lastId } satisfies TabMessage);
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const wasOpen = await this.#inTurn(signal, () => this.#connect(signal));
      if (signal.aborted || this.#state === 'refused') return;
      if (wasOpen) attempt = 0;
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    }
  }

  /** Waits until no other tab holds the stream. A tab that lost it queues behind the others, as a hidden tab may wait long. */
  async #inTurn(signal: AbortSignal, connect: () => Promise<boolean>): Promise<boolean> {
    if (!this.#tabs) return connect();
    try {
      return await navigator.locks.request(this.#name, { signal }, connect);
    } catch (error) {
      // The stream was stopped before this tab got the lock.
      if (signal.aborted) return false;
      throw error;
    }
  }

  /** Resolves when the stream has ended, to whether it was ever open. */
  async #connect(signal: AbortSignal): Promise<boolean> {
    this.#hasStream = true;
    let wasOpen = false;
    try {
      const response = await this.#open(signal);
      // Not signed in any more, or an environment that was deleted or renamed: trying again does not help.
      if (response.status === 401 || response.status === 404) {
        this.#setState('refused');
        this.#hasStream = false;
        return false;
      }
      if (response.ok && response.body) {
        wasOpen = true;
        this.#setState('open');
        await this.#read(response.body);
      }
    } catch (error) {
      // A request that failed or a body that broke off is a TypeError, a stopped one a DOMException: both mean to reconnect.
      if (!(error instanceof TypeError || error instanceof DOMException)) throw error;
    }
    if (!signal.aborted) this.#setState('reconnecting');
    this.#hasStream = false;
    return wasOpen;
  }

  #open(signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'text/event-stream', ...sessionHeader() };
    if (this.#lastId !== undefined) headers['last-event-id'] = this.#lastId;
    return fetch(`/api/v1/events?env=${encodeURIComponent(this.#environment)}`, { headers, signal });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({ onEvent: (event) => this.#deliver(event) });
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  }

  #deliver(event: EventSourceMessage): void {
    if (this.#hasStream) this.#tabs?.postMessage({ kind: 'event', event } satisfies TabMessage);
    if (event.id !== undefined) this.#lastId = event.id;
    const listeners = this.#listeners.get(event.event ?? 'message') ?? new Set();
    try {
      const data: unknown = JSON.parse(event.data);
      for (const listener of listeners) callSafely(listener as (data: unknown) => void, data);
      const name = event.event as DashboardEventName;
      for (const listener of this.#everyListener) callSafely((one) => listener(name, one as never), data);
    } catch (error) {
      // Text that is not JSON is an error of the server; the stream and its further events are well.
      reportError(error);
    }
  }

  #setState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    if (this.#hasStream) this.#tellState();
    for (const listener of this.#stateListeners) listener();
  }
}

/** An error of one listener is reported, and keeps neither the other listeners nor the stream from going on. */
function callSafely(listener: (data: unknown) => void, data: unknown): void {
  try {
    listener(data);
  } catch (error) {
    reportError(error);
  }
}
