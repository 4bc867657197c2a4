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

  describe('awsSigV4', () => {
    const request = {
      method: 'GET',
      path: '/',
      urlCanonicalParams: 'Action=ListUsers&Version=2010-05-08',
      contentType: 'application/x-www-form-urlencoded; charset=utf-8',
      bodyCanonicalParams: '',
      id: 'AKIDEXAMPLE',
      secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    };
    const sign = (text: string, values: Record<string, unknown> = request) =>
      resolveTemplate(parseTemplate(text), {
        lookup: (path) => valueAt(values, path),
        now: Date.UTC(2015, 7, 30, 12, 36),
        random: 'r',
      });

    it('makes the published signature of the ListUsers example, at the host of the service', () => {
      const expected =
        'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7';

      expect(sign('${awsSigV4(${id}, ${secret}, us-east-1, iam)}').text).toBe(expected);
      expect(sign('${awsSigV4(${id},${secret},us-east-1,iam,iam.amazonaws.com)}').text).toBe(expected);
      expect(sign('${awsSigV4(${id}, ${secret}, us-east-1, iam, else.test)}').text).not.toBe(expected);
    });

    it('signs the body, and no content-type where the caller sends none', () => {
      const { contentType: _none, ...bare } = request;
      const template = '${awsSigV4(${id}, ${secret}, us-east-1, iam)}';

      expect(sign(template, bare).text).toContain('SignedHeaders=host;x-amz-date,');
      expect(sign(template, { ...bare, bodyCanonicalParams: 'a=1' }).text).not.toBe(sign(template, bare).text);
    });

    it('is unresolved without a key, a service or a request', () => {
      expect(sign('${awsSigV4(${id}, ${other}, us-east-1, iam)}').missing).toEqual(['other']);
      expect(sign('${awsSigV4(${id}, ${secret}, us-east-1)}').missing).toEqual(['awsSigV4']);
      expect(sign('${awsSigV4(a, b, us-east-1, iam)}', {}).missing).toEqual(['awsSigV4']);
    });
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
