import { authCaller } from '../../../contract/api/authorization.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { AuthorizationService } from '../../../services/authorization/authorization-service.ts';
import type { ConnectSessionsService } from '../../../services/connect-sessions/connect-sessions-service.ts';
import { sendFailurePage } from '../../pages/sign-in-pages.ts';
import type { ApiRequest, Handler } from '../../route.ts';
import { readAuthQuery, readIntegrationKey, readSession } from './auth-caller.ts';

/** The state as a cookie lives as long as the state. */
const COOKIE_SECONDS = 3600;

export interface StartUse {
  authorization: AuthorizationService;
  connectSessions: ConnectSessionsService;
}

/** `GET /oauth/connect/:providerConfigKey`: sends the pop-up on to the provider (auth-and-connect.md 3.2). */
export function startRedirect(use: StartUse): Handler {
  return async (request) => {
    try {
      await redirect(use, request);
    } catch (error) {
      // A person looks at a pop-up; programs get the error as they always do.
      if (!(error instanceof HomeportError) || !wantsPage(request)) throw error;
      const unknown = { refusal: undefined, callbackUrl: undefined, doctorUrl: undefined };
      sendFailurePage(request.response, { error, status: error.status, ...unknown });
    }
    return undefined;
  };
}

async function redirect(use: StartUse, request: ApiRequest): Promise<void> {
  const { ws_client_id: wsClientId } = authCaller.parse(request.query);
  const { integrationKey, session, query } = await check(use, request, wsClientId);
  const { url, state } = await use.authorization.start({ ...query, integrationKey, session, wsClientId });
  const { response } = request;
  response.setHeader('Set-Cookie', `oauth2-${state}=1; Max-Age=${COOKIE_SECONDS}; Path=/; HttpOnly; SameSite=Lax`);
  response.setHeader('Cache-Control', 'no-store');
  response.redirect(302, url);
}

/** What stands before a sign-in fails as JSON everywhere; the page that waits hears of it, too (1.6, [FIX]). */
async function check(use: StartUse, request: ApiRequest, wsClientId: string | undefined) {
  try {
    const session = await readSession(use, request);
    const query = readAuthQuery(request);
    return { integrationKey: readIntegrationKey(request), session, query };
  } catch (error) {
    if (error instanceof HomeportError) use.authorization.tellRefusal(wsClientId, error);
    throw error;
  }
}

function wantsPage({ http }: ApiRequest): boolean {
  return http.headers.accept?.includes('text/html') === true;
}
