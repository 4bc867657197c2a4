import { resolveBaseUrl } from '../integrations/catalog/template/base-url.ts';
import { parseTemplate } from '../integrations/catalog/template/parse-template.ts';
import type { TemplateContext } from '../integrations/catalog/template/resolve-template.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isAllowedHost } from '../platform/lib/outbound-http.ts';
import type { ProxyTarget } from './proxy-types.ts';
import type { RequestPlan } from './request-plan.ts';

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
