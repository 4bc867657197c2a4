import type { GuestHttpBody, GuestHttpRequest } from '../../../functions/runtime/bridge.ts';
import type { ProviderRequestSender, ProviderResponse } from '../../functions/dry-run/provider-request-sender.ts';
import { withoutResponse } from '../../platform/sandbox/refused-request.ts';
import type { HubClient } from '../hub/hub-client.ts';

export interface HubRequestSenderOptions {
  hub: HubClient;
  providerConfigKey: string;
  connectionId: string;
}

/** Sends a function's requests through the hub's `/proxy`, which adds credentials and retries (http-api.md 7). */
export class HubRequestSender implements ProviderRequestSender {
  readonly #options: HubRequestSenderOptions;

  constructor(options: HubRequestSenderOptions) {
    this.#options = options;
  }

  async send(request: GuestHttpRequest, signal: AbortSignal): Promise<ProviderResponse> {
    const { hub } = this.#options;
    const url = proxyAddress(hub.baseUrl, request);
    const body = toBody(request.body);
    const headers = new Headers(this.#headers(request));
    if (request.body?.kind === 'multipart') headers.set('nango-proxy-content-type', 'multipart/form-data');
    else if (body !== undefined) headers.set('content-type', contentTypeOf(request));
    const response = await hub.raw(url, {
      method: request.method,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    return {
      status: response.status,
      statusText: response.statusText,
      headers: headersOf(response),
      body: request.expect === 'bytes' ? bytes : Buffer.from(bytes).toString('utf8'),
      config: { method: request.method, url: url.href, headers: request.headers ?? {} },
    };
  }

  #headers(request: GuestHttpRequest): Record<string, string> {
    const { connectionId, providerConfigKey } = this.#options;
    const { retries, retryOn, baseUrlOverride, followsLink, forwardHeadersOnRedirect } = request;
    const forwarded = Object.entries(request.headers ?? {}).map(([name, value]) => [`nango-proxy-${name}`, value]);
    return {
      ...Object.fromEntries(forwarded),
      'provider-config-key': request.providerConfigKey ?? providerConfigKey,
      'connection-id': request.connectionId ?? connectionId,
      'nango-is-dry-run': 'true',
      ...(retries ? { retries: String(retries) } : {}),
      ...(retryOn?.length ? { 'retry-on': retryOn.join(',') } : {}),
      ...(baseUrlOverride ? { 'base-url-override': baseUrlOverride } : {}),
      ...(followsLink ? { 'homeport-follows-link': 'true' } : {}),
      ...(forwardHeadersOnRedirect === undefined
        ? {}
        : { 'forward-headers-on-redirect': String(forwardHeadersOnRedirect) }),
    };
  }
}

function proxyAddress(baseUrl: string, { endpoint, params }: GuestHttpRequest): URL {
  const url = new URL(`${baseUrl}/proxy/${endpoint.replace(/^\//, '')}`);
  // An endpoint with "../" would reach the hub's own routes with the caller's key.
  if (!url.pathname.startsWith('/proxy/')) {
    throw withoutResponse('invalid_endpoint', `The endpoint "${endpoint}" leads out of the provider's address.`);
  }
  if (typeof params === 'string') {
    if (url.search !== '') throw withoutResponse('invalid_query_params', 'The endpoint has a query already.');
    url.search = params;
  } else for (const [name, value] of Object.entries(params ?? {})) url.searchParams.set(name, value);
  return url;
}

function toBody(body: GuestHttpBody | undefined): string | Blob | FormData | undefined {
  if (!body) return undefined;
  if (body.kind === 'bytes') return new Blob([body.bytes.slice()]);
  if (body.kind !== 'multipart') return body.text;
  const form = new FormData();
  for (const { name, text, bytes, filename, contentType } of body.parts) {
    if (bytes === undefined) form.append(name, text ?? '');
    else form.append(name, new Blob([bytes.slice()], { type: contentType ?? '' }), filename ?? name);
  }
  return form;
}

const CONTENT_TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  text: 'text/plain',
  bytes: 'application/octet-stream',
};

/** The caller's content type, because the hub parses the body by it; otherwise derived from the body. */
function contentTypeOf({ body, headers }: GuestHttpRequest): string {
  const kind = body?.kind ?? 'text';
  return headers?.['content-type'] ?? (kind === 'multipart' ? '' : CONTENT_TYPES[kind]);
}

function headersOf(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.fromEntries(response.headers);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return headers;
}
