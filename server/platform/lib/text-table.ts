import { stripVTControlCharacters } from 'node:util';

const GAP = 2;
/** Characters that take two columns of a terminal. */
const WIDE =
  /\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

export interface TextTable {
  headings: readonly string[];
  rows: ReadonlyArray<readonly string[]>;
  /** Columns of the terminal; undefined when nothing limits them, as in a file. */
  width?: number | undefined;
  /** Colours the headings. */
  paint?: (heading: string) => string;
}

/**
 * Lays out rows under headings. A table that is too wide wraps its cells by words. If that is not enough, each row
 * becomes a block of lines with one heading each. Words are never broken, because they may be ids and addresses.
 */
export function tableLines({
  headings,
  rows,
  width = Number.POSITIVE_INFINITY,
  paint = (heading) => heading,
}: TextTable): string[] {
  const all = [headings, ...rows];
  const natural = headings.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))));
  const least = headings.map((_, column) => Math.max(...all.map((row) => longestWord(row[column] ?? ''))));
  if (totalOf(least) > width) return blocks({ headings, rows, width, paint });
  const widths = fitted(natural, least, width);
  return [...rowLines(headings, widths).map(paint), ...rows.flatMap((row) => rowLines(row, widths))];
}

/** Columns that a text takes on a terminal. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is the range of ASCII
  if (/^[\u0000-\u007F]*$/.test(plain)) return plain.length;
  let width = 0;
  for (const { segment } of graphemes.segment(plain)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** Breaks a text between words. A word that is longer than the width has a line of its own. */
export function wrapWords(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines: string[] = [];
    let line = '';
    for (const word of paragraph.split(' ')) {
      if (line !== '' && displayWidth(line) + 1 + displayWidth(word) > width) {
        lines.push(line);
        line = word;
      } else line = line === '' ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

/**
 * Wraps messages. A line that fits stays as it is; another one is broken between words, and what follows is indented like
 * its text. What stands in quotes, such as a command to copy, stays in one line where it fits.
 */
export function wrapText(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string[] {
  if (displayWidth(line) <= width) return [line];
  const indent = /^\s*/.exec(line)?.[0] ?? '';
  // A mark before the text, such as ✓.
  const hang = /^\s*[^\w\s"'<({/-] /u.test(stripVTControlCharacters(line)) ? `${indent}  ` : indent;
  const room = width - displayWidth(hang);
  const parts = line.slice(indent.length).match(/(?:"[^"]*"|\S)+\s*/g) ?? [];
  const lines: string[] = [];
  let current = indent;
  let isEmpty = true;
  for (const part of parts.flatMap((one) =>
    displayWidth(one.trimEnd()) > room ? (one.match(/\S+\s*/g) ?? []) : [one],
  )) {
    if (!isEmpty && displayWidth(current) + displayWidth(part.trimEnd()) > width) {
      lines.push(current.trimEnd());
      current = hang;
    }
    current += part;
    isEmpty = false;
  }
  return [...lines, current.trimEnd()];
}

/** Takes the missing columns from the widest cells first. */
function fitted(natural: number[], least: number[], width: number): number[] {
  const widths = [...natural];
  for (let over = totalOf(widths) - width; over > 0 && Number.isFinite(over); over -= 1) {
    const spare = widths.map((one, index) => (one > (least[index] ?? 0) ? one : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function rowLines(row: readonly string[], widths: readonly number[]): string[] {
  const cells = widths.map((width, index) => wrapWords(row[index] ?? '', width));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, index) => padded(lines[line] ?? '', widths[index] ?? 0))
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
}

function blocks({ headings, rows, width, paint }: Required<TextTable> & { width: number }): string[] {
  const label = Math.max(...headings.map(displayWidth)) + GAP;
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : ['']),
    ...headings.flatMap((heading, column) =>
      wrapWords(row[column] ?? '', Math.max(1, width - label)).map((line, at) =>
        `${at === 0 ? paint(padded(heading, label)) : ' '.repeat(label)}${line}`.trimEnd(),
      ),
    ),
  ]);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

function longestWord(text: string): number {
  return Math.max(...text.split(/[ \n]/).map(displayWidth));
}

function totalOf(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP * Math.max(0, widths.length - 1);
}
