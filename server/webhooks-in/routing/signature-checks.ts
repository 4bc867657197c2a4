import { createHash, createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { isJsonObject } from '../../platform/lib/json-object.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import {
  connectionTarget,
  INVALID_SIGNATURE,
  MISSING_SIGNATURE,
  type ProviderWebhook,
  type RefusedWebhook,
  type RoutingContext,
} from './webhook-routing.ts';

/** `unchecked`: the webhook is accepted although its sender is unknown. */
type SignatureResult = 'valid' | 'unchecked' | RefusedWebhook;

export type SignatureCheck = (
  webhook: ProviderWebhook,
  context: RoutingContext,
) => SignatureResult | Promise<SignatureResult>;

type MaybeSecrets = ReadonlyArray<string | undefined>;

/** The secrets that the webhook may be signed with; one of them must fit. */
export type SecretSource = (context: RoutingContext, webhook: ProviderWebhook) => MaybeSecrets | Promise<MaybeSecrets>;

export interface SentSignature {
  sent: string;
  secret: string;
  webhook: ProviderWebhook;
  context: RoutingContext;
}

export interface SignatureRule {
  /** Finds the signature in the webhook. */
  find: (webhook: ProviderWebhook) => string | undefined;
  secrets: SecretSource;
  /**
   * `secret-is-set`: without a secret, webhooks are accepted unchecked. `always`: without a secret, all webhooks are
   * refused.
   */
  when: 'secret-is-set' | 'always';
  fits: (signature: SentSignature) => boolean;
}

export const webhookSecret: SecretSource = ({ integration }) => [integration.app.webhookSecret];
export const clientSecret: SecretSource = ({ integration }) => [integration.app.clientSecret];
export const anyAppSecret: SecretSource = ({ integration: { app } }) => [app.webhookSecret, app.clientSecret];

/** Secrets of single webhooks, which functions and callers store in the metadata of their connection. */
export function connectionSecrets(idOf: (webhook: ProviderWebhook) => string | undefined): SecretSource {
  return async (context, webhook) => {
    const connections = await context.match(connectionTarget(idOf(webhook)));
    return connections
      .flatMap(({ metadata }) => metadata['webhookSecret'])
      .filter((secret) => typeof secret === 'string');
  };
}

/** The refusal by a check; undefined when the webhook is accepted, or when its signature must not be checked now. */
export async function refuseUnsigned(
  check: SignatureCheck,
  webhook: ProviderWebhook,
  context: RoutingContext,
): Promise<RefusedWebhook | undefined> {
  if (context.skipsSignature) {
    context.onSignature?.('skipped');
    return undefined;
  }
  const result = await check(webhook, context);
  if (typeof result === 'string') {
    context.onSignature?.(result);
    return undefined;
  }
  // A status other than 401 means that the settings are wrong, not the signature.
  if (result.status === 401) context.onSignature?.('invalid');
  return result;
}

export function checkSignature({ find, secrets, when, fits }: SignatureRule): SignatureCheck {
  return async (webhook, context) => {
    const found = (await secrets(context, webhook)).flatMap((secret) => secret || []);
    if (when === 'secret-is-set' && found.length === 0) return 'unchecked';
    const sent = find(webhook);
    if (!sent) return MISSING_SIGNATURE;
    return found.some((secret) => fits({ sent, secret, webhook, context })) ? 'valid' : INVALID_SIGNATURE;
  };
}

export function header(name: string): (webhook: ProviderWebhook) => string | undefined {
  return ({ headers }) => headers[name];
}

/** What an HMAC covers. */
export interface SignedParts {
  body: Buffer;
  /** The text of the header with the time; empty without one. */
  time: string;
  /** The address that the provider called, with its query. */
  url: string;
  webhook: ProviderWebhook;
}

export interface HmacRule extends HmacForm, Pick<SignatureRule, 'when' | 'secrets'> {
  header: string;
  /** The header with the time of the signature. Without a tolerance its age is not checked. */
  time?: { header: string; unit?: TimeUnit; toleranceMs?: number };
  /** The parts that are signed, in order. Default: the body. */
  signs?: (parts: SignedParts) => ReadonlyArray<string | Buffer>;
  /** Whether the hex digits are sent as capitals. */
  isInCapitals?: boolean;
  /** The key, when it is not the text of the secret. */
  key?: (secret: string) => string | Buffer;
}

const bodyAlone: NonNullable<HmacRule['signs']> = ({ body }) => [body];

/** An HMAC in a header: of the body, or of what the rule names. */
export function hmacHeader(rule: HmacRule): SignatureCheck {
  return checkSignature({ ...rule, find: header(rule.header), fits: (signature) => isHmac(rule, signature) });
}

/** Whether the header of the rule contains the HMAC of the webhook. */
export function isHmac(
  rule: Omit<HmacRule, 'when' | 'secrets'>,
  { secret, webhook, context }: Omit<SentSignature, 'sent'>,
): boolean {
  const { time: timeRule, signs = bodyAlone } = rule;
  const time = timeRule ? (webhook.headers[timeRule.header] ?? '') : '';
  const tolerance = timeRule?.toleranceMs;
  if (tolerance !== undefined && !isRecent(time, context.now(), tolerance, timeRule?.unit)) return false;
  const sent = webhook.headers[rule.header] ?? '';
  const given = rule.isInCapitals ? sent.toLowerCase() : sent;
  const key = rule.key?.(secret) ?? secret;
  // Anyone can sign with an empty key.
  if (key.length === 0) return false;
  return context.urls.some((url) =>
    isSameText(given, hmacText(rule, key, ...signs({ body: webhook.rawBody, time, url, webhook }))),
  );
}

/** The secret itself in a header. */
export function secretHeader(rule: Pick<SignatureRule, 'when' | 'secrets'> & { header: string }): SignatureCheck {
  return checkSignature({
    ...rule,
    find: header(rule.header),
    fits: ({ sent, secret }) => isSameText(sent, secret),
  });
}

export const FIVE_MINUTES_MS = 5 * 60_000;

/** `v0=` and the HMAC of `v0:<seconds>:<body>`, with the seconds in a separate header, as Slack and Zoom sign. */
export function versionedHeaders(
  rule: Pick<SignatureRule, 'when' | 'secrets'> & { header: string; timeHeader: string },
): SignatureCheck {
  return checkSignature({
    ...rule,
    find: header(rule.header),
    fits: ({ sent, secret, webhook, context }) => {
      const time = webhook.headers[rule.timeHeader] ?? '';
      const expected = hmacText({ encoding: 'hex', prefix: 'v0=' }, secret, `v0:${time}:`, webhook.rawBody);
      return isRecent(time, context.now(), FIVE_MINUTES_MS) && isSameText(sent, expected);
    },
  });
}

/** HMAC of time and body in one header, as Stripe and Calendly sign. */
export function timestampedHeader(
  rule: TimestampedForm & Pick<SignatureRule, 'when' | 'secrets'> & { header: string; toleranceMs: number },
): SignatureCheck {
  return checkSignature({
    ...rule,
    find: header(rule.header),
    fits: ({ sent, secret, webhook, context }) =>
      isTimestampedSignature({
        ...rule,
        sent,
        secret,
        body: webhook.rawBody,
        now: context.now(),
      }),
  });
}

/** The headers of standardwebhooks.com, with any of the names. */
export function standardHeaders(
  rule: Pick<SignatureRule, 'when' | 'secrets'> & {
    names: readonly string[];
    /** The key of a secret; default: the base64 after `whsec_`. */
    key?: (secret: string) => Buffer;
  },
): SignatureCheck {
  const read = ({ headers }: ProviderWebhook, part: string): string =>
    rule.names.map((name) => headers[`${name}-${part}`]).find((value) => value) ?? '';
  return checkSignature({
    ...rule,
    find: (webhook) => read(webhook, 'signature'),
    fits: ({ sent, secret, webhook, context }) => {
      const [id, timestamp] = [read(webhook, 'id'), read(webhook, 'timestamp')];
      const key = rule.key?.(secret);
      return (
        isRecent(timestamp, context.now(), FIVE_MINUTES_MS) &&
        isStandardSignature({ sent, secret, key, id, timestamp, body: webhook.rawBody })
      );
    },
  });
}

/** The secret as the value of `Authorization`: alone, as a bearer token, or as `user:password` of Basic. */
export function authorizationHeader(rule: Pick<SignatureRule, 'when' | 'secrets'>): SignatureCheck {
  return checkSignature({
    ...rule,
    find: header('authorization'),
    fits: ({ sent, secret }) =>
      [secret, `Bearer ${secret}`, `Basic ${Buffer.from(secret).toString('base64')}`].some((one) =>
        isSameText(sent, one),
      ),
  });
}

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
type TimeUnit = 's' | 'ms' | 'iso';

/** Whether a time, as text, differs from now by at most the tolerance. */
export function isRecent(time: string, now: number, toleranceMs: number, unit: TimeUnit = 's'): boolean {
  const ms =
    unit === 'iso' ? Date.parse(time) : /^\d{1,15}$/.test(time) ? Number(time) * (unit === 's' ? 1000 : 1) : NaN;
  return Math.abs(now - ms) <= toleranceMs;
}

/** Names of a header that contains time and signatures, and what is between its parts. */
interface TimestampedForm {
  /** Default `t`. */
  time?: string;
  /** Default `v1`. */
  signature?: string;
  /** Between the parts of the header; default `,`. */
  separator?: string;
  /** Between time and body in the signed text; default `.`. */
  joint?: string;
}

interface TimestampedSignature extends TimestampedForm {
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

interface StandardSignature {
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
