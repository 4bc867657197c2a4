import { valueAt } from '../../../catalog/template/resolve-template.ts';
import type { Mint } from '../token-context.ts';
import { toIsoTime } from '../token-expiry.ts';
import { providerRefusal } from './provider-refusal.ts';
import { tokenAddress } from './token-address.ts';
import { jsonObject, TOKEN_HEADERS } from './token-answer.ts';

/** A session ends after 35 minutes without use (auth-and-connect.md 2.7). */
const SESSION_MS = 35 * 60_000;

/** BILL: a session made by a login. */
export const mintBill: Mint = async (context, given) => {
  const { username, password, organization_id: organizationId, dev_key: devKey } = given;
  const startedAt = context.now();
  const answer = await context.send({
    method: 'POST',
    url: tokenAddress(context, 'BILL', given),
    headers: { ...TOKEN_HEADERS, 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, organizationId, devKey }),
  });
  const raw = jsonObject(answer);
  const sessionId = valueAt(raw, 'sessionId');
  if (answer.status !== 200 || !raw || typeof sessionId !== 'string' || sessionId === '')
    throw providerRefusal({
      code: 'invalid_credentials',
      what: 'The provider refused the login',
      answer,
      context,
      sent: given,
    });
  return {
    credentials: {
      type: 'BILL',
      username,
      password,
      organization_id: raw['organizationId'] ?? organizationId,
      dev_key: devKey,
      session_id: sessionId,
      user_id: raw['userId'],
      expires_at: toIsoTime(startedAt + SESSION_MS),
      raw,
    },
  };
};
