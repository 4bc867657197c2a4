import type { ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import type { DashboardEvent, DashboardEventName } from '../../contract/dashboard/dashboard-events.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';

interface Audience {
  ring: EventRing;
  readers: Set<EventReader>;
}

/** Events kept per environment for pages that reconnect. */
const KEPT_EVENTS = 1000;
const HEARTBEAT_MS = 15_000;
/** Bytes that may be queued for a slow page. Beyond this the page loses events and has to load its data again. */
const WAITING_LIMIT_BYTES = 1024 * 1024;

/** Sends events to every connected page, numbered per environment. */
export class EventBroadcaster {
  readonly #clock: Clock;
  readonly #epoch: string;
  readonly #audiences = new Map<number, Audience>();
  #heartbeat: Timer | undefined;
  #isStopped = false;

  /** `epoch` is a text that is different at every start. */
  constructor(options: { clock: Clock; epoch: string }) {
    this.#clock = options.clock;
    this.#epoch = options.epoch;
  }

  /**
   * Whether a page has connected since the start. Before that no event is kept, because no page can have missed one.
   */
  hasListeners(environmentId: number): boolean {
    return this.#audiences.has(environmentId);
  }

  publish<Name extends DashboardEventName>(environmentId: number, name: Name, data: DashboardEvent<Name>): void {
    const audience = this.#audiences.get(environmentId);
    if (!audience) return;
    const { ring, readers } = audience;
    const event = ring.add(name, data);
    for (const reader of readers) reader.send(event);
  }

  /** Id of the newest event. A stream that is opened with this id misses no event. */
  lastId(environmentId: number): string {
    return this.#audience(environmentId).ring.lastId;
  }

  /** Writes the stream until the page disconnects or the server stops. */
  open(environmentId: number, response: ServerResponse, lastEventId: string | undefined): void {
    const { ring, readers } = this.#audience(environmentId);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.flushHeaders();
    const reader = new EventReader(response, () => ring.lastId);
    reader.beat();
    const missed = lastEventId === undefined ? [] : ring.since(lastEventId);
    if (missed) for (const event of missed) reader.send(event);
    else reader.reset();
    if (this.#isStopped) {
      reader.end();
      return;
    }
    readers.add(reader);
    response.once('close', () => readers.delete(reader));
    this.#heartbeat ??= this.#clock.after(HEARTBEAT_MS, () => this.#beat());
  }

  /** Ends the streams of an environment whose name leads nowhere any more. Their pages learn it when they connect again. */
  end(environmentId: number): void {
    for (const reader of this.#audiences.get(environmentId)?.readers ?? []) reader.end();
  }

  /** Ends every stream: an open one would keep the server from closing. */
  stop(): void {
    this.#isStopped = true;
    this.#heartbeat?.cancel();
    for (const { readers } of this.#audiences.values()) for (const reader of readers) reader.end();
  }

  #beat(): void {
    const readers = [...this.#audiences.values()].flatMap((audience) => [...audience.readers]);
    for (const reader of readers) reader.beat();
    this.#heartbeat =
      readers.length > 0 && !this.#isStopped ? this.#clock.after(HEARTBEAT_MS, () => this.#beat()) : undefined;
  }

  #audience(environmentId: number): Audience {
    const known = this.#audiences.get(environmentId);
    if (known) return known;
    const fresh: Audience = { ring: new EventRing({ size: KEPT_EVENTS, epoch: this.#epoch }), readers: new Set() };
    this.#audiences.set(environmentId, fresh);
    return fresh;
  }
}

/** One open stream to a page. */
export class EventReader {
  readonly #response: Writable;
  readonly #lastId: () => string;
  #isBehind = false;

  /** `lastId` returns the id of the newest event; a page that lost events continues from it. */
  constructor(response: Writable, lastId: () => string) {
    this.#response = response;
    this.#lastId = lastId;
  }

  send(event: StreamEvent): void {
    if (this.#isBehind) return;
    this.#response.write(event.text);
    if (this.#response.writableLength <= WAITING_LIMIT_BYTES) return;
    this.#isBehind = true;
    this.#response.once('drain', () => {
      this.#isBehind = false;
      this.reset();
    });
  }

  /** Tells the page to load its data again. */
  reset(): void {
    this.send(new StreamEvent(this.#lastId(), 'reset', {}));
  }

  /** Writes a comment that keeps the connection open, unless other data is already waiting for the page. */
  beat(): void {
    if (!this.#isBehind) this.#response.write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }
}

/** One event in its wire form. The text is made once, when the first page needs it. */
export class StreamEvent {
  readonly id: string;
  readonly #name: DashboardEventName;
  readonly #data: unknown;
  #text: string | undefined;

  constructor(id: string, name: DashboardEventName, data: unknown) {
    this.id = id;
    this.#name = name;
    this.#data = data;
  }

  get text(): string {
    this.#text ??= `id: ${this.id}\nevent: ${this.#name}\ndata: ${JSON.stringify(this.#data)}\n\n`;
    return this.#text;
  }
}

/** The newest events of one environment, numbered, for pages that reconnect. */
export class EventRing {
  readonly #size: number;
  /** Distinguishes ids of this start from ids of an earlier one. */
  readonly #epoch: string;
  readonly #events: StreamEvent[] = [];
  #count = 0;

  constructor(options: { size: number; epoch: string }) {
    this.#size = options.size;
    this.#epoch = options.epoch;
  }

  get lastId(): string {
    return `${this.#epoch}-${this.#count}`;
  }

  add(name: DashboardEventName, data: unknown): StreamEvent {
    this.#count += 1;
    const event = new StreamEvent(this.lastId, name, data);
    this.#events[this.#count % this.#size] = event;
    return event;
  }

  /** Returns the events after the given id; undefined when they are no longer kept. */
  since(id: string): StreamEvent[] | undefined {
    const [epoch, number] = id.split('-');
    const seen = Number(number);
    if (epoch !== this.#epoch || !Number.isInteger(seen) || seen < 0 || seen > this.#count) return undefined;
    if (this.#count - seen > this.#size) return undefined;
    return Array.from(
      { length: this.#count - seen },
      (_, index) => this.#events[(seen + 1 + index) % this.#size],
    ).filter((event) => event !== undefined);
  }
}
