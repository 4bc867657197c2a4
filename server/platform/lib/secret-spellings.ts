import { isLongEnough } from './secret-replacer.ts';

/** Shorter parts of base64 cannot be distinguished from other texts. */
const MIN_ENCODED_LENGTH = 8;
const NAMED_ENTITIES: Readonly<Record<string, readonly string[]>> = {
  '"': ['&quot;'],
  '&': ['&amp;'],
  "'": ['&apos;'],
  '<': ['&lt;'],
  '>': ['&gt;'],
};

/** As it is, and as JSON texts spell it; some escape slashes. */
export function jsonSpellings(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, escaped.replaceAll('/', '\\/')];
}

/**
 * The texts by which the bytes of a response may repeat a secret: itself, in hexadecimal digits, and in base64, also as a
 * part of a longer text such as a Basic header. Empty for a secret that cannot be distinguished from ordinary words.
 */
export function encodingsOf(secret: string): string[] {
  if (!isLongEnough(secret)) return [];
  const hex = Buffer.from(secret).toString('hex');
  return [...new Set([secret, hex, hex.toUpperCase(), ...base64Parts(secret)])];
}

/** The characters that stand for the secret alone, for each of the three places where it may begin in a longer text. */
function base64Parts(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const parts = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/(?<!=)=+$/, '');
    const first = before === 0 ? 0 : before + 1;
    // The last character also holds bits of what follows, unless the bytes fill it.
    const last = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(first, last);
  });
  return parts
    .filter((text) => text.length >= MIN_ENCODED_LENGTH)
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

/**
 * How bytes spell one character, as texts of one character per byte, the longest first: plain, in JSON, in an address or a
 * form (also encoded twice), and in HTML.
 */
export function characterSpellings(character: string): string[] {
  const bytes = [...Buffer.from(character)];
  const plain = Buffer.from(character).toString('latin1');
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const escapes = units.map((unit) => unit.toString(16).padStart(4, '0'));
  const escaped = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
  const code = character.codePointAt(0) ?? 0;
  const inJson = JSON.stringify(character).slice(1, -1);
  const mixed = [
    escapes.map((digits) => `\\u${digits}`).join(''),
    escaped.map((digits) => `%${digits}`).join(''),
    escaped.map((digits) => `%25${digits}`).join(''),
    `&#x${code.toString(16)};`,
  ];
  const all = [
    plain,
    Buffer.from(inJson).toString('latin1'),
    ...(character === '/' ? ['\\/'] : []),
    ...(character === ' ' ? ['+'] : []),
    ...(NAMED_ENTITIES[character] ?? []),
    `&#${code};`,
    `&#0${code};`,
    ...mixed,
    // Only the digits have two cases.
    ...mixed.map((text) => text.replace(/(?<=[u%5x])[0-9a-f]+/g, (digits) => digits.toUpperCase())),
  ];
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}
