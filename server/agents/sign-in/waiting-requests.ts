import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { tooMany } from './flood-limits.ts';

/** A program that asks a person, until the person answers. */
export interface SignInRequest {
  id: string;
  clientId: string;
  clientName: string;
  redirectUri: string;
  /** Where the person is sent back to, in words. */
  redirectName: string;
  /** Whether the request came by the public address. */
  isPublic: boolean;
  expiresAt: number;
}

export interface HeldRequest extends SignInRequest {
  codeChallenge: string;
  state: string | undefined;
  issuer: string;
}

export const REQUEST_MS = 10 * 60_000;
/** At each of both addresses. */
const MAX_WAITING = 100;

/** Requests of programs that wait for a person, in memory. */
export class WaitingRequests {
  readonly #clock: Clock;
  readonly #held = new Map<string, HeldRequest>();
  /** Ids of those that a person has on the screen. */
  readonly #shown = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Beyond the limit the oldest one goes that no person has opened, so that a flood takes no page away from a person.
   * Throws a refusal when all of them are open.
   */
  add(request: HeldRequest): void {
    const now = this.#clock.now();
    for (const [id, { expiresAt }] of this.#held) if (expiresAt <= now) this.#remove(id);
    const ofDoor = [...this.#held.values()].filter(({ isPublic }) => isPublic === request.isPublic);
    if (ofDoor.length >= MAX_WAITING) {
      const unseen = ofDoor.find(({ id }) => !this.#shown.has(id));
      if (!unseen) throw tooMany(Math.ceil((Math.min(...ofDoor.map(({ expiresAt }) => expiresAt)) - now) / 1000));
      this.#remove(unseen.id);
    }
    this.#held.set(request.id, request);
  }

  /** For the page of a person. Throws `not_found`. */
  show(id: string): HeldRequest {
    const found = this.#find(id);
    this.#shown.add(id);
    return found;
  }

  /** The request, which does not wait any more. Throws `not_found`. */
  take(id: string): HeldRequest {
    const found = this.#find(id);
    this.#remove(id);
    return found;
  }

  /** It waits again, because its answer could not be carried out. */
  putBack(request: HeldRequest): void {
    this.#held.set(request.id, request);
    this.#shown.add(request.id);
  }

  #find(id: string): HeldRequest {
    const found = this.#held.get(id);
    if (found && found.expiresAt > this.#clock.now()) return found;
    throw new HomeportError('not_found', 'The program does not wait any more. Start the sign-in there again.');
  }

  #remove(id: string): void {
    this.#held.delete(id);
    this.#shown.delete(id);
  }
}
