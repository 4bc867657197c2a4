import { describe, expect, it } from 'vitest';
import type { ProviderEntry } from '../../../integrations/catalog/entry-schema.ts';
import { readTokenResponse } from './token-endpoint.ts';

const NOW = Date.UTC(2026, 5, 1, 12);

function read(response: unknown, entry: Partial<ProviderEntry> = {}) {
  return readTokenResponse(
    { name: 'acme', source: 'builtin', display_name: 'Acme', auth_mode: 'OAUTH2', ...entry },
    response,
    NOW,
  );
}

describe('reading a token answer', () => {
  it('takes the tokens and keeps the whole answer', () => {
    const response = { access_token: 'at', refresh_token: 'rt', expires_in: 3600, scope: 'read', team: { id: 'T1' } };

    expect(read(response)).toEqual({
      type: 'OAUTH2',
      access_token: 'at',
      refresh_token: 'rt',
      expires_at: '2026-06-01T13:00:00.000Z',
      raw: response,
    });
  });

  it('has neither refresh token nor end when the answer names none', () => {
    expect(read({ access_token: 'at' })).toEqual({ type: 'OAUTH2', access_token: 'at', raw: { access_token: 'at' } });
    expect(read({ access_token: 'at', refresh_token: '', expires_in: 0 })).not.toHaveProperty('refresh_token');
    expect(read({ access_token: 'at', refresh_token: null, expires_in: null })).not.toHaveProperty('expires_at');
  });

  it.each([
    [{ expires_in: '3600' }, '2026-06-01T13:00:00.000Z'],
    [{ expires_at: 1_780_318_800 }, '2026-06-01T13:00:00.000Z'],
    [{ expires_at: 1_780_318_800_000 }, '2026-06-01T13:00:00.000Z'],
    [{ expires_at: '2026-06-01T13:00:00Z' }, '2026-06-01T13:00:00.000Z'],
    [{ expires_at: '1:02:03' }, '2026-06-02T14:03:00.000Z'],
    [{ expires_at: '2026-06-01T13:00:00Z', expires_in: 60 }, '2026-06-01T13:00:00.000Z'],
    [{ expires_at: 'some day', expires_in: 60 }, '2026-06-01T12:01:00.000Z'],
  ])('reads the end of %j', (expiry, expected) => {
    expect(read({ access_token: 'at', ...expiry })).toMatchObject({ expires_at: expected });
  });

  describe('with an alternative path', () => {
    it('takes everything from the object there', () => {
      const response = {
        ok: true,
        refresh_token: 'of the bot',
        expires_in: 1,
        authed_user: { access_token: 'user', refresh_token: 'user-refresh', expires_in: 60 },
      };

      expect(read(response, { alternate_access_token_response_path: 'authed_user' })).toEqual({
        type: 'OAUTH2',
        access_token: 'user',
        refresh_token: 'user-refresh',
        expires_at: '2026-06-01T12:01:00.000Z',
        raw: response,
      });
    });

    it('takes the token alone when the path leads to it', () => {
      const response = { data: { token: 'at' }, refresh_token: 'rt', expires_in: 60 };

      expect(read(response, { alternate_access_token_response_path: 'data.token' })).toEqual({
        type: 'OAUTH2',
        access_token: 'at',
        refresh_token: 'rt',
        expires_at: '2026-06-01T12:01:00.000Z',
        raw: response,
      });
    });

    it('prefers the usual place', () => {
      const response = { access_token: 'bot', authed_user: { access_token: 'user' } };

      expect(read(response, { alternate_access_token_response_path: 'authed_user' })?.access_token).toBe('bot');
    });
  });

  it.each([
    [{}],
    [[]],
    [null],
    ['token'],
    [{ access_token: '' }],
    [{ access_token: {} }],
    [{ error: 'bad_verification_code' }],
  ])('finds no token in %j', (response) => {
    expect(read(response)).toBeUndefined();
    expect(read(response, { alternate_access_token_response_path: 'data.token' })).toBeUndefined();
  });
});
