/** `YYYY-MM-DDTHH:mm:ss.sssZ` (http-api.md 1.6). */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString();
}

export function isoDateOrNull(ms: number | null): string | null {
  return ms === null ? null : isoDate(ms);
}

/** The same time with `+00:00`, as GET of one connection writes it. */
export function isoDateWithOffset(ms: number): string {
  return isoDate(ms).replace('Z', '+00:00');
}

/** `YYYY-MM-DDTHH:mm:ss.sss000+00:00`, as the list of connections writes it. */
export function isoDateMicros(ms: number): string {
  return isoDate(ms).replace('Z', '000+00:00');
}
