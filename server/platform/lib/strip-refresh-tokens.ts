/** `refresh_token`, `refreshToken`, `Refresh-Token`, …: the same word when only letters count. */
function namesRefreshToken(key: string): boolean {
  return key.replace(/[^a-z]/gi, '').toLowerCase() === 'refreshtoken';
}

/** A copy without refresh tokens at any depth (auth-and-connect.md 2.3); callers get them only when they ask. */
export function stripRefreshTokens<T>(value: T): T {
  if (Array.isArray(value)) return value.map(stripRefreshTokens) as T;
  if (value === null || typeof value !== 'object') return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!namesRefreshToken(key)) kept[key] = stripRefreshTokens(member);
  }
  return kept as T;
}

/** A copy without members whose value is this text, at any depth, such as a token under a provider's own name. */
export function stripValue<T>(value: T, text: string): T {
  if (Array.isArray(value)) return value.map((member) => stripValue(member, text)) as T;
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([, member]) => member !== text);
  return Object.fromEntries(kept.map(([key, member]) => [key, stripValue(member, text)])) as T;
}
