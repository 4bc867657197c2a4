import { generateKeySync, type KeyObject, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createRecordHasher, createRecordSealer, sealContext } from './record-sealer.ts';

describe('the record sealer', () => {
  const sealer = createRecordSealer({ key: randomKey(), random: randomBytes });

  it('opens what it sealed, at its own place only', () => {
    const sealed = sealer.seal('{"id":"ä"}', sealContext(1, 'ä'));

    expect(sealer.open(sealed, sealContext(1, 'ä'))).toBe('{"id":"ä"}');
    expect(() => sealer.open(sealed, sealContext(2, 'ä'))).toThrow();
  });

  it('refuses a changed text and another key', () => {
    const sealed = sealer.seal('text', 'place');
    const changed = Buffer.from(sealed);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;

    expect(() => sealer.open(changed, 'place')).toThrow();
    expect(() => createRecordSealer({ key: randomKey(), random: randomBytes }).open(sealed, 'place')).toThrow();
  });

  it('never takes an initialisation vector twice, also beyond what it draws at a time', () => {
    const vectors = Array.from({ length: 600 }, () => sealer.seal('x', 'p').subarray(0, 12).toString('hex'));

    expect(new Set(vectors).size).toBe(600);
  });
});

describe('the record hasher', () => {
  it('depends on text and key', () => {
    const key = randomBytes(32);

    expect(createRecordHasher(key)('a')).toBe(createRecordHasher(key)('a'));
    expect(createRecordHasher(key)('a')).not.toBe(createRecordHasher(key)('b'));
    expect(createRecordHasher(key)('a')).not.toBe(createRecordHasher(randomBytes(32))('a'));
    expect(createRecordHasher(key)('a')).toHaveLength(22);
  });
});

function randomKey(): () => KeyObject {
  const key = generateKeySync('aes', { length: 256 });
  return () => key;
}
