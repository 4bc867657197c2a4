/** Changes of parts of a text, made at once. */
export class TextEdits {
  readonly #text: string;
  readonly #edits: Array<{ start: number; end: number; text: string }> = [];

  constructor(text: string) {
    this.#text = text;
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  insert(at: number, text: string): void {
    this.replace(at, at, text);
  }

  /** Removes a statement with the rest of its line. */
  removeLine(start: number, end: number): void {
    const rest = /^[ \t;]*\r?\n?/.exec(this.#text.slice(end))?.[0].length ?? 0;
    this.replace(start, end + rest, '');
  }

  /** The text between two places, with the changes in it. */
  between(start: number, end: number): string {
    let result = '';
    let at = start;
    const inside = this.#edits.filter((one) => one.start >= start && one.end <= end);
    for (const edit of inside.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
      if (edit.start < at) continue;
      result += this.#text.slice(at, edit.start) + edit.text;
      at = edit.end;
    }
    return result + this.#text.slice(at, end);
  }

  toString(): string {
    return this.between(0, this.#text.length);
  }
}
