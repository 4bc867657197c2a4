import { describe, expect, it } from 'vitest';
import { forwardedHeaders, loggedHeaders, signatureHeaders } from './webhook-sender.ts';

describe('forwardedHeaders', () => {
  it.each([
    ...['Host', 'authorization', 'connection', 'keep-alive', 'content-length', 'content-type', 'content-encoding'],
    ...['cookie', 'cookie2', 'set-cookie', 'referer', 'user-agent', 'sec-fetch-mode', 'proxy-authorization'],
    ...['www-authenticate', 'server', 'transfer-encoding', 'te', 'upgrade', 'expect', 'accept-encoding'],
  ])('leaves out %s', (name) => {
    expect(forwardedHeaders({ [name]: 'x' })).toEqual({});
  });

  it('keeps the rest in lower case, lists joined', () => {
    expect(
      forwardedHeaders({ 'X-GitHub-Event': 'push', telegram: 't', 'x-many': ['a', 'b'], 'x-none': undefined }),
    ).toEqual({ 'x-github-event': 'push', telegram: 't', 'x-many': 'a, b' });
  });
});

describe('signatureHeaders', () => {
  it('signs the bytes in both ways', () => {
    // printf '%s' 'secret{"a":"ü"}' | sha256sum; printf '%s' '{"a":"ü"}' | openssl dgst -sha256 -hmac secret
    expect(signatureHeaders('secret', '{"a":"ü"}')).toEqual({
      'x-nango-signature': '5bac122aa18d7af08a0c7c4944fefba22fa02b5201b3835339031081d4d4c6df',
      'x-nango-hmac-sha256': '1e2f213fff320baba2bdea43cda0fef307cc4dc832059b91cd2f03592c997662',
    });
  });
});

describe('loggedHeaders', () => {
  it('shows the values of plain headers of our own only', () => {
    expect(
      loggedHeaders({ 'content-type': 'application/json', 'x-gitlab-token': 's', 'x-nango-signature': 'f' }),
    ).toEqual({
      'content-type': 'application/json',
      'x-gitlab-token': 'REDACTED',
      'x-nango-signature': 'REDACTED',
    });
  });
});
