import { describe, expect, it } from 'vitest';
import { followRedirect, redirectTarget } from './outbound-http.ts';

const hop = {
  method: 'POST',
  url: new URL('https://api.acme.test/a'),
  headers: { authorization: 'Bearer s', cookie: 'c', 'x-key': 's', 'content-type': 'application/json', accept: '*/*' },
  body: '{}',
};
const rules = { keepsHeaders: false, keepsMethod: false, sensitiveHeaders: ['x-key'] };

describe('followRedirect', () => {
  it('keeps credentials on the same host', () => {
    expect(followRedirect(hop, 307, new URL('https://api.acme.test/b'), rules)).toMatchObject({
      method: 'POST',
      body: '{}',
      headers: hop.headers,
    });
  });

  it.each(['https://evil.test/b', 'https://api.acme.test:8443/b', 'http://api.acme.test/b'])(
    'leaves credentials behind towards %s',
    (address) => {
      expect(followRedirect(hop, 308, new URL(address), rules).headers).toEqual({
        'content-type': 'application/json',
        accept: '*/*',
      });
    },
  );

  it('leaves what is secret in the body behind', () => {
    const evil = new URL('https://evil.test/b');
    const own = { ...rules, bodyWithoutSecrets: { content: '{"a":1}' } };
    const none = { ...rules, bodyWithoutSecrets: { content: undefined } };

    expect(followRedirect(hop, 307, evil, own).body).toBe('{"a":1}');
    expect(followRedirect(hop, 307, new URL('https://api.acme.test/b'), own).body).toBe('{}');
    expect(followRedirect(hop, 307, evil, { ...own, keepsHeaders: true }).body).toBe('{}');
    expect(followRedirect(hop, 307, evil, none)).toMatchObject({
      body: undefined,
      headers: { accept: '*/*' },
    });
    expect(followRedirect(hop, 307, evil, none).headers).not.toHaveProperty('content-type');
  });

  it('keeps everything when the caller asks for it', () => {
    expect(followRedirect(hop, 307, new URL('https://evil.test/b'), { ...rules, keepsHeaders: true }).headers).toEqual(
      hop.headers,
    );
  });

  it.each([
    ['POST', 301, 'GET'],
    ['POST', 302, 'GET'],
    ['PUT', 302, 'PUT'],
    ['PUT', 303, 'GET'],
    ['POST', 308, 'POST'],
  ])('continues %s after %i as %s', (method, status, expected) => {
    const next = followRedirect({ ...hop, method }, status, new URL('https://api.acme.test/b'), rules);

    expect(next.method).toBe(expected);
    expect(next.body === undefined).toBe(expected === 'GET');
    expect('content-type' in next.headers).toBe(expected !== 'GET');
  });
});

describe('redirectTarget', () => {
  it('resolves a relative location', () => {
    expect(redirectTarget(302, '../b?c', new URL('https://a.test/x/y'))?.href).toBe('https://a.test/b?c');
  });

  it.each([
    [200, '/b'],
    [304, '/b'],
    [302, undefined],
    [302, 'http://'],
  ])('is an answer with %i and %s', (status, location) => {
    expect(redirectTarget(status, location, new URL('https://a.test/'))).toBeUndefined();
  });
});
