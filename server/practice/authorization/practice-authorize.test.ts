import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerConsent, authorizeUrl, CALLBACK } from '../../../test/support/authorize-practice.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { createPracticeProvider, type PracticeProvider } from '../practice-provider.ts';
import { PRACTICE_CLIENT } from './practice-client.ts';

const PUBLIC = 'https://hub.example.test/oauth/callback';
let provider: PracticeProvider;
let address: string;

beforeEach(async () => {
  provider = createPracticeProvider({ clock: new FakeClock(), callbackAddresses: () => [PUBLIC] });
  ({ address } = await provider.start());
});
afterEach(() => provider.stop());

/** Returns where the provider redirects to without showing the consent page. */
async function redirectOf(changes: Record<string, string | undefined>): Promise<Record<string, string>> {
  const response = await fetch(authorizeUrl(address, changes), { redirect: 'manual' });
  expect(response.status).toBe(302);
  const url = new URL(response.headers.get('location') ?? '');
  expect(`${url.origin}${url.pathname}`).toBe(CALLBACK);
  return Object.fromEntries(url.searchParams);
}

describe('GET /oauth/authorize', () => {
  it('asks a person, who sends the app back with a code and its state', async () => {
    const target = await answerConsent(authorizeUrl(address));

    expect(`${target.origin}${target.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(target.searchParams)).toEqual({
      code: expect.stringMatching(/^practice_code_[0-9a-f]{64}$/),
      state: 'the-state',
    });
  });

  it('sends a no back as access_denied', async () => {
    const target = await answerConsent(authorizeUrl(address), { decision: 'deny' });

    expect(Object.fromEntries(target.searchParams)).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'the-state',
    });
  });

  it.each(['http://127.0.0.1:49152/oauth/callback', 'http://[::1]:1/oauth/callback', PUBLIC])(
    'accepts the redirect address %s',
    async (redirectUri) => {
      const target = await answerConsent(authorizeUrl(address, { redirect_uri: redirectUri }));

      expect(target.href.startsWith(`${redirectUri}?code=`)).toBe(true);
    },
  );

  it.each([
    'http://localhost:3003/oauth/callback/',
    'http://localhost:3003/callback',
    'http://localhost.evil.test/oauth/callback',
    'http://user@localhost:3003/oauth/callback',
    'http://localhost:3003/oauth/callback#x',
    'https://hub.example.test/elsewhere',
    'javascript:alert(1)',
    'not an address',
    undefined,
  ])('answers the redirect address %s with a page and never goes there', async (redirectUri) => {
    const response = await fetch(authorizeUrl(address, { redirect_uri: redirectUri }), { redirect: 'manual' });

    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(await response.text()).toContain('The redirect address does not match');
  });

  it('answers an unknown client with a page', async () => {
    const response = await fetch(authorizeUrl(address, { client_id: 'somebody' }), { redirect: 'manual' });

    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).toContain(PRACTICE_CLIENT.id);
  });

  it.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'issues:read everything' }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { practice_lifetime: 'long' }],
  ])('sends %s back for %j', async (error, changes) => {
    expect(await redirectOf(changes)).toEqual({
      error,
      error_description: expect.any(String),
      state: 'the-state',
    });
  });

  it('insists on a state', async () => {
    expect(await redirectOf({ state: undefined })).toEqual({
      error: 'invalid_request',
      error_description: 'state is missing.',
    });
  });
});
