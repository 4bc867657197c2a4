import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { PracticeOAuthError } from './practice-oauth-error.ts';
import type { PracticePerson } from './practice-people.ts';
import type { PracticeScope } from './practice-scopes.ts';
import { isSameSecret, newSecret, secretFingerprint } from './practice-secret.ts';

const CODE_LIFETIME_MS = 60_000;
/** Limit for each kind. The least recently used one is dropped. */
const MAX_KEPT = 10_000;
/** RFC 7636, 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** One consent and all tokens that come from it. */
export interface Grant {
  readonly clientId: string;
  readonly scopes: readonly PracticeScope[];
  readonly lifetimeS: number;
  /** Missing when an app acts for itself (client credentials). */
  readonly person?: PracticePerson;
}

export interface AccessToken {
  grant: Grant;
  scopes: readonly PracticeScope[];
  expiresAtMs: number;
}

interface IssuedCode {
  grant: Grant;
  redirectUri: string;
  challenge: string;
  expiresAtMs: number;
  isUsed: boolean;
}

interface IssuedRefreshToken {
  grant: Grant;
  isUsed: boolean;
}

/** Codes and tokens of OAuth 2, in memory and lost at a restart. Only hashes of the secrets are kept. */
export class PracticeGrants {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #codes = new LRUCache<string, IssuedCode>({ max: MAX_KEPT });
  readonly #accessTokens = new LRUCache<string, AccessToken>({ max: MAX_KEPT });
  readonly #refreshTokens = new LRUCache<string, IssuedRefreshToken>({ max: MAX_KEPT });
  readonly #revoked = new WeakSet<Grant>();

  constructor(options: { clock: Clock; ids: Ids }) {
    this.#clock = options.clock;
    this.#ids = options.ids;
  }

  /** Issues a code for one exchange within a minute, bound to the redirect address and the PKCE challenge. */
  issueCode(grant: Grant, bound: { redirectUri: string; challenge: string }): string {
    const code = newSecret(this.#ids, 'practice_code');
    const expiresAtMs = this.#clock.now() + CODE_LIFETIME_MS;
    this.#codes.set(secretFingerprint(code), { ...bound, grant, expiresAtMs, isUsed: false });
    return code;
  }

  /** Redeems the code. A second use means that the code was stolen, so it revokes the tokens of the first use. */
  redeemCode(code: string, by: { clientId: string; redirectUri: string; verifier: string | undefined }): Grant {
    const issued = this.#codes.get(secretFingerprint(code));
    if (!issued || issued.grant.clientId !== by.clientId) throw invalidGrant('The code is unknown.');
    if (issued.isUsed) {
      this.#revoked.add(issued.grant);
      throw invalidGrant('The code was used before; the tokens it gave are revoked.');
    }
    issued.isUsed = true;
    if (issued.expiresAtMs <= this.#clock.now()) throw invalidGrant('The code has expired; it is valid for a minute.');
    if (issued.redirectUri !== by.redirectUri) throw invalidGrant('redirect_uri is not the one the code was sent to.');
    if (!isVerifierOf(issued.challenge, by.verifier))
      throw invalidGrant('code_verifier is missing or does not fit the code_challenge.');
    return issued.grant;
  }

  issueAccessToken(grant: Grant, scopes: readonly PracticeScope[]): string {
    const token = newSecret(this.#ids, 'practice_at');
    const expiresAtMs = this.#clock.now() + grant.lifetimeS * 1000;
    this.#accessTokens.set(secretFingerprint(token), { grant, scopes, expiresAtMs });
    return token;
  }

  issueRefreshToken(grant: Grant): string {
    const token = newSecret(this.#ids, 'practice_rt');
    this.#refreshTokens.set(secretFingerprint(token), { grant, isUsed: false });
    return token;
  }

  /**
   * Redeems the refresh token, which is then invalid; a second use revokes all tokens of the grant. `scopes`, if given,
   * must be a subset of the grant's scopes; a larger set is refused and leaves the token valid.
   */
  redeemRefreshToken(token: string, by: { clientId: string; scopes: readonly PracticeScope[] | undefined }): Grant {
    const issued = this.#refreshTokens.get(secretFingerprint(token));
    if (!issued || issued.grant.clientId !== by.clientId) throw invalidGrant('The refresh token is unknown.');
    const { grant } = issued;
    if (issued.isUsed) {
      this.#revoked.add(grant);
      throw invalidGrant('The refresh token was used before; every token of this consent is revoked.');
    }
    if (this.#revoked.has(grant)) throw invalidGrant('The refresh token is revoked.');
    const excess = by.scopes?.filter((scope) => !grant.scopes.includes(scope)) ?? [];
    if (excess.length > 0)
      throw new PracticeOAuthError('invalid_scope', `The consent does not cover ${excess.join(', ')}.`);
    issued.isUsed = true;
    return grant;
  }

  findAccessToken(token: string): AccessToken | 'expired' | undefined {
    const issued = this.#accessTokens.get(secretFingerprint(token));
    if (!issued || this.#revoked.has(issued.grant)) return undefined;
    return issued.expiresAtMs <= this.#clock.now() ? 'expired' : issued;
  }

  /** Revokes one access token, or with a refresh token all tokens of the grant. An unknown token counts as revoked. */
  revoke(token: string, clientId: string): void {
    const key = secretFingerprint(token);
    const family = this.#refreshTokens.get(key)?.grant;
    if (family?.clientId === clientId) this.#revoked.add(family);
    if (this.#accessTokens.get(key)?.grant.clientId === clientId) this.#accessTokens.delete(key);
  }
}

function isVerifierOf(challenge: string, verifier: string | undefined): boolean {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  return isSameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);
}

function invalidGrant(message: string): PracticeOAuthError {
  return new PracticeOAuthError('invalid_grant', message);
}
