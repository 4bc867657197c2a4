/** Replaces a secret wherever one is removed from a text. */
export const REDACTED = 'REDACTED';

/** Shorter texts cannot be distinguished from ordinary words. */
const MIN_SECRET_LENGTH = 4;
/**
 * Of a longer secret the first part of this many characters is searched for, and then as much of the rest as follows: the
 * time of a search can grow with the length of the searched text for each character, and an expression for a long text
 * becomes too large to compile.
 */
const HEAD_LENGTH = 256;
/** Up to this many patterns are tried one after the other. For more, an index first finds those that can occur. */
const MAX_TRIED = 16;
/** Lengths of the parts of secrets in the index; the second is for secrets that are too short for the first. */
const PART_LENGTHS = [8, MIN_SECRET_LENGTH] as const;

/** Parts of one secret from which the rarest is chosen. */
const MAX_PARTS = 32;

/** What stands in the place of a secret; a function gets the spelling that was found. */
type Replacement = string | ((found: string) => string);

export function isLongEnough(secret: string): boolean {
  return secret.length >= MIN_SECRET_LENGTH;
}

/** Longest first, so that no part of a longer secret remains; secrets that are too short are left out. */
export function longestFirst(secrets: Iterable<string>): string[] {
  return [...new Set(secrets)].filter(isLongEnough).sort((a, b) => b.length - a.length);
}

/**
 * Replaces secrets in texts, in every spelling that an address may use. The time grows with the text and with the secrets,
 * but not with their product: a provider's response of 600 kB can hold 25,000 secrets.
 */
export class SecretReplacer {
  readonly #by: (found: string) => string;
  readonly #known = new Set<string>();
  #ordered: KnownSecret[] = [];
  #index: SecretIndex | undefined;

  constructor(secrets: Iterable<string>, by: Replacement = REDACTED) {
    this.#by = typeof by === 'string' ? () => by : by;
    this.add(secrets);
  }

  /** Adds secrets. The time does not depend on how many there are already. */
  add(secrets: Iterable<string>): void {
    if (Array.isArray(secrets) && secrets.length === 0) return;
    const added = [...new Set(secrets)].filter((secret) => isLongEnough(secret) && !this.#known.has(secret));
    for (const secret of added) this.#known.add(secret);
    if (this.#index) this.#index.add(added);
    else if (this.#known.size > MAX_TRIED) this.#index = new SecretIndex([...this.#known]);
    else if (added.length > 0) this.#ordered = longestFirst(this.#known).map((secret) => new KnownSecret(secret));
  }

  replace(text: string): string {
    if (this.#index) return this.#index.replace(text, this.#by);
    return this.#ordered.reduce((rest, secret) => secret.replace(rest, this.#by), text);
  }
}

/** A secret of which the head is searched for. */
class KnownSecret {
  readonly head: string;
  readonly #pieces: string[];
  readonly #pattern: string | RegExp;
  #rest: RegExp[] | undefined;

  constructor(secret: string) {
    const [head = '', ...pieces] = piecesOf(secret);
    this.head = head;
    this.#pieces = pieces;
    this.#pattern = secretPattern(head);
  }

  replace(text: string, by: (found: string) => string): string {
    if (this.#pieces.length === 0) return text.replaceAll(this.#pattern, by);
    if (typeof this.#pattern === 'string' && !text.includes(this.#pattern)) return text;
    const spans: Span[] = [];
    for (const { 0: found, index } of text.matchAll(new RegExp(spellingsSource(this.head), 'giu'))) {
      if (index >= (spans.at(-1)?.end ?? 0))
        spans.push({ start: index, end: this.endFrom(text, index + found.length) });
    }
    return replaceSpans(text, spans, by);
  }

  /** The end of the rest of the secret, as far as the text has it from this place on. */
  endFrom(text: string, at: number): number {
    this.#rest ??= this.#pieces.map((piece) => new RegExp(spellingsSource(piece), 'iuy'));
    let end = at;
    for (const piece of this.#rest) {
      piece.lastIndex = end;
      const found = piece.exec(text);
      if (!found) return end;
      end += found[0].length;
    }
    return end;
  }
}

/** A character outside of Unicode's first plane is not divided. */
function piecesOf(secret: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (start < secret.length) {
    const end = start + HEAD_LENGTH + (isLowSurrogate(secret.charCodeAt(start + HEAD_LENGTH)) ? 1 : 0);
    pieces.push(secret.slice(start, end));
    start = end;
  }
  return pieces;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

interface Part {
  text: string;
  /** Where the part begins in the head of the secret. */
  offset: number;
}

interface Span {
  start: number;
  end: number;
}

/** Finds out of many secrets those in a text in one pass, by a part of each secret that few others have. */
class SecretIndex {
  readonly #byPart = new Map<string, IndexedSecret[]>();
  readonly #uses = new Map<string, number>();
  /** Secrets with no part that every spelling has. */
  readonly #others: KnownSecret[] = [];

  constructor(secrets: readonly string[]) {
    this.add(secrets);
  }

  add(secrets: readonly string[]): void {
    const added = secrets.map((secret) => {
      const known = new KnownSecret(secret);
      return { known, parts: partsOf(known.head) };
    });
    for (const { text } of added.flatMap(({ parts }) => parts)) this.#uses.set(text, this.#usesOf(text) + 1);
    for (const { known, parts } of added) {
      const rarest = parts.toSorted((a, b) => this.#usesOf(a.text) - this.#usesOf(b.text))[0];
      if (!rarest) this.#others.push(known);
      else this.#byPart.set(rarest.text, appended(this.#byPart.get(rarest.text), new IndexedSecret(known, rarest)));
    }
  }

  replace(text: string, by: (found: string) => string): string {
    const replaced = replaceSpans(text, joined(this.#find(text)), by);
    return this.#others.reduce((rest, secret) => secret.replace(rest, by), replaced);
  }

  #usesOf(part: string): number {
    return this.#uses.get(part) ?? 0;
  }

  #find(text: string): Span[] {
    const searched = inLowerCase(text);
    const found: Span[] = [];
    const foundUntil = new Map<IndexedSecret, number>();
    for (const length of PART_LENGTHS) {
      for (let at = 0; at + length <= searched.length; at += 1) {
        for (const secret of this.#byPart.get(searched.slice(at, at + length)) ?? []) {
          const span = at < (foundUntil.get(secret) ?? 0) ? undefined : secret.spanAt(text, at);
          if (!span) continue;
          foundUntil.set(secret, span.end);
          found.push(span);
        }
      }
    }
    return found;
  }
}

class IndexedSecret {
  readonly #secret: KnownSecret;
  readonly #part: Part;
  #pattern: RegExp | undefined;

  constructor(secret: KnownSecret, part: Part) {
    this.#secret = secret;
    this.#part = part;
  }

  /** The secret, if its part is at this place. */
  spanAt(text: string, at: number): Span | undefined {
    const { head } = this.#secret;
    const start = at - this.#part.offset;
    if (isPlain(head)) {
      const isThere = start >= 0 && text.startsWith(head, start);
      return isThere ? { start, end: this.#secret.endFrom(text, start + head.length) } : undefined;
    }
    this.#pattern ??= patternAround(head, this.#part);
    this.#pattern.lastIndex = at;
    const match = this.#pattern.exec(text);
    if (!match) return undefined;
    return { start: at - (match[1] ?? '').length, end: this.#secret.endFrom(text, at + match[0].length) };
  }
}

function appended<T>(list: T[] | undefined, item: T): T[] {
  if (!list) return [item];
  list.push(item);
  return list;
}

/** Overlapping secrets are replaced together. */
function joined(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end);
    else result.push(span);
  }
  return result;
}

function replaceSpans(text: string, spans: readonly Span[], by: (found: string) => string): string {
  let result = '';
  let end = 0;
  for (const span of spans) {
    result += text.slice(end, span.start) + by(text.slice(span.start, span.end));
    end = span.end;
  }
  return result + text.slice(end);
}

/** Matches at the part; the first group is what stands before it. */
function patternAround(head: string, part: Part): RegExp {
  const [before, after] = [head.slice(0, part.offset), head.slice(part.offset + part.text.length)].map(spellingsSource);
  return new RegExp(`(?<=(${before}))${part.text}${after}`, 'iuy');
}

/** Up to 32 parts that all spellings of the text have, in lower case. */
function partsOf(head: string): Part[] {
  const runs = head.matchAll(isPlain(head) ? /.+/g : /[a-z0-9]{4,}/gi);
  const parts = Array.from(runs).flatMap(({ 0: run, index }) => {
    const length = PART_LENGTHS.find((one) => one <= run.length) ?? run.length;
    return Array.from({ length: run.length - length + 1 }, (_, at) => ({
      text: inLowerCase(run.slice(at, at + length)),
      offset: index + at,
    }));
  });
  const step = Math.ceil(parts.length / MAX_PARTS);
  return parts.filter((_, index) => index % step === 0);
}

/** Letters outside of ASCII stay, because the lower case of some has another length. */
function inLowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Finds a secret in every percent-encoded spelling: programs that write addresses encode different characters, and a
 * caller's spelling may be encoded again. Letters and digits stand for themselves. For a secret with only one spelling,
 * the result is the secret itself.
 */
function secretPattern(secret: string): string | RegExp {
  return isPlain(secret) ? secret : new RegExp(spellingsSource(secret), 'giu');
}

/** Whether the secret has only one spelling. */
function isPlain(secret: string): boolean {
  return /^[\w.-]*$/.test(secret);
}

/** The source of an expression that matches every spelling of the text. */
function spellingsSource(text: string): string {
  return Array.from(text.toWellFormed(), spellingsOf).join('');
}

function spellingsOf(character: string): string {
  if (/^[a-z0-9]$/i.test(character)) return character;
  const own = `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  const encoded = Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `(?:${own}|${encoded}${character === ' ' ? '|\\+' : ''})`;
}
