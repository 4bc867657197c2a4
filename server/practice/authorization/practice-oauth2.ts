import { createHash } from 'node:crypto';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import {
  newSecret,
  PRACTICE_CLIENT,
  PRACTICE_WORKSPACE,
  type PracticePerson,
  type PracticeScope,
  parseScopes,
  redirectWith,
  registeredRedirect,
} from './practice-client.ts';
import type { PracticeConsent } from './practice-consent.ts';
import { sendRedirectMismatch, sendUnknownClient } from './practice-pages.ts';

const CODE_LIFETIME_MS = 60_000;
/** For each kind. The least recently used one is dropped. */
const MAX_KEPT = 10_000;
/** RFC 7636, 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** S256: 32 bytes as base64url. */
const CHALLENGE = /^[\w-]{43}$/;
const LIFETIME_S = { fallback: 300, longest: 86_400 };
const LIFETIME_RULE = `practice_lifetime is a number of seconds from 0 to ${LIFETIME_S.longest}.`;

/**
 * `GET /oauth/authorize` (RFC 6749 4.1.1, RFC 7636), `POST /oauth/token` (RFC 6749, 4.1.3, 4.4, 6) and
 * `POST /oauth/revoke` (RFC 7009).
 */
export function practiceOAuth2(options: {
  consent: PracticeConsent;
  grants: PracticeGrants;
  /** Registered redirect addresses in addition to those on this computer. */
  callbackAddresses: () => string[];
  /** Simulated failures, checked before the real response, as in the API. */
  faults: RequestHandler;
}): Router {
  const { consent, grants, callbackAddresses, faults } = options;
  const router = Router();
  const form = express.urlencoded({ extended: false });
  router.get('/oauth/authorize', (request, response) => {
    const query = parametersOf(request.query);
    if (query('client_id') !== PRACTICE_CLIENT.id) return sendUnknownClient(response);
    const redirectUri = query('redirect_uri');
    const redirect = registeredRedirect(redirectUri, callbackAddresses());
    // An unregistered address must never be redirected to, not even with an error.
    if (redirectUri === undefined || !redirect) return sendRedirectMismatch(response, redirectUri);
    const state = query('state');
    const checked = checkRequest(query);
    if ('error' in checked) return response.redirect(redirectWith(redirectUri, { ...checked, state }).href);
    const { challenge, ...asked } = checked;
    consent.ask(response, {
      scopes: checked.scopes,
      redirect,
      allow: (person) => {
        const code = grants.issueCode({ person, ...asked }, { redirectUri, challenge });
        return redirectWith(redirectUri, { code, state });
      },
      deny: () =>
        redirectWith(redirectUri, { error: 'access_denied', error_description: 'The user denied the request.', state }),
    });
  });
  router.post('/oauth/token', faults, form, (request, response) => {
    const parameters = formParameters(request);
    authenticate(request, parameters);
    response.set({ 'cache-control': 'no-store', pragma: 'no-cache' }).json(respond(parameters, grants));
  });
  router.post('/oauth/revoke', form, (request, response) => {
    const parameters = formParameters(request);
    authenticate(request, parameters);
    grants.revoke(required(parameters, 'token'));
    response.status(200).end();
  });
  router.use(errorHandler);
  return router;
}

type Checked =
  | { scopes: PracticeScope[]; lifetimeS: number; challenge: string }
  | { error: string; error_description: string };

function checkRequest(query: Parameters): Checked {
  const { scopes, unknown } = parseScopes(query('scope'));
  const lifetimeS = readTokenLifetime(query);
  const challenge = query('code_challenge');
  if (query('response_type') !== 'code') return refusal('unsupported_response_type', 'response_type must be code.');
  if (query('state') === undefined) return refusal('invalid_request', 'state is missing.');
  if (unknown.length > 0) return refusal('invalid_scope', `Unknown scope: ${unknown.join(', ')}.`);
  if (challenge === undefined) return refusal('invalid_request', 'code_challenge is missing: PKCE is required.');
  if (query('code_challenge_method') !== 'S256')
    return refusal('invalid_request', 'code_challenge_method must be S256.');
  if (!CHALLENGE.test(challenge)) return refusal('invalid_request', 'code_challenge is not a SHA-256 as base64url.');
  if (lifetimeS === undefined) return refusal('invalid_request', LIFETIME_RULE);
  return { scopes, lifetimeS, challenge };
}

function refusal(error: string, description: string): Checked {
  return { error, error_description: description };
}

function respond(parameters: Parameters, grants: PracticeGrants): object {
  const kind = required(parameters, 'grant_type');
  switch (kind) {
    case 'authorization_code': {
      const grant = grants.redeemCode(required(parameters, 'code'), {
        redirectUri: required(parameters, 'redirect_uri'),
        verifier: parameters('code_verifier'),
      });
      return { ...tokenResponse(grants, grant, grant.scopes), refresh_token: grants.issueRefreshToken(grant) };
    }
    case 'refresh_token': {
      const scopes = parameters('scope') === undefined ? undefined : knownScopes(parameters);
      const grant = grants.redeemRefreshToken(required(parameters, 'refresh_token'), scopes);
      return {
        ...tokenResponse(grants, grant, scopes ?? grant.scopes),
        refresh_token: grants.issueRefreshToken(grant),
      };
    }
    case 'client_credentials': {
      const scopes = knownScopes(parameters);
      const lifetimeS = readTokenLifetime(parameters);
      if (lifetimeS === undefined) throw new PracticeOAuthError('invalid_request', LIFETIME_RULE);
      return tokenResponse(grants, { scopes, lifetimeS }, scopes);
    }
    default:
      throw new PracticeOAuthError('unsupported_grant_type', `grant_type ${kind} is not offered here.`);
  }
}

function tokenResponse(grants: PracticeGrants, grant: Grant, scopes: readonly PracticeScope[]): object {
  const { person, lifetimeS } = grant;
  return {
    access_token: grants.issueAccessToken(grant, scopes),
    token_type: 'Bearer',
    expires_in: lifetimeS,
    scope: scopes.join(' '),
    workspace_id: PRACTICE_WORKSPACE,
    ...(person ? { user: { id: person.id, name: person.name } } : {}),
  };
}

function knownScopes(parameters: Parameters): PracticeScope[] {
  const { scopes, unknown } = parseScopes(parameters('scope'));
  if (unknown.length > 0) throw new PracticeOAuthError('invalid_scope', `Unknown scope: ${unknown.join(', ')}.`);
  return scopes;
}

function required(parameters: Parameters, name: string): string {
  const value = parameters(name);
  if (value === undefined) throw new PracticeOAuthError('invalid_request', `${name} is missing.`);
  return value;
}

/** Reads client id and secret from the Basic header or the form. If both contain them, they must be equal. */
function authenticate(request: Request, parameters: Parameters): void {
  const sent = [basicCredentials(request), bodyCredentials(parameters)].filter((pair) => pair !== undefined);
  const isClient = ([id, secret]: [string, string]) => id === PRACTICE_CLIENT.id && secret === PRACTICE_CLIENT.secret;
  if (sent.length === 0 || !sent.every(isClient))
    throw new PracticeOAuthError('invalid_client', 'The client id or the client secret is wrong or missing.');
}

function bodyCredentials(parameters: Parameters): [id: string, secret: string] | undefined {
  const secret = parameters('client_secret');
  return secret === undefined ? undefined : [parameters('client_id') ?? '', secret];
}

/** Id and secret are form-encoded before they are put into a Basic header (RFC 6749, 2.3.1). */
function basicCredentials(request: Request): [id: string, secret: string] | undefined {
  const encoded = /^Basic ([\w+/=-]+)$/i.exec(request.get('authorization') ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  const decode = (text: string): string => new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '';
  return [decode(id), decode(secret)];
}

/** Returns a parameter by name. A repeated parameter counts as missing, because RFC 6749, 3.1 forbids it. */
type Parameters = (name: string) => string | undefined;

/** The parameters of a form body, the only format of the token endpoints. */
function formParameters(request: Request): Parameters {
  if (!request.is('application/x-www-form-urlencoded'))
    throw new PracticeOAuthError('invalid_request', 'Send the parameters as application/x-www-form-urlencoded.');
  return parametersOf((request.body ?? {}) as Record<string, unknown>);
}

export function parametersOf(values: Record<string, unknown>): Parameters {
  return (name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
}

/**
 * Seconds until an access token expires: `practice_lifetime`, default five minutes. 0 issues expired tokens. Undefined
 * when the parameter is not a valid number.
 */
function readTokenLifetime(parameters: Parameters): number | undefined {
  const text = parameters('practice_lifetime');
  if (text === undefined) return LIFETIME_S.fallback;
  const seconds = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return seconds <= LIFETIME_S.longest ? seconds : undefined;
}

type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_token_type';

/** A refusal of the token endpoints (RFC 6749, 5.2). */
class PracticeOAuthError extends Error {
  override readonly name = 'PracticeOAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Writes `{error, error_description}`. Errors of other kinds go to the tracker's own handler. */
const errorHandler: ErrorRequestHandler = (error, _request, response, next) => {
  if (!(error instanceof PracticeOAuthError)) return next(error);
  if (error.code === 'invalid_client') response.status(401).set('www-authenticate', 'Basic realm="practice"');
  else response.status(400);
  response.set('cache-control', 'no-store').json({ error: error.code, error_description: error.message });
};

/** One consent and all tokens that come from it. */
export interface Grant {
  readonly scopes: readonly PracticeScope[];
  readonly lifetimeS: number;
  /** Missing when an app acts for itself (client credentials). */
  readonly person?: PracticePerson;
}

interface AccessToken {
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

export type PracticeGrants = ReturnType<typeof createPracticeGrants>;

/** Codes and tokens of OAuth 2, in memory and lost at a restart. */
export function createPracticeGrants({ clock, ids }: { clock: Clock; ids: Ids }) {
  const codes = new LRUCache<string, IssuedCode>({ max: MAX_KEPT });
  const accessTokens = new LRUCache<string, AccessToken>({ max: MAX_KEPT });
  const refreshTokens = new LRUCache<string, { grant: Grant; isUsed: boolean }>({ max: MAX_KEPT });
  const revoked = new WeakSet<Grant>();

  return {
    /** Issues a code for one exchange within a minute, bound to the redirect address and the PKCE challenge. */
    issueCode(grant: Grant, bound: { redirectUri: string; challenge: string }): string {
      const code = newSecret(ids, 'practice_code');
      codes.set(code, { ...bound, grant, expiresAtMs: clock.now() + CODE_LIFETIME_MS, isUsed: false });
      return code;
    },

    /** Redeems the code. A second use means that the code was stolen, so it revokes the tokens of the first use. */
    redeemCode(code: string, by: { redirectUri: string; verifier: string | undefined }): Grant {
      const issued = codes.get(code);
      if (!issued) throw invalidGrant('The code is unknown.');
      if (issued.isUsed) {
        revoked.add(issued.grant);
        throw invalidGrant('The code was used before; the tokens it gave are revoked.');
      }
      issued.isUsed = true;
      if (issued.expiresAtMs <= clock.now()) throw invalidGrant('The code has expired; it is valid for a minute.');
      if (issued.redirectUri !== by.redirectUri)
        throw invalidGrant('redirect_uri is not the one the code was sent to.');
      if (!isVerifierOf(issued.challenge, by.verifier))
        throw invalidGrant('code_verifier is missing or does not fit the code_challenge.');
      return issued.grant;
    },

    issueAccessToken(grant: Grant, scopes: readonly PracticeScope[]): string {
      const token = newSecret(ids, 'practice_at');
      accessTokens.set(token, { grant, scopes, expiresAtMs: clock.now() + grant.lifetimeS * 1000 });
      return token;
    },

    issueRefreshToken(grant: Grant): string {
      const token = newSecret(ids, 'practice_rt');
      refreshTokens.set(token, { grant, isUsed: false });
      return token;
    },

    /**
     * Redeems the refresh token, which is then invalid; a second use revokes all tokens of the grant. `scopes`, if
     * given, must be a subset of the grant's scopes; a larger set is refused and leaves the token valid.
     */
    redeemRefreshToken(token: string, scopes: readonly PracticeScope[] | undefined): Grant {
      const issued = refreshTokens.get(token);
      if (!issued) throw invalidGrant('The refresh token is unknown.');
      const { grant } = issued;
      if (issued.isUsed) {
        revoked.add(grant);
        throw invalidGrant('The refresh token was used before; every token of this consent is revoked.');
      }
      if (revoked.has(grant)) throw invalidGrant('The refresh token is revoked.');
      const excess = scopes?.filter((scope) => !grant.scopes.includes(scope)) ?? [];
      if (excess.length > 0)
        throw new PracticeOAuthError('invalid_scope', `The consent does not cover ${excess.join(', ')}.`);
      issued.isUsed = true;
      return grant;
    },

    findAccessToken(token: string): AccessToken | 'expired' | undefined {
      const issued = accessTokens.get(token);
      if (!issued || revoked.has(issued.grant)) return undefined;
      return issued.expiresAtMs <= clock.now() ? 'expired' : issued;
    },

    /** Revokes one access token, or with a refresh token all tokens of the grant. An unknown token counts as revoked. */
    revoke(token: string): void {
      const family = refreshTokens.get(token)?.grant;
      if (family) revoked.add(family);
      accessTokens.delete(token);
    },
  };
}

function isVerifierOf(challenge: string, verifier: string | undefined): boolean {
  if (verifier === undefined || !VERIFIER.test(verifier)) return false;
  return createHash('sha256').update(verifier).digest('base64url') === challenge;
}

function invalidGrant(message: string): PracticeOAuthError {
  return new PracticeOAuthError('invalid_grant', message);
}
