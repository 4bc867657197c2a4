/** The code blocks of a page of the documentation with their marks (server/docs/README.md, "How to write a page"). */
export interface PageBlock {
  /** The first word behind the fence; empty for a block without a language. */
  language: string;
  /** Without the indentation of the list that the block stands in, and with a newline at its end. */
  text: string;
  /** Line of the opening fence, counted from 1. */
  line: number;
  marks: BlockMarks;
}

export interface BlockMarks {
  skip?: string;
  needs?: string[];
  expects?: string[];
  status?: number;
  exit?: number;
  file?: string;
  until?: string;
  answer?: true;
  retry?: true;
}

/** A mark that cannot be read; the message names the line. */
export class MarkError extends Error {}

const FENCE = /^( *)(`{3,})(\S*)[^`]*$/;
const MARK = /^ *<!-- (\w+)(?:: (.+?))? -->$/;

export function readBlocks(markdown: string): PageBlock[] {
  const lines = markdown.split('\n');
  const blocks: PageBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', fence = '', language = ''] = FENCE.exec(lines[at] ?? '') ?? [];
    if (fence === '') continue;
    const end = lines.findIndex((line, index) => index > at && line.trim() === fence);
    if (end === -1) throw new MarkError(`line ${at + 1}: the block has no end`);
    const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    blocks.push({ language, text: `${text.join('\n')}\n`, line: at + 1, marks: marksAbove(lines, at) });
    at = end;
  }
  return blocks;
}

/** Reads the comments directly above a fence. */
function marksAbove(lines: readonly string[], fence: number): BlockMarks {
  const marks: BlockMarks = {};
  for (let at = fence - 1; at >= 0; at -= 1) {
    const line = lines[at] ?? '';
    if (line.trim() === '' && MARK.test(lines[at - 1] ?? '')) continue;
    const [, name, value] = MARK.exec(line) ?? [];
    if (name === undefined) break;
    addMark(marks, name, value, at + 1);
  }
  return marks;
}

function addMark(marks: BlockMarks, name: string, value: string | undefined, line: number): void {
  if (name === 'answer' || name === 'retry') {
    marks[name] = true;
    return;
  }
  if (value === undefined) throw new MarkError(`line ${line}: the mark "${name}" has no value`);
  if (name === 'skip' || name === 'file' || name === 'until') marks[name] = value;
  else if (name === 'needs') marks.needs = value.split(',').map((one) => one.trim());
  else if (name === 'expects') marks.expects = [value, ...(marks.expects ?? [])];
  else if ((name === 'status' || name === 'exit') && /^\d+$/.test(value)) marks[name] = Number(value);
  else throw new MarkError(`line ${line}: "${name}: ${value}" is not a mark; server/docs/README.md lists them`);
}

/** The file that a block is saved under: its mark, or the comment in its first line (`// app.mjs`, `# app.py`). */
export function fileOf({ marks, text, language }: PageBlock): string | undefined {
  if (marks.file !== undefined) return marks.file;
  if (language === 'sh') return undefined;
  return /^(?:\/\/|#|<!--) ([\w./-]+\.\w+)(?: -->)?\n/.exec(text)?.[1];
}
