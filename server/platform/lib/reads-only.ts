/** Names of headers and query members by which a request says that another method is meant. */
const OTHER_METHOD = /^(x-)?_?(http-?)?method(-?override)?$/i;

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request only reads, as far as its method says it. `names`: its headers and members of its query. A body means
 * that more is wanted.
 */
export function readsOnly(request: {
  method: string;
  path: string;
  names: Iterable<string>;
  hasBody: boolean;
}): boolean {
  return READING.has(request.method.toUpperCase()) && !request.hasBody && !namesOtherMethod(request);
}

/** Whether a header or a member of the query says that another method is meant. */
export function namesOtherMethod({ names, path }: { path: string; names: Iterable<string> }): boolean {
  const inPath = new URLSearchParams(path.split('?').slice(1).join('?')).keys();
  return [...names, ...inPath].some((one) => OTHER_METHOD.test(one));
}
