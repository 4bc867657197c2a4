/** Number of lines between two positions that the index holds. */
const LINES_PER_STEP = 256;

/**
 * An ordered list of ids, kept as one text with one JSON string per line: a million ids take little more memory than
 * their characters. Only the ids that are read become strings.
 */
export class IdList implements Iterable<string> {
  readonly length: number;
  readonly #lines: string;
  /** Start position of every 256th line. */
  readonly #steps: number[] = [];

  /** `lines`: JSON strings, one per line; empty for an empty list. */
  constructor(lines: string) {
    this.#lines = lines;
    let count = 0;
    for (let start = 0; start < lines.length; count += 1) {
      if (count % LINES_PER_STEP === 0) this.#steps.push(start);
      const end = lines.indexOf('\n', start);
      start = end < 0 ? lines.length : end + 1;
    }
    this.length = count;
  }

  static of(ids: Iterable<string>): IdList {
    return new IdList(Array.from(ids, (id) => JSON.stringify(id)).join('\n'));
  }

  /** Number of characters in the list. */
  get size(): number {
    return this.#lines.length;
  }

  /** As `Array.prototype.slice`; positions must not be negative. */
  slice(from: number, to: number): string[] {
    const first = Math.floor(from / LINES_PER_STEP);
    const text = this.#lines.slice(
      this.#steps[first] ?? this.#lines.length,
      this.#steps[Math.ceil(to / LINES_PER_STEP)],
    );
    if (text === '') return [];
    const lines = text.split('\n').slice(from - first * LINES_PER_STEP, to - first * LINES_PER_STEP);
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as string);
  }

  *[Symbol.iterator](): Generator<string> {
    for (let from = 0; from < this.length; from += LINES_PER_STEP) yield* this.slice(from, from + LINES_PER_STEP);
  }
}
