import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import type { ProviderWebhook } from './webhook-routing.ts';

export interface HmacForm {
  /** Default SHA-256. */
  algorithm?: 'sha1' | 'sha256' | 'sha512';
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

/** How a provider writes the time of a signature: seconds or milliseconds since the epoch, or a date (ISO 8601). */
export type TimeUnit = 's' | 'ms' | 'iso';

/** Whether a time, as text, differs from now by at most the tolerance. */
export function isRecent(time: string, now: number, toleranceMs: number, unit: TimeUnit = 's'): boolean {
  const ms =
    unit === 'iso' ? Date.parse(time) : /^\d{1,15}$/.test(time) ? Number(time) * (unit === 's' ? 1000 : 1) : NaN;
  return Math.abs(now - ms) <= toleranceMs;
}

/** Names of a header that contains time and signatures, and what is between its parts. */
export interface TimestampedForm {
  /** Default `t`. */
  time?: string;
  /** Default `v1`. */
  signature?: string;
  /** Between the parts of the header; default `,`. */
  separator?: string;
  /** Between time and body in the signed text; default `.`. */
  joint?: string;
}

export interface TimestampedSignature extends TimestampedForm {
  /** `t=<seconds>,v1=<hex>`, with one or more `v1`. */
  sent: string;
  secret: string;
  body: Buffer;
  now: number;
  toleranceMs: number;
}

/** HMAC-SHA256 of `<t>.<body>`, as Stripe and Calendly sign. */
export function isTimestampedSignature(given: TimestampedSignature): boolean {
  const { sent, secret, body, now, toleranceMs } = given;
  const parts = sent.split(given.separator ?? ',').map((part) => part.trim());
  const valuesOf = (name: string): string[] =>
    parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
  const [time = ''] = valuesOf(given.time ?? 't');
  if (!isRecent(time, now, toleranceMs)) return false;
  const expected = hmacText({ encoding: 'hex' }, secret, `${time}${given.joint ?? '.'}`, body);
  return valuesOf(given.signature ?? 'v1').some((signature) => isSameText(signature, expected));
}

export interface StandardSignature {
  /** `v1,<base64>`, one or more separated by spaces. */
  sent: string;
  /** `whsec_` and the key in base64. */
  secret: string;
  /** The key, when the secret has another form. */
  key?: Buffer | undefined;
  id: string;
  timestamp: string;
  body: Buffer;
}

const STANDARD_VERSION = 'v1,';

/** The scheme of standardwebhooks.com, which Svix started. The caller must check whether the timestamp is recent. */
export function isStandardSignature({ sent, secret, id, timestamp, body, ...given }: StandardSignature): boolean {
  const key = given.key ?? Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
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
  const forms = [webhook.rawBody, javascriptText(webhook)];
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
  webhook: ProviderWebhook,
): boolean {
  const isJson = parseJson(webhook.rawBody.toString()) !== undefined;
  const forms = [javascriptText(webhook), ...(isJson ? [webhook.rawBody] : [])];
  return forms.some((form) => isSameText(sent, prefixedHash(algorithm, secret, form)));
}

/** A JSON Web Token that is signed with HMAC-SHA256, and has not expired. */
export function isHs256Token(token: string, secret: string, now: number): boolean {
  const [head = '', claims = '', signature = '', ...rest] = token.split('.');
  const read = (part: string): unknown => parseJson(Buffer.from(part, 'base64url').toString());
  const [header, content] = [read(head), read(claims)];
  if (rest.length > 0 || !isJsonObject(header) || header['alg'] !== 'HS256' || !isJsonObject(content)) return false;
  const expected = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  const { exp } = content;
  return isSameText(signature, expected) && (exp === undefined || (typeof exp === 'number' && exp * 1000 > now));
}

/** What precedes the 32 bytes of an Ed25519 key in its standard form. */
const ED25519_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** Ed25519, key and signature in hex. */
export function isEd25519Signature(publicKey: string, sent: string, signed: Buffer): boolean {
  if (!/^[\da-f]{64}$/i.test(publicKey) || !/^[\da-f]{128}$/i.test(sent)) return false;
  const der = Buffer.concat([ED25519_PREFIX, Buffer.from(publicKey, 'hex')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return verify(null, signed, key, Buffer.from(sent, 'hex'));
}

/** The body as a program in JavaScript would write it, with its digits. */
function javascriptText({ rawBody, body }: ProviderWebhook): string {
  return JSON.stringify(parseJson(rawBody.toString()) ?? body);
}
