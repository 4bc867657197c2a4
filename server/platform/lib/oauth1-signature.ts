import { createHmac, createSign } from 'node:crypto';
import OAuth from 'oauth-1.0a';

export interface OAuth1Request {
  method: string;
  /** Includes the query: its parameters are signed. */
  url: string;
  /** Parameters of a form-encoded body, which are signed. Other bodies are not signed. */
  form?: Record<string, string>;
  consumer: { key: string; secret: string };
  /** Absent before a token exists. */
  token?: { key: string; secret: string };
  signatureMethod: 'HMAC-SHA1' | 'HMAC-SHA256' | 'RSA-SHA1' | 'PLAINTEXT';
  /** Further protocol parameters, such as `oauth_callback`; they go into the header. */
  protocol?: Record<string, string>;
  realm?: string;
  nonce: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The `authorization` value of a request signed with OAuth 1.0a (RFC 5849). */
export function signOAuth1(request: OAuth1Request): string {
  const oauth = new OAuth({
    consumer: request.consumer,
    signature_method: request.signatureMethod,
    hash_function: (base, key) => hash(request, base, key),
    ...(request.realm === undefined ? {} : { realm: request.realm }),
  });
  oauth.getNonce = () => request.nonce;
  oauth.getTimeStamp = () => Math.floor(request.now / 1000);
  const { method, url, form = {}, protocol = {} } = request;
  const signed = oauth.authorize({ url, method, data: { ...form, ...protocol } }, request.token);
  return oauth.toHeader({ ...signed, ...protocol }).Authorization;
}

function hash(request: OAuth1Request, base: string, key: string): string {
  switch (request.signatureMethod) {
    case 'HMAC-SHA1':
      return createHmac('sha1', key).update(base).digest('base64');
    case 'HMAC-SHA256':
      return createHmac('sha256', key).update(base).digest('base64');
    case 'RSA-SHA1':
      return createSign('RSA-SHA1').update(base).sign(request.consumer.secret, 'base64');
    case 'PLAINTEXT':
      return key;
  }
}
