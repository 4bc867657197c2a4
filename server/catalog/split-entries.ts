/** The text of one entry, its key included. */
export interface EntryText {
  name: string;
  text: string;
  /** 1-based line of the file that it begins at. */
  line: number;
}

const KEY_LINE = /^(?:([A-Za-z0-9_.-]+)|"([^"\\]*)"|'([^']*)')\s*:(?:\s|$)/;
/** Lines without a key that may stand at the left margin: they belong to what is before them. */
const BELONGS_TO_ENTRY = /^(?:$|[\s#}\]])/;

/**
 * Cuts a file of entries at the keys of its left margin: each part can be read by itself, kept by itself, and its
 * faults are its own. Undefined for a file that is laid out otherwise (as JSON, with directives or several documents).
 */
export function splitEntries(text: string): EntryText[] | undefined {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const parts: Array<{ name: string; lines: string[]; line: number }> = [];
  for (const [at, line] of lines.entries()) {
    const key = KEY_LINE.exec(line);
    if (key) parts.push({ name: key[1] ?? key[2] ?? key[3] ?? '', lines: [line], line: at + 1 });
    else if (!BELONGS_TO_ENTRY.test(line) && !(line.trimEnd() === '---' && parts.length === 0)) return undefined;
    else if (parts.length > 0) parts.at(-1)?.lines.push(line);
    else if (!/^\s*(#|$)|^---/.test(line)) return undefined;
  }
  return parts.map(({ lines: own, ...part }) => ({ ...part, text: own.join('\n').trimEnd() }));
}
