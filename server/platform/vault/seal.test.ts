import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { seal, UnsealError, unseal } from './seal.ts';

const key = createSecretKey(randomBytes(32));

describe('seal', () => {
  it('opens what it sealed, for the same context', () => {
    expect(
      unseal(key, seal(key, 'ü secret', 'connection:1:credentials'), 'connection:1:credentials').toString('utf8'),
    ).toBe('ü secret');
  });

  it('gives another text every time', () => {
    expect(seal(key, 'same', 'here')).not.toBe(seal(key, 'same', 'here'));
  });

  it('does not open for another context, with another key, or when changed', () => {
    const sealed = seal(key, 'secret', 'connection:1:credentials');
    const changed = Buffer.from(sealed, 'base64');
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;

    expect(() => unseal(key, sealed, 'connection:2:credentials')).toThrow(UnsealError);
    expect(() => unseal(createSecretKey(randomBytes(32)), sealed, 'connection:1:credentials')).toThrow(UnsealError);
    expect(() => unseal(key, changed.toString('base64'), 'connection:1:credentials')).toThrow(UnsealError);
    expect(() => unseal(key, 'c2hvcnQ=', 'connection:1:credentials')).toThrow(UnsealError);
  });
});
