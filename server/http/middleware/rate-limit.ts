import type { Request, Response } from 'express';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Environment } from '../../services/environment/environment-service.ts';

const WINDOW_MS = 60_000;

interface Window {
  endsAt: number;
  used: number;
}

/** Calls per environment in fixed windows of a minute, where its settings limit them (http-api.md 1.7). */
export class RateLimit {
  readonly #clock: Clock;
  readonly #windows = new Map<number, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts one call, tells the caller where it stands, refuses it when the limit is reached. */
  take({ id, settings }: Environment, request: Request, response: Response): void {
    const limit = settings.rateLimitPerMinute;
    if (limit === null) return;
    const window = this.#current(id);
    window.used += 1;
    response.setHeader('X-RateLimit-Limit', String(limit));
    response.setHeader('X-RateLimit-Remaining', String(Math.max(0, limit - window.used)));
    response.setHeader('X-RateLimit-Reset', String(Math.ceil(window.endsAt / 1000)));
    if (window.used <= limit) return;
    response.setHeader('Retry-After', String(Math.ceil((window.endsAt - this.#clock.now()) / 1000)));
    const members = { method: request.method, path: request.path };
    throw new HomeportError('too_many_request', 'Too many calls.', { silent: true, members });
  }

  #current(environmentId: number): Window {
    const now = this.#clock.now();
    const open = this.#windows.get(environmentId);
    if (open && open.endsAt > now) return open;
    const fresh = { endsAt: now + WINDOW_MS, used: 0 };
    this.#windows.set(environmentId, fresh);
    return fresh;
  }
}
