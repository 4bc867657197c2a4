import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { parseJson } from '../../../lib/parse-json.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

export interface HmacForm {
  /** SHA-256 unless said otherwise. */
  algorithm?: 'sha1' | 'sha256';
  encoding: 'hex' | 'base64';
  /** What stands before the digest, such as `sha256=`. */
  prefix?: string;
}

/** Compares in constant time. Texts of unequal length are never the same. */
export function isSameText(sent: string, expected: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/** The signature of the data as the provider would write it. */
export function hmacText(form: HmacForm, key: string | Buffer, ...data: Array<string | Buffer>): string {
  const hmac = createHmac(form.algorithm ?? 'sha256', key);
  for (const part of data) hmac.update(part);
  return `${form.prefix ?? ''}${hmac.digest(form.encoding)}`;
}

/** Hex digest of a secret followed by the data: the form before HMAC. */
export function prefixedHash(algorithm: 'sha1' | 'sha256', secret: string, data: string | Buffer): string {
  return createHash(algorithm).update(secret).update(data).digest('hex');
}

/** Whether seconds since the epoch, as a provider writes them, are near enough to now in either direction. */
export function isRecent(seconds: string, now: number, toleranceMs: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= toleranceMs;
}

export interface TimestampedSignature {
  /** `t=<seconds>,v1=<hex>`, maybe with several `v1`. */
  sent: string;
  secret: string;
  body: Buffer;
  now: number;
  toleranceMs: number;
}

/** HMAC-SHA256 of `<t>.<body>`, as Stripe and Calendly sign. */
export function isTimestampedSignature({ sent, secret, body, now, toleranceMs }: TimestampedSignature): boolean {
  const parts = sent.split(',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = ''] = valuesOf('t');
  if (!isRecent(time, now, toleranceMs)) return false;
  const expected = hmacText({ encoding: 'hex' }, secret, `${time}.`, body);
  return valuesOf('v1').some((signature) => isSameText(signature, expected));
}

export interface StandardSignature {
  /** `v1,<base64>`, maybe several with spaces between. */
  sent: string;
  /** `whsec_` and the key in base64. */
  secret: string;
  id: string;
  timestamp: string;
  body: Buffer;
}

const STANDARD_VERSION = 'v1,';

/** The scheme of standardwebhooks.com, which Svix began. Whether the timestamp is recent is for the caller to ask. */
export function isStandardSignature({ sent, secret, id, timestamp, body }: StandardSignature): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anyone could sign with an empty key.
  if (key.length === 0) return false;
  const expected = hmacText({ encoding: 'base64', prefix: STANDARD_VERSION }, key, `${id}.${timestamp}.`, body);
  return sent.split(' ').some((signature) => isSameText(signature, expected));
}

/** The key of a PEM; undefined when the text is none. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined; // Not a key: the refusal says so.
  }
}

/** RSA-SHA256 (PKCS#1), the signature in base64. */
export function isRsaSignature(publicKey: KeyObject, sent: string, body: Buffer): boolean {
  const signature = Buffer.from(sent, 'base64');
  if (publicKey.asymmetricKeyType !== 'rsa' || signature.toString('base64') !== sent) return false;
  return verify('RSA-SHA256', body, publicKey, signature);
}

/**
 * Some providers sign their JSON, and say so in JavaScript: `JSON.stringify(body)`. It is mostly what they send; where
 * it is not (spaces, escapes, `1.0`), the one or the other fits. Both are under the secret.
 */
export function isBodyHmac(sent: string, secret: string, webhook: ProviderWebhook): boolean {
  const forms = [webhook.rawBody, JSON.stringify(webhook.body)];
  return forms.some((form) => isSameText(sent, hmacText({ encoding: 'hex' }, secret, form)));
}

/**
 * A hash of secret and body, which can be continued by everyone who saw one (length extension). The continuation holds
 * bytes that are no JSON, so the raw body counts only when it is JSON, whatever its content type says.
 */
export function isPrefixedHash(
  algorithm: 'sha1' | 'sha256',
  sent: string,
  secret: string,
  { rawBody, body }: ProviderWebhook,
): boolean {
  const isJson = parseJson(rawBody.toString()) !== undefined;
  const forms = [JSON.stringify(body), ...(isJson ? [rawBody] : [])];
  return forms.some((form) => isSameText(sent, prefixedHash(algorithm, secret, form)));
}
