/** Every text among the credentials that must not appear in a log. */
export function secretTexts(value: unknown): string[] {
  if (typeof value === 'string') return value.length >= 6 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'type' || key === 'expires_at' ? [] : secretTexts(member),
  );
}
