/** The text of one entry, with its key. */
export interface EntryText {
  name: string;
  text: string;
  /** First line in the file, counted from 1. */
  line: number;
}

/** Matches any key. A key that no provider may have is an error of its entry. */
const KEY_LINE = /^(?:([^\s#"'{}[\],&*!|>%@`?:-](?:[^:#]*[^\s:#])?)|"([^"\\]*)"|'([^']*)')\s*:(?:\s|$)/;
/** Directives and further documents, which show that a file is not a plain list of entries. */
const OTHER_LAYOUT = /^(?:---|\.\.\.|%)/;

/**
 * Splits a file of entries at the keys on its left margin, so that each entry is parsed, cached and reported
 * separately. A line at the margin without a key belongs to the entry before it. Returns undefined for a file with
 * another layout (JSON, directives, several documents).
 */
export function splitEntries(text: string): EntryText[] | undefined {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const parts: Array<{ name: string; lines: string[]; line: number }> = [];
  for (const [at, line] of lines.entries()) {
    const key = KEY_LINE.exec(line);
    if (key) parts.push({ name: key[1] ?? key[2] ?? key[3] ?? '', lines: [line], line: at + 1 });
    else if (parts.length > 0 && !OTHER_LAYOUT.test(line)) parts.at(-1)?.lines.push(line);
    else if (parts.length > 0 || !/^(?:\s*(?:#|$)|---\s*$)/.test(line)) return undefined;
  }
  return parts.map(({ lines: own, ...part }) => ({ ...part, text: own.join('\n').trimEnd() }));
}
