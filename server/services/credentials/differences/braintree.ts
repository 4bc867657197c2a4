import { isMap } from '../../../catalog/merge-entries.ts';
import { basic, type OAuthClient, type TokenCall } from '../kinds/oauth2-token-call.ts';
import { readXml } from '../kinds/token-answer.ts';
import type { TokenAnswer } from '../token-context.ts';
import type { ProviderDifference } from './provider-difference.ts';

const API_VERSION = '6';

/** JSON goes out, XML comes back. */
const asBraintree = (call: TokenCall, { client }: { client: OAuthClient }, grant: 'code' | 'refresh_token') => ({
  ...call,
  format: 'json' as const,
  headers: {
    ...call.headers,
    accept: 'application/xml',
    'x-apiversion': API_VERSION,
    authorization: basic(client.id, client.secret ?? ''),
  },
  params: { grant_type: call.params['grant_type'] ?? '', [grant]: call.params[grant] ?? '' },
});

/** What the root element holds: the credentials, or the errors. */
function readRoot(answer: TokenAnswer): unknown {
  const document = readXml(answer);
  if (!isMap(document)) return undefined;
  return Object.entries(document).find(([name]) => !name.startsWith('?'))?.[1];
}

/** An element with attributes keeps its text apart. */
const textIn = (element: unknown): unknown => (isMap(element) ? element['#text'] : element);

const braintree: ProviderDifference = {
  exchange: (call, facts) => asBraintree(call, facts, 'code'),
  refresh: (call, facts) => asBraintree(call, facts, 'refresh_token'),
  parse: readRoot,
  read: (answer) => ({
    access_token: textIn(answer['access-token']),
    refresh_token: textIn(answer['refresh-token']),
    expires_at: textIn(answer['expires-at']),
  }),
};

export const BRAINTREE: Record<string, ProviderDifference> = { braintree, 'braintree-sandbox': braintree };
