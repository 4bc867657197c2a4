import { Transform, type TransformCallback } from 'node:stream';
import { byteSpellings } from './secret-spellings.ts';

/**
 * Replaces secrets in bytes that pass through, in every spelling of `byteSpellings`, also where a secret is split over
 * chunks. Only bytes that can be the beginning of a secret wait for the next chunk, so that events of a stream arrive at
 * once.
 */
export class SecretStream extends Transform {
  readonly #replacer: ByteReplacer;
  #rest = '';

  constructor(replacer: ByteReplacer) {
    super();
    this.#replacer = replacer;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const { clean, rest } = this.#replacer.split(this.#rest + chunk.toString('latin1'));
    this.#rest = rest;
    done(null, Buffer.from(clean, 'latin1'));
  }

  override _flush(done: TransformCallback): void {
    done(null, Buffer.from(this.#replacer.replace(this.#rest), 'latin1'));
  }
}

/** Finds the spellings of secrets in texts of one character per byte. */
export class ByteReplacer {
  readonly #patterns: readonly string[];
  readonly #starts: ReadonlySet<string>;
  readonly #longest: number;
  readonly #by: string;

  constructor(secrets: Iterable<string>, by: string) {
    this.#patterns = [...new Set([...secrets].flatMap(byteSpellings))];
    this.#starts = new Set(this.#patterns.map((pattern) => pattern.charAt(0)));
    this.#longest = Math.max(0, ...this.#patterns.map(({ length }) => length));
    this.#by = by;
  }

  replace(text: string): string {
    return this.#clean(text, text.length).clean;
  }

  /** The text without secrets, and the end of it that may be the beginning of one. */
  split(text: string): { clean: string; rest: string } {
    return this.#clean(text, this.#openFrom(text));
  }

  #clean(text: string, until: number): { clean: string; rest: string } {
    let clean = '';
    let end = 0;
    for (const span of this.#spans(text)) {
      if (span.start >= until) break;
      clean += text.slice(end, span.start) + this.#by;
      end = span.end;
    }
    const rest = Math.max(until, end);
    return { clean: clean + text.slice(end, rest), rest: text.slice(rest) };
  }

  /** Where secrets stand; those that overlap are one span. */
  #spans(text: string): { start: number; end: number }[] {
    const found: { start: number; end: number }[] = [];
    for (const pattern of this.#patterns)
      for (let at = text.indexOf(pattern); at !== -1; at = text.indexOf(pattern, at + 1))
        found.push({ start: at, end: at + pattern.length });
    const joined: { start: number; end: number }[] = [];
    for (const span of found.sort((a, b) => a.start - b.start)) {
      const last = joined.at(-1);
      if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
      else joined.push(span);
    }
    return joined;
  }

  /** The first place from which the rest of the text is the beginning of a pattern; the length without one. */
  #openFrom(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at += 1) {
      if (!this.#starts.has(text.charAt(at))) continue;
      const tail = text.slice(at);
      if (this.#patterns.some((pattern) => pattern.length > tail.length && pattern.startsWith(tail))) return at;
    }
    return text.length;
  }
}
