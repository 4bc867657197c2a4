import { describe, expect, it } from 'vitest';
import { authCall, authUrl, type Submission, socketUrl } from './auth-calls.ts';

const TARGET = { apiUrl: 'http://127.0.0.1:3003', token: 'nango_connect_session_aa' };

const submission = (credentials: Record<string, string> = {}, rest: Partial<Submission> = {}): Submission => ({
  credentials,
  params: {},
  assertionOption: {},
  ...rest,
});

describe('authCall', () => {
  it.each([
    ['API_KEY', { apiKey: 'k', extra: 'x' }, '/api-auth/api-key/a', { apiKey: 'k' }],
    ['BASIC', { username: 'u' }, '/api-auth/basic/a', { username: 'u', password: '' }],
    ['OAUTH2_CC', { client_id: 'i', client_secret: 's' }, '/oauth2/auth/a', { client_id: 'i', client_secret: 's' }],
    [
      'OAUTH2_CC',
      { client_id: 'i', client_private_key: 'p', username: 'u' },
      '/oauth2/auth/a',
      { client_id: 'i', client_private_key: 'p' },
    ],
    [
      'TWO_STEP',
      { client_id: 'i', client_secret: 's' },
      '/auth/two-step/a',
      {
        client_id: 'i',
        client_secret: 's',
        type: 'TWO_STEP',
      },
    ],
    ['JWT', { privateKey: 'p' }, '/auth/jwt/a', { privateKey: 'p', type: 'JWT' }],
    [
      'SIGNATURE',
      { username: 'u', password: 'p' },
      '/auth/signature/a',
      {
        username: 'u',
        password: 'p',
        type: 'SIGNATURE',
      },
    ],
    ['AWS_SIGV4', { role_arn: 'r' }, '/auth/aws-sigv4/a', { role_arn: 'r' }],
    [
      'TBA',
      { token_id: 'i', token_secret: 's', oauth_client_id_override: 'o' },
      '/auth/tba/a',
      {
        token_id: 'i',
        token_secret: 's',
        oauth_client_id_override: 'o',
      },
    ],
    [
      'BILL',
      { username: 'u', password: 'p', organization_id: 'o', dev_key: 'd' },
      '/auth/bill/a',
      { username: 'u', password: 'p', organization_id: 'o', dev_key: 'd' },
    ],
  ])('%s goes to its own address with its own fields', (auth_mode, credentials, path, body) => {
    expect(authCall('a', { auth_mode }, submission(credentials as Record<string, string>))).toEqual({
      isAuthorization: false,
      path,
      body,
    });
  });

  it.each(['OAUTH1', 'OAUTH2', 'APP', 'CUSTOM', 'MCP_OAUTH2', 'MCP_OAUTH2_GENERIC', 'INSTALL_PLUGIN'])(
    '%s is a sign-in',
    (auth_mode) => {
      expect(authCall('my key', { auth_mode }, submission())).toEqual({
        isAuthorization: true,
        path: '/oauth/connect/my%20key',
        overrides: {},
      });
    },
  );

  it('sends no body where there is nothing to say', () => {
    expect(authCall('a', { auth_mode: 'NONE' }, submission())).toEqual({
      isAuthorization: false,
      path: '/auth/unauthenticated/a',
    });
    expect(authCall('a', { auth_mode: 'OAUTH2', installation: 'outbound' }, submission())).toEqual({
      isAuthorization: false,
      path: '/auth/oauth-outbound/a',
    });
  });

  it('adds the assertion of a two-step provider', () => {
    const call = authCall('a', { auth_mode: 'TWO_STEP' }, submission({ user: 'u' }, { assertionOption: { key: 'k' } }));

    expect(call?.body).toEqual({ user: 'u', type: 'TWO_STEP', assertionOption: { key: 'k' } });
  });

  it('does not guess at an unknown mode', () => {
    expect(authCall('a', { auth_mode: 'TELEPATHY' }, submission())).toBeUndefined();
  });
});

describe('authUrl', () => {
  it('encodes names and values of params and credentials, and keeps the brackets', () => {
    const call = authCall('a', { auth_mode: 'OAUTH2' }, submission({ oauth_client_id_override: 'a&b' }));

    expect(call && authUrl(TARGET, call, { 'sub domain': 'x=y/ü' }, '1 2')).toBe(
      'http://127.0.0.1:3003/oauth/connect/a?connect_session_token=nango_connect_session_aa' +
        '&params[sub%20domain]=x%3Dy%2F%C3%BC&credentials[oauth_client_id_override]=a%26b&ws_client_id=1%202',
    );
  });

  it('leaves out the socket of a plain request', () => {
    expect(authUrl(TARGET, { isAuthorization: false, path: '/auth/unauthenticated/a' }, {})).toBe(
      'http://127.0.0.1:3003/auth/unauthenticated/a?connect_session_token=nango_connect_session_aa',
    );
  });
});

describe('socketUrl', () => {
  it.each([
    ['http://127.0.0.1:3003', '/', 'ws://127.0.0.1:3003/'],
    ['https://localhost:3443', undefined, 'wss://localhost:3443/'],
    ['http://localhost:1/base', '/socket', 'ws://localhost:1/base/socket'],
    ['http://localhost:1', 'socket', 'ws://localhost:1/socket'],
  ])('%s and %s make %s', (apiUrl, path, url) => {
    expect(socketUrl(apiUrl, path)).toBe(url);
  });
});
