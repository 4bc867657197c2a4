import { isMap } from '../../../catalog/merge-entries.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ProviderDifference } from '../differences/provider-difference.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';
import { type TokenCall, toTokenRequest } from './oauth2-token-call.ts';
import { readTokenResponse } from './oauth2-token-response.ts';
import { providerRefusal, providerText } from './provider-refusal.ts';

/** One request to a token endpoint. */
export interface TokenAsk {
  context: TokenContext;
  call: TokenCall;
  /** Of a refusal. */
  code: 'token_exchange_failed' | 'refresh_token_external_error';
  /** How the provider's answers depart from others'. */
  difference?: Pick<ProviderDifference, 'parse' | 'refuses' | 'read'>;
}

type Body = Record<string, unknown>;

/** One request to a token endpoint and the document to store of its answer; `raw` is the whole answer. */
export async function requestTokens(ask: TokenAsk, stored?: StoredCredentials): Promise<StoredCredentials> {
  const { context, difference } = ask;
  const answer = await askTokenEndpoint(ask);
  const raw = answer.json;
  const facts = { connectionConfig: context.connectionConfig, stored };
  const read = difference?.read ? difference.read(raw, facts) : raw;
  const tokens = readTokenResponse(context.entry, read, context.now());
  if (tokens) return { ...tokens, raw };
  throw providerRefusal({
    code: 'unable_to_parse_token_response',
    what: 'The provider answered without an access token',
    answer,
    context,
    sent: sentBy(ask.call),
  });
}

/** An answer of success with its body as an object; a refusal becomes an error that says what the provider said. */
export async function askTokenEndpoint(ask: TokenAsk): Promise<TokenAnswer & { json: Body }> {
  const { context, call, code, difference } = ask;
  const answer = await context.send(toTokenRequest(call));
  const body = difference?.parse ? difference.parse(answer) : answer.json;
  if (answer.status >= 300) throw refusal(ask, { ...answer, json: body });
  if (!isMap(body)) throw new HomeportError(code, 'The provider gave no tokens: it did not answer with a JSON object.');
  if (difference?.refuses?.(body)) throw refusal(ask, { ...answer, json: body });
  return { ...answer, json: body };
}

function refusal({ call, code, context }: TokenAsk, answer: TokenAnswer): HomeportError {
  const what = 'The provider gave no tokens';
  const { message } = providerRefusal({ code, what, answer, context, sent: sentBy(call) });
  const hasText = providerText(answer.json) !== '';
  return new HomeportError(code, message, {
    payload: { status: answer.status, ...(hasText ? { provider_error: message } : {}) },
  });
}

/** Everything secret that a provider could repeat; the client in the header as it stands there. */
function sentBy({ query, params, headers }: TokenCall): Record<string, string> {
  const {
    grant_type: _grant,
    redirect_uri: _redirect,
    client_assertion_type: _type,
    ...sent
  } = { ...query, ...params };
  return { ...sent, header: headers['authorization']?.replace(/^\w+ /, '') ?? '' };
}
