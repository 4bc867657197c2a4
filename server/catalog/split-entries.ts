/** The text of one entry, its key included. */
export interface EntryText {
  name: string;
  text: string;
  /** 1-based line of the file that it begins at. */
  line: number;
}

/** Any key: one that no provider may have is the fault of its entry. */
const KEY_LINE = /^(?:([^\s#"'{}[\],&*!|>%@`?:-][^:#]*?)|"([^"\\]*)"|'([^']*)')\s*:(?:\s|$)/;
/** What tells that a file is no plain list of entries: directives and further documents. */
const OTHER_LAYOUT = /^(?:---|\.\.\.|%)/;

/**
 * Cuts a file of entries at the keys of its left margin: each part can be read by itself, kept by itself, and its
 * faults are its own; a line at the margin without a key belongs to what is before it. Undefined for a file that is laid
 * out otherwise (as JSON, with directives or several documents).
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
