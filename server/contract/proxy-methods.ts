/** Methods of requests to providers. The pages use it too, so it stands without schemas. */
export const PROXY_METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PROPFIND',
  'REPORT',
] as const;

export type ProxyMethod = (typeof PROXY_METHODS)[number];

/** Those that are sent with a body. */
export const METHODS_WITH_BODY: ReadonlySet<string> = new Set<ProxyMethod>([
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'PROPFIND',
  'REPORT',
]);
