import express, { type Request, type RequestHandler, Router } from 'express';
import { isClientSecret, type PracticeClient } from './practice-client.ts';
import type { Grant, PracticeGrants } from './practice-grants.ts';
import { PracticeOAuthError, practiceOAuthErrorHandler } from './practice-oauth-error.ts';
import { formParameters, LIFETIME_RULE, type Parameters, readTokenLifetime } from './practice-parameters.ts';
import { PRACTICE_WORKSPACE } from './practice-people.ts';
import { type PracticeScope, parseScopes } from './practice-scopes.ts';

export interface TokenDeps {
  client: PracticeClient;
  grants: PracticeGrants;
  /** Simulated failures, checked before the real response, as in the API. */
  faults: RequestHandler;
}

/** `POST /oauth/token` (RFC 6749, 4.1.3, 4.4, 6) and `POST /oauth/revoke` (RFC 7009). */
export function practiceTokenRouter({ client, grants, faults }: TokenDeps): Router {
  const router = Router();
  const form = express.urlencoded({ extended: false });
  router.post('/oauth/token', faults, form, (request, response) => {
    const parameters = formParameters(request);
    authenticate(request, parameters, client);
    response.set({ 'cache-control': 'no-store', pragma: 'no-cache' }).json(respond(parameters, client, grants));
  });
  router.post('/oauth/revoke', form, (request, response) => {
    const parameters = formParameters(request);
    authenticate(request, parameters, client);
    grants.revoke(required(parameters, 'token'), client.id);
    response.status(200).end();
  });
  router.use(practiceOAuthErrorHandler);
  return router;
}

function respond(parameters: Parameters, client: PracticeClient, grants: PracticeGrants): object {
  const kind = required(parameters, 'grant_type');
  switch (kind) {
    case 'authorization_code': {
      const grant = grants.redeemCode(required(parameters, 'code'), {
        clientId: client.id,
        redirectUri: required(parameters, 'redirect_uri'),
        verifier: parameters('code_verifier'),
      });
      return { ...tokenResponse(grants, grant, grant.scopes), refresh_token: grants.issueRefreshToken(grant) };
    }
    case 'refresh_token': {
      const scopes = parameters('scope') === undefined ? undefined : knownScopes(parameters);
      const grant = grants.redeemRefreshToken(required(parameters, 'refresh_token'), { clientId: client.id, scopes });
      return {
        ...tokenResponse(grants, grant, scopes ?? grant.scopes),
        refresh_token: grants.issueRefreshToken(grant),
      };
    }
    case 'client_credentials': {
      const scopes = knownScopes(parameters);
      const lifetimeS = readTokenLifetime(parameters);
      if (lifetimeS === undefined) throw new PracticeOAuthError('invalid_request', LIFETIME_RULE);
      return tokenResponse(grants, { clientId: client.id, scopes, lifetimeS }, scopes);
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
function authenticate(request: Request, parameters: Parameters, client: PracticeClient): void {
  const sent = [basicCredentials(request), bodyCredentials(parameters)].filter((pair) => pair !== undefined);
  if (sent.length === 0 || !sent.every(([id, secret]) => isClientSecret(client, id, secret)))
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
