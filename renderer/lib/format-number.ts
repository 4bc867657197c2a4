const grouped = new Intl.NumberFormat();

export const formatNumber = (value: number): string => grouped.format(value);

/** "1 record", "4,118 records". */
export const formatCount = (value: number, one: string, many = `${one}s`): string =>
  `${grouped.format(value)} ${value === 1 ? one : many}`;
