/** Spans as JSON text that wait to be sent. Limited by bytes: the oldest are dropped. */
export class SpanQueue {
  readonly #mostBytes: number;
  #spans: string[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#spans.length;
  }

  /** Returns the number of spans that were dropped to make room. */
  push(span: string): number {
    this.#spans.push(span);
    this.#bytes += Buffer.byteLength(span);
    return this.#dropOldest();
  }

  /** Removes and returns the oldest spans, at most `count`. */
  take(count: number): string[] {
    const taken = this.#spans.splice(0, count);
    for (const span of taken) this.#bytes -= Buffer.byteLength(span);
    return taken;
  }

  /** Puts unsent spans back as the oldest ones; returns the number of dropped spans. */
  putBack(spans: readonly string[]): number {
    this.#spans = [...spans, ...this.#spans];
    for (const span of spans) this.#bytes += Buffer.byteLength(span);
    return this.#dropOldest();
  }

  clear(): void {
    this.#spans = [];
    this.#bytes = 0;
  }

  #dropOldest(): number {
    let count = 0;
    while (this.#bytes > this.#mostBytes) {
      this.#bytes -= Buffer.byteLength(this.#spans[count] ?? '');
      count += 1;
    }
    if (count > 0) this.#spans.splice(0, count);
    return count;
  }
}
