import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import { TRANSPORT_HEADERS } from '../integrations/catalog/proxy-schema.ts';
import { splitConfig } from '../integrations/catalog/secret-config.ts';
import { clientCertificate } from '../integrations/catalog/template/client-certificate.ts';
import { resolveTemplate, type TemplateContext, valueAt } from '../integrations/catalog/template/resolve-template.ts';
import { parseExactJson } from '../platform/lib/exact-json.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { awsHeaders, defaultAuthorization } from './authorize-request.ts';
import type { ProviderRequest, ProxyTarget } from './proxy-types.ts';
import { buildBody, type EncodedBody } from './request-body.ts';
import { type PlannedHeader, planHeader, type RequestPlan } from './request-plan.ts';
import { buildUrl, isIntegrationAddress } from './request-url.ts';

interface BuildInput {
  plan: RequestPlan;
  target: ProxyTarget;
  request: ProviderRequest;
  /** Milliseconds since the epoch. */
  now: number;
  /** One UUID for the whole request. */
  random: string;
  /** Setting `allowed_hosts` of the environment. */
  allowedHosts: readonly string[];
}

/** A request ready to be sent. */
export interface BuiltRequest {
  method: string;
  url: URL;
  rawPath: string | undefined;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** The body for a redirect to another host, when it differs. */
  bodyWithoutSecrets: EncodedBody['withoutSecrets'];
  /** Headers that carry credentials and must not follow a redirect to another host. */
  sensitiveHeaders: string[];
  /** Hosts that may be loopback or private because the user wrote them. */
  literalHosts: string[];
  decompress: boolean;
  forwardHeadersOnRedirect: boolean;
  /** Whether an address is one of the integration's, to which credentials may go. */
  isOwn: (url: URL) => boolean;
  /** Values for addresses of the entry. */
  addressContext: TemplateContext;
  tls: { cert: string; key: string } | undefined;
  warnings: string[];
}

/**
 * Builds the request of one attempt from the entry, the connection and the caller (providers.md 5). Pure function.
 * Credentials go only to the integration's own addresses, unless a caller who may read them says otherwise (design.md
 * 7.48).
 */
export function buildProviderRequest(input: BuildInput): BuiltRequest {
  const { request } = input;
  const built = buildWithCredentials(input);
  if (!request.baseUrlOverride || !(request.followsLink || request.hidesCredentials) || built.isOwn(built.url))
    return built;
  if (request.followsLink) return { ...buildWithCredentials(withoutCredentials(input)), isOwn: built.isOwn };
  throw new HomeportError(
    'base_url_override_forbidden',
    `The key may not send the credentials of a connection to ${built.url.host}. Use a key with the scope environment:connections:read_credentials, or add the host to the allowed hosts in the environment's settings.`,
  );
}

/** The credential headers that a caller may have set itself. */
const CREDENTIAL_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization']);

function withoutCredentials(input: BuildInput): BuildInput {
  const { plan, request, target } = input;
  const { connection, integration } = target;
  const { uniqueKey } = integration;
  const headers = Object.entries(request.headers ?? {}).filter(([name]) => !CREDENTIAL_HEADERS.has(name.toLowerCase()));
  return {
    ...input,
    request: { ...request, headers: Object.fromEntries(headers) },
    target: {
      ...target,
      integration: { uniqueKey },
      connection: {
        ...connection,
        credentials: {},
        connectionConfig: splitConfig(connection.connectionConfig, plan.entry).readable,
      },
    },
  };
}

function buildWithCredentials(input: BuildInput): BuiltRequest {
  const { plan, target, request, now, random, allowedHosts } = input;
  if (request.endpoint === '' && !request.baseUrlOverride)
    throw new HomeportError('missing_api_url', 'Name the endpoint to call.');
  const method = request.method.toUpperCase();
  const scope = new RequestScope(target, plan.entry);
  const values: Omit<TemplateContext, 'lookup'> = { now, random };
  const addressContext = { ...values, lookup: scope.address };
  const generic = genericKey(plan, target);
  const query = resolveQuery([...plan.query, ...(generic.query ?? [])], { ...values, lookup: scope.query });
  const { url, rawPath, endpoint, literalHosts } = buildUrl({
    plan,
    target,
    request,
    query,
    context: addressContext,
    callerContext: { ...values, lookup: request.hidesCredentials ? scope.publicAddress : scope.address },
  });

  const caller = callerHeaders(request.headers);
  const callerType = caller['content-type'];
  const body = buildBody({
    method,
    body: request.body,
    planned: plan.body,
    context: { ...values, lookup: scope.body },
    callerType,
    boundary: `homeport-${random}`,
  });
  const authorization = defaultAuthorization({
    entry: plan.entry,
    target,
    method,
    url,
    nonce: random.replaceAll('-', ''),
    now,
  });
  const planned = [...plan.headers, ...(generic.headers ?? [])];
  const hasOwnType = planned.some(({ name }) => name === 'content-type');
  // A body that came over HTTP has the caller's type, unless the entry's type is sent.
  const bodyType = request.body?.kind === 'bytes' && !hasOwnType ? body.contentType : undefined;
  const requestValues = requestLookup({ method, url, endpoint, body, contentType: callerType ?? bodyType });
  const { headers, sensitive, warnings } = buildHeaders({
    planned,
    scope,
    requestValues,
    context: values,
    authorization,
    caller,
    contentType: body.contentType,
    isTypeFixed: body.isTypeFixed,
  });
  const signed = awsHeaders({ target, method, url, rawPath, headers, body: body.content, now });
  return {
    method,
    url,
    rawPath,
    headers: { ...headers, ...signed },
    literalHosts,
    isOwn: (address) => isIntegrationAddress(address, { plan, target, allowedHosts, context: addressContext }),
    addressContext,
    warnings,
    body: body.content,
    bodyWithoutSecrets: body.withoutSecrets,
    sensitiveHeaders: 'x-amz-security-token' in signed ? [...sensitive, 'x-amz-security-token'] : sensitive,
    decompress: request.decompress ?? true,
    forwardHeadersOnRedirect:
      request.forwardHeadersOnRedirect ?? plan.entry.proxy?.forward_headers_on_redirect ?? false,
    tls: clientCertificate(plan.entry, target.connection.credentials),
  };
}

function resolveQuery(query: RequestPlan['query'], context: TemplateContext): Array<[string, string]> {
  return query.flatMap(([name, template]): Array<[string, string]> => {
    const { text, missing } = resolveTemplate(template, context);
    return missing.length === 0 ? [[name, text]] : [];
  });
}

/** Where the key of a generic provider is sent: its integration configures the header or the parameter. */
function genericKey(
  plan: RequestPlan,
  target: ProxyTarget,
): { headers?: PlannedHeader[]; query?: RequestPlan['query'] } {
  const fields = plan.entry.integration_config;
  if (!fields?.['keyName']) return {};
  const read = (name: string): string | undefined => target.integration.custom?.[name] || fields[name]?.default_value;
  const name = read('keyName');
  if (!name) return {};
  const header = planHeader(name.toLowerCase(), read('valueTemplate') ?? '${apiKey}', plan.entry);
  return read('keyPlacement') === 'query' ? { query: [[name, header.template]] } : { headers: [header] };
}

interface RequestLookupInput {
  method: string;
  url: URL;
  endpoint: string;
  body: EncodedBody;
  contentType: string | undefined;
}

const METHODS_WITH_BODY_PARAMS = new Set(['POST', 'PUT', 'PATCH']);

/** Members of the request being built that header templates may read, mostly to sign them (providers.md 4). */
function requestLookup(input: RequestLookupInput): Lookup {
  return (path) => (Object.hasOwn(REQUEST_READERS, path) ? REQUEST_READERS[path]?.(input) : undefined);
}

const REQUEST_READERS: Record<string, (input: RequestLookupInput) => string | undefined> = {
  method: ({ method }) => method,
  host: ({ url }) => url.host,
  path: ({ url }) => url.pathname,
  endpoint: ({ endpoint }) => endpoint,
  contentType: ({ contentType }) => contentType,
  urlCanonicalParams: ({ url }) => canonical([...url.searchParams]),
  bodyCanonicalParams: ({ body }) => bodyText(body),
  params: ({ body, method, url }) =>
    canonical(METHODS_WITH_BODY_PARAMS.has(method) ? bodyPairs(body) : [...url.searchParams]),
};

function canonical(pairs: Array<[string, string]>): string {
  return pairs
    .map(([name, value]): [string, string] => [encode(name), encode(value)])
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function bodyPairs(body: EncodedBody): Array<[string, string]> {
  const text = bodyText(body);
  if (!/^\s*\{/.test(text)) return [...new URLSearchParams(text)];
  try {
    const members = Object.entries(parseExactJson(text) as Record<string, unknown>);
    return members.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  } catch {
    return []; // A body that only looks like JSON has no parameters.
  }
}

function bodyText(body: EncodedBody): string {
  return typeof body.content === 'string' ? body.content : Buffer.from(body.content ?? []).toString();
}

/** RFC 3986: encodeURIComponent leaves five further characters unencoded. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface HeadersInput {
  planned: PlannedHeader[];
  scope: RequestScope;
  requestValues: Lookup;
  context: Omit<TemplateContext, 'lookup'>;
  authorization: string | undefined;
  /** Lower-case names. */
  caller: Record<string, string>;
  contentType: string | undefined;
  isTypeFixed: boolean;
}

interface BuiltHeaders {
  headers: Record<string, string>;
  sensitive: string[];
  warnings: string[];
}

const BASE_HEADERS = { accept: 'application/json, text/plain, */*', 'user-agent': 'Homeport' };

/** Merges headers in the order of providers.md 5.3: type default, entry, caller; an entry's user-agent wins. */
function buildHeaders(input: HeadersInput): BuiltHeaders {
  const entry: Record<string, string> = {};
  const warnings: string[] = [];
  for (const header of input.planned) {
    // Entries cannot name such a header; the key of a generic provider may.
    if (TRANSPORT_HEADERS.has(header.name)) continue;
    const { text, missing } = resolveTemplate(header.template, {
      ...input.context,
      lookup: input.scope.header(header, input.requestValues),
    });
    if (missing.length === 0) entry[header.name] = checkValue(header.name, text);
    else if (!header.mentionsConfig)
      warnings.push(`The header ${header.name} was left out: ${missing.join(', ')} has no value`);
  }
  const headers: Record<string, string> = {
    ...BASE_HEADERS,
    ...(input.contentType === undefined ? {} : { 'content-type': input.contentType }),
    ...(input.authorization === undefined ? {} : { authorization: checkValue('authorization', input.authorization) }),
    ...entry,
    ...input.caller,
    ...(entry['user-agent'] === undefined ? {} : { 'user-agent': entry['user-agent'] }),
    ...(input.isTypeFixed && input.contentType !== undefined ? { 'content-type': input.contentType } : {}),
  };
  const sensitive = input.planned.filter((header) => header.isSecret).map((header) => header.name);
  return { headers, sensitive, warnings };
}

/** Lower-case names; headers of the transport are left out. */
function callerHeaders(headers: Record<string, string> | undefined): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(key))
      throw new HomeportError('invalid_headers', 'A header name holds characters that are not allowed.');
    if (!TRANSPORT_HEADERS.has(key)) result[key] = checkValue(key, value);
  }
  return result;
}

/** Throws for characters other than visible ones, blanks and Latin-1, which could end the header and begin another. */
function checkValue(name: string, value: string): string {
  if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
  throw new HomeportError(
    'invalid_headers',
    `The value of the header ${name} holds characters that are not allowed in a header.`,
  );
}

type Lookup = (path: string) => unknown;

const CONFIG = /^connection_?[cC]onfig\.(.+)$/;
const FLAT_SCOPE_EXCLUDES = new Set(['OAUTH2', 'OAUTH2_CC', 'JWT', 'SIGNATURE']);

/** The values for placeholders, depending on where they are used (providers.md 4, column "Where"). */
class RequestScope {
  readonly #target: ProxyTarget;
  readonly #entry: ProviderEntry;

  constructor(target: ProxyTarget, entry: ProviderEntry) {
    this.#target = target;
    this.#entry = entry;
  }

  /** Base URL and endpoint. */
  address: Lookup = (path) => {
    if (path.startsWith('metadata.')) return valueAt(this.#target.connection.metadata, path.slice('metadata.'.length));
    return this.#config(path) ?? this.#credential(path);
  };

  /** The values for addresses of callers who may not see credentials. */
  publicAddress: Lookup = (path) => {
    if (path.startsWith('metadata.')) return this.address(path);
    const name = CONFIG.exec(path)?.[1]?.split('.')[0];
    const isReadable =
      name !== undefined && Object.keys(splitConfig({ [name]: true }, this.#entry).readable).length > 0;
    return isReadable ? this.#config(path) : undefined;
  };

  query: Lookup = (path) =>
    path === 'accessToken' ? this.accessToken() : (this.#config(path) ?? this.#credential(path));

  body: Lookup = (path) => this.#config(path) ?? this.#credential(path);

  /** Header values; `requestValues` are the members of the request being built. */
  header(header: PlannedHeader, requestValues: Lookup): Lookup {
    const { type = '' } = this.#target.connection.credentials;
    if (header.mentionsConfig) return (path) => this.#config(path) ?? this.#credential(path) ?? requestValues(path);
    if (type === 'OAUTH2') return (path) => (path === 'accessToken' ? this.accessToken() : this.#client(path));
    if (FLAT_SCOPE_EXCLUDES.has(type)) return (path) => (path === 'accessToken' ? this.accessToken() : undefined);
    if (type === 'TWO_STEP') return (path) => this.#twoStep(path, requestValues);
    return (path) => this.#credential(path) ?? requestValues(path);
  }

  accessToken(): unknown {
    const { type, access_token: accessToken, token } = this.#target.connection.credentials;
    return type === 'OAUTH2' || type === 'APP' ? accessToken : token;
  }

  #twoStep(path: string, requestValues: Lookup): unknown {
    if (path === 'accessToken') return this.accessToken();
    if (path.startsWith('credentials.')) return this.#credential(path);
    return path === 'method' ? undefined : requestValues(path);
  }

  /** An empty value counts as absent: a form stores untouched optional fields as empty texts. */
  #config(path: string): unknown {
    const key = CONFIG.exec(path)?.[1];
    const value = key === undefined ? undefined : valueAt(this.#target.connection.connectionConfig, key);
    return value === '' ? undefined : value;
  }

  #credential(path: string): unknown {
    return valueAt(
      this.#target.connection.credentials,
      path.startsWith('credentials.') ? path.slice('credentials.'.length) : path,
    );
  }

  #client(path: string): unknown {
    if (path === 'clientId') return this.#target.integration.clientId;
    return path === 'clientSecret' ? this.#target.integration.clientSecret : undefined;
  }
}
