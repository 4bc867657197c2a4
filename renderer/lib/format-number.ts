import { preferences } from './preferences.ts';

/** By locale: creating a formatter is slow. */
const formatters = new Map<string, Intl.NumberFormat>();

/** In the locale that the person chose, otherwise the browser's. */
function formatterOf(decimals: number, least = 0): Intl.NumberFormat {
  const { locale } = preferences();
  const key = `${locale} ${decimals} ${least}`;
  const known = formatters.get(key);
  const options = { maximumFractionDigits: decimals, minimumFractionDigits: least };
  const formatter = known ?? new Intl.NumberFormat(locale ?? undefined, options);
  if (!known) formatters.set(key, formatter);
  return formatter;
}

export const formatNumber = (value: number): string => formatterOf(3).format(value);

/** With exactly so many decimals: "7.47". */
export const formatFixed = (value: number, decimals: number): string => formatterOf(decimals, decimals).format(value);

/** Rounded to so many decimals: "1.2", "3". */
export const formatRounded = (value: number, decimals: number): string => formatterOf(decimals).format(value);

const MAX_DECIMALS = 10;

/** The number of decimals that `alignDecimals` shows. */
export const countDecimals = (value: number): number =>
  formatterOf(MAX_DECIMALS)
    .formatToParts(value)
    .find(({ type }) => type === 'fraction')?.value.length ?? 0;

/**
 * All decimals of a value, up to ten, and spaces as wide as those that it lacks: below each other, right-aligned values
 * have their points in one line.
 */
export function alignDecimals(value: number, decimals: number): string {
  const own = countDecimals(value);
  const point = own === 0 && decimals > 0 ? '\u2008' : '';
  return formatterOf(MAX_DECIMALS).format(value) + point + '\u2007'.repeat(Math.max(decimals - own, 0));
}

/** "1 record", "4,118 records". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;

/** "812 runs"; "10,000+ runs" of a list that stopped counting. */
export const formatTotal = (
  { total, isTotalCut }: { total: number; isTotalCut?: boolean | undefined },
  one: string,
  many = `${one}s`,
): string => (isTotalCut ? `${formatNumber(total)}+ ${many}` : formatCount(total, one, many));

/** "812 B", "4.1 kB", "75 MB": powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${formatNumber(bytes)} B`;
  const units = ['kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** power;
  return `${formatFixed(value, value < 10 ? 1 : 0)} ${units[power - 1]}`;
}
