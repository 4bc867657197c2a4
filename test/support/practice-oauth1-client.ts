import { createHmac, randomUUID } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { PRACTICE_CLIENT } from '../../server/practice/authorization/practice-client.ts';

export interface Signing {
  token?: OAuth.Token;
  method?: string;
  secret?: string;
  /** Replaces the client's own value; '' omits it. */
  oauth?: Record<string, string>;
  /** Signed, and sent in the header. */
  extra?: Record<string, string>;
  /** Changes the header after it was signed. */
  tamper?: (header: string) => string;
  verb?: string;
  form?: Record<string, string>;
}

/** Sends a request to the practice provider, signed at `nowMs` with the package `oauth-1.0a`. */
export function sendSigned(url: string, nowMs: number, signing: Signing = {}): Promise<Response> {
  const { token, method = 'HMAC-SHA1', secret = PRACTICE_CLIENT.secret, extra = {}, verb = 'POST', form } = signing;
  const client = new OAuth({
    consumer: { key: PRACTICE_CLIENT.id, secret },
    signature_method: method,
    hash_function: (base, key) =>
      method === 'PLAINTEXT' ? key : createHmac('sha1', key).update(base).digest('base64'),
  });
  const oauth: Record<string, string> = Object.fromEntries(
    Object.entries({
      oauth_consumer_key: PRACTICE_CLIENT.id,
      oauth_nonce: randomUUID(),
      oauth_signature_method: method,
      oauth_timestamp: String(Math.floor(nowMs / 1000)),
      oauth_version: '1.0',
      ...(token ? { oauth_token: token.key } : {}),
      ...extra,
      ...signing.oauth,
    }).filter(([, value]) => value !== ''),
  );
  // The package modifies the object that it signs, hence the copy.
  const data = { ...oauth } as unknown as OAuth.Data;
  const signature = client.getSignature({ url, method: verb, data: { ...form } }, token?.secret, data);
  const { Authorization } = client.toHeader({ ...oauth, oauth_signature: signature } as unknown as OAuth.Authorization);
  return fetch(url, {
    method: verb,
    headers: { authorization: (signing.tamper ?? String)(Authorization) },
    ...(form ? { body: new URLSearchParams(form) } : {}),
  });
}

/** The token of a response, and its other pairs. */
export async function readTokenPair(response: Response): Promise<OAuth.Token & { rest: Record<string, string> }> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.url} answered ${response.status}: ${text}`);
  const { oauth_token = '', oauth_token_secret = '', ...rest } = Object.fromEntries(new URLSearchParams(text));
  return { key: oauth_token, secret: oauth_token_secret, rest };
}
