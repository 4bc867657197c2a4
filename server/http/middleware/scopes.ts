import { HomeportError } from '../../lib/homeport-error.ts';

/** `a:b:*` grants everything that starts with `a:b:` (http-api.md 1.3). */
export function grants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => scope === wanted || (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))));
}

/** Any of `wanted` is enough; a route without scopes is open to every key. */
export function checkScopes(held: readonly string[], wanted: readonly string[]): void {
  if (wanted.length === 0 || wanted.some((scope) => grants(held, scope))) return;
  throw new HomeportError('forbidden', `The key lacks the scope ${wanted.join(' or ')}.`);
}
