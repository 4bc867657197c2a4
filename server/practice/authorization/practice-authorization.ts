import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { PracticeError } from '../practice-error.ts';
import { PRACTICE_CLIENT, type PracticePerson, type PracticeScope } from './practice-client.ts';
import { createPracticeConsent } from './practice-consent.ts';
import { createPracticeSignedTokens, type PracticeSignedTokens, practiceOAuth1 } from './practice-oauth1.ts';
import { createPracticeGrants, type PracticeGrants, practiceOAuth2 } from './practice-oauth2.ts';
import { practicePages } from './practice-pages.ts';
import {
  absent,
  createPracticeSignatures,
  isSignedRequest,
  type PracticeSignatures,
  readSignedRequest,
  refusedSignature,
} from './practice-signatures.ts';

interface Parts {
  grants: PracticeGrants;
  signatures: PracticeSignatures;
  tokens: PracticeSignedTokens;
}

/** Authorization at the practice provider: its routes, and what its API requires of callers. */
export function createPracticeAuthorization(options: {
  clock: Clock;
  ids: Ids;
  callbackAddresses: () => string[];
  faults: RequestHandler;
}) {
  const { callbackAddresses, clock, faults, ids } = options;
  const consent = createPracticeConsent({ clock, ids });
  const grants = createPracticeGrants({ clock, ids });
  const signatures = createPracticeSignatures(clock);
  const tokens = createPracticeSignedTokens({ clock, ids });
  /** Accepts requests with an API key, an OAuth 2 access token, or an OAuth 1.0a signature. */
  const requireAccess: RequestHandler = (request, response, next) => {
    response.locals['practiceAccess'] = readAccess({ grants, signatures, tokens }, request);
    next();
  };
  const router = Router();
  router.use(practicePages());
  router.use(consent.router);
  router.use(practiceOAuth2({ consent, grants, callbackAddresses, faults }));
  router.use(practiceOAuth1({ consent, signatures, tokens, callbackAddresses, faults }));
  router.get('/oauth/userinfo', requireAccess, (_request, response) => {
    response.json(describeCaller(response));
  });
  return { router, requireAccess };
}

/** The caller of the API and its rights. */
interface PracticeAccess {
  /** The API key or the token. */
  credential: string;
  /** Missing for API keys, which may do everything. */
  scopes?: readonly PracticeScope[];
  /** Missing for API keys and for apps that act for themselves. */
  person?: PracticePerson;
}

/** Undefined on routes that are open to everyone. */
export function accessOf(response: Response): PracticeAccess | undefined {
  return response.locals['practiceAccess'] as PracticeAccess | undefined;
}

/** Refuses a token without the scope for this kind of request. The response names the scope. */
export function requireScope(reading: PracticeScope, writing: PracticeScope = reading): RequestHandler {
  return (request, response, next) => {
    const scope = request.method === 'GET' || request.method === 'HEAD' ? reading : writing;
    if (accessOf(response)?.scopes?.includes(scope) ?? true) return next();
    throw new PracticeError(403, 'insufficient_scope', `The token lacks the scope ${scope}.`, {
      members: { missing_scope: scope },
      challenge: `Bearer realm="practice", error="insufficient_scope", scope="${scope}"`,
    });
  };
}

function readAccess(use: Parts, request: Request): PracticeAccess {
  if (isSignedRequest(request)) return signedAccess(use, request);
  const key = /^Bearer (practice-\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
  if (key !== undefined) return { credential: key };
  const token = /^Bearer (practice_\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
  if (token !== undefined) return bearerAccess(use, token);
  throw new PracticeError(401, 'invalid_key', 'Send "authorization: Bearer practice-…".', {
    challenge: 'Bearer realm="practice"',
  });
}

function bearerAccess({ grants }: Parts, token: string): PracticeAccess {
  const found = grants.findAccessToken(token);
  if (found === undefined || found === 'expired') {
    const message = found === 'expired' ? 'The access token has expired.' : 'The access token is unknown or revoked.';
    throw new PracticeError(401, found === 'expired' ? 'expired_token' : 'invalid_token', message, {
      challenge: `Bearer realm="practice", error="invalid_token", error_description="${message}"`,
    });
  }
  const { person } = found.grant;
  return { credential: token, scopes: found.scopes, ...(person ? { person } : {}) };
}

function signedAccess({ signatures, tokens }: Parts, request: Request): PracticeAccess {
  const signed = readSignedRequest(request);
  const token = signed.oauth.get('oauth_token');
  if (token === undefined) throw absent(['oauth_token']);
  const known = tokens.findToken(token);
  if (!known) throw refusedSignature('token_rejected', 'The token is unknown.');
  signatures.check(signed, known.secret);
  return { credential: token, scopes: known.scopes, person: known.person };
}

/** Describes the caller: the person who gave consent, the app itself, or the account of the API key. */
export function describeCaller(response: Response): Record<string, unknown> {
  const { person, scopes } = accessOf(response) ?? {};
  if (scopes === undefined) return { id: 'user-me', login: 'me' };
  if (person === undefined) return { id: PRACTICE_CLIENT.id, name: PRACTICE_CLIENT.name, scopes };
  return { ...person, scopes };
}
