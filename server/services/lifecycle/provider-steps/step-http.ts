import { readBody } from '../../../lib/outbound-body.ts';
import type { OutboundHttp, OutboundResponse } from '../../../lib/outbound-http.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import type { PlainStepRequest, StepAnswer, StepContext } from './step-context.ts';

const MAX_ANSWER_BYTES = 1_048_576;
const TIMEOUT_MS = 30_000;
const BASE_HEADERS = { accept: 'application/json, text/plain, */*', 'user-agent': 'Homeport' };

export interface PlainRequestsOptions {
  http: Pick<OutboundHttp, 'request'>;
  /** Hosts that may be loopback or private. */
  allowedHosts?: readonly string[] | 'all';
  /** Limit for the whole exchange, including the body, in milliseconds. */
  timeoutMs?: number;
}

/**
 * Creates `requestPlain` of a step's context. Redirects are not followed, because the body may hold secrets of the app.
 * Rejects with OutboundError when no answer came.
 */
export function createPlainRequests(options: PlainRequestsOptions): StepContext['requestPlain'] {
  const { http, allowedHosts = [], timeoutMs = TIMEOUT_MS } = options;
  return async (request) => {
    const { type, body } = encodeBody(request);
    const response = await http.request({
      method: request.method ?? 'GET',
      url: withQuery(request.url, request.query),
      headers: {
        ...BASE_HEADERS,
        ...(type === undefined ? {} : { 'content-type': type }),
        ...lowerCase(request.headers),
      },
      body,
      allowedHosts,
      maxRedirects: 0,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return readStepAnswer(response);
  };
}

/** Reads an answer of any status completely. Rejects with OutboundError when it is longer than 1 MB or breaks off. */
export async function readStepAnswer(
  response: Pick<OutboundResponse, 'status' | 'headers' | 'body'>,
): Promise<StepAnswer> {
  const text = (await readBody(response.body, MAX_ANSWER_BYTES)).toString('utf8');
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

function encodeBody({ json, form }: PlainStepRequest): { type?: string; body?: string } {
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) };
  if (form) return { type: 'application/x-www-form-urlencoded', body: new URLSearchParams(form).toString() };
  return {};
}

function withQuery(address: string, query: Record<string, string> = {}): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
