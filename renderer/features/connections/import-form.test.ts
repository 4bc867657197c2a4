import { describe, expect, it } from 'vitest';
import { toInputValue } from '../../lib/shown-zone.ts';
import { type ImportValues, importBody, parseObject } from './import-form.ts';

const values: ImportValues = {
  connectionId: '',
  credentials: {},
  expiry: 'never',
  expiresAt: '',
  config: {},
  userId: '',
  userName: '',
  userEmail: '',
  metadata: '',
};

describe('importBody', () => {
  it('says that a token without an end never expires', () => {
    const body = importBody('github', 'OAUTH2', { ...values, credentials: { access_token: 'a', refresh_token: '' } });

    expect(body).toEqual({
      provider_config_key: 'github',
      credentials: { type: 'OAUTH2', access_token: 'a', no_expiration: true },
    });
  });

  it('sends the end of the token as an instant', () => {
    const expiresAt = toInputValue('2026-11-20T10:00:00Z');
    const body = importBody('github', 'OAUTH2', { ...values, expiry: 'date', expiresAt });

    expect(body.credentials['expires_at']).toBe('2026-11-20T10:00:00.000Z');
  });

  it('keeps an empty user name of Basic', () => {
    const body = importBody('jira', 'BASIC', { ...values, credentials: { username: '', password: 'p' } });

    expect(body.credentials).toEqual({ type: 'BASIC', username: '', password: 'p' });
  });

  it('names the user only when there is an id', () => {
    expect(importBody('x', 'NONE', { ...values, userEmail: 'a@b.example' })).not.toHaveProperty('end_user');
    expect(importBody('x', 'NONE', { ...values, userId: 'u1', userEmail: 'a@b.example' }).end_user).toEqual({
      id: 'u1',
      email: 'a@b.example',
    });
  });
});

describe('parseObject', () => {
  it('tells empty, object and everything else apart', () => {
    expect(parseObject('  ')).toBeUndefined();
    expect(parseObject('{"a":1}')).toEqual({ a: 1 });
    expect(parseObject('[1]')).toBeNull();
    expect(parseObject('{')).toBeNull();
  });
});
