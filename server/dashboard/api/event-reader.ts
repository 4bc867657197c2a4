import type { Writable } from 'node:stream';
import { StreamEvent } from './event-ring.ts';

/** Bytes that may be queued for a slow page. Beyond this the page loses events and has to load its data again. */
const WAITING_LIMIT_BYTES = 1024 * 1024;

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
