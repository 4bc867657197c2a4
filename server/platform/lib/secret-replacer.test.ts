import { describe, expect, it } from 'vitest';
import { SecretReplacer } from './secret-replacer.ts';

/** So many others that the replacer uses its index. */
const OTHERS = Array.from({ length: 40 }, (_, index) => `other-secret-${index}`);

describe.each([
  ['few', []],
  ['many', OTHERS],
])('SecretReplacer with %s secrets', (_, others) => {
  const replace = (text: string, secrets: string[]): string =>
    new SecretReplacer([...others, ...secrets]).replace(text);

  it('replaces the longer of two secrets first, however an address spells it', () => {
    expect(replace('key%2F1-more key/1 abc', ['a b', 'key/1', 'key/1-more', 'abc'])).toBe('REDACTED REDACTED abc');
  });

  it('finds every spelling, at the start, at the end and next to each other', () => {
    const secret = 'p&ss "w0rd"\n/x';

    expect(replace(`${encodeURIComponent(secret)}-${secret}${secret}`, [secret])).toBe('REDACTED-REDACTEDREDACTED');
    expect(replace(`q=${new URLSearchParams({ q: secret })}`, [secret])).toBe('q=q=REDACTED');
    expect(replace('P%26SS-1 p&SS-1', ['p&ss-1'])).toBe('REDACTED REDACTED');
  });

  it('distinguishes upper and lower case in a secret with one spelling', () => {
    expect(replace('AbCdEfGh abcdefgh', ['AbCdEfGh'])).toBe('REDACTED abcdefgh');
  });

  it('finds a secret without four letters or digits in a row', () => {
    expect(replace('a/b=c/d a%2Fb%3Dc%2Fd', ['a/b=c/d'])).toBe('REDACTED REDACTED');
  });

  it('replaces a secret of any length by one word', () => {
    const key = `-----BEGIN KEY-----\n${'MIIEvQIBADANBg/kqhkiG9w0BAQ+\n'.repeat(60)}-----END KEY-----`;

    expect(replace(`before ${key} after`, [key])).toBe('before REDACTED after');
    expect(replace(`before ${encodeURIComponent(key)} after`, [key])).toBe('before REDACTED after');
    expect(replace(`😀${'😀'.repeat(999)}.`, ['😀'.repeat(1_000)])).toBe('REDACTED.');
  });

  it('knows secrets that are added later', () => {
    const replacer = new SecretReplacer(others);
    for (let index = 0; index < 100; index += 1) replacer.add([`later-secret-${index}`]);

    expect(replacer.replace('later-secret-0, later-secret-7 and later-secret-77')).toBe(
      'REDACTED, REDACTED and REDACTED',
    );
  });
});

describe('SecretReplacer', () => {
  it('gives a replacement the spelling that it found', () => {
    const replacer = new SecretReplacer([...OTHERS, 'me@a.test'], (found) => `<${found}>`);

    expect(replacer.replace('me%40a.test other-secret-3')).toBe('<me%40a.test> <other-secret-3>');
  });
});
