import { createHash, generateKeyPairSync } from 'node:crypto';
import { type CryptoKey, jwtVerify, type KeyObject } from 'jose';
import { describe, expect, it } from 'vitest';
import { TOKEN_NOW, tokenContext } from '../../../../test/support/token-fixture.ts';
import type { ProviderDefinition } from '../../../integrations/catalog/entry-schema.ts';
import { issueJwt } from './issue-other-modes.ts';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const SECRET = '0f'.repeat(32);

type Rules = Partial<Pick<ProviderDefinition, 'signature' | 'token'>>;

const issue = (rules: Rules, given: Record<string, unknown>) =>
  issueJwt(tokenContext({ entry: { auth_mode: 'JWT', ...rules }, connectionConfig: { audience: 'acme' } }), given);

function rules(protocol: 'RSA' | 'EC' | 'HMAC', alg: string, token: Rules['token'] = {}): Rules {
  const header = { alg, typ: 'JWT', kid: '${credentials.keyId}' };
  return {
    signature: { protocol },
    token: { signing_key: '${credentials.privateKey}', expires_in_ms: 300_000, header, ...token },
  };
}

const check = (token: unknown, key: KeyObject | CryptoKey | Uint8Array) =>
  jwtVerify(String(token), key, { currentDate: new Date(TOKEN_NOW) });

describe('mintJwt', () => {
  it('signs what the entry says and stores what was entered beside it', async () => {
    const given = {
      privateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      keyId: 'k1',
      user: 'me',
    };
    const payload = {
      iss: '${credentials.user}',
      aud: '${connectionConfig.audience}',
      none: '${credentials.none}',
      scope: ['a, b', '${credentials.user}'],
      empty: ['${credentials.none}'],
    };

    const { credentials } = await issue(rules('RSA', 'RS256', { payload }), given);

    const verified = await check(credentials['token'], rsa.publicKey);
    expect(verified.protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k1' });
    expect(verified.payload).toEqual({
      iss: 'me',
      aud: 'acme',
      scope: ['a', 'b', 'me'],
      iat: TOKEN_NOW / 1_000,
      exp: TOKEN_NOW / 1_000 + 300,
    });
    expect(credentials).toEqual({
      ...given,
      type: 'JWT',
      token: credentials['token'],
      expires_at: '2026-06-01T12:05:00.000Z',
    });
  });

  it('signs again from what is stored', async () => {
    const given = { privateKey: SECRET };
    const first = await issue(rules('HMAC', 'HS256'), given);

    const second = await issue(rules('HMAC', 'HS256'), { ...first.credentials, token: 'old' });

    expect(second.credentials).toEqual(first.credentials);
  });

  it.each([
    ['PKCS#8', rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['PKCS#1', rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['PKCS#8 without its frame', rsa.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')],
    ['PKCS#1 without its frame', rsa.privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')],
  ])('takes an RSA key in %s, also pasted on one line', async (_name, text) => {
    for (const privateKey of [text, text.replaceAll('\n', '\\n'), text.trim().replaceAll('\n', ' ')]) {
      const { credentials } = await issue(rules('RSA', 'RS256'), { privateKey });

      await expect(check(credentials['token'], rsa.publicKey)).resolves.toBeDefined();
    }
  });

  it.each(['pkcs8', 'sec1'] as const)('takes an elliptic-curve key in %s', async (type) => {
    const privateKey = ec.privateKey.export({ type, format: 'pem' }).toString();

    const { credentials } = await issue(rules('EC', 'ES256'), { privateKey });

    expect((await check(credentials['token'], ec.publicKey)).protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT' });
  });

  it.each([
    ['hex by default', undefined, Buffer.from(SECRET, 'hex')],
    ['a text where the entry says so', 'utf8' as const, Buffer.from(SECRET)],
  ])('reads an HMAC secret as %s', async (_name, encoding, key) => {
    const signature = { protocol: 'HMAC' as const, ...(encoding ? { hmac_secret_encoding: encoding } : {}) };

    const { credentials } = await issue({ ...rules('HMAC', 'HS256'), signature }, { privateKey: SECRET });

    await expect(check(credentials['token'], key)).resolves.toBeDefined();
  });

  it('reads a key issued as id:secret by its halves and stores it as it was entered', async () => {
    const token = {
      signing_key: '${credentials.privateKey.secret}',
      header: { alg: 'HS256', kid: '${credentials.privateKey.id}' },
    };
    const privateKey = `64f0:${SECRET}`;

    const { credentials } = await issue(rules('HMAC', 'HS256', token), { privateKey });

    const verified = await check(credentials['token'], Buffer.from(SECRET, 'hex'));
    expect(verified.protectedHeader).toEqual({ alg: 'HS256', kid: '64f0' });
    expect(credentials['privateKey']).toBe(privateKey);
  });

  it('can name the fingerprint of the key', async () => {
    const privateKey = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const payload = { iss: 'A.${fingerprint(${credentials.privateKey})}' };

    const { credentials } = await issue(rules('RSA', 'RS256', { payload }), { privateKey });

    const spki = createHash('sha256')
      .update(rsa.publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');
    expect((await check(credentials['token'], rsa.publicKey)).payload.iss).toBe(`A.SHA256:${spki}`);
  });

  it.each([
    ['no key', rules('RSA', 'RS256'), {}],
    ['no PEM', rules('RSA', 'RS256'), { privateKey: 'canary' }],
    ['no hex', rules('HMAC', 'HS256'), { privateKey: 'canary-secret' }],
    [
      'a key of another kind',
      rules('EC', 'ES256'),
      { privateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    ],
    [
      'an algorithm that is none',
      rules('RSA', 'XS1'),
      { privateKey: rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }) },
    ],
  ])('refuses %s without showing it', async (_name, entry, given) => {
    await expect(issue(entry, given)).rejects.toMatchObject({
      code: 'invalid_credentials',
      message: expect.not.stringMatching(/canary|BEGIN/),
    });
  });
});
