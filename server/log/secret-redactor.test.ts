import { describe, expect, it } from 'vitest';
import { SecretRedactor } from './secret-redactor.ts';

const redact = (text: string, secrets: string[] = []): string => new SecretRedactor(secrets).redact(text);

describe('SecretRedactor', () => {
  it('replaces every occurrence of a secret', () => {
    expect(redact('a=s3cr3t, again s3cr3t.', ['s3cr3t'])).toBe('a=REDACTED, again REDACTED.');
  });

  it('leaves no rest of a secret that contains another one', () => {
    expect(redact('key-123-extended', ['key-123', 'key-123-extended'])).toBe('REDACTED');
  });

  it('finds a secret that is percent-encoded or escaped inside JSON text', () => {
    const secret = 'p&ss "w0rd"\n/x';

    expect(redact(`https://a.test/?q=${encodeURIComponent(secret)}`, [secret])).toBe('https://a.test/?q=REDACTED');
    expect(redact(`https://a.test/?${new URLSearchParams({ q: secret })}`, [secret])).toBe(
      'https://a.test/?q=REDACTED',
    );
    expect(redact(JSON.stringify({ body: secret }), [secret])).toBe('{"body":"REDACTED"}');
  });

  it('ignores values too short to be distinguished from ordinary words', () => {
    expect(redact('a cat', ['a', ''])).toBe('a cat');
  });

  it('hides query parameters by name, and passwords in addresses', () => {
    expect(redact('GET https://me:hunter22@a.test/x?page=2&api_key=zzz&Access-Token=yyy#t')).toBe(
      'GET https://me:REDACTED@a.test/x?page=2&api_key=REDACTED&Access-Token=REDACTED#t',
    );
  });

  it('hides what follows Bearer or Basic only when it is long enough to be a credential', () => {
    expect(redact('sent Bearer abcdefghijklmnop.q')).toBe('sent Bearer REDACTED');
    expect(redact('Basic authentication')).toBe('Basic authentication');
  });
});
