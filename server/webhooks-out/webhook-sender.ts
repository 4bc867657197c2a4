import { createHash, createHmac } from 'node:crypto';
import { writtenHosts } from '../platform/lib/address-guard.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { OutboundError } from '../platform/lib/outbound-error.ts';
import { readStart } from '../platform/lib/outbound-exchange.ts';
import type { OutboundHttp, OutboundResponse } from '../platform/lib/outbound-http.ts';
import { REDACTED } from '../platform/lib/secret-replacer.ts';
import { isRedactedKey } from '../platform/lib/secrets.ts';
import { isSuccessStatus } from '../platform/lib/success-status.ts';
import { JobAborted } from '../platform/scheduler/job-kind.ts';
import type { AttemptOutcome } from './delivery-runner.ts';

/** Longest wait for a response (design.md 7.5). */
const TIMEOUT_MS = 20_000;
/** Longest wait for the response's body, after its status has arrived. */
const BODY_TIMEOUT_MS = 2000;
/** Stored size of the response's body. */
const KEPT_BODY_BYTES = 65_536;

export interface WebhookRequest {
  url: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
}

interface WebhookResponse {
  code: number;
  headers: Record<string, string>;
  /** The beginning of the body, as text. */
  body: string;
  isBodyCut: boolean;
}

export interface SentWebhook {
  outcome: AttemptOutcome;
  durationMs: number;
  /** Absent when no response came. */
  response?: WebhookResponse;
  error?: { code: string; message: string };
}

export type WebhookSender = ReturnType<typeof createWebhookSender>;

/** One POST to one destination. */
export function createWebhookSender({ http, clock }: { http: Pick<OutboundHttp, 'request'>; clock: Clock }) {
  /**
   * The status determines the result. The body is for people only, and is left out when the receiver sends it slowly.
   */
  async function readResponse({ body }: OutboundResponse): Promise<{ body: string; isBodyCut: boolean }> {
    const timer = clock.after(BODY_TIMEOUT_MS, () => body.destroy());
    const { start, isCut } = await readStart(body, KEPT_BODY_BYTES);
    timer.cancel();
    return { body: start.toString(), isBodyCut: isCut };
  }

  function post({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<OutboundResponse> {
    const target = new URL(url);
    const { username, password } = target;
    if (username !== '' || password !== '') {
      const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
      headers = { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
    }
    return http.request({
      method: 'POST',
      url: target,
      headers,
      body,
      // The user wrote this host, local or not; redirects must lead to public hosts or to the same host and port.
      allowedHosts: writtenHosts(target),
      keepMethodOnRedirect: true,
      decompress: false,
      signal,
    });
  }

  return {
    /** Rejects only when the program ends meanwhile: then it is unknown whether the receiver got the webhook. */
    async send(request: WebhookRequest, signal: AbortSignal): Promise<SentWebhook> {
      const startedAt = clock.now();
      const tooLate = new AbortController();
      const timer = clock.after(TIMEOUT_MS, () => tooLate.abort(new DOMException('No answer in time', 'TimeoutError')));
      try {
        const response = await post(request, AbortSignal.any([signal, tooLate.signal]));
        timer.cancel();
        const durationMs = clock.now() - startedAt;
        return { ...judgeResponse(response, await readResponse(response)), durationMs };
      } catch (error) {
        timer.cancel();
        if (signal.reason instanceof JobAborted && signal.reason.kind === 'shutdown') throw signal.reason;
        return { ...judgeFailure(error, signal), durationMs: clock.now() - startedAt };
      }
    },
  };
}

function judgeResponse(
  { status, headers }: OutboundResponse,
  body: { body: string; isBodyCut: boolean },
): Omit<SentWebhook, 'durationMs'> {
  const flat = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const outcome = isSuccessStatus(status) ? 'delivered' : status >= 500 ? 'later' : 'refused';
  return { outcome, response: { code: status, headers: Object.fromEntries(flat), ...body } };
}

function judgeFailure(error: unknown, signal: AbortSignal): Omit<SentWebhook, 'durationMs'> {
  // The computer slept during the attempt, so the state of the receiver is unknown.
  if (signal.aborted) return { outcome: 'later', error: { code: 'ETIMEDOUT', message: 'The attempt was interrupted' } };
  if (error instanceof OutboundError) {
    return { outcome: error.isTransient ? 'later' : 'refused', error: { code: error.code, message: error.message } };
  }
  // The address was stored by a version that did not check it, or has an invalid escape in its user name.
  if (error instanceof TypeError || error instanceof URIError) {
    return { outcome: 'refused', error: { code: 'ERR_INVALID_URL', message: 'The address cannot be read' } };
  }
  throw error;
}

/** Prefixes of header names that are not forwarded from a provider (webhooks.md 1.4). */
const OWN_PREFIXES = [
  ...['host', 'authorization', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding'],
  ...['cookie', 'set-cookie', 'referer', 'user-agent', 'sec-', 'proxy-', 'www-authenticate', 'server'],
];
/**
 * These headers belong to the provider's connection to the hub and would break the hub's connection to the receiver.
 */
const HOP_HEADERS = ['transfer-encoding', 'te', 'trailer', 'upgrade', 'expect', 'accept-encoding'];

/** The provider's headers that a forwarded webhook keeps. */
export function forwardedHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    const isDropped = HOP_HEADERS.includes(key) || OWN_PREFIXES.some((prefix) => key.startsWith(prefix));
    if (value === undefined || isDropped) continue;
    kept[key] = Array.isArray(value) ? value.join(', ') : value;
  }
  return kept;
}

/** Both signatures cover exactly the bytes that are sent; official clients check one or the other. */
export function signatureHeaders(key: string, body: string): Record<string, string> {
  return {
    'x-nango-signature': createHash('sha256').update(key).update(body).digest('hex'),
    'x-nango-hmac-sha256': createHmac('sha256', key).update(body).digest('hex'),
  };
}

/** All headers of a webhook. */
export function requestHeaders(parts: {
  headers: Record<string, string>;
  body: string;
  key: string;
  userAgent: string;
}): Record<string, string> {
  const { headers, body, key, userAgent } = parts;
  return { ...headers, 'content-type': 'application/json', 'user-agent': userAgent, ...signatureHeaders(key, body) };
}

const SHOWN_HEADERS: readonly string[] = ['content-type', 'user-agent'];

/** For the log: only our own plain headers show values; a provider's header may hold a secret under any name. */
export function loggedHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, SHOWN_HEADERS.includes(name) ? value : REDACTED]),
  );
}

/** Further names of headers with secrets: for example, `x-gitlab-token` contains a password. */
const SECRET_HEADER = /token$/i;

/** The headers for the dashboard, with secret values replaced. */
export function hiddenHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      isRedactedKey(name) || SECRET_HEADER.test(name) ? REDACTED : value,
    ]),
  );
}

/** The address with its password replaced. */
export function hiddenPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^/?#@:]*:)[^/?#@]*@/, `$1${REDACTED}@`);
}
