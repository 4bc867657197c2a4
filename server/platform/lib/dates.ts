const MINUTE_MS = 60_000;

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

/**
 * Returns `isoDateWithOffset` for times that mostly lie in the same minute: what they share is written once, which takes
 * a fifth of the time.
 */
export function datesOfMinutes(): (ms: number) => string {
  let minute = Number.NaN;
  let start = '';
  return (ms) => {
    const within = ms % MINUTE_MS;
    if (ms - within !== minute) {
      minute = ms - within;
      start = isoDate(minute).slice(0, -'00.000Z'.length);
    }
    const digits = String(within).padStart(5, '0');
    return `${start}${digits.slice(0, 2)}.${digits.slice(2)}+00:00`;
  };
}

/** `YYYY-MM-DDTHH:mm:ss.sss000+00:00`, as the list of connections writes it. */
export function isoDateMicros(ms: number): string {
  return isoDate(ms).replace('Z', '000+00:00');
}
