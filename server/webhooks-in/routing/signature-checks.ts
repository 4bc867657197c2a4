import {
  type HmacForm,
  hmacText,
  isRecent,
  isSameText,
  isStandardSignature,
  isTimestampedSignature,
  type TimestampedForm,
  type TimeUnit,
} from './signatures.ts';
import { connectionTarget, INVALID_SIGNATURE, MISSING_SIGNATURE } from './webhook-fields.ts';
import type { ProviderWebhook, RefusedWebhook, RoutingContext } from './webhook-routing.ts';

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
