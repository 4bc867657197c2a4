import { createHmac } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import OAuth from 'oauth-1.0a';
import type { Clock } from '../../platform/lib/clock.ts';
import { PracticeError } from '../practice-error.ts';
import { isClientSecret, type PracticeClient } from './practice-client.ts';
import { isSameSecret } from './practice-secret.ts';
import type { SignedRequest } from './practice-signed-request.ts';

/** Largest accepted difference between a timestamp and the current time. */
const CLOCK_SKEW_MS = 300_000;
/** Nonces of the last minutes. Older ones need not be kept, because their timestamps are refused. */
const MAX_NONCES = 100_000;

const HASHES: Record<string, (base: string, key: string) => string> = {
  'HMAC-SHA1': (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  PLAINTEXT: (_base, key) => key,
};

/** Checks signatures of OAuth 1.0a (RFC 5849, 3.2). Refusals use the names of the problem reporting extension. */
export class PracticeSignatures {
  readonly #clock: Clock;
  readonly #client: PracticeClient;
  readonly #nonces = new LRUCache<string, true>({ max: MAX_NONCES });

  constructor(options: { clock: Clock; client: PracticeClient }) {
    this.#clock = options.clock;
    this.#client = options.client;
  }

  /** Throws unless the client signed the request, with the secret of a token or (undefined) without one. */
  check(request: SignedRequest, tokenSecret: string | undefined): void {
    const { oauth } = request;
    const method = oauth.get('oauth_signature_method') ?? '';
    requireParameters(oauth, method);
    const hash = Object.hasOwn(HASHES, method) ? HASHES[method] : undefined;
    if (!hash) throw new PracticeError(400, 'signature_method_rejected', 'Sign with HMAC-SHA1 or PLAINTEXT.');
    if ((oauth.get('oauth_version') ?? '1.0') !== '1.0')
      throw new PracticeError(400, 'version_rejected', 'oauth_version must be 1.0.');
    if (!isClientSecret(this.#client, oauth.get('oauth_consumer_key') ?? '', this.#client.secret))
      throw refusedSignature('consumer_key_unknown', 'The consumer key is not registered.');
    const signer = new OAuth({
      consumer: { key: this.#client.id, secret: this.#client.secret },
      signature_method: method,
      hash_function: hash,
    });
    if (!isSameSecret(signatureOf(signer, request, tokenSecret), oauth.get('oauth_signature') ?? ''))
      throw refusedSignature('signature_invalid', 'The signature does not fit the request.');
    this.#checkOnce(oauth);
  }

  /** After the signature check, so that an unknown caller cannot use up another one's nonces. */
  #checkOnce(oauth: Map<string, string>): void {
    const stamp = oauth.get('oauth_timestamp');
    if (stamp === undefined) return;
    const distanceMs = Math.abs(Number(/^\d{1,12}$/.test(stamp) ? stamp : Number.NaN) * 1000 - this.#clock.now());
    // The negated comparison also refuses NaN.
    if (!(distanceMs <= CLOCK_SKEW_MS))
      throw refusedSignature('timestamp_refused', 'The timestamp is more than five minutes away from now.');
    const use = JSON.stringify([oauth.get('oauth_token'), stamp, oauth.get('oauth_nonce')]);
    if (this.#nonces.has(use)) throw refusedSignature('nonce_used', 'The nonce was used before.');
    this.#nonces.set(use, true);
  }
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
