import type { ServerResponse } from 'node:http';
import type { DashboardEvent, DashboardEventName } from '../../contract/dashboard/dashboard-events.ts';
import type { Clock, Timer } from '../../platform/lib/clock.ts';
import { EventReader } from './event-reader.ts';
import { EventRing } from './event-ring.ts';

interface Audience {
  ring: EventRing;
  readers: Set<EventReader>;
}

/** Events kept per environment for pages that reconnect. */
const KEPT_EVENTS = 1000;
const HEARTBEAT_MS = 15_000;

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
