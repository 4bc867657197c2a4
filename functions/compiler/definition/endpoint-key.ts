import type { ParsedEndpoint } from '../parsed-definition.ts';

/** What makes an endpoint unique within an integration. */
export function endpointKey({ method, path }: ParsedEndpoint): string {
  return `${method} ${path}`;
}
