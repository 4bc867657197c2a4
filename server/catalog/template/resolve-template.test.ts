import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseTemplate, pathsOf } from './parse-template.ts';
import { resolveTemplate, valueAt } from './resolve-template.ts';

const NOW = Date.UTC(2025, 0, 31, 13, 4, 5, 6);

function resolve(text: string, values: Record<string, unknown> = {}) {
  return resolveTemplate(parseTemplate(text), {
    lookup: (path) => valueAt(values, path),
    now: NOW,
    random: 'the-uuid',
  });
}

describe('resolveTemplate', () => {
  it('puts texts and numbers in place', () => {
    expect(resolve('a-${x}-${y.z}', { x: 'b', y: { z: 3 } })).toEqual({ text: 'a-b-3', missing: [] });
  });

  it('leaves a placeholder without a usable value as written and names it', () => {
    expect(resolve('a-${x}-${o}-${f}', { o: {}, f: true })).toEqual({
      text: 'a-${x}-${o}-${f}',
      missing: ['x', 'o', 'f'],
    });
  });

  it('does not read inherited members', () => {
    expect(resolve('${constructor.name}${__proto__}').missing).toEqual(['constructor.name', '__proto__']);
  });

  it('falls back to a key that contains the dots', () => {
    expect(resolve('${team.id}', { 'team.id': 'T1' }).text).toBe('T1');
  });

  it.each([
    [{ a: 'x', b: 'y' }, 'x/y'],
    [{ a: 'x' }, 'fallback'],
    [{}, 'fallback'],
  ])('takes the left of || only when all of it resolves: %j', (values, expected) => {
    expect(resolve('${a}/${b} || fallback', values).text).toBe(expected);
  });

  it('counts an empty left side of || as absent', () => {
    expect(resolve('${a} || b', { a: '' }).text).toBe('b');
  });

  it('parses functions with balanced braces, nested to any depth', () => {
    const inner = createHash('sha256').update('{"k":"v"}').digest('hex');

    expect(resolve('Basic ${base64(${u}:${p})}', { u: 'me', p: 'a)}b' }).text).toBe(
      `Basic ${Buffer.from('me:a)}b').toString('base64')}`,
    );
    expect(resolve('${base64(${sha256Hex({"k":"${k}"})})}', { k: 'v' }).text).toBe(
      Buffer.from(inner).toString('base64'),
    );
  });

  it('is unresolved when an argument of a function is', () => {
    expect(resolve('x ${base64(${u}:${p})}', { u: 'me' })).toEqual({ text: 'x ${base64(${u}:${p})}', missing: ['p'] });
  });

  it('splits the two arguments of hmacSha1Hex at the last comma', () => {
    const expected = createHmac('sha1', 'key').update('GET\n/a,b').digest('hex');

    expect(resolve('${hmacSha1Hex(${m}\n/a,b, ${k})}', { m: 'GET', k: 'key' }).text).toBe(expected);
  });

  it('signs with Ed25519, also with a key pasted on one line', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString().trim().replaceAll('\n', '\\n');

    const { text } = resolve('${ed25519Sign(hello, ${key})}', { key: pem });

    expect(verify(null, Buffer.from('hello'), publicKey, Buffer.from(text, 'base64'))).toBe(true);
  });

  it('makes the fingerprint of a private key from its public half', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const digest = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');

    expect(
      resolve('${fingerprint(${k})}', { k: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }).text,
    ).toBe(`SHA256:${digest}`);
    expect(resolve('${fingerprint(${k})}', { k: 'no key' }).missing).toEqual(['fingerprint']);
  });

  it.each([
    ['${now}', '2025-01-31T13:04:05.006Z'],
    ['${now:X}', String(Math.floor(NOW / 1000))],
    ['${now:x}', String(NOW)],
    ['${now:YYYYMMDDTHHmmss[Z]}', '20250131T130405Z'],
    ['${now:ddd, DD MMM YYYY hh:mm:ss.SSS A}', 'Fri, 31 Jan 2025 01:04:05.006 PM'],
    ['${now+7:days:YYYY-MM-DD}', '2025-02-07'],
    ['${now-1:hour:HH}', '12'],
    ['${now+1:month:YYYY-MM-DD}', '2025-02-28'],
    ['${now-1:year:YYYY}', '2024'],
  ])('writes the time %s', (template, expected) => {
    expect(resolve(template).text).toBe(expected);
  });

  it('uses one random value for a request', () => {
    expect(resolve('${random}/${random}').text).toBe('the-uuid/the-uuid');
  });

  it('treats an unknown function as unresolved', () => {
    expect(resolve('${eval(1)}')).toEqual({ text: '${eval(1)}', missing: ['eval(1)'] });
  });
});

describe('pathsOf', () => {
  it('finds paths inside functions and alternatives', () => {
    expect(pathsOf(parseTemplate('${base64(${a}:${b})} || ${c}${now:X}'))).toEqual(['a', 'b', 'c']);
  });
});
