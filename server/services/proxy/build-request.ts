import { clientCertificate } from '../../catalog/template/client-certificate.ts';
import { resolveTemplate, type TemplateContext } from '../../catalog/template/resolve-template.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import { awsHeaders } from './aws-headers.ts';
import { defaultAuthorization } from './default-authorization.ts';
import type { ProviderRequest, ProxyTarget } from './proxy-types.ts';
import { buildBody, type EncodedBody } from './request-body.ts';
import { requestFacts } from './request-facts.ts';
import { buildHeaders, callerHeaders } from './request-headers.ts';
import { type PlannedHeader, planHeader, type RequestPlan } from './request-plan.ts';
import { RequestScope } from './request-scope.ts';
import { buildUrl } from './request-url.ts';

export interface BuildInput {
  plan: RequestPlan;
  target: ProxyTarget;
  request: ProviderRequest;
  /** Milliseconds since the epoch. */
  now: number;
  /** One UUID for the whole request. */
  random: string;
}

/** A request ready to be sent. */
export interface BuiltRequest {
  method: string;
  url: URL;
  rawPath: string | undefined;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  /** The body for a redirect to another host, when it is another one. */
  bodyWithoutSecrets: EncodedBody['withoutSecrets'];
  /** Headers that carry credentials and must not follow a redirect to another host. */
  sensitiveHeaders: string[];
  /** Hosts that may be loopback or private because the user wrote them. */
  literalHosts: string[];
  decompress: boolean;
  forwardHeadersOnRedirect: boolean;
  tls: { cert: string; key: string } | undefined;
  warnings: string[];
}

/** Builds one attempt's request from the entry, the connection and the caller (providers.md 5). Pure. */
export function buildProviderRequest(input: BuildInput): BuiltRequest {
  const { plan, target, request, now, random } = input;
  if (request.endpoint === '' && !request.baseUrlOverride)
    throw new HomeportError('missing_api_url', 'Name the endpoint to call.');
  const method = request.method.toUpperCase();
  const scope = new RequestScope(target, plan.entry);
  const values: Omit<TemplateContext, 'lookup'> = { now, random };
  const generic = genericKey(plan, target);
  const query = resolveQuery([...plan.query, ...(generic.query ?? [])], { ...values, lookup: scope.query });
  const { url, rawPath, endpoint, literalHosts } = buildUrl({
    plan,
    target,
    request,
    query,
    context: { ...values, lookup: scope.address },
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
  const facts = requestFacts({ method, url, endpoint, body, contentType: callerType });
  const planned = [...plan.headers, ...(generic.headers ?? [])];
  const { headers, sensitive, warnings } = buildHeaders({
    planned,
    scope,
    facts,
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

/** Entries with `integration_config` place the key where the integration says. */
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
