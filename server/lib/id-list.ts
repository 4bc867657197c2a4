/** Lines between two known positions of the text. */
const LINES_PER_STEP = 256;

/**
 * Ids in an order, as one text with a JSON string a line: a million of them take their characters and little more, and
 * only those that are asked for become strings of their own.
 */
export class IdList implements Iterable<string> {
  readonly length: number;
  readonly #lines: string;
  /** Where every 256th line begins. */
  readonly #steps: number[] = [];

  /** `lines`: JSON strings, one a line; empty for none. */
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

  /** Characters that it holds. */
  get size(): number {
    return this.#lines.length;
  }

  /** As `Array.prototype.slice` of positions that are not negative. */
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
