import type { RequestHandler, Response } from 'express';
import type { Clock } from '../platform/lib/clock.ts';
import { PracticeError } from './practice-error.ts';

export type SimulatedFailure = 'unauthorized' | 'rate_limited' | 'server_error' | 'timeout' | 'broken_record';

/** Times are in milliseconds since the epoch. */
export interface Simulation {
  kind: SimulatedFailure;
  startedAt: number;
  endsAt: number;
}

const RETRY_AFTER_S = 5;
/** How long a caller waits for an answer that does not come before its connection is closed. */
const SILENCE_MS = 30_000;

/** A failure of the whole API for some minutes, chosen by a person who wants to see what the hub does. */
export class PracticeSimulation {
  readonly #clock: Clock;
  #running: Simulation | undefined;
  #end = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Undefined when the provider works. A clock that was set back ends the failure. */
  current(): Simulation | undefined {
    const now = this.#clock.now();
    if (this.#running && (now >= this.#running.endsAt || now < this.#running.startedAt)) this.end();
    return this.#running;
  }

  /** Replaces a failure that runs. */
  start(kind: SimulatedFailure, durationMs: number): Simulation {
    this.end();
    const startedAt = this.#clock.now();
    this.#running = { kind, startedAt, endsAt: startedAt + durationMs };
    return this.#running;
  }

  /** Requests that wait for an answer are closed. */
  end(): void {
    this.#running = undefined;
    this.#end.abort();
    this.#end = new AbortController();
  }

  /** The part of the API that fails. */
  handler(): RequestHandler {
    return async (request, response, next) => {
      switch (this.current()?.kind) {
        case 'unauthorized':
          throw new PracticeError(401, 'invalid_key', 'The tracker refuses every credential (a simulated failure).', {
            challenge: 'Bearer realm="practice", error="invalid_token"',
          });
        case 'rate_limited':
          response.set('retry-after', String(RETRY_AFTER_S));
          throw new PracticeError(429, 'rate_limited', 'Too many requests (a simulated failure).');
        case 'server_error':
          throw new PracticeError(500, 'internal_error', 'The tracker failed (a simulated failure).');
        case 'timeout':
          await this.#wait(response);
          request.socket.destroy();
          return;
        case 'broken_record':
          breakAnswer(response);
          return next();
        case undefined:
          return next();
      }
    };
  }

  /** Until the silence, the failure or the connection ends. */
  async #wait(response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await this.#clock.sleep(SILENCE_MS, AbortSignal.any([gone.signal, this.#end.signal])).catch(() => {
      // The caller left, or the failure ended: both end the wait.
    });
  }
}

/** The first record of the answer has no id and a number as its title. */
function breakAnswer(response: Response): void {
  const send = response.json.bind(response);
  response.json = (body: unknown) => send(withBrokenRecord(body));
}

function withBrokenRecord(body: unknown): unknown {
  if (Array.isArray(body)) return isRecord(body[0]) ? [broken(body[0]), ...body.slice(1)] : body;
  if (!isRecord(body)) return body;
  if ('id' in body) return broken(body);
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, Array.isArray(value) ? withBrokenRecord(value) : value]),
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const broken = (record: Record<string, unknown>): Record<string, unknown> => ({
  ...record,
  id: null,
  ...('title' in record ? { title: 42 } : {}),
});
