import { describe, expect, it } from 'vitest';
import { cleanText, cleanValue } from './log-values.ts';
import { SecretRedactor } from './secret-redactor.ts';

const none = new SecretRedactor();
const clean = (value: unknown, redactor = none): unknown => cleanValue(value, redactor).value;

describe('cleanText', () => {
  it('cuts at 10,000 characters and says so', () => {
    const text = cleanText('x'.repeat(20_000), none);

    expect(text).toHaveLength(10_000);
    expect(text.endsWith('… [truncated]')).toBe(true);
  });

  it('removes a secret that the cut would have halved', () => {
    const secret = 'S'.repeat(100);

    const text = cleanText('x'.repeat(9_950) + secret, new SecretRedactor([secret]));

    expect(text).not.toContain('S');
  });
});

describe('cleanValue', () => {
  it('hides known keys at any depth and keeps the rest', () => {
    const value = { a: [{ headers: { Authorization: 'x', accept: 'json' } }], token: { deep: 1 }, password: null };

    expect(clean(value)).toEqual({
      a: [{ headers: { Authorization: 'REDACTED', accept: 'json' } }],
      token: 'REDACTED',
      password: null,
    });
  });

  it('replaces secret values inside texts and names of members', () => {
    expect(clean({ 'k-canary': ['see canary'] }, new SecretRedactor(['canary']))).toEqual({
      'k-REDACTED': ['see REDACTED'],
    });
  });

  it('keeps a member of any name', () => {
    const text = '{"__proto__":{"a":1},"constructor":"b"}';

    expect(JSON.stringify(clean(JSON.parse(text)))).toBe(text);
  });

  it('makes plain JSON of what JSON cannot hold', () => {
    const circle: Record<string, unknown> = {
      n: 10n,
      at: new Date(0),
      bytes: Buffer.from('x'),
      map: new Map([['a', 1]]),
    };
    circle.self = circle;

    const copy = clean({ ...circle, self: undefined, error: new TypeError('no') });

    expect(copy).toEqual({
      n: '10',
      at: '1970-01-01T00:00:00.000Z',
      bytes: '[Buffer]',
      map: { a: 1 },
      error: { name: 'TypeError', message: 'no' },
    });
    expect(JSON.stringify(clean(circle))).toContain('[Object]');
  });

  it('removes the largest properties until 99,000 bytes are enough', () => {
    const { value, sizeBytes } = cleanValue({ big: 'é'.repeat(60_000), mid: 'm'.repeat(50_000), small: 1 }, none);

    expect(value).toEqual({ mid: 'm'.repeat(50_000), small: 1, _removed: '1 of 3 properties were too large' });
    expect(sizeBytes).toBeLessThanOrEqual(99_000);
  });

  it('stays within its limit for values of any number of members', () => {
    const { value } = cleanValue(
      Array.from({ length: 200_000 }, (_, index) => ({ index })),
      none,
    );

    expect(Buffer.byteLength(JSON.stringify(value))).toBeLessThanOrEqual(99_000);
  });
});
