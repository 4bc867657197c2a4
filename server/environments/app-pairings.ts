import { timingSafeEqual } from 'node:crypto';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { ApiKeys, KeySettings } from './api-keys.ts';
import type { Environment } from './environment.service.ts';

/** A request of a local app for its own key. Times are in milliseconds since the epoch. */
export interface Pairing {
  id: string;
  environmentId: number;
  /** The name that the app gives itself. */
  name: string;
  /** Shown both by the app and in the window. */
  code: string;
  scopes: readonly string[];
  process: { name: string; path: string } | null;
  askedAt: number;
  expiresAt: number;
}

type PairingEnd = 'allowed' | 'denied' | 'expired' | 'withdrawn';

export interface PairingEvents {
  /** A request started, or ended. */
  pairing: { pairing: Pairing; end?: PairingEnd };
}

/** The app's response when it polls; the key is returned once. */
type PairingState =
  | { status: 'waiting' }
  | { status: 'allowed'; secretKey: string; environment: string; name: string; scopes: readonly string[] }
  | { status: 'denied' | 'expired' };

interface Request extends Pairing {
  environment: Environment;
  wrongCodes: number;
  /** True from the person's decision on, while the key is being created. */
  isAnswered: boolean;
  state: PairingState;
  timer: Timer;
}

/** How long a request waits for the person, and then its result for the app. */
const PAIRING_MS = 120_000;
const MAX_WAITING = 5;
/** Limit for all apps of this computer together. */
const MAX_PER_MINUTE = 10;
const MINUTE_MS = 60_000;
/** This many wrong codes end a request, because the caller guesses codes and is not the app. */
const MAX_WRONG_CODES = 5;
/** Without vowels and letters that look alike: 24 ^ 8 codes, none of which is a word. */
const CODE_LETTERS = 'BCDFGHJKLMNPQRSTVWXZ2345';

export type AppPairings = ReturnType<typeof createAppPairings>;

/** Requests of local apps for a key (http-api.md 12), kept in memory; the person answers in the window. */
export function createAppPairings(use: {
  keys: Pick<ApiKeys, 'create'>;
  clock: Clock;
  ids: Ids;
  events: EventSink<PairingEvents>;
}) {
  const { keys, clock, ids, events } = use;
  const requests = new Map<string, Request>();
  let recentRequests: number[] = [];

  function stop(): void {
    for (const { timer } of requests.values()) timer.cancel();
    requests.clear();
  }

  /** Throws `too_many_request`. */
  function create(
    environment: Environment,
    { name, scopes, process }: Pick<Pairing, 'name' | 'scopes' | 'process'>,
  ): Pairing {
    const now = clock.now();
    recentRequests = recentRequests.filter((at) => at <= now && now - at < MINUTE_MS);
    const waiting = [...requests.values()].filter(({ state }) => state.status === 'waiting');
    if (recentRequests.length >= MAX_PER_MINUTE || waiting.length >= MAX_WAITING)
      throw new HomeportError('too_many_request', 'Too many apps ask for a key. Try again in a minute.');
    recentRequests.push(now);
    const id = ids.uuid();
    const request: Request = {
      id,
      environment,
      environmentId: environment.id,
      name,
      scopes,
      process,
      code: codeFrom(ids.hex(8)),
      askedAt: now,
      expiresAt: now + PAIRING_MS,
      wrongCodes: 0,
      isAnswered: false,
      state: { status: 'waiting' },
      timer: clock.after(PAIRING_MS, () => expire(id)),
    };
    requests.set(id, request);
    events.emit('pairing', { pairing: viewOf(request) });
    return viewOf(request);
  }

  /** The state of a request, for the app that knows its code. Throws `not_found`. A key is returned once. */
  function poll(id: string, code: string): PairingState {
    const request = requests.get(id);
    if (!request) throw unknownRequest();
    if (!isSame(request.code, code)) {
      request.wrongCodes += 1;
      if (request.wrongCodes >= MAX_WRONG_CODES) end(request, 'withdrawn');
      throw unknownRequest();
    }
    if (request.state.status !== 'waiting') remove(request);
    return request.state;
  }

  /** Waiting requests, oldest first. */
  function list(environmentId: number): Pairing[] {
    return [...requests.values()]
      .filter((one) => one.environmentId === environmentId && one.state.status === 'waiting')
      .map(viewOf);
  }

  /** Creates the key. Throws `not_found`, and the errors of creating a key. */
  async function allow(
    environmentId: number,
    id: string,
    as: KeySettings & { name: string; scopes: readonly string[] },
  ): Promise<void> {
    const request = get(environmentId, id);
    request.isAnswered = true;
    const creation = keys.create(environmentId, as.name, as.scopes, as);
    const key = await creation.catch((error: unknown) => {
      request.isAnswered = false;
      if (clock.now() >= request.expiresAt) expire(id);
      throw error;
    });
    request.state = {
      status: 'allowed',
      secretKey: key.secret,
      environment: request.environment.name,
      name: key.displayName,
      scopes: key.scopes,
    };
    keepForApp(request);
    events.emit('pairing', { pairing: viewOf(request), end: 'allowed' });
  }

  /** Throws `not_found`. */
  function deny(environmentId: number, id: string): void {
    const request = get(environmentId, id);
    request.state = { status: 'denied' };
    keepForApp(request);
    events.emit('pairing', { pairing: viewOf(request), end: 'denied' });
  }

  /** Keeps the result until the app polls for it, or until the time for that has passed. */
  function keepForApp(request: Request): void {
    request.timer.cancel();
    request.timer = clock.after(PAIRING_MS, () => remove(request));
  }

  function get(environmentId: number, id: string): Request {
    const request = requests.get(id);
    if (request?.environmentId !== environmentId || request.state.status !== 'waiting' || request.isAnswered)
      throw new HomeportError('not_found', 'The app is not waiting any more. Let it ask again.');
    return request;
  }

  function expire(id: string): void {
    const request = requests.get(id);
    // The person answered in time; the key is being created.
    if (!request || request.isAnswered) return;
    request.state = { status: 'expired' };
    keepForApp(request);
    events.emit('pairing', { pairing: viewOf(request), end: 'expired' });
  }

  function end(request: Request, end: PairingEnd): void {
    const wasWaiting = request.state.status === 'waiting';
    remove(request);
    if (wasWaiting) events.emit('pairing', { pairing: viewOf(request), end });
  }

  function remove(request: Request): void {
    request.timer.cancel();
    requests.delete(request.id);
  }

  return { stop, create, poll, list, allow, deny };
}

function viewOf({ id, environmentId, name, code, scopes, process, askedAt, expiresAt }: Request): Pairing {
  return { id, environmentId, name, code, scopes, process, askedAt, expiresAt };
}

const unknownRequest = (): HomeportError =>
  new HomeportError('not_found', 'There is no such request, or it has ended. Ask again.');

/** Compares in constant time. */
function isSame(code: string, other: string): boolean {
  const [a, b] = [Buffer.from(code), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** Formats 16 hexadecimal digits as a code such as `BCDF-2345`. */
function codeFrom(hex: string): string {
  const letters = [...Buffer.from(hex, 'hex')].map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]);
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}
