import type { ParsedEndpoint } from '../parsed-definition.ts';

/** Key of an endpoint, which must be unique within an integration. */
export function endpointKey({ method, path }: ParsedEndpoint): string {
  return `${method} ${path}`;
}
