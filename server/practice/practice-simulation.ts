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

export type PracticeSimulation = ReturnType<typeof createPracticeSimulation>;

/** A failure of the whole API for some minutes, chosen by a person who wants to see what the hub does. */
export function createPracticeSimulation(clock: Clock) {
  let running: Simulation | undefined;
  let ending = new AbortController();

  /** Requests that wait for an answer are closed. */
  function end(): void {
    running = undefined;
    ending.abort();
    ending = new AbortController();
  }

  /** Undefined when the provider works. A clock that was set back ends the failure. */
  function current(): Simulation | undefined {
    const now = clock.now();
    if (running && (now >= running.endsAt || now < running.startedAt)) end();
    return running;
  }

  /** Replaces a failure that runs. */
  function start(kind: SimulatedFailure, durationMs: number): Simulation {
    end();
    const startedAt = clock.now();
    running = { kind, startedAt, endsAt: startedAt + durationMs };
    return running;
  }

  /** Until the silence, the failure or the connection ends. */
  async function wait(response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await clock.sleep(SILENCE_MS, AbortSignal.any([gone.signal, ending.signal])).catch(() => {
      // The caller left, or the failure ended: both end the wait.
    });
  }

  /** The part of the API that fails. */
  const handler: RequestHandler = async (request, response, next) => {
    switch (current()?.kind) {
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
        await wait(response);
        request.socket.destroy();
        return;
      case 'broken_record':
        breakAnswer(response);
        return next();
      case undefined:
        return next();
    }
  };

  return { current, start, end, handler };
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
