import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { parseJson } from '../../../lib/parse-json.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

export interface HmacForm {
  /** Default SHA-256. */
  algorithm?: 'sha1' | 'sha256';
  encoding: 'hex' | 'base64';
  /** Text before the digest, such as `sha256=`. */
  prefix?: string;
}

/** Compares in constant time. Texts of different length are not equal. */
export function isSameText(sent: string, expected: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(sent)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/** The signature of the data, as the provider writes it. */
export function hmacText(form: HmacForm, key: string | Buffer, ...data: Array<string | Buffer>): string {
  const hmac = createHmac(form.algorithm ?? 'sha256', key);
  for (const part of data) hmac.update(part);
  return `${form.prefix ?? ''}${hmac.digest(form.encoding)}`;
}

/** Hex digest of a secret followed by the data, an older form than HMAC. */
export function prefixedHash(algorithm: 'sha1' | 'sha256', secret: string, data: string | Buffer): string {
  return createHash(algorithm).update(secret).update(data).digest('hex');
}

/** Whether a time in seconds since the epoch, as text, differs from now by at most the tolerance. */
export function isRecent(seconds: string, now: number, toleranceMs: number): boolean {
  return /^\d{1,12}$/.test(seconds) && Math.abs(now - Number(seconds) * 1000) <= toleranceMs;
}

export interface TimestampedSignature {
  /** `t=<seconds>,v1=<hex>`, with one or more `v1`. */
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
  /** `v1,<base64>`, one or more separated by spaces. */
  sent: string;
  /** `whsec_` and the key in base64. */
  secret: string;
  id: string;
  timestamp: string;
  body: Buffer;
}

const STANDARD_VERSION = 'v1,';

/** The scheme of standardwebhooks.com, which Svix started. The caller must check whether the timestamp is recent. */
export function isStandardSignature({ sent, secret, id, timestamp, body }: StandardSignature): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  // Anyone can sign with an empty key.
  if (key.length === 0) return false;
  const expected = hmacText({ encoding: 'base64', prefix: STANDARD_VERSION }, key, `${id}.${timestamp}.`, body);
  return sent.split(' ').some((signature) => isSameText(signature, expected));
}

/** The key in a PEM; undefined when the text is not a PEM. */
export function readPublicKey(pem: string): KeyObject | undefined {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined; // Not a key; the refusal says so.
  }
}

/** RSA-SHA256 (PKCS#1), the signature in base64. */
export function isRsaSignature(publicKey: KeyObject, sent: string, body: Buffer): boolean {
  const signature = Buffer.from(sent, 'base64');
  if (publicKey.asymmetricKeyType !== 'rsa' || signature.toString('base64') !== sent) return false;
  return verify('RSA-SHA256', body, publicKey, signature);
}

/**
 * Some providers document the signed text as `JSON.stringify(body)`. It is usually identical to the sent body; where it
 * is not (spaces, escapes, `1.0`), either may be signed. Both need the secret.
 */
export function isBodyHmac(sent: string, secret: string, webhook: ProviderWebhook): boolean {
  const forms = [webhook.rawBody, JSON.stringify(webhook.body)];
  return forms.some((form) => isSameText(sent, hmacText({ encoding: 'hex' }, secret, form)));
}

/**
 * A hash of secret and body can be continued by anyone who has seen one (length extension). The continued body contains
 * bytes that are not JSON, so the raw body counts only when it is JSON, whatever its content type says.
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
