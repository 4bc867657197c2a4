import { describe, expect, it } from 'vitest';
import { writtenHosts } from './address-guard.ts';
import { isAllowedHost } from './outbound-http.ts';

describe('isAllowedHost', () => {
  it.each([
    ['nas.local', 'http://nas.local:8080/', true],
    ['nas.local', 'https://nas.local/', true],
    ['NAS.local', 'https://nas.local/', true],
    ['nas.local:443', 'https://nas.local/', true],
    ['nas.local:443', 'http://nas.local/', false],
    ['nas.local:80', 'http://nas.local/', true],
    ['nas.local:8080', 'http://nas.local/', false],
    ['nas.local:8080', 'http://nas.local:8080/', true],
    ['::1', 'http://[::1]:9000/', true],
    ['[::1]', 'http://[::1]:9000/', true],
    ['[::1]:9000', 'http://[::1]:9000/', true],
    ['[::1]:80', 'http://[::1]/', true],
    ['[::1]:80', 'http://[::1]:9000/', false],
    ['other.local', 'http://nas.local/', false],
  ])('%s allows %s: %s', (allowed, url, expected) => {
    expect(isAllowedHost(new URL(url), [allowed])).toBe(expected);
  });

  it.each([
    ['http://10.0.0.1/hook', 'https://10.0.0.1/hook', true],
    ['https://10.0.0.1/hook', 'http://10.0.0.1/hook', true],
    ['http://10.0.0.1/hook', 'http://10.0.0.1:6379/', false],
    ['http://10.0.0.1:8080/hook', 'http://10.0.0.1:8080/other', true],
    ['http://10.0.0.1:8080/hook', 'http://10.0.0.1/other', false],
    ['http://[::1]/hook', 'http://[::1]:9000/', false],
    ['http://[::1]/hook', 'https://[::1]/', true],
  ])('%s, written as an address, allows %s: %s', (written, url, expected) => {
    expect(isAllowedHost(new URL(url), writtenHosts(new URL(written)))).toBe(expected);
  });
});
