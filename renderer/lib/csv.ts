/** A cell may not begin what a spreadsheet would take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of a table as spreadsheets read it (RFC 4180), with its line end. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellText).join(',')}\r\n`;

/** Columns by these names, then what later rows have beside them, as JSON in a last column. */
export function csvOfObjects(names: readonly string[], row: Record<string, unknown>): string {
  const others = Object.entries(row).filter(([name]) => !names.includes(name));
  return csvLine([...names.map((name) => row[name]), others.length > 0 ? Object.fromEntries(others) : null]);
}
