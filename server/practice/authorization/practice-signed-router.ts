import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { PracticeError } from '../practice-error.ts';
import type { PracticeClient } from './practice-client.ts';
import type { PracticeConsent } from './practice-consent.ts';
import { html } from './practice-html.ts';
import { queryParameters } from './practice-parameters.ts';
import { PRACTICE_WORKSPACE } from './practice-people.ts';
import { sendProblem, sendRedirectMismatch } from './practice-problem-pages.ts';
import { redirectWith, registeredRedirect } from './practice-redirects.ts';
import { parseScopes } from './practice-scopes.ts';
import { absent, type PracticeSignatures, refusedSignature } from './practice-signatures.ts';
import { keepFormText, readSignedRequest, signedParameter } from './practice-signed-request.ts';
import type { PracticeSignedTokens } from './practice-signed-tokens.ts';

export interface SignedDeps {
  client: PracticeClient;
  consent: PracticeConsent;
  signatures: PracticeSignatures;
  tokens: PracticeSignedTokens;
  callbackAddresses: () => string[];
  faults: RequestHandler;
}

/** The three steps of OAuth 1.0a (RFC 5849, 2): request token, consent, access token. */
export function practiceSignedRouter(use: SignedDeps): Router {
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

function askForConsent(use: SignedDeps, request: Request, response: Response): void {
  const { client, consent, tokens } = use;
  const query = queryParameters(request);
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
    client,
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
