import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answerConsent,
  authorizePractice,
  authorizeUrl,
  exchangeCode,
  requestToken,
  type TokenResponse,
} from '../../../test/support/authorize-practice.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { createPracticeProvider, type PracticeProvider } from '../practice-provider.ts';

let clock: FakeClock;
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  clock = new FakeClock('2026-06-01T12:01:00Z');
  provider = createPracticeProvider({ clock });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

function api(path: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(address + path, { ...init, headers: { authorization: `Bearer ${token}` } });
}

describe('an access token', () => {
  it('says whose it is', async () => {
    const person = { id: 'user-guest', login: 'guest', name: 'Practice guest', email: 'guest@practice.example.test' };
    const target = await answerConsent(authorizeUrl(address), { person: 'user-guest' });
    const exchanged = await exchangeCode(address, target.searchParams.get('code') ?? '');
    const { access_token } = (await exchanged.json()) as TokenResponse;

    expect(await (await api('/oauth/userinfo', access_token)).json()).toEqual({
      ...person,
      scopes: ['issues:read', 'directory:read'],
    });
    expect(await (await api('/v1/me', access_token)).json()).toMatchObject({ ...person, key: 'practice_…' });
  });

  it('expires, and the answer says so', async () => {
    const { access_token } = await authorizePractice(address);
    await clock.advance(299_999);
    expect((await api('/v1/me', access_token)).status).toBe(200);
    await clock.advance(1);

    const response = await api('/v1/me', access_token);

    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="practice", error="invalid_token", error_description="The access token has expired."',
    ]);
    expect(await response.json()).toMatchObject({ error: { code: 'expired_token' } });
  });

  it('lives as long as asked for, after a refresh too', async () => {
    const dead = await authorizePractice(address, { practice_lifetime: '0' });
    const short = await authorizePractice(address, { practice_lifetime: '2' });

    expect([dead.expires_in, short.expires_in]).toEqual([0, 2]);
    expect((await api('/v1/me', dead.access_token)).status).toBe(401);
    expect((await api('/v1/me', short.access_token)).status).toBe(200);
    await clock.advance(2000);
    expect((await api('/v1/me', short.access_token)).status).toBe(401);
    const refresh = { grant_type: 'refresh_token', refresh_token: short.refresh_token };
    expect(await (await requestToken(address, refresh)).json()).toMatchObject({ expires_in: 2 });
  });

  it.each([
    ['GET', '/v1/issues', 'issues:read'],
    ['HEAD', '/v1/issues', 'issues:read'],
    ['GET', '/v1/comments', 'issues:read'],
    ['GET', '/v1/export/page', 'issues:read'],
    ['GET', '/v1/files/a', 'issues:read'],
    ['POST', '/v1/issues', 'issues:write'],
    ['PATCH', '/v1/issues/issue-1', 'issues:write'],
    ['DELETE', '/v1/issues/issue-1', 'issues:write'],
    ['POST', '/v1/files', 'issues:write'],
    ['GET', '/v1/users', 'directory:read'],
    ['GET', '/v1/labels', 'directory:read'],
  ])('needs for %s %s the scope %s', async (method, path, scope) => {
    const all = ['issues:read', 'issues:write', 'directory:read'];
    const without = await authorizePractice(address, { scope: all.filter((one) => one !== scope).join(' ') });
    const only = await authorizePractice(address, { scope });

    const refused = await api(path, without.access_token, { method });

    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      403,
      `Bearer realm="practice", error="insufficient_scope", scope="${scope}"`,
    ]);
    if (method !== 'HEAD')
      expect(await refused.json()).toMatchObject({ error: { code: 'insufficient_scope', missing_scope: scope } });
    expect((await api(path, only.access_token, { method })).status).not.toBe(403);
  });

  it('needs no scope for the probes, as an API key needs none for anything', async () => {
    const { access_token } = await authorizePractice(address, { scope: 'directory:read' });

    expect((await api('/v1/echo', access_token)).status).toBe(200);
    expect((await api('/v1/users', 'practice-demo-key')).status).toBe(200);
    expect((await api('/v1/issues/issue-1', 'practice-demo-key', { method: 'DELETE' })).status).toBe(404);
  });

  it('makes its person the author of new issues', async () => {
    const { access_token } = await authorizePractice(address, { scope: 'issues:write' });
    const response = await fetch(`${address}/v1/issues`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: '{"title":"Signed"}',
    });

    expect(await response.json()).toMatchObject({ author_id: 'user-admin' });
  });
});
