import type { ProviderEntry } from '../../integrations/catalog/entry-schema.ts';
import { privateHostsOf } from '../../integrations/catalog/private-hosts.ts';
import type { Operation } from '../../log/operation.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import { OutboundError } from '../../platform/lib/outbound-error.ts';
import { readBody } from '../../platform/lib/outbound-exchange.ts';
import { explainRefusal, type OutboundHttp } from '../../platform/lib/outbound-http.ts';
import { parseJson } from '../../platform/lib/parse-json.ts';
import type { TokenRequest, TokenResponse } from './token-context.ts';

const TIMEOUT_MS = 30_000;
/** Limit for the response of a token endpoint. */
const RESPONSE_BYTES = 1_048_576;

/**
 * Creates a sender of requests to one provider's token endpoints. It logs addresses without their query, and no bodies.
 */
export function createTokenSender({
  http,
  clock,
  entry,
  allowedHosts,
  operation,
  timeoutMs: defaultTimeoutMs = TIMEOUT_MS,
}: {
  http: Pick<OutboundHttp, 'request'>;
  clock: Clock;
  entry: ProviderEntry;
  /** `allowed_hosts` of the environment. */
  allowedHosts: readonly string[];
  operation: Operation | undefined;
  /** Limit for requests without their own one. Default 30 seconds. */
  timeoutMs?: number;
}): (request: TokenRequest) => Promise<TokenResponse> {
  const reachableHosts = [...allowedHosts, ...privateHostsOf(entry, addressesOf(entry))];
  return async ({ timeoutMs = defaultTimeoutMs, isProbe = false, ...request }) => {
    const startedAt = clock.now();
    const url = new URL(request.url);
    const shown = { method: request.method, url: `${url.origin}${url.pathname}` };
    try {
      const response = await http.request({
        ...request,
        allowedHosts: reachableHosts,
        maxRedirects: 0,
        signal: AbortSignal.timeout(timeoutMs),
      });
      const bytes = await readBody(response.body, RESPONSE_BYTES);
      operation?.log({
        level: isProbe || response.status < 400 ? 'info' : 'error',
        type: 'http',
        context: 'auth',
        message: `${shown.method} ${shown.url} answered ${response.status}`,
        durationMs: clock.now() - startedAt,
        request: shown,
        response: { code: response.status },
      });
      return toTokenResponse(response, bytes);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      operation?.log({
        level: 'error',
        type: 'http',
        context: 'auth',
        message: `${shown.method} ${shown.url}: ${error.message}`,
        durationMs: clock.now() - startedAt,
        request: shown,
        error: { message: error.message, type: error.code },
      });
      throw unreachable(error, url.host);
    }
  };
}

/** Reads the body in the charset and the format that the provider uses (design.md 7.50). */
export function toTokenResponse(
  { status, headers }: Pick<TokenResponse, 'status' | 'headers'>,
  bytes: Uint8Array,
): TokenResponse {
  const contentType = String(headers['content-type'] ?? '');
  const text = decodeText(bytes, contentType);
  return { status, headers, text, json: readTokenBody(text, contentType) };
}

/** A charset that is not known is read as UTF-8. A byte order mark is removed. */
function decodeText(bytes: Uint8Array, contentType: string): string {
  const [, charset = 'utf-8'] = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // RangeError: there is no such charset.
  }
}

/** The body as an object: JSON or form-encoded, whatever its content type says. */
function readTokenBody(text: string, contentType: string): unknown {
  const json = parseJson(text);
  if (json !== undefined) return json;
  const form = Object.fromEntries(new URLSearchParams(text.trim()));
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType) && text.includes('=');
  return isForm || form['access_token'] !== undefined || form['error'] !== undefined ? form : undefined;
}

function unreachable(error: OutboundError, host: string): HomeportError {
  const message =
    error.code === 'ERR_ADDRESS_REFUSED'
      ? explainRefusal(error, host)
      : `The provider could not be reached: ${error.message}. Try again later.`;
  return new HomeportError('provider_unreachable', message, { payload: { code: error.code }, cause: error });
}

function addressesOf(entry: ProviderEntry): Array<string | undefined> {
  const { token_url: tokenUrl } = entry;
  return [
    ...(typeof tokenUrl === 'object' ? Object.values(tokenUrl) : [tokenUrl]),
    entry.refresh_url,
    entry.request_url,
    entry.access_token_url,
    entry.registration_url,
    entry.device_authorization_url,
    entry.proxy?.base_url,
    ...(entry.additional_steps ?? []).map((step) => step.token_url),
  ];
}
