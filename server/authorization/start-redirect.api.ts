import type { RequestHandler } from 'express';
import type { ApiRequest, Handler } from '../platform/http/route.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { readSession, readTarget } from './auth-caller.api.ts';
import { authCaller } from './authorization.contract.ts';
import type { AuthorizationService } from './authorization.service.ts';
import type { ConnectSessionsService } from './connect-sessions.service.ts';
import { sendFailurePage, stateCookieName } from './finish-redirect.api.ts';

/** The cookie lasts as long as the state. */
const COOKIE_SECONDS = 3600;

export interface StartDeps {
  authorization: AuthorizationService;
  connectSessions: ConnectSessionsService;
}

/** `GET /oauth/connect/:providerConfigKey`: redirects the pop-up to the provider (auth-and-connect.md 3.2). */
export function startRedirect(use: StartDeps): Handler {
  return async (request) => {
    try {
      await redirect(use, request);
    } catch (error) {
      // A pop-up gets an error page; programs get the normal JSON error.
      if (!(error instanceof HomeportError) || !wantsPage(request)) throw error;
      sendFailurePage(request.response, { error, status: error.status });
    }
    return undefined;
  };
}

/**
 * Answers the same address without a key, which is not a route of its own, and notifies the waiting page of the
 * refusal.
 */
export function refuseKeyless(use: StartDeps): RequestHandler {
  return ({ path, query }, _response, next) => {
    if (!/^\/oauth\/connect\/?$/i.test(path)) {
      next();
      return;
    }
    const error = new HomeportError('missing_provider_config_key', 'Name the integration: /oauth/connect/<key>.');
    use.authorization.notifyRefusal(authCaller.parse(query).ws_client_id, error);
    next(error);
  };
}

async function redirect(use: StartDeps, request: ApiRequest): Promise<void> {
  const { ws_client_id: wsClientId } = authCaller.parse(request.query);
  const asked = await check(use, request, wsClientId);
  const { url, state } = await use.authorization.start({ ...asked, wsClientId });
  const { response } = request;
  response.setHeader(
    'Set-Cookie',
    `${stateCookieName(state)}=1; Max-Age=${COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Lax`,
  );
  response.setHeader('Cache-Control', 'no-store');
  response.status(302).location(url).end();
}

/** Failures before an authorization are JSON everywhere; the waiting page is notified too (auth-and-connect.md 1.6). */
async function check(use: StartDeps, request: ApiRequest, wsClientId: string | undefined) {
  try {
    const session = await readSession(use, request);
    return { session, ...readTarget(request) };
  } catch (error) {
    use.authorization.notifyRefusal(wsClientId, error);
    throw error;
  }
}

function wantsPage({ http }: ApiRequest): boolean {
  return http.headers.accept?.includes('text/html') === true;
}
