const grouped = new Intl.NumberFormat();

export const formatNumber = (value: number): string => grouped.format(value);

/** "820 B", "4.8 MB": one decimal above bytes. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

/** "1 record", "4,118 records". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${grouped.format(value)} ${value === 1 ? one : many}`;
