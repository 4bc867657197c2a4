import { createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import OAuth from 'oauth-1.0a';
import type { Clock } from '../../platform/lib/clock.ts';
import { PracticeError } from '../practice-error.ts';
import { PRACTICE_CLIENT } from './practice-client.ts';

/** Largest accepted difference between a timestamp and the current time. */
const CLOCK_SKEW_MS = 300_000;
/**
 * Nonces of the last minutes: 33 a second. Older ones need not be kept, because their timestamps are refused. The cache
 * reserves all places at the start.
 */
const MAX_NONCES = 10_000;

const HASHES: Record<string, (base: string, key: string) => string> = {
  'HMAC-SHA1': (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  PLAINTEXT: (_base, key) => key,
};

export type PracticeSignatures = ReturnType<typeof createPracticeSignatures>;

/** Checks signatures of OAuth 1.0a (RFC 5849, 3.2). Refusals use the names of the problem reporting extension. */
export function createPracticeSignatures(clock: Clock) {
  const nonces = new LRUCache<string, true>({ max: MAX_NONCES });

  /** After the signature check, so that an unknown caller cannot use up another one's nonces. */
  function checkOnce(oauth: Map<string, string>): void {
    const stamp = oauth.get('oauth_timestamp');
    if (stamp === undefined) return;
    const distanceMs = Math.abs(Number(/^\d{1,12}$/.test(stamp) ? stamp : Number.NaN) * 1000 - clock.now());
    // The negated comparison also refuses NaN.
    if (!(distanceMs <= CLOCK_SKEW_MS))
      throw refusedSignature('timestamp_refused', 'The timestamp is more than five minutes away from now.');
    const use = JSON.stringify([oauth.get('oauth_token'), stamp, oauth.get('oauth_nonce')]);
    if (nonces.has(use)) throw refusedSignature('nonce_used', 'The nonce was used before.');
    nonces.set(use, true);
  }

  return {
    /** Throws unless the client signed the request, with the secret of a token or (undefined) without one. */
    check(request: SignedRequest, tokenSecret: string | undefined): void {
      const { oauth } = request;
      const method = oauth.get('oauth_signature_method') ?? '';
      requireParameters(oauth, method);
      const hash = Object.hasOwn(HASHES, method) ? HASHES[method] : undefined;
      if (!hash) throw new PracticeError(400, 'signature_method_rejected', 'Sign with HMAC-SHA1 or PLAINTEXT.');
      if ((oauth.get('oauth_version') ?? '1.0') !== '1.0')
        throw new PracticeError(400, 'version_rejected', 'oauth_version must be 1.0.');
      const { id, secret } = PRACTICE_CLIENT;
      if (oauth.get('oauth_consumer_key') !== id)
        throw refusedSignature('consumer_key_unknown', 'The consumer key is not registered.');
      const signer = new OAuth({ consumer: { key: id, secret }, signature_method: method, hash_function: hash });
      if (signatureOf(signer, request, tokenSecret) !== oauth.get('oauth_signature'))
        throw refusedSignature('signature_invalid', 'The signature does not fit the request.');
      checkOnce(oauth);
    },
  };
}

/** PLAINTEXT does not sign timestamp and nonce, so it may leave both out (RFC 5849, 3.1). */
function requireParameters(oauth: Map<string, string>, method: string): void {
  const always = ['oauth_consumer_key', 'oauth_signature_method', 'oauth_signature'];
  const hasMoment = oauth.has('oauth_timestamp') || oauth.has('oauth_nonce');
  const needed = method === 'PLAINTEXT' && !hasMoment ? always : [...always, 'oauth_timestamp', 'oauth_nonce'];
  const missing = needed.filter((name) => !oauth.get(name));
  if (missing.length > 0) throw absent(missing);
}

/** Repeated names are passed as lists, because the package would keep only one value. */
function signatureOf(signer: OAuth, { method, url, parameters }: SignedRequest, tokenSecret?: string): string {
  const grouped = Map.groupBy(parameters, ([name]) => name);
  const data = Object.fromEntries([...grouped].map(([name, pairs]) => [name, pairs.map(([, value]) => value)]));
  return signer.getSignature({ method, url, data }, tokenSecret, {} as OAuth.Data);
}

export function absent(names: string[]): PracticeError {
  return new PracticeError(400, 'parameter_absent', `Missing: ${names.join(', ')}.`);
}

export function refusedSignature(code: string, message: string): PracticeError {
  return new PracticeError(401, code, message, { challenge: 'OAuth realm="practice"' });
}

/** A request in the form in which OAuth 1.0a signs it (RFC 5849, 3.4.1). */
export interface SignedRequest {
  method: string;
  /** Without the query. */
  url: string;
  /** Parameters of the `authorization` header without `realm`. */
  oauth: Map<string, string>;
  /** All signed parameters: of the header without the signature, of the query, and of a form. Names may repeat. */
  parameters: Array<[name: string, value: string]>;
}

const SCHEME = /^OAuth\s/i;

export function isSignedRequest(request: Request): boolean {
  return SCHEME.test(request.get('authorization') ?? '');
}

/** For body parsers (`verify`): keeps the original text of a form, because the signature covers it. */
export function keepFormText(request: IncomingMessage, _response: unknown, bytes: Buffer): void {
  Object.assign(request, { formText: bytes.toString('utf8') });
}

export function readSignedRequest(request: Request): SignedRequest {
  const oauth = headerParameters(request.get('authorization') ?? '');
  const [path = '', query = ''] = splitOnce(request.originalUrl, '?');
  const { formText = '' } = request as { formText?: string };
  return {
    method: request.method,
    url: `${request.protocol}://${(request.get('host') ?? '').toLowerCase()}${path}`,
    oauth,
    parameters: [
      ...[...oauth].filter(([name]) => name !== 'oauth_signature'),
      ...new URLSearchParams(query),
      ...new URLSearchParams(formText),
    ],
  };
}

/** A signed parameter from any place: clients also send `oauth_callback` and `oauth_verifier` in a form. */
export function signedParameter({ parameters }: SignedRequest, name: string): string | undefined {
  return parameters.find(([one]) => one === name)?.[1];
}

function headerParameters(header: string): Map<string, string> {
  const pairs = [...header.replace(SCHEME, '').matchAll(/(?<![^\s,="])([^\s,="]+)="([^"]*)"/g)];
  const parameters = new Map<string, string>();
  for (const [, name = '', value = ''] of pairs) {
    if (name === 'realm') continue;
    if (parameters.has(decoded(name))) throw unreadable(`${name} is in the authorization header twice.`);
    parameters.set(decoded(name), decoded(value));
  }
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It throws only for a `%` without an encoded character.
    throw unreadable('The authorization header is not percent-encoded.');
  }
}

function splitOnce(text: string, at: string): [before: string, after: string] {
  const index = text.indexOf(at);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + at.length)];
}

function unreadable(message: string): PracticeError {
  return new PracticeError(400, 'parameter_rejected', message);
}
