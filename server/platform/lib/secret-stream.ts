import { Transform, type TransformCallback } from 'node:stream';
import { characterSpellings, encodingsOf } from './secret-spellings.ts';

/**
 * Replaces secrets in bytes that pass through, also where a secret is split over chunks. Only bytes that can be the
 * beginning of a secret wait for the next chunk, so that the events of a stream arrive at once.
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

interface Pattern {
  /** The spellings of each character. */
  characters: readonly (readonly string[])[];
  by: string;
}

interface Found {
  start: number;
  end: number;
  by: string;
}

/** The text ends before the pattern does. */
const OPEN = -2;
const NONE = -1;

/** Finds secrets in texts of one character per byte, in every spelling of `characterSpellings` and `encodingsOf`. */
export class ByteReplacer {
  /** By the character code with which a spelling begins. */
  readonly #patterns: Pattern[][] = Array.from({ length: 256 }, () => []);

  /** Secrets, each with the text that takes its place. */
  constructor(secrets: Iterable<readonly [secret: string, by: string]>) {
    const known = new Map<string, readonly string[]>();
    const spellings = (character: string): readonly string[] => {
      const found = known.get(character) ?? characterSpellings(character);
      known.set(character, found);
      return found;
    };
    for (const [secret, by] of secrets)
      for (const text of encodingsOf(secret)) {
        const pattern = { by, characters: Array.from(text, spellings) };
        const starts = new Set(pattern.characters[0]?.map((one) => one.charCodeAt(0)));
        for (const start of starts) this.#patterns[start]?.push(pattern);
      }
  }

  replace(text: string): string {
    return this.#clean(text, true).clean;
  }

  /** The text without secrets, and the end of it that may be the beginning of one. */
  split(text: string): { clean: string; rest: string } {
    return this.#clean(text, false);
  }

  #clean(text: string, isWhole: boolean): { clean: string; rest: string } {
    let clean = '';
    let end = 0;
    for (let at = 0; at < text.length; at += 1) {
      const found = this.#at(text, at, isWhole);
      if (found === undefined) continue;
      if (found === OPEN) return { clean: clean + text.slice(end, at), rest: text.slice(at) };
      clean += text.slice(end, found.start) + found.by;
      end = found.end;
      at = end - 1;
    }
    return { clean: clean + text.slice(end), rest: '' };
  }

  /** The longest secret at this place. */
  #at(text: string, at: number, isWhole: boolean): Found | typeof OPEN | undefined {
    let found: Found | undefined;
    for (const { by, characters } of this.#patterns[text.charCodeAt(at)] ?? []) {
      const end = endOf(text, at, characters);
      if (end === OPEN && !isWhole) return OPEN;
      if (end > (found?.end ?? at)) found = { start: at, end, by };
    }
    return found;
  }
}

function endOf(text: string, from: number, characters: Pattern['characters']): number {
  let at = from;
  for (const spellings of characters) {
    const spelling = spellings.find((one) => text.startsWith(one, at));
    // A longer spelling may have begun where the text ends.
    const rest = text.length - at;
    const isCut = spellings.some((one) => one.length > rest && one.startsWith(text.slice(at)));
    if (isCut) return OPEN;
    if (spelling === undefined) return NONE;
    at += spelling.length;
  }
  return at;
}
