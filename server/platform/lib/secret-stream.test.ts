import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { ByteReplacer, SecretStream } from './secret-stream.ts';

const SECRET = 'sk-live/very+secret=4711&"quoted" ü';
const replacer = new ByteReplacer([
  [SECRET, 'hp_mark'],
  ['abcdefgh', 'hp_short'],
  ['abcdefghijkl', 'hp_long'],
]);
const hex = (code: number): string => code.toString(16).padStart(4, '0');
const each = (spell: (code: number) => string): string =>
  Array.from(SECRET, (one) => spell(one.codePointAt(0) ?? 0)).join('');

/** Each byte is a chunk of its own. */
async function bytewise(text: string): Promise<string> {
  const bytes = [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
  return textOf(Readable.from(bytes).pipe(new SecretStream(replacer)));
}

describe('ByteReplacer', () => {
  it.each([
    ['as it is', SECRET],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in JSON with escaped slashes', JSON.stringify(SECRET).slice(1, -1).replaceAll('/', '\\/')],
    ['in JSON of other languages', SECRET.replace(/[&+"/ü]/g, (one) => `\\u${hex(one.charCodeAt(0)).toUpperCase()}`)],
    ['in JSON with every character escaped', each((code) => `\\u${hex(code)}`)],
    ['percent-encoded', encodeURIComponent(SECRET)],
    ['percent-encoded in lower case', encodeURIComponent(SECRET).replace(/%../g, (one) => one.toLowerCase())],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
    ['in a form', new URLSearchParams([['', SECRET]]).toString().slice(1)],
    ['in HTML', SECRET.replaceAll('&', '&amp;').replaceAll('"', '&quot;')],
    ['in HTML with numbers', each((code) => `&#${code};`)],
    ['in hexadecimal digits', Buffer.from(SECRET).toString('hex')],
  ])('finds a secret %s, also byte by byte', async (_, spelling) => {
    expect(replacer.replace(Buffer.from(spelling).toString('latin1'))).not.toContain('4711');
    expect(await bytewise(`<${spelling}>`)).toBe('<hp_mark>');
  });

  it.each(['', 'u', 'us', 'user:', 'x-access-token:'])('finds it in base64 behind "%s"', async (before) => {
    for (const after of ['', 'a', 'ab', 'abc'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const encoded = Buffer.from(before + SECRET + after).toString(encoding);
        const cleaned = await bytewise(`{"auth":"Basic ${encoded}"}`);
        expect(cleaned).toContain('hp_mark');
        // Not more than the ends, which hold bits of the neighbours, remains.
        expect(cleaned.length).toBeLessThan(60);
      }
  });

  it('takes the longest of several secrets, also when the shorter one ends a chunk', async () => {
    expect(replacer.replace('abcdefghijkl abcdefgh')).toBe('hp_long hp_short');
    expect(await bytewise('abcdefghijkl abcdefghij')).toBe('hp_long hp_shortij');
  });

  it('changes nothing else', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 131 + (at >> 7)) % 256));
    const stream = Readable.from([bytes]).pipe(new SecretStream(replacer));
    expect(Buffer.concat(await stream.toArray())).toEqual(bytes);
    expect(await bytewise('sk-live/very+secret=4712 abcdefg')).toBe('sk-live/very+secret=4712 abcdefg');
  });

  it('does not hold back bytes that cannot begin a secret', () => {
    expect(replacer.split('data: event\n\n')).toEqual({ clean: 'data: event\n\n', rest: '' });
    expect(replacer.split('token sk-li')).toEqual({ clean: 'token ', rest: 'sk-li' });
  });

  it('leaves words alone that are too short to be told from others', () => {
    expect(new ByteReplacer([['abc', 'x']]).replace('abc')).toBe('abc');
  });
});
