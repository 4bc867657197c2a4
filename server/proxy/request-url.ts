import { literalHost } from '../integrations/catalog/private-hosts.ts';
import { resolveBaseUrl } from '../integrations/catalog/template/base-url.ts';
import { parseParts, parseTemplate, type Template } from '../integrations/catalog/template/parse-template.ts';
import { resolveParts, type TemplateContext } from '../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isAllowedHost } from '../platform/lib/outbound-http.ts';
import type { ProviderRequest, ProxyTarget } from './proxy-types.ts';
import type { RequestPlan } from './request-plan.ts';

export interface BuiltUrl {
  url: URL;
  /** Path and query exactly as the caller wrote them; undefined when they need encoding. */
  rawPath: string | undefined;
  /** The caller's endpoint without the base address; the value of `${endpoint}` in headers. */
  endpoint: string;
  /** Hosts that may be loopback or private because the user wrote them. */
  literalHosts: string[];
}

interface UrlInput {
  plan: RequestPlan;
  target: ProxyTarget;
  request: ProviderRequest;
  context: TemplateContext;
  /** Values for placeholders that the caller wrote. */
  callerContext: TemplateContext;
  /** Parameters of the entry, already resolved; they are set last. */
  query: Array<[string, string]>;
}

/**
 * Builds the address of a request (providers.md 5.2). Throws `unsupported_provider`, `invalid_query_params`,
 * `missing_connection_config` or `base_url_override_not_allowed`.
 */
export function buildUrl(input: UrlInput): BuiltUrl {
  const { plan, target, request, context, callerContext } = input;
  const ownBase = ownBaseOf(plan, target);
  const base = chooseBase(ownBase, request, plan);
  const baseContext = request.baseUrlOverride ? callerContext : context;
  const baseUrl = resolveBaseUrl(base, baseContext, plan.entry.connection_config).replace(/\/$/, '');
  const endpoint = relativeEndpoint(request, base, baseUrl);
  const resolved = endpoint.includes('${') ? resolveParts(parseParts(endpoint), callerContext).text : endpoint;
  const address = request.isAtBase ? baseUrl : `${baseUrl}/${resolved}`;
  const full = applyQuery(address.replace(/#.*$/s, ''), request.params, input.query);
  const url = URL.parse(full);
  if (!url || !/^https?:$/.test(url.protocol)) throw unusableBase(request);
  return {
    url,
    rawPath: exactPath(full),
    endpoint,
    literalHosts: [...plan.literalHosts, ...literalHost(target.integration.custom?.['baseUrl'] ?? '')],
  };
}

/** The base address of the connection, the integration or the entry, without the caller's override. */
function ownBaseOf(plan: RequestPlan, target: ProxyTarget): Template | undefined {
  const { credentials, connectionConfig } = target.connection;
  if (credentials.type === 'AWS_SIGV4' && typeof connectionConfig['base_url'] === 'string')
    return parseTemplate(connectionConfig['base_url']);
  const custom = plan.entry.integration_config ? target.integration.custom?.['baseUrl'] : undefined;
  return custom ? parseTemplate(custom) : plan.baseUrl;
}

function chooseBase(ownBase: Template | undefined, request: ProviderRequest, plan: RequestPlan): Template {
  if (request.baseUrlOverride) return parseTemplate(request.baseUrlOverride);
  if (!ownBase)
    throw new HomeportError(
      'unsupported_provider',
      `The provider ${plan.entry.name} has no base URL. Pass one with the request.`,
    );
  return ownBase;
}

/**
 * Removes the base address from an endpoint that repeats it. The match must end at a boundary: an endpoint at
 * `https://api.acme.test.evil.test` does not repeat `https://api.acme.test`.
 */
function relativeEndpoint(request: ProviderRequest, base: Template, baseUrl: string): string {
  const endpoint = request.endpoint.replace(/^\/+/, '');
  const written = request.baseUrlOverride ? [] : base.source.split('||').map((side) => side.trim().replace(/\/$/, ''));
  const repeated = [baseUrl, ...written].find(
    (prefix) => prefix !== '' && endpoint.startsWith(prefix) && /^([/?#]|$)/.test(endpoint.slice(prefix.length)),
  );
  return repeated === undefined ? endpoint : endpoint.slice(repeated.length).replace(/^\/+/, '');
}

function applyQuery(address: string, params: ProviderRequest['params'], entryQuery: Array<[string, string]>): string {
  let result = address;
  if (typeof params === 'string' && params !== '') {
    if (address.includes('?'))
      throw new HomeportError(
        'invalid_query_params',
        'The endpoint has a query already: pass params as an object or leave them out.',
      );
    result = `${address}?${params.replace(/^\?/, '')}`;
  }
  const pairs = [...(typeof params === 'object' ? Object.entries(params) : []), ...entryQuery];
  return pairs.length === 0 ? result : setQuery(result, pairs);
}

/** Sets parameters in the place of those of the same name and leaves the rest of the query byte for byte as it was. */
function setQuery(address: string, pairs: Array<[string, string]>): string {
  const [path = '', query = ''] = splitOnce(address, '?');
  const names = new Set(pairs.map(([name]) => name));
  const unset = new Map(pairs);
  const take = (name: string): string[] => {
    const value = unset.get(name);
    return unset.delete(name) ? [new URLSearchParams([[name, value ?? '']]).toString()] : [];
  };
  const written = query
    .split('&')
    .filter((pair) => pair !== '')
    .flatMap((pair) => (names.has(decodeName(pair)) ? take(decodeName(pair)) : [pair]));
  return `${path}?${[...written, ...[...unset.keys()].flatMap(take)].join('&')}`;
}

function decodeName(pair: string): string {
  return new URLSearchParams(pair).keys().next().value ?? '';
}

/** Path and query of the address; undefined when they contain characters that must be encoded first. */
function exactPath(full: string): string | undefined {
  const path = full.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/') && /^[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a~]*$/.test(path) ? path : undefined;
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function unusableBase(request: ProviderRequest): HomeportError {
  return request.baseUrlOverride
    ? new HomeportError('base_url_override_not_allowed', 'The base URL override must be an http or https address.')
    : new HomeportError(
        'missing_connection_config',
        'The connection configuration does not result in a valid address of the provider.',
      );
}

interface IntegrationAddressesInput {
  plan: RequestPlan;
  target: ProxyTarget;
  /** Values of the connection. */
  context: TemplateContext;
  /** Setting `allowed_hosts` of the environment. */
  allowedHosts: readonly string[];
}

/**
 * Whether an address belongs to the integration, so that credentials may go there (design.md 7.48): its origin is that
 * of a base URL, a token address or the verification address, or its host is in `allowed_hosts`.
 */
export function isIntegrationAddress(
  url: URL,
  { plan, target, context, allowedHosts }: IntegrationAddressesInput,
): boolean {
  if (isAllowedHost(url, allowedHosts)) return true;
  return namedAddresses(plan, target).some((text) => integrationOrigin(text, context, plan) === url.origin);
}

function namedAddresses({ entry }: RequestPlan, { connection, integration }: ProxyTarget): string[] {
  const tokenUrls = typeof entry.token_url === 'object' ? Object.values(entry.token_url) : [entry.token_url];
  const named = [
    integration.custom?.['baseUrl'],
    connection.credentials.type === 'AWS_SIGV4' ? connection.connectionConfig['base_url'] : undefined,
    entry.proxy?.base_url,
    entry.proxy?.verification?.base_url_override,
    ...tokenUrls,
    entry.refresh_url,
    entry.access_token_url,
  ];
  return named.flatMap((text) => (typeof text === 'string' ? text.split('||').map((side) => side.trim()) : []));
}

/** Undefined when the connection lacks a value of the address, which then leads nowhere. */
export function integrationOrigin(text: string, context: TemplateContext, { entry }: RequestPlan): string | undefined {
  try {
    return URL.parse(resolveBaseUrl(parseTemplate(text), context, entry.connection_config))?.origin;
  } catch (error) {
    if (error instanceof HomeportError) return undefined;
    throw error;
  }
}
