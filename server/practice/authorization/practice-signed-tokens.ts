import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import type { PracticePerson } from './practice-people.ts';
import type { PracticeScope } from './practice-scopes.ts';
import { isSameSecret, newSecret, secretFingerprint } from './practice-secret.ts';

const REQUEST_LIFETIME_MS = 600_000;
const MAX_KEPT = 10_000;

export interface TokenPair {
  token: string;
  secret: string;
}

interface Allowed {
  person: PracticePerson;
  scopes: readonly PracticeScope[];
}

interface RequestToken {
  secret: string;
  callback: string;
  expiresAtMs: number;
  answer?: Allowed & { verifier: string };
}

/** An access token of OAuth 1.0a, which does not expire. */
export interface PracticeSignedToken extends Allowed {
  secret: string;
}

/**
 * Request tokens and access tokens of OAuth 1.0a, in memory. Their secrets are kept in clear, because signatures need
 * them.
 */
export class PracticeSignedTokens {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #requests = new LRUCache<string, RequestToken>({ max: MAX_KEPT });
  readonly #tokens = new LRUCache<string, PracticeSignedToken>({ max: MAX_KEPT });

  constructor(options: { clock: Clock; ids: Ids }) {
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  issueRequestToken(callback: string): TokenPair {
    const pair = this.#newPair();
    const expiresAtMs = this.#clock.now() + REQUEST_LIFETIME_MS;
    this.#requests.set(secretFingerprint(pair.token), { secret: pair.secret, callback, expiresAtMs });
    return pair;
  }

  /** Undefined when the token was used or denied, or is older than ten minutes. */
  findRequest(token: string): { secret: string; callback: string } | undefined {
    const request = this.#requests.get(secretFingerprint(token));
    return request && request.expiresAtMs > this.#clock.now() ? request : undefined;
  }

  /** Records the consent. The returned verifier proves that the app received the response. */
  allow(token: string, allowed: Allowed): string {
    const verifier = newSecret(this.#ids, 'practice_code');
    const request = this.#requests.get(secretFingerprint(token));
    if (request) request.answer = { ...allowed, verifier };
    return verifier;
  }

  deny(token: string): void {
    this.#requests.delete(secretFingerprint(token));
  }

  /** Exchanges an allowed request token for an access token, once. Undefined when the verifier is wrong. */
  exchange(token: string, verifier: string): (TokenPair & { person: PracticePerson }) | undefined {
    const key = secretFingerprint(token);
    const response = this.#requests.get(key)?.answer;
    if (!response || !isSameSecret(response.verifier, verifier)) return undefined;
    this.#requests.delete(key);
    const pair = this.#newPair();
    const { person, scopes } = response;
    this.#tokens.set(secretFingerprint(pair.token), { secret: pair.secret, person, scopes });
    return { ...pair, person };
  }

  findToken(token: string): PracticeSignedToken | undefined {
    return this.#tokens.get(secretFingerprint(token));
  }

  #newPair(): TokenPair {
    return { token: newSecret(this.#ids, 'practice_o1'), secret: newSecret(this.#ids, 'practice_o1') };
  }
}
