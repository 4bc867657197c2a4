import { Buffer as NodeBuffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Buffer, bufferBytes } from './buffer-global.ts';

describe('Buffer of the guest', () => {
  it.each(['hex', 'base64', 'base64url', 'latin1', 'utf16le'] as const)(
    'writes and reads %s as Node does',
    (encoding) => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
          const text = NodeBuffer.from(bytes).toString(encoding);

          expect(Buffer.from(bytes).toString(encoding)).toBe(text);
          expect([...Buffer.from(text, encoding)]).toEqual([...NodeBuffer.from(text, encoding)]);
          expect(Buffer.byteLength(text, encoding)).toBe(NodeBuffer.byteLength(text, encoding));
        }),
      );
    },
  );

  it('writes and reads UTF-8 as Node does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect([...Buffer.from(text)]).toEqual([...NodeBuffer.from(text)]);
        expect(Buffer.from(NodeBuffer.from(text)).toString()).toBe(NodeBuffer.from(text).toString());
      }),
    );
  });

  it('knows base64url by name and refuses what it does not know', () => {
    expect([Buffer.isEncoding('base64url'), Buffer.isEncoding('nope')]).toEqual([true, false]);
    expect(() => Buffer.from('a', 'nope')).toThrow('Unknown encoding');
  });
});

describe('bufferBytes', () => {
  it('copies only what a view shows', () => {
    const whole = new Uint8Array([1, 2, 3, 4]);
    const bytes = bufferBytes(whole.subarray(1, 3));
    whole[1] = 9;

    expect(bytes).toEqual(new Uint8Array([2, 3]));
    expect(bytes?.buffer.byteLength).toBe(2);
  });

  it('takes anything binary and nothing else', () => {
    expect(bufferBytes(new Uint16Array([1]).buffer)).toHaveLength(2);
    expect(bufferBytes(new DataView(new ArrayBuffer(3)))).toHaveLength(3);
    expect([bufferBytes('a'), bufferBytes([1]), bufferBytes(null)]).toEqual([undefined, undefined, undefined]);
  });
});
