import type { EncodedBody } from './request-body.ts';
import type { Lookup } from './request-scope.ts';

interface FactsInput {
  method: string;
  url: URL;
  endpoint: string;
  body: EncodedBody;
  contentType: string | undefined;
}

const METHODS_WITH_BODY_PARAMS = new Set(['POST', 'PUT', 'PATCH']);

/** Members of the request being built that header templates may read, mostly to sign them (providers.md 4). */
export function requestFacts(input: FactsInput): Lookup {
  const readers: Record<string, () => string | undefined> = {
    method: () => input.method,
    host: () => input.url.host,
    path: () => input.url.pathname,
    endpoint: () => input.endpoint,
    contentType: () => input.contentType,
    urlCanonicalParams: () => canonical([...input.url.searchParams]),
    bodyCanonicalParams: () => bodyText(input.body),
    params: () =>
      canonical(METHODS_WITH_BODY_PARAMS.has(input.method) ? bodyPairs(input.body) : [...input.url.searchParams]),
  };
  return (path) => (Object.hasOwn(readers, path) ? readers[path]?.() : undefined);
}

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
    const members = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return members.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
  } catch {
    return []; // A body that only looks like JSON has no parameters.
  }
}

function bodyText(body: EncodedBody): string {
  return typeof body.content === 'string' ? body.content : Buffer.from(body.content ?? []).toString();
}

/** RFC 3986: encodeURIComponent leaves five more characters alone. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
