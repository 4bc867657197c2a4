/** Matches cells that a spreadsheet would interpret as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  // Quotes tell a text of no characters from nothing.
  return safe === '' || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of a table as spreadsheets read it (RFC 4180), with its line end. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellText).join(',')}\r\n`;

/** Columns with these names; a last column holds `hidden` and the other members of later rows as JSON. */
export function csvOfObjects(
  names: readonly string[],
  row: Record<string, unknown>,
  hidden: ReadonlyArray<readonly [name: string, value: unknown]> = [],
): string {
  const others = [...hidden, ...Object.entries(row).filter(([name]) => !names.includes(name))];
  return csvLine([...names.map((name) => row[name]), others.length > 0 ? Object.fromEntries(others) : null]);
}

/** Parses the rows of a table (RFC 4180) by the names in its first line. Detects commas, semicolons and tabs. */
export function parseCsv(text: string): Array<Record<string, string>> {
  const [head = [], ...lines] = readCells(text.replace(/^\uFEFF/, ''));
  const names = head.map((name) => name.trim());
  return lines
    .filter((cells) => cells.some((cell) => cell !== ''))
    .map((cells) => Object.fromEntries(names.map((name, at) => [name, unescaped(cells[at] ?? '')])));
}

/** Removes the apostrophe that an export puts before text that a spreadsheet would take for a formula. */
const unescaped = (cell: string): string => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell);

function readCells(text: string): string[][] {
  const first = text.slice(0, text.indexOf('\n') === -1 ? text.length : text.indexOf('\n'));
  const separator = [',', ';', '\t'].reduce((best, one) =>
    first.split(one).length > first.split(best).length ? one : best,
  );
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === separator || sign === '\n') {
      rows.at(-1)?.push(cell);
      cell = '';
      if (sign === '\n') rows.push([]);
    } else if (sign !== '\r') cell += sign;
  }
  rows.at(-1)?.push(cell);
  return rows;
}
