import { isLongEnough } from './secret-replacer.ts';

/** Shorter parts of base64 cannot be distinguished from other texts. */
const MIN_ENCODED_LENGTH = 8;

/** As it is, and as JSON texts spell it; some escape slashes. */
export function jsonSpellings(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, escaped.replaceAll('/', '\\/')];
}

/**
 * Every spelling in which the bytes of a response may repeat a secret: plain, in JSON, in an address or a form, in HTML,
 * in hexadecimal digits, and in base64, also as a part of a longer text such as a Basic header. Each is a text of one
 * character per byte.
 */
export function byteSpellings(secret: string): string[] {
  if (!isLongEnough(secret)) return [];
  const percent = encodeURIComponent(secret).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const hex = Buffer.from(secret).toString('hex');
  const texts = [
    ...jsonSpellings(secret),
    percent,
    percent.replace(/%../g, (one) => one.toLowerCase()),
    percent.replaceAll('%20', '+'),
    encodeURIComponent(secret),
    encodeURI(secret),
    html,
    html.replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    hex,
    hex.toUpperCase(),
    ...base64Spellings(secret),
  ];
  return [...new Set(texts.map((text) => Buffer.from(text).toString('latin1')))].filter(isLongEnough);
}

/** The characters that stand for the secret alone, for each of the three places where it may begin in a longer text. */
function base64Spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const shifted = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const first = before === 0 ? 0 : before + 1;
    // The last character also holds bits of what follows, unless the bytes fill it.
    const last = (before + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return encoded.slice(first, last);
  });
  return shifted
    .filter((text) => text.length >= MIN_ENCODED_LENGTH)
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}
