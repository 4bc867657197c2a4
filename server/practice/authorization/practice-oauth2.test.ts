import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { randomIds } from '../../platform/lib/ids.ts';
import { createPracticeGrants, type Grant } from './practice-oauth2.ts';

const grant: Grant = { scopes: ['issues:read'], lifetimeS: 60 };
const redirectUri = 'http://localhost/oauth/callback';
const grants = () => createPracticeGrants({ clock: new FakeClock(), ids: randomIds });

describe('the grants of OAuth 2', () => {
  it('refuse verifiers that the standard does not allow, even when they fit', () => {
    for (const verifier of ['v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(42)}!`]) {
      const all = grants();
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const code = all.issueCode(grant, { redirectUri, challenge });

      expect(() => all.redeemCode(code, { redirectUri, verifier }), verifier).toThrow('code_verifier');
    }
  });

  it('forget the oldest tokens rather than growing without end', () => {
    const all = grants();
    const first = all.issueAccessToken(grant, grant.scopes);
    for (let count = 1; count < 10_000; count++) all.issueAccessToken(grant, grant.scopes);
    const second = all.findAccessToken(first);
    for (let count = 0; count < 10_000; count++) all.issueAccessToken(grant, grant.scopes);

    expect(second).toBeDefined();
    expect(all.findAccessToken(first)).toBeUndefined();
  });
});
