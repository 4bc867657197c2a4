import { preferences } from './preferences.ts';

/** By locale: creating a formatter is slow. */
const formatters = new Map<string | null, Intl.NumberFormat>();

/** In the locale that the person chose, otherwise the browser's. */
export function formatNumber(value: number): string {
  const { locale } = preferences();
  const known = formatters.get(locale);
  const formatter = known ?? new Intl.NumberFormat(locale ?? undefined);
  if (!known) formatters.set(locale, formatter);
  return formatter.format(value);
}

/** "1 record", "4,118 records". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** "812 B", "4.1 kB", "75 MB": powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}
