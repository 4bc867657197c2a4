const grouped = new Intl.NumberFormat();

export const formatNumber = (value: number): string => grouped.format(value);

/** "1 record", "4,118 records". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${grouped.format(value)} ${value === 1 ? one : many}`;

/** "812 B", "4.1 kB", "75 MB": powers of 1000. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const value = bytes / 1000 ** power;
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[power - 1]}`;
}
