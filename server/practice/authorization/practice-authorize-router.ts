import { Router } from 'express';
import type { PracticeClient } from './practice-client.ts';
import type { PracticeConsent } from './practice-consent.ts';
import type { PracticeGrants } from './practice-grants.ts';
import { LIFETIME_RULE, type Parameters, queryParameters, readTokenLifetime } from './practice-parameters.ts';
import { sendRedirectMismatch, sendUnknownClient } from './practice-problem-pages.ts';
import { redirectWith, registeredRedirect } from './practice-redirects.ts';
import { type PracticeScope, parseScopes } from './practice-scopes.ts';

export interface AuthorizeDeps {
  client: PracticeClient;
  consent: PracticeConsent;
  grants: PracticeGrants;
  /** Registered redirect addresses in addition to those on this computer. */
  callbackAddresses: () => string[];
}

/** S256: 32 bytes as base64url. */
const CHALLENGE = /^[\w-]{43}$/;

/** `GET /oauth/authorize`: checks the request and asks the person for consent (RFC 6749 4.1.1, RFC 7636). */
export function practiceAuthorizeRouter({ client, consent, grants, callbackAddresses }: AuthorizeDeps): Router {
  const router = Router();
  router.get('/oauth/authorize', (request, response) => {
    const query = queryParameters(request);
    if (query('client_id') !== client.id) return sendUnknownClient(response, client);
    const redirectUri = query('redirect_uri');
    const redirect = registeredRedirect(redirectUri, callbackAddresses());
    // An unregistered address must never be redirected to, not even with an error.
    if (redirectUri === undefined || !redirect) return sendRedirectMismatch(response, redirectUri);
    const state = query('state');
    const checked = checkRequest(query);
    if ('error' in checked) return response.redirect(redirectWith(redirectUri, { ...checked, state }).href);
    const { challenge, ...asked } = checked;
    consent.ask(response, {
      client,
      scopes: checked.scopes,
      redirect,
      allow: (person) => {
        const grant = { clientId: client.id, person, ...asked };
        return redirectWith(redirectUri, { code: grants.issueCode(grant, { redirectUri, challenge }), state });
      },
      deny: () =>
        redirectWith(redirectUri, { error: 'access_denied', error_description: 'The user denied the request.', state }),
    });
  });
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
