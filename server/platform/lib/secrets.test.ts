import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { hasSecretAddress, isRedactedKey, secretsOf } from './secrets.ts';

describe('secretsOf', () => {
  it('finds every text at any depth but what is no secret by its name', () => {
    const credentials = {
      type: 'OAUTH2',
      access_token: 'access-1',
      expires_at: '2026-01-01T00:00:00Z',
      region: 'eu-west-1',
      nested: [{ key: 'deep-secret' }],
    };

    expect(secretsOf(credentials, { other: 'more' }, undefined)).toEqual(['deep-secret', 'access-1', 'more']);
  });

  it('finds secrets in what a provider answered, and leaves its ordinary words', () => {
    const raw = {
      token_type: 'bearer',
      status: 'active',
      team: 'Acme Corporation',
      authed_user: { access_token: 'xoxp-1', id: 'U123' },
      opaque: 'abcdef123456',
    };

    expect(secretsOf({ raw, step1: { token: 'tk-1', mode: 'short' } })).toEqual(['abcdef123456', 'xoxp-1', 'tk-1']);
  });

  it('leaves texts that are too short to be distinguished from ordinary words', () => {
    expect(secretsOf({ a: 'abc', b: '' })).toEqual([]);
  });

  it('knows a user name and a password as a Basic header spells them', () => {
    const basic = Buffer.from('someone:pass').toString('base64');

    expect(secretsOf({ username: 'someone', password: 'pass' })).toContain(basic);
  });
});

describe('isRedactedKey', () => {
  it.each([
    'Authorization',
    'set-cookie',
    'client_secret',
    'X-Shopify-Access-Token',
    'apiKey',
    'DB_PASSWORD',
    'credentials',
    'bot_token',
  ])('knows %s', (key) => expect(isRedactedKey(key)).toBe(true));

  it.each(['next_page_token', 'tokens_used', 'author', 'key', 'secretary', 'id'])('lets %s pass', (key) =>
    expect(isRedactedKey(key)).toBe(false),
  );
});

describe('the log of the program', () => {
  it('hides members with secret names at any depth, in errors too', () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });

    logger.warn({ a: { b: [{ 'X-Access-Token': 'canary', name: 'kept' }] }, apiSecret: 'canary' }, 'said');
    logger.warn({ err: Object.assign(new Error('failed'), { config: { password: 'canary' } }) }, 'said');

    expect(lines.join('')).not.toContain('canary');
    expect(lines[0]).toContain('kept');
    expect(lines[1]).toContain('"message":"failed"');
  });
});

describe('hasSecretAddress', () => {
  it.each([
    'https://user:hidden@app.test/hook',
    'https://token@app.test/',
    'https://app.test/hook?token=x',
    'https://app.test/hook?a=1&sig=x',
    'https://app.test/hook#access_token=x',
    'https://hooks.test/services/T00/B00/x8Jk2Lm9Qr4Tv6Wz',
    'https://hooks.test/1d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e',
    'see postgres://me:hidden@db.test:5432/x for more',
  ])('sees one in %s', (text) => expect(hasSecretAddress(text, { isWebhook: true })).toBe(true));

  it.each([
    'https://app.test/webhooks/homeport-production-2?page=2',
    'http://localhost:3000/oauth/callback',
    'me@app.test',
    'no address',
  ])('sees none in %s', (text) => expect(hasSecretAddress(text, { isWebhook: true })).toBe(false));
});
