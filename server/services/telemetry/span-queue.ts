/** Spans as JSON text that wait to be sent. Bounded by bytes: the oldest make room. */
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

  /** How many were dropped for it. */
  push(span: string): number {
    this.#spans.push(span);
    this.#bytes += Buffer.byteLength(span);
    return this.#makeRoom();
  }

  /** The oldest, at most `count`. */
  take(count: number): string[] {
    const taken = this.#spans.splice(0, count);
    for (const span of taken) this.#bytes -= Buffer.byteLength(span);
    return taken;
  }

  /** Spans that could not be sent are the oldest again; how many were dropped. */
  putBack(spans: readonly string[]): number {
    this.#spans = [...spans, ...this.#spans];
    for (const span of spans) this.#bytes += Buffer.byteLength(span);
    return this.#makeRoom();
  }

  clear(): void {
    this.#spans = [];
    this.#bytes = 0;
  }

  #makeRoom(): number {
    let count = 0;
    while (this.#bytes > this.#mostBytes) {
      this.#bytes -= Buffer.byteLength(this.#spans[count] ?? '');
      count += 1;
    }
    if (count > 0) this.#spans.splice(0, count);
    return count;
  }
}
