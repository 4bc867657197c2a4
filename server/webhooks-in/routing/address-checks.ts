import { type HmacForm, hmacText } from './signature-checks.ts';
import {
  type AnsweredWebhook,
  type ProviderWebhook,
  type RefusedWebhook,
  type RoutingContext,
  refuse,
  textAt,
} from './webhook-routing.ts';

/**
 * How a provider checks that an address belongs to its receiver (webhooks.md 2.5): the answer, a refusal, or undefined
 * when the request is no check. Only `GET` and `HEAD` requests that get an answer here are answered at all.
 */
export type AddressCheck = (
  webhook: ProviderWebhook,
  context: RoutingContext,
) => AnsweredWebhook | RefusedWebhook | undefined;

/** The first of several checks that knows the request. */
export function oneOf(...checks: AddressCheck[]): AddressCheck {
  return (webhook, context) => {
    for (const check of checks) {
      const answer = check(webhook, context);
      if (answer) return answer;
    }
    return undefined;
  };
}

/** The check for requests of one method. */
export function on(method: 'GET' | 'HEAD' | 'POST', check: AddressCheck): AddressCheck {
  return (webhook, context) => (webhook.method === method ? check(webhook, context) : undefined);
}

/** For providers that only want to see whether the address answers. */
export const isThere: AddressCheck = () => answerText('');

/** Sends a parameter of the query back as text. Providers differ in its capitals: SharePoint writes it in small ones. */
export function echoQuery(name: string): AddressCheck {
  return ({ query }) => {
    const found = Object.entries(query).find(([one]) => one.toLowerCase() === name.toLowerCase());
    return found && answerText(found[1]);
  };
}

/** Sends a header back under a name, with an empty body. */
export function echoHeader(name: string, back = name): AddressCheck {
  return ({ headers }) => {
    const value = headers[name];
    return value ? { ...answerText(''), headers: { [back]: value } } : undefined;
  };
}

/** Sends a field of the body back as JSON, under a name. */
export function echoField(name: string, back = name): AddressCheck {
  return ({ body }) => {
    const value = textAt(body, name);
    return value === undefined ? undefined : answerJson({ [back]: value });
  };
}

/**
 * WebSub, as Meta and Strava use it: `hub.mode=subscribe` with a challenge, and the token that the creator of the
 * subscription chose. The token is the webhook secret; without one any subscription is confirmed.
 */
export function hubChallenge(answer: (challenge: string) => AnsweredWebhook): AddressCheck {
  return on('GET', ({ query }, { integration }) => {
    const challenge = query['hub.challenge'];
    if (query['hub.mode'] !== 'subscribe' || challenge === undefined) return undefined;
    const { webhookSecret } = integration.app;
    if (webhookSecret && query['hub.verify_token'] !== webhookSecret) return WRONG_TOKEN;
    return answer(challenge);
  });
}

export const WRONG_TOKEN = refuse(
  403,
  'The verify token is another one than the webhook secret of the integration. Enter the same text at both.',
);

/**
 * The provider signs its webhooks with the same key. Answering a token that looks like a signed text would give its
 * sender the signature of a webhook, so only letters, digits and a few signs are signed.
 */
const PLAIN_TOKEN = /^[\w-]{1,200}$/;

export interface SignedAnswer {
  /** The token that the provider sent; undefined when the request is no check. */
  tokenOf: (webhook: ProviderWebhook) => string | undefined;
  secretOf: (context: RoutingContext) => string | undefined;
  sign: HmacForm;
  /** Default: letters, digits, `_` and `-`. */
  token?: RegExp;
  /** The answer's members. */
  answer: (token: string, signed: string) => Record<string, string>;
  /** What to do without a secret. */
  missing: string;
}

/** For providers that want to see whether the receiver knows the secret. */
export function signedAnswer({
  tokenOf,
  secretOf,
  sign,
  answer,
  missing,
  token: form = PLAIN_TOKEN,
}: SignedAnswer): AddressCheck {
  return (webhook, context) => {
    const token = tokenOf(webhook);
    if (token === undefined) return undefined;
    const secret = secretOf(context);
    if (!secret) return refuse(400, missing);
    if (!form.test(token)) return refuse(400, 'The check of the address has no token that can be signed.');
    return answerJson(answer(token, hmacText(sign, secret, token)));
  };
}

export function answerText(text: string): AnsweredWebhook {
  return { kind: 'answered', contentType: 'text/plain', text };
}

export function answerJson(value: Record<string, unknown>): AnsweredWebhook {
  return { kind: 'answered', contentType: 'application/json', text: JSON.stringify(value) };
}
