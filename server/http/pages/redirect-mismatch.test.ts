import { describe, expect, it } from 'vitest';
import { findUnregistered } from './redirect-mismatch.ts';

const CALLBACK = 'http://localhost:3003/oauth/callback';

describe('a redirect address that is not registered', () => {
  it.each([
    'redirect_uri_mismatch',
    'Error 400: redirect_uri_mismatch',
    'bad_redirect_uri',
    'The redirect_uri MUST match the registered callback URL: redirect_uri does not match',
    'Invalid redirect URI',
    'redirect_uri is not allowed',
    'The redirect URI provided is missing or not registered',
    'Callback URL not approved for this client application',
    'unregistered redirect_uri',
  ])('is known by %j', (text) => {
    expect(findUnregistered(['invalid_request', text], CALLBACK)).toBe(CALLBACK);
  });

  it.each(['access_denied', 'The user was redirected', 'invalid_client', 'invalid_scope: redirect'])(
    'is not meant by %j',
    (text) => {
      expect(findUnregistered([text], CALLBACK)).toBeUndefined();
    },
  );

  it('cannot be named for a sign-in that is not known', () => {
    expect(findUnregistered(['redirect_uri_mismatch'], undefined)).toBeUndefined();
  });
});
