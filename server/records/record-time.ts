const DATE_TIME = /^(\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::\d{2})?)(?:\.(\d+))?([Zz]|[+-]\d{2}:?\d{2})$/;

/**
 * Formats microseconds since the epoch as `2026-01-05T10:00:00.123456+00:00`: always with six digits, so that the texts
 * sort by time.
 */
export function formatMicros(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = String(micros - millis * 1000).padStart(3, '0');
  return `${new Date(millis).toISOString().slice(0, -1)}${rest}+00:00`;
}

/** Microseconds since the epoch of an ISO date-time with zone; undefined for other texts. */
export function parseMicros(text: string): number | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [, seconds, fraction = '', zone] = match;
  const millis = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(millis)) return undefined;
  return millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
