import type { DashboardEvent, DashboardEventName } from '../../../server/contract/dashboard/dashboard-events.ts';
import { retryDelayMs } from '../query-client.ts';
import { sessionHeader } from '../session-token.ts';
import { type ServerEvent, SseParser } from './sse-parser.ts';

export type StreamState = 'connecting' | 'open' | 'reconnecting' | 'refused';
type Listener<Name extends DashboardEventName> = (data: DashboardEvent<Name>) => void;

/**
 * The server's events of one environment over fetch, because the browser's own EventSource neither tells a 401
 * from a restart nor lets us set `Last-Event-ID` after our own back-off.
 */
export class EventStream {
  readonly #environment: string;
  readonly #listeners = new Map<string, Set<Listener<never>>>();
  readonly #stateListeners = new Set<() => void>();
  #state: StreamState = 'connecting';
  #lastId: string | undefined;
  #abort: AbortController | undefined;

  constructor(environment: string) {
    this.#environment = environment;
  }

  get state(): StreamState {
    return this.#state;
  }

  on<Name extends DashboardEventName>(name: Name, listener: Listener<Name>): () => void {
    const set = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, set.add(listener as Listener<never>));
    return () => set.delete(listener as Listener<never>);
  }

  onState(listener: () => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  start(): void {
    this.#abort = new AbortController();
    void this.#run(this.#abort.signal);
  }

  stop(): void {
    this.#abort?.abort();
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const response = await this.#open(signal);
        if (response.status === 401) return this.#setState('refused');
        if (response.ok && response.body) {
          attempt = 0;
          this.#setState('open');
          await this.#read(response.body);
        }
      } catch {
        // Whatever cut the stream, the answer is the same: try again.
      }
      if (signal.aborted) return;
      this.#setState('reconnecting');
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs(attempt)));
    }
  }

  #open(signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { accept: 'text/event-stream', ...sessionHeader() };
    if (this.#lastId !== undefined) headers['last-event-id'] = this.#lastId;
    return fetch(`/api/v1/events?env=${encodeURIComponent(this.#environment)}`, { headers, signal });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      for (const event of parser.push(decoder.decode(part.value, { stream: true }))) this.#deliver(event);
    }
  }

  #deliver(event: ServerEvent): void {
    if (event.id !== undefined) this.#lastId = event.id;
    const data: unknown = JSON.parse(event.data);
    for (const listener of this.#listeners.get(event.event) ?? []) (listener as (data: unknown) => void)(data);
  }

  #setState(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener();
  }
}
