/** A result of a query: columns in their order, and rows by name. */
export interface ResultTable {
  columns: ReadonlyArray<{ name: string; type: string }>;
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** A value as a cell shows it; null is empty. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** RFC 4180, with the names of the columns first. */
export function resultCsv({ columns, rows }: ResultTable): string {
  const field = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => columns.map(({ name }) => field(cellText(row[name]))).join(','));
  return `${[columns.map(({ name }) => field(name)).join(','), ...lines].join('\r\n')}\r\n`;
}

export interface Bar {
  label: string;
  value: number;
}

/** Most bars that a person can compare. */
const MOST_BARS = 40;

/** The first column that is no number as labels, and the first number beside it as bars; undefined when that says nothing. */
export function barsOf({ columns, rows }: ResultTable): { bars: Bar[]; of: string } | undefined {
  const number = columns.find(({ name }) => rows.length > 0 && rows.every((row) => typeof row[name] === 'number'));
  const label = columns.find((column) => column !== number);
  if (!number || !label || rows.length < 2 || rows.length > MOST_BARS) return undefined;
  const bars = rows.map((row) => ({ label: cellText(row[label.name]) || 'null', value: Number(row[number.name]) }));
  return bars.some(({ value }) => value < 0) ? undefined : { bars, of: number.name };
}
