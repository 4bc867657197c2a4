import { describe, expect, it } from 'vitest';
import type { ProxyTarget } from './proxy-types.ts';
import { Redactor } from './request-redactor.ts';

const target: ProxyTarget = {
  environmentId: 1,
  providerName: 'acme',
  integration: { uniqueKey: 'acme', clientId: 'client-id-1', clientSecret: 'client secret/1' },
  connection: {
    id: 1,
    connectionId: 'c',
    credentials: {
      type: 'BASIC',
      username: 'user-1',
      password: 'pass word+1',
      raw: { token_type: 'bearer', scope: 'repo', note: 'items', id_token: 'eyJhbGciOi.raw' },
    },
    connectionConfig: {
      region: 'europe',
      hidden: 'config-secret',
      userCredentials: { access_token: 'user-token-1' },
      jwtToken: 'app-token-1',
    },
    metadata: {},
  },
};
const redactor = new Redactor(target, { hidden: { type: 'string', title: 'H', description: 'H', secret: true } });

describe('Redactor', () => {
  it('replaces every secret, as written and as encoded in a URL', () => {
    const text = redactor.text(
      'user-1 pass word+1 pass%20word%2B1 pass+word+1 client-id-1 client%20secret%2F1 config-secret user-token-1 app-token-1 eyJhbGciOi.raw',
    );

    expect(text).toMatch(/^(REDACTED ?)+$/);
  });

  it('replaces the secret of a Basic header wherever it stands', () => {
    expect(redactor.text(`x-copy: ${Buffer.from('user-1:pass word+1').toString('base64')}`)).toBe('x-copy: REDACTED');
  });

  it('leaves ordinary words and readable configuration alone', () => {
    expect(redactor.text('https://europe.acme.test/repo/items')).toBe('https://europe.acme.test/repo/items');
  });

  it('leaves region and service of AWS credentials alone', () => {
    const credentials = { type: 'AWS_SIGV4', access_key_id: 'ASIA1', region: 'eu-west-1', service: 'sqs' };
    const aws = new Redactor({ ...target, connection: { ...target.connection, credentials } }, undefined);

    expect(aws.text('https://sqs.eu-west-1.a.test/ASIA1')).toBe('https://sqs.eu-west-1.a.test/REDACTED');
  });

  it('hides headers that carry credentials whatever they hold', () => {
    const shown = redactor.request({
      method: 'GET',
      url: 'https://a.test/?k=user-1',
      headers: { authorization: 'caller-own', 'x-key': 'k', accept: 'a/b' },
      sensitiveHeaders: ['x-key'],
    });

    expect(shown).toEqual({
      method: 'GET',
      url: 'https://a.test/?k=REDACTED',
      headers: { authorization: 'REDACTED', 'x-key': 'REDACTED', accept: 'a/b' },
    });
    expect(redactor.responseHeaders({ 'set-cookie': ['a=1'], 'x-a': ['1', '2'], none: undefined })).toEqual({
      'set-cookie': 'REDACTED',
      'x-a': '1,2',
    });
  });

  it('finds a secret that was encoded in part, as addresses do on their way', () => {
    const secret = "a b/'c+ü";
    const own = { ...target, connection: { ...target.connection, credentials: { type: 'API_KEY', apiKey: secret } } };
    const odd = new Redactor(own, undefined);

    for (const spelling of [
      secret,
      encodeURIComponent(secret),
      "a+b/'c%2b%c3%bc",
      'a%20b/%27c+%C3%BC',
      "a%20b%2F'c%2Bü",
    ]) {
      expect(odd.text(`x=${spelling}&y`)).toBe('x=REDACTED&y');
    }
  });
});
