import { describe, expect, it } from 'vitest';
import { tokenContext } from '../../../../test/support/token-fixture.ts';
import { issueSignature } from './issue-other-modes.ts';

const entry = {
  auth_mode: 'SIGNATURE' as const,
  signature: { protocol: 'WSSE' as const },
  token: { expires_in_ms: 300_000 },
};
const given = { type: 'SIGNATURE', username: 'me', password: 'secret' };

describe('mintSignature', () => {
  it('makes a WSSE token with the digest of the hexadecimal text', async () => {
    const { credentials } = await issueSignature(tokenContext({ entry }), given);

    const nonce = 'ab'.repeat(16);
    // printf %s 'abab…ab2026-06-01T12:00:00.000Zsecret' | sha1sum | cut -c-40 | tr -d '\n' | base64 -w0
    const digest = 'MGRhYjg1OWM3YzY3MGQzZTA5NTIzNzQ2MTE1NmU0ZGQ5NTY0YjcxMg==';
    expect(credentials).toEqual({
      ...given,
      token: `UsernameToken Username="me", PasswordDigest="${digest}", Nonce="${nonce}", Created="2026-06-01T12:00:00.000Z"`,
      expires_at: '2026-06-01T12:05:00.000Z',
    });
  });

  it('makes another token when it renews', async () => {
    const first = await issueSignature(tokenContext({ entry }), given);
    const ids = { uuid: () => '', hex: () => 'cd' };

    const second = await issueSignature(tokenContext({ entry, ids, now: () => 0 }), first.credentials);

    expect(second.credentials).toMatchObject({
      username: 'me',
      password: 'secret',
      expires_at: '1970-01-01T00:05:00.000Z',
    });
    expect(second.credentials['token']).toMatch(/Nonce="cd", Created="1970-01-01T00:00:00.000Z"$/);
    expect(Object.keys(second.credentials)).toEqual(Object.keys(first.credentials));
  });

  it.each([{ username: 'me' }, { username: '', password: 'p' }, {}])(
    'needs a name and a password: %j',
    async (values) => {
      await expect(issueSignature(tokenContext({ entry }), values)).rejects.toMatchObject({
        code: 'invalid_credentials',
      });
    },
  );

  it('refuses an entry with another protocol', async () => {
    const other = { ...entry, signature: { protocol: 'RSA' as const } };

    await expect(issueSignature(tokenContext({ entry: other }), given)).rejects.toMatchObject({
      code: 'unsupported_auth',
    });
  });
});
