/** A page in Markdown, written by a person or made from the code. */
export interface WrittenPage {
  name: string;
  title: string;
  about: string;
  /** Part of the navigation; null for pages that a list leads to. */
  section: string | null;
  text: string;
}

/** The part of the navigation with the pages that are made from the code. */
export const REFERENCE = 'Reference';

/** A table in Markdown; a cell is one line. */
export function writeTable(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
