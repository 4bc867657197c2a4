import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Ids } from '../../platform/lib/ids.ts';
import { PracticeError } from '../practice-error.ts';
import {
  newSecret,
  PRACTICE_WORKSPACE,
  type PracticePerson,
  type PracticeScope,
  parseScopes,
  redirectWith,
  registeredRedirect,
} from './practice-client.ts';
import type { PracticeConsent } from './practice-consent.ts';
import { parametersOf } from './practice-oauth2.ts';
import { html, sendProblem, sendRedirectMismatch } from './practice-pages.ts';
import {
  absent,
  keepFormText,
  type PracticeSignatures,
  readSignedRequest,
  refusedSignature,
  signedParameter,
} from './practice-signatures.ts';

const REQUEST_LIFETIME_MS = 600_000;
const MAX_KEPT = 10_000;

interface Parts {
  consent: PracticeConsent;
  signatures: PracticeSignatures;
  tokens: PracticeSignedTokens;
  callbackAddresses: () => string[];
  faults: RequestHandler;
}

/** The three steps of OAuth 1.0a (RFC 5849, 2): request token, consent, access token. */
export function practiceOAuth1(use: Parts): Router {
  const { faults, signatures, tokens } = use;
  const router = Router();
  const form = express.urlencoded({ extended: false, verify: keepFormText });
  router.post('/oauth1/request_token', faults, form, (request, response) => {
    const signed = readSignedRequest(request);
    signatures.check(signed, undefined);
    const callback = signedParameter(signed, 'oauth_callback');
    if (callback === undefined) throw absent(['oauth_callback']);
    if (!registeredRedirect(callback, use.callbackAddresses()))
      throw new PracticeError(400, 'parameter_rejected', `oauth_callback ${callback} is not registered.`);
    const { token, secret } = tokens.issueRequestToken(callback);
    sendForm(response, { oauth_token: token, oauth_token_secret: secret, oauth_callback_confirmed: 'true' });
  });
  router.get('/oauth1/authorize', (request, response) => askForConsent(use, request, response));
  router.post('/oauth1/access_token', faults, form, (request, response) => {
    const signed = readSignedRequest(request);
    const token = signed.oauth.get('oauth_token');
    const verifier = signedParameter(signed, 'oauth_verifier');
    if (token === undefined || verifier === undefined) throw absent(['oauth_token', 'oauth_verifier']);
    const known = tokens.findRequest(token);
    if (!known)
      throw refusedSignature('token_rejected', 'The request token is unknown, used, or older than ten minutes.');
    signatures.check(signed, known.secret);
    const exchanged = tokens.exchange(token, verifier);
    if (!exchanged) throw refusedSignature('verifier_invalid', 'The verifier is not the one that the consent gave.');
    sendForm(response, {
      oauth_token: exchanged.token,
      oauth_token_secret: exchanged.secret,
      user_id: exchanged.person.id,
      screen_name: exchanged.person.login,
      workspace_id: PRACTICE_WORKSPACE,
    });
  });
  return router;
}

function askForConsent(use: Parts, request: Request, response: Response): void {
  const { consent, tokens } = use;
  const query = parametersOf(request.query);
  const token = query('oauth_token') ?? '';
  const known = tokens.findRequest(token);
  if (!known) return sendProblem(response, 'This authorization cannot be continued', UNKNOWN_TOKEN);
  const redirect = registeredRedirect(known.callback, use.callbackAddresses());
  if (!redirect) return sendRedirectMismatch(response, known.callback);
  const { scopes, unknown } = parseScopes(query('scope'));
  if (unknown.length > 0)
    return sendProblem(
      response,
      'The app requests an unknown scope',
      html`<p>There is no scope called <code>${unknown.join(' ')}</code>. Remove it from the scopes of the integration.</p>`,
    );
  consent.ask(response, {
    scopes,
    redirect,
    allow: (person) =>
      redirectWith(known.callback, { oauth_token: token, oauth_verifier: tokens.allow(token, { person, scopes }) }),
    deny: () => {
      tokens.deny(token);
      const error = { error: 'access_denied', error_description: 'The user denied the request.' };
      return redirectWith(known.callback, { oauth_token: token, ...error });
    },
  });
}

const UNKNOWN_TOKEN = html`<p>Its request token is unknown, was used, or is older than ten minutes. Go back to the app and connect again.</p>`;

function sendForm(response: Response, pairs: Record<string, string>): void {
  response
    .set('cache-control', 'no-store')
    .type('application/x-www-form-urlencoded')
    .send(new URLSearchParams(pairs).toString());
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

export type PracticeSignedTokens = ReturnType<typeof createPracticeSignedTokens>;

/** Request tokens and access tokens of OAuth 1.0a, in memory. */
export function createPracticeSignedTokens({ clock, ids }: { clock: Clock; ids: Ids }) {
  const requests = new LRUCache<string, RequestToken>({ max: MAX_KEPT });
  const tokens = new LRUCache<string, Allowed & { secret: string }>({ max: MAX_KEPT });
  const newPair = () => ({ token: newSecret(ids, 'practice_o1'), secret: newSecret(ids, 'practice_o1') });

  return {
    issueRequestToken(callback: string) {
      const pair = newPair();
      requests.set(pair.token, { secret: pair.secret, callback, expiresAtMs: clock.now() + REQUEST_LIFETIME_MS });
      return pair;
    },

    /** Undefined when the token was used or denied, or is older than ten minutes. */
    findRequest(token: string): { secret: string; callback: string } | undefined {
      const request = requests.get(token);
      return request && request.expiresAtMs > clock.now() ? request : undefined;
    },

    /** Records the consent. The returned verifier proves that the app received the response. */
    allow(token: string, allowed: Allowed): string {
      const verifier = newSecret(ids, 'practice_code');
      const request = requests.get(token);
      if (request) request.answer = { ...allowed, verifier };
      return verifier;
    },

    deny: (token: string): void => void requests.delete(token),

    /** Exchanges an allowed request token for an access token, once. Undefined when the verifier is wrong. */
    exchange(token: string, verifier: string) {
      const answer = requests.get(token)?.answer;
      if (!answer || answer.verifier !== verifier) return undefined;
      requests.delete(token);
      const pair = newPair();
      const { person, scopes } = answer;
      tokens.set(pair.token, { secret: pair.secret, person, scopes });
      return { ...pair, person };
    },

    /** Access tokens of OAuth 1.0a do not expire. */
    findToken: (token: string) => tokens.get(token),
  };
}
