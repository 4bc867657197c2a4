import { Buffer } from './buffer-global.ts';
import { decodeUtf8 } from './text-coding.ts';

type Pair = [name: string, value: string];

/** URLSearchParams of the URL standard. `onChange` updates the URL that it belongs to. */
export class URLSearchParams {
  #pairs: Pair[];
  #onChange: (() => void) | undefined;

  constructor(init: unknown = '') {
    this.#pairs = toPairs(init);
  }

  /** Creates the parameters of a URL, which is notified of every change. */
  static ofUrl(search: string, onChange: () => void): URLSearchParams {
    const params = new URLSearchParams(search);
    params.#onChange = onChange;
    return params;
  }

  /** Reads the pairs again after the URL itself changed. */
  static reload(params: URLSearchParams, search: string): void {
    params.#pairs = toPairs(search);
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(name: unknown, value: unknown): void {
    this.#pairs.push([text(name), text(value)]);
    this.#onChange?.();
  }

  delete(name: unknown, value?: unknown): void {
    this.#pairs = this.#pairs.filter((pair) => !matches(pair, name, value));
    this.#onChange?.();
  }

  get(name: unknown): string | null {
    return this.#pairs.find((pair) => pair[0] === text(name))?.[1] ?? null;
  }

  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === text(name)).map((pair) => pair[1]);
  }

  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => matches(pair, name, value));
  }

  set(name: unknown, value: unknown): void {
    const first = this.#pairs.findIndex((pair) => pair[0] === text(name));
    if (first < 0) return this.append(name, value);
    const pair: Pair = [text(name), text(value)];
    this.#pairs = this.#pairs.flatMap((old, index) => (index === first ? [pair] : old[0] === pair[0] ? [] : [old]));
    this.#onChange?.();
  }

  sort(): void {
    this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
    this.#onChange?.();
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: unknown): void {
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value];
  }

  *keys(): Generator<string> {
    for (const pair of this.#pairs) yield pair[0];
  }

  *values(): Generator<string> {
    for (const pair of this.#pairs) yield pair[1];
  }

  [Symbol.iterator](): Generator<Pair> {
    return this.entries();
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  }

  get [Symbol.toStringTag](): string {
    return 'URLSearchParams';
  }
}

const text = (value: unknown): string => String(value).toWellFormed();

function matches(pair: Pair, name: unknown, value: unknown): boolean {
  return pair[0] === text(name) && (value === undefined || pair[1] === text(value));
}

function toPairs(init: unknown): Pair[] {
  if (typeof init !== 'object' || init === null) return parse(String(init));
  if (Symbol.iterator in init) return [...(init as Iterable<Iterable<unknown>>)].map(toPair);
  return Object.entries(init).map(([name, value]) => [text(name), text(value)]);
}

function toPair(item: Iterable<unknown>): Pair {
  const [name, value, ...rest] = [...item];
  if (value === undefined || rest.length > 0) throw new TypeError('Each query pair must be a [name, value] tuple');
  return [text(name), text(value)];
}

function parse(query: string): Pair[] {
  const source = query.startsWith('?') ? query.slice(1) : query;
  return source
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const at = part.indexOf('=');
      return at < 0 ? [decode(part), ''] : [decode(part.slice(0, at)), decode(part.slice(at + 1))];
    });
}

function encode(value: string): string {
  return encodeURIComponent(value)
    .replace(/%20/g, '+')
    .replace(/[!'()~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

function decode(value: string): string {
  const spaced = value.replaceAll('+', ' ').toWellFormed();
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Broken escapes stay unchanged and invalid UTF-8 becomes U+FFFD, as the standard requires.
    return decodeLossy(spaced);
  }
}

function decodeLossy(value: string): string {
  const bytes = [...Buffer.from(value, 'utf8')];
  const out: number[] = [];
  for (let index = 0; index < bytes.length; index++) {
    const hex = bytes[index] === 0x25 ? String.fromCharCode(...bytes.slice(index + 1, index + 3)) : '';
    if (/^[0-9a-fA-F]{2}$/.test(hex)) {
      out.push(Number.parseInt(hex, 16));
      index += 2;
    } else out.push(bytes[index] as number);
  }
  return decodeUtf8(Uint8Array.from(out));
}
