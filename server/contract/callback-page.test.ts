import { describe, expect, it } from 'vitest';
import { isRedirectMismatch, landingUrl } from './callback-page.ts';

describe('isRedirectMismatch', () => {
  it.each([
    'Error 400: redirect_uri_mismatch',
    'redirect_uri_mismatch: The redirect_uri MUST match the registered callback URL for this application.',
    "AADSTS50011: The redirect URI 'http://localhost:3003/oauth/callback' specified in the request does not match the redirect URIs configured for the application.",
    'redirect_uri did not match any configured URIs. Passed URI: http://localhost:3003/oauth/callback',
    'Invalid redirect: http://localhost:3003/oauth/callback must match one of the registered callback URLs.',
    'bad_redirect_uri',
    'Callback URL not approved for this client application.',
  ])('recognises %s', (text) => {
    expect(isRedirectMismatch(text)).toBe(true);
  });

  it.each(['access_denied', 'invalid_client: unknown client', 'The redirect took too long.'])('leaves %s', (text) => {
    expect(isRedirectMismatch(text)).toBe(false);
  });
});

describe('landingUrl', () => {
  it('is the address behind a redirector', () => {
    expect(landingUrl('https://redirectmeto.com/http://localhost:3003/oauth/callback')).toBe(
      'http://localhost:3003/oauth/callback',
    );
  });

  it('is any other address itself', () => {
    expect(landingUrl('https://hub.example.com/oauth/callback')).toBe('https://hub.example.com/oauth/callback');
  });
});
