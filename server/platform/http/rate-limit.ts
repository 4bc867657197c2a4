import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../environments/environment.service.ts';
import type { Clock } from '../lib/clock.ts';
import { HomeportError } from '../lib/homeport-error.ts';

const MAX_ENVIRONMENTS = 1000;

/**
 * Counts calls per environment if its settings set a limit, and sets the rate-limit headers. Throws when the limit is
 * reached (http-api.md 1.7).
 */
export function environmentRateLimit(
  clock: Clock,
): (environment: Environment, request: Request, response: Response) => void {
  const windows = new FixedWindows({ clock, maxKeys: MAX_ENVIRONMENTS });
  return ({ id, settings }, request, response) => {
    const limit = settings.rateLimitPerMinute;
    if (limit === null) return;
    const window = windows.take(String(id));
    response.setHeader('X-RateLimit-Limit', String(limit));
    response.setHeader('X-RateLimit-Remaining', String(Math.max(0, limit - window.used)));
    response.setHeader('X-RateLimit-Reset', String(Math.ceil(window.endsAt / 1000)));
    if (window.used > limit) refuse(clock, window, request, response);
  };
}

/** Calls per minute and path: the limit of the reference for the webhooks of one integration (webhooks.md 2.1). */
const PUBLIC_PATH_LIMIT = 4000;
/** Calls per minute over all paths, because an attacker can invent paths. */
const PUBLIC_LIMIT = 20_000;
const MAX_PATHS = 1000;

/**
 * Limits calls through the public address, which anyone may know. Calls from this computer are not limited (design.md
 * 7.14).
 */
export function publicRateLimit(clock: Clock): (request: Request, response: Response) => void {
  const all = new FixedWindows({ clock, maxKeys: 1 });
  const paths = new FixedWindows({ clock, maxKeys: MAX_PATHS });
  return (request, response) => {
    const path = paths.take(request.path.toLowerCase());
    const total = all.take('');
    if (path.used > PUBLIC_PATH_LIMIT) refuse(clock, path, request, response);
    if (total.used > PUBLIC_LIMIT) refuse(clock, total, request, response);
  };
}

function refuse(clock: Clock, { endsAt }: Window, request: Request, response: Response): never {
  response.setHeader('Retry-After', String(Math.ceil((endsAt - clock.now()) / 1000)));
  const members = { method: request.method, path: request.path };
  throw new HomeportError('too_many_request', 'Too many calls.', { silent: true, members });
}

const WINDOW_MS = 60_000;

interface Window {
  /** Milliseconds since the epoch. */
  endsAt: number;
  used: number;
}

/** Counts by key in fixed windows of a minute. */
class FixedWindows {
  readonly #clock: Clock;
  readonly #windows: LRUCache<string, Window>;

  /**
   * Beyond `maxKeys` the least recently counted keys are dropped, because unauthenticated callers choose some of the
   * keys.
   */
  constructor(options: { clock: Clock; maxKeys: number }) {
    this.#clock = options.clock;
    this.#windows = new LRUCache({ max: options.maxKeys });
  }

  /** Counts one call and returns its window. */
  take(key: string): Window {
    const now = this.#clock.now();
    const open = this.#windows.get(key);
    // After the clock was set back, a window would otherwise last until the wrong time.
    const isOpen = open !== undefined && open.endsAt > now && open.endsAt <= now + WINDOW_MS;
    const window = isOpen ? open : { endsAt: now + WINDOW_MS, used: 0 };
    window.used += 1;
    this.#windows.set(key, window);
    return window;
  }
}
