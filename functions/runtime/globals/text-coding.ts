import { Buffer, bufferBytes } from './buffer-global.ts';

export class TextEncoder {
  readonly encoding = 'utf-8';

  encode(input = ''): Uint8Array {
    return new Uint8Array(Buffer.from(String(input), 'utf8'));
  }

  encodeInto(source: string, target: Uint8Array): { read: number; written: number } {
    let read = 0;
    let written = 0;
    for (const character of String(source)) {
      const bytes = this.encode(character);
      if (written + bytes.length > target.length) break;
      target.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

const ENCODINGS: Record<string, 'utf-8' | 'utf-16le' | 'windows-1252'> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'utf-16le': 'utf-16le',
  'utf-16': 'utf-16le',
  'windows-1252': 'windows-1252',
  latin1: 'windows-1252',
  'iso-8859-1': 'windows-1252',
  ascii: 'windows-1252',
};
const BUFFER_NAMES = { 'utf-8': 'utf8', 'utf-16le': 'utf16le', 'windows-1252': 'latin1' } as const;

/**
 * Decodes UTF-8 as the encoding standard requires: the longest valid part of a truncated character becomes one U+FFFD.
 * The buffer package writes one U+FFFD per byte instead.
 */
export function decodeUtf8(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('utf8');
  if (!text.includes('\ufffd')) return text;
  let decoded = '';
  let [needed, point, lower, upper] = [0, 0, 0x80, 0xbf];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (needed > 0 && byte >= lower && byte <= upper) {
      [lower, upper] = [0x80, 0xbf];
      point = (point << 6) | (byte & 0x3f);
      needed -= 1;
      if (needed === 0) decoded += String.fromCodePoint(point);
      continue;
    }
    if (needed > 0) {
      // The byte that is not valid here starts a new character.
      decoded += '\ufffd';
      [needed, lower, upper] = [0, 0x80, 0xbf];
    }
    if (byte < 0x80) decoded += String.fromCharCode(byte);
    else if (byte >= 0xc2 && byte <= 0xdf) [needed, point] = [1, byte & 0x1f];
    else if (byte >= 0xe0 && byte <= 0xef) {
      [needed, point] = [2, byte & 0xf];
      if (byte === 0xe0) lower = 0xa0;
      if (byte === 0xed) upper = 0x9f;
    } else if (byte >= 0xf0 && byte <= 0xf4) {
      [needed, point] = [3, byte & 0x7];
      if (byte === 0xf0) lower = 0x90;
      if (byte === 0xf4) upper = 0x8f;
    } else decoded += '\ufffd';
  }
  return needed > 0 ? `${decoded}\ufffd` : decoded;
}

/**
 * Accepts whole inputs only. `stream: true` is refused, because characters at the boundaries would be decoded wrongly.
 */
export class TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;

  constructor(label = 'utf-8', options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    const encoding = ENCODINGS[String(label).trim().toLowerCase()];
    if (!encoding) throw new RangeError(`The encoding '${label}' is not supported`);
    this.encoding = encoding;
    this.fatal = options.fatal ?? false;
    this.ignoreBOM = options.ignoreBOM ?? false;
  }

  decode(input?: unknown, options: { stream?: boolean } = {}): string {
    if (options.stream) throw new TypeError('TextDecoder: streaming is not supported');
    if (input === undefined) return '';
    const bytes = bufferBytes(input);
    if (!bytes) throw new TypeError('TextDecoder: the input must be an ArrayBuffer or a view of one');
    const name = BUFFER_NAMES[this.encoding as keyof typeof BUFFER_NAMES];
    const copy = Buffer.from(bytes.buffer as ArrayBuffer);
    const text = name === 'utf8' ? decodeUtf8(copy) : copy.toString(name);
    if (this.fatal && text.includes('\ufffd')) throw new TypeError('The encoded data was not valid');
    return this.ignoreBOM || !text.startsWith('\ufeff') ? text : text.slice(1);
  }
}

export function btoa(data: unknown): string {
  const text = String(data);
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 255) throw new Error('btoa: the text has characters outside Latin-1');
  }
  return Buffer.from(text, 'latin1').toString('base64');
}

export function atob(data: unknown): string {
  const text = String(data).replace(/[\t\n\f\r ]/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/(?<!=)=+$/, '').length % 4 === 1) {
    throw new Error('atob: the text is not correctly encoded');
  }
  return Buffer.from(text, 'base64').toString('latin1');
}
