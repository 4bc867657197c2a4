import { describe, expect, it } from 'vitest';
import { SecretRedactor } from './secret-redactor.ts';
import { redactBody, wholeCharacters } from './traffic-recordings.ts';

const redactor = new SecretRedactor(['sk-known-value', 'line\nbreak-secret']);
const redacted = (text: string | Buffer): string =>
  redactBody(Buffer.from(text as string), (one) => redactor.redact(one)).toString();

describe('redactBody', () => {
  it.each([
    ['a text member', '{"access_token":"abc","name":"Ada"}', '{"access_token":"REDACTED","name":"Ada"}'],
    ['blanks and escapes', '{ "password" : "a\\"b, c" , "n": 1 }', '{ "password" : "REDACTED" , "n": 1 }'],
    ['a number', '{"pin":1234,"count":2}', '{"pin":"REDACTED","count":2}'],
    ['a nested value', '{"credentials":{"a":["}"],"b":{}},"z":1}', '{"credentials":"REDACTED","z":1}'],
    ['any depth', '[{"a":[{"clientSecret":"x"}]}]', '[{"a":[{"clientSecret":"REDACTED"}]}]'],
    ['several documents', '{"token":"a"}\n{"token":"b"}', '{"token":"REDACTED"}\n{"token":"REDACTED"}'],
    ['a line with a stray quote before it', 'is 5" long\n{"token":"a"}', 'is 5" long\n{"token":"REDACTED"}'],
    ['a text that is cut', '{"n":1,"api_key":"abc', '{"n":1,"api_key":"REDACTED"'],
    ['an object that is cut', '{"secret":{"a":"b', '{"secret":"REDACTED"'],
    ['a form', 'client_secret=abc&x=1', 'client_secret=REDACTED&x=1'],
    ['an element', '<a:password x="1">abc</a:password><n>1</n>', '<a:password x="1">REDACTED</a:password><n>1</n>'],
    ['a known value', 'plain sk-known-value text', 'plain REDACTED text'],
    ['a known value inside JSON', '{"note":"line\\nbreak-secret"}', '{"note":"REDACTED"}'],
    ['a header in a text', 'Authorization: Bearer abcdefghijklmnopqrst', 'Authorization: Bearer REDACTED'],
  ])('takes a secret out of %s', (_what, body, expected) => {
    expect(redacted(body)).toBe(expected);
  });

  it.each([
    ['flags', '{"token":true,"secret":null}'],
    ['other members', '{"tokens_used":12,"text":"a: b","list":["x",":y",{"id":1}]}'],
    ['a name without a value', '{"token":'],
    ['text', 'Dear Ada, 1 + 1 = 2'],
  ])('leaves %s as they are', (_what, body) => {
    expect(redacted(body)).toBe(body);
  });

  it.each([
    ['texts inside of a text', `"${'\\"a\\":'.repeat(40_000)}`],
    ['escapes without an end', `${'\\"'.repeat(120_000)}\\`],
    ['lines of escapes', `"${'\\"'.repeat(120_000)}\n`],
    ['names without values', '"token":'.repeat(30_000)],
    ['open objects', '{"secret":{'.repeat(22_000)],
    ['open elements', '<a:token x=1'.repeat(20_000)],
    ['headers of parts', `\r\n\r\n${'name="x"\r\n'.repeat(24_000)}`],
    ['blanks', `"a"${' '.repeat(240_000)}`],
  ])('reads a body of %s in a moment', (_what, body) => {
    const began = performance.now();
    redacted(body);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('takes the value of a named part out of a form with files, and leaves its bytes', () => {
    const file = Buffer.from([0xff, 0xfe, 0x00, 0x9c]);
    const form = (password: string): Buffer =>
      Buffer.concat([
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n${password}\r\n--b\r\n`),
        Buffer.from('Content-Disposition: form-data; name="file"; filename="x"\r\n\r\n'),
        file,
        Buffer.from('\r\n--b--\r\n'),
      ]);
    expect(redactBody(form('hunter22'), (text) => text)).toEqual(form('REDACTED'));
  });
});

describe('wholeCharacters', () => {
  it('drops what a cut left of a character', () => {
    const bytes = Buffer.from('aé€😀');
    const cut = (length: number): string => wholeCharacters(bytes.subarray(0, length)).toString();
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(cut)).toEqual([
      'a',
      'a',
      'aé',
      'aé',
      'aé',
      'aé€',
      'aé€',
      'aé€',
      'aé€',
      'aé€😀',
    ]);
  });
});
