import { issueTime } from '../../../platform/lib/issue-time.ts';
import { requestTokenResponse, type TokenCall, type TokenEndpointRequest } from '../auth-modes/token-endpoint.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { IssuedCredentials, TokenContext } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import type { ProviderQuirk } from './provider-quirk.ts';

const LOGIN = 'https://rest.bullhornstaffing.com/rest-services/login';
const DATA_CENTRES = '.bullhornstaffing.com';
const SESSION_MINUTES = 60;

/** An OAuth token only opens a session at the REST API: calls carry the session's token and go to its address. */
async function login(
  tokens: StoredCredentials,
  context: TokenContext,
  code: TokenEndpointRequest['code'],
): Promise<IssuedCredentials> {
  const call: TokenCall = {
    method: 'POST',
    url: LOGIN,
    query: { version: '*', access_token: String(tokens['access_token']), ttl: String(SESSION_MINUTES) },
    params: {},
    headers: {},
    format: 'form',
  };
  const sentAt = context.now();
  const { json: session } = await requestTokenResponse({
    context: followingDataCentre(context),
    call,
    code,
    quirk: { refuses: ({ BhRestToken: token }) => typeof token !== 'string' || token === '' },
  });
  return {
    credentials: {
      ...tokens,
      access_token: session['BhRestToken'],
      expires_at: toIsoTime(issueTime(sentAt, context) + SESSION_MINUTES * 60_000),
      raw: { ...tokens.raw, ...session },
    },
    config: { restUrl: session['restUrl'] },
  };
}

/** The login of a wrong data centre redirects to the right one. */
function followingDataCentre(context: TokenContext): TokenContext {
  return {
    ...context,
    send: async (request) => {
      const response = await context.send(request);
      const target = URL.parse(String(response.headers['location'] ?? ''), request.url);
      const isMoved = response.status === 307 && target?.protocol === 'https:' && target.host.endsWith(DATA_CENTRES);
      return isMoved ? context.send({ ...request, url: target.href }) : response;
    },
  };
}

export const BULLHORN: Record<string, ProviderQuirk> = {
  bullhorn: {
    afterExchange: (tokens, { context }) => login(tokens, context, 'token_exchange_failed'),
    afterRefresh: (tokens, { context }) => login(tokens, context, 'refresh_token_external_error'),
  },
};
