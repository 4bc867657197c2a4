import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { randomIds } from '../../platform/lib/ids.ts';
import { type Grant, PracticeGrants } from './practice-grants.ts';

const grant: Grant = { clientId: 'mine', scopes: ['issues:read'], lifetimeS: 60 };
const verifier = 'v'.repeat(43);
const bound = {
  redirectUri: 'http://localhost/oauth/callback',
  challenge: createHash('sha256').update(verifier).digest('base64url'),
};
const exchange = { clientId: 'mine', redirectUri: bound.redirectUri, verifier };

function grants(): PracticeGrants {
  return new PracticeGrants({ clock: new FakeClock(), ids: randomIds });
}

describe('PracticeGrants', () => {
  it('keeps codes and refresh tokens from other clients, without using them up', () => {
    const all = grants();
    const code = all.issueCode(grant, bound);
    const token = all.issueRefreshToken(grant);

    expect(() => all.redeemCode(code, { ...exchange, clientId: 'other' })).toThrow('unknown');
    expect(() => all.redeemRefreshToken(token, { clientId: 'other', scopes: undefined })).toThrow('unknown');

    expect(all.redeemCode(code, exchange)).toBe(grant);
    expect(all.redeemRefreshToken(token, { clientId: 'mine', scopes: undefined })).toBe(grant);
  });

  it('lets a client revoke its own tokens only', () => {
    const all = grants();
    const access = all.issueAccessToken(grant, grant.scopes);
    const token = all.issueRefreshToken(grant);

    all.revoke(access, 'other');
    all.revoke(token, 'other');

    expect(all.findAccessToken(access)).toMatchObject({ scopes: ['issues:read'] });
    all.revoke(token, 'mine');
    expect(all.findAccessToken(access)).toBeUndefined();
  });

  it('refuses verifiers that the standard does not allow, even when they fit', () => {
    for (const bad of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)}!`]) {
      const all = grants();
      const code = all.issueCode(grant, { ...bound, challenge: createHash('sha256').update(bad).digest('base64url') });

      expect(() => all.redeemCode(code, { ...exchange, verifier: bad }), bad).toThrow('code_verifier');
    }
  });

  it('forgets the oldest tokens rather than growing without end', () => {
    const all = grants();
    const first = all.issueAccessToken(grant, grant.scopes);
    for (let count = 1; count < 10_000; count++) all.issueAccessToken(grant, grant.scopes);
    const second = all.findAccessToken(first);
    for (let count = 0; count < 10_000; count++) all.issueAccessToken(grant, grant.scopes);

    expect(second).toBeDefined();
    expect(all.findAccessToken(first)).toBeUndefined();
  });
});
