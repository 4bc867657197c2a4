import type { Writable } from 'node:stream';
import { StreamEvent } from './event-ring.ts';

/** Bytes that may wait for a slow reader before it loses events and has to start over. */
const WAITING_LIMIT_BYTES = 1024 * 1024;

/** One open stream to a page. */
export class EventReader {
  readonly #response: Writable;
  readonly #lastId: () => string;
  #isBehind = false;

  /** `lastId`: of the newest event, from which a reader that lost some goes on. */
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

  /** Tells the page to fetch again what it shows. */
  reset(): void {
    this.send(new StreamEvent(this.#lastId(), 'reset', {}));
  }

  /** A comment keeps the connection open; a reader that is behind has enough to read. */
  beat(): void {
    if (!this.#isBehind) this.#response.write(':\n\n');
  }

  end(): void {
    this.#response.end();
  }
}
