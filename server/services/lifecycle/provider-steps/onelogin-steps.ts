import { accessTokenOf } from './access-token.ts';
import { requireSuccess } from './step-answer.ts';
import type { PreDeletionStep } from './step-context.ts';

/** OneLogin has an authorization scheme of its own for this call; it replaces the connection's header. */
export const oneloginPreConnectionDeletion: PreDeletionStep = async (context) => {
  const { credentials } = context.connection;
  const clientId = credentials['client_id'] ?? context.app.clientId ?? '';
  const clientSecret = credentials['client_secret'] ?? context.app.clientSecret ?? '';
  const answer = await context.request({
    method: 'POST',
    endpoint: '/auth/oauth2/revoke',
    headers: { authorization: `client_id:${clientId}, client_secret:${clientSecret}` },
    json: { access_token: accessTokenOf(context) },
  });
  requireSuccess(context, 'the revocation of the token', answer);
};
