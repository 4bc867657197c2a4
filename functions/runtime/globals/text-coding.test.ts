import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  TextDecoder as GuestDecoder,
  TextEncoder as GuestEncoder,
  atob as guestAtob,
  btoa as guestBtoa,
} from './text-coding.ts';

describe('text coding of the guest', () => {
  it('encodes and decodes any text as Node does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([...new GuestEncoder().encode(text)]).toEqual([...new TextEncoder().encode(text)]);
        expect(new GuestDecoder().decode(new TextEncoder().encode(text))).toBe(
          new TextDecoder().decode(new TextEncoder().encode(text)),
        );
      }),
    );
  });

  it('decodes any bytes as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 16 }), (bytes) => {
        expect(new GuestDecoder().decode(bytes)).toBe(new TextDecoder().decode(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  it('encodes into a target that is too small, whole characters only', () => {
    const target = new Uint8Array(4);

    expect(new GuestEncoder().encodeInto('a€€', target)).toEqual({ read: 2, written: 4 });
  });

  it('refuses what it cannot do rather than doing it wrongly', () => {
    expect(() => new GuestDecoder('shift_jis')).toThrow(RangeError);
    expect(() => new GuestDecoder('utf-8', { fatal: true }).decode(new Uint8Array([0xff]))).toThrow(TypeError);
    expect(() => new GuestDecoder().decode(new Uint8Array(1), { stream: true })).toThrow(TypeError);
  });

  it('drops a byte order mark unless told to keep it', () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);

    expect([new GuestDecoder().decode(bytes), new GuestDecoder('utf-8', { ignoreBOM: true }).decode(bytes)]).toEqual([
      'a',
      '\ufeffa',
    ]);
  });

  it('does base64 as Node does', () => {
    expect(guestBtoa('hällo')).toBe(btoa('hällo'));
    expect(guestAtob(' aGVs bG8 ')).toBe('hello');
    expect(() => guestBtoa('€')).toThrow();
    expect(() => guestAtob('a')).toThrow();
    expect(() => guestAtob('a*==')).toThrow();
  });
});
