import type { OtlpHeader } from '../../environments/otlp-headers.ts';
import { writtenHosts } from '../../platform/lib/address-guard.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import { readStart } from '../../platform/lib/outbound-exchange.ts';
import type { OutboundHttp, OutboundResponse } from '../../platform/lib/outbound-http.ts';
import { isSuccessStatus } from '../../platform/lib/success-status.ts';
import { toAttributes } from './operation-spans.ts';

/** Longest wait for a response: the default of the OTLP specification. */
const TIMEOUT_MS = 10_000;
/** Longest wait for the response's body, after its status has arrived. */
const BODY_TIMEOUT_MS = 2000;
const KEPT_BODY_BYTES = 16_384;
const MAX_MESSAGE_LENGTH = 300;
/** Limit for the wait that a collector asks for. */
const MAX_WAIT_MS = 3_600_000;
const MIN_WAIT_MS = 1000;
/** Statuses after which OTLP repeats the request; after other errors the spans are dropped. */
const RETRIED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export interface SpanBatch {
  endpoint: string;
  headers: readonly OtlpHeader[];
  /** Name of the environment. */
  environment: string;
  /** Each a JSON text. */
  spans: readonly string[];
}

/** The result of one request, with a sentence for people when it failed. */
export type SendOutcome =
  /** `rejected` is the number of spans that the collector refused. */
  | { kind: 'accepted'; status: number; rejected: number; message?: string }
  /** The same spans would be refused again. */
  | { kind: 'refused'; status: number; message: string }
  /** `waitMs`: the wait that the collector asks for; absent when it names none. */
  | { kind: 'later'; status?: number; waitMs?: number | undefined; message: string };

/** Address of the traces below the base address of a collector (OTLP specification, "Endpoint URLs for OTLP/HTTP"). */
export function tracesUrl(endpoint: string): string {
  return `${endpoint.replace(/(?<!\/)\/+$/, '')}/v1/traces`;
}

/** Sends spans to a collector: one POST of OTLP over HTTP in JSON for each batch. */
export function createCollectorClient(use: {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  /** Version of the program. */
  version: string;
}) {
  const { http, clock, version } = use;
  /** Failures of the network and refusals are outcomes. Rejects for faults of the program only. */
  async function send(batch: SpanBatch, signal: AbortSignal): Promise<SendOutcome> {
    const tooLate = new AbortController();
    const timer = clock.after(TIMEOUT_MS, () => tooLate.abort(new DOMException('No answer in time', 'TimeoutError')));
    try {
      const response = await post(batch, AbortSignal.any([signal, tooLate.signal]));
      timer.cancel();
      return toOutcome(response, await readResponse(response));
    } catch (error) {
      timer.cancel();
      // A network failure may be temporary.
      if (error instanceof OutboundError) return { kind: 'later', message: `${error.message}.` };
      throw error;
    }
  }

  function post({ endpoint, environment, headers, spans }: SpanBatch, signal: AbortSignal): Promise<OutboundResponse> {
    const url = new URL(tracesUrl(endpoint));
    const own = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
    return http.request({
      method: 'POST',
      url,
      headers: { ...own, 'content-type': 'application/json', 'user-agent': `homeport/${version}` },
      body: requestBody({ environment, spans, version }),
      // The user wrote this host, local or not; redirects must lead to public hosts or to the same host and port.
      allowedHosts: writtenHosts(url),
      keepMethodOnRedirect: true,
      sensitiveHeaders: Object.keys(own),
      signal,
    });
  }

  async function readResponse({ body }: OutboundResponse): Promise<unknown> {
    const timer = clock.after(BODY_TIMEOUT_MS, () => body.destroy());
    const { start } = await readStart(body, KEPT_BODY_BYTES);
    timer.cancel();
    try {
      return JSON.parse(start.toString());
    } catch (error) {
      // Many collectors answer with plain text; the status is enough.
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  function toOutcome({ headers, status, statusText }: OutboundResponse, response: unknown): SendOutcome {
    if (isSuccessStatus(status)) return { kind: 'accepted', status, ...readPartialSuccess(response) };
    const text = cutText(memberOf(response, 'message'));
    const message = `The collector answered ${`${status} ${statusText}`.trim()}${text ? `: ${text}` : ''}.`;
    if (!RETRIED.has(status)) return { kind: 'refused', status, message };
    return { kind: 'later', status, waitMs: readWait(headers['retry-after']), message };
  }

  /** The wait in milliseconds from a `retry-after` header: seconds or a date. */
  function readWait(header: string | string[] | undefined): number | undefined {
    const text = String(header ?? '').trim();
    const waitMs = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - clock.now();
    return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, MIN_WAIT_MS), MAX_WAIT_MS);
  }

  return { send };
}

function requestBody({ environment, spans, version }: Pick<SpanBatch, 'environment' | 'spans'> & { version: string }) {
  const attributes = { 'service.name': 'homeport', 'service.version': version };
  const resource = { attributes: toAttributes({ ...attributes, 'deployment.environment.name': environment }) };
  const scope = { name: 'homeport', version };
  return `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${spans.join(',')}]}]}]}`;
}

/** `partialSuccess` of the response; without it all spans were accepted. */
function readPartialSuccess(response: unknown): { rejected: number; message?: string } {
  const partial = memberOf(response, 'partialSuccess');
  const rejected = Number(memberOf(partial, 'rejectedSpans') ?? 0) || 0;
  if (rejected <= 0) return { rejected: 0 };
  const text = cutText(memberOf(partial, 'errorMessage'));
  const noun = rejected === 1 ? '1 span' : `${rejected} spans`;
  return { rejected, message: `The collector refused ${noun}${text ? `: ${text}` : ''}.` };
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function cutText(text: unknown): string {
  return typeof text === 'string' ? text.trim().slice(0, MAX_MESSAGE_LENGTH).toWellFormed().replace(/\.$/, '') : '';
}
