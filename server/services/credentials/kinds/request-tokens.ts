import { isMap } from '../../../catalog/merge-entries.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ProviderDifference } from '../differences/provider-difference.ts';
import type { StoredCredentials } from '../stored-credentials.ts';
import type { TokenAnswer, TokenContext } from '../token-context.ts';
import { type TokenCall, toTokenRequest } from './oauth2-token-call.ts';
import { readTokenResponse } from './oauth2-token-response.ts';
import { providerRefusal, providerText, shownText } from './provider-refusal.ts';

/** One request to a token endpoint. */
export interface TokenAsk {
  context: TokenContext;
  call: TokenCall;
  /** Of a refusal. */
  code: 'token_exchange_failed' | 'refresh_token_external_error';
  /** How the provider's answers depart from others'. */
  difference?: Pick<ProviderDifference, 'parse' | 'refuses' | 'read'>;
}

/** The body of an answer with tokens, or the refusal as an error that says what the provider said. */
export async function askTokenEndpoint(ask: TokenAsk): Promise<Record<string, unknown>> {
  const { context, call, code, difference } = ask;
  const answer = await context.send(toTokenRequest(call));
  const body = difference?.parse ? difference.parse(answer) : answer.json;
  if (answer.status >= 300) throw refusal(ask, { ...answer, json: body });
  if (!isMap(body)) throw new HomeportError(code, 'The provider gave no tokens: its answer is not what it should be.');
  if (difference?.refuses?.(body)) throw refusal(ask, { ...answer, json: body });
  return body;
}

/** One request to a token endpoint and the document to store of its answer; `raw` is the whole answer. */
export async function requestTokens(ask: TokenAsk, stored?: StoredCredentials): Promise<StoredCredentials> {
  const { context, difference } = ask;
  const raw = await askTokenEndpoint(ask);
  const facts = { connectionConfig: context.connectionConfig, stored };
  const answer = difference?.read ? difference.read(raw, facts) : raw;
  const tokens = readTokenResponse(context.entry, answer, context.now());
  if (tokens) return { ...tokens, raw };
  const said = shownText(raw, { context, sent: sentOf(ask) });
  throw new HomeportError(
    'unable_to_parse_token_response',
    `The provider answered without an access token${said === '' ? '' : `: ${said}`}.`,
  );
}

function refusal(ask: TokenAsk, answer: TokenAnswer): HomeportError {
  const { context, code } = ask;
  const { message } = providerRefusal({
    code,
    what: 'The provider gave no tokens',
    answer,
    context,
    sent: sentOf(ask),
  });
  const hasText = providerText(answer.json) !== '';
  return new HomeportError(code, message, {
    payload: { status: answer.status, ...(hasText ? { provider_error: message } : {}) },
  });
}

function sentOf({ call }: TokenAsk): Record<string, string> {
  return { ...call.query, ...call.params };
}
