/** `a:b:*` grants everything that starts with `a:b:` (http-api.md 1.3). */
export function grants(held: readonly string[], wanted: string): boolean {
  return held.some((scope) => scope === wanted || (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))));
}

export function grantsAny(held: readonly string[], wanted: readonly string[]): boolean {
  return wanted.length === 0 || wanted.some((scope) => grants(held, scope));
}
