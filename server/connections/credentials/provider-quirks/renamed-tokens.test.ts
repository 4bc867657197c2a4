import { describe, expect, it } from 'vitest';
import {
  basicHeader,
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  REDIRECT,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const IN_AN_HOUR = '2026-06-01T13:00:00.000Z';
const stored = { access_token: 'T0', refresh_token: 'R0' };
const at = `POST ${TOKEN_URL}`;

describe.each(['figma', 'figjam'])('%s', (provider) => {
  const entry = { token_request_auth_method: 'basic' as const, refresh_url: 'https://acme.test/refresh' };
  const headers = { authorization: basicHeader('the-id', 'the-secret') };
  const { redirect_uri: _redirect, ...params } = EXCHANGE_PARAMS;

  it('exchanges by JSON, with the redirect address in the query', async () => {
    const response = { access_token: 'T1', refresh_token: 'R1', expires_in: 3600 };

    const { calls, issued } = await exchangeOf(provider, { responses: [response], entry });

    expect(calls).toEqual([{ at, query: { redirect_uri: REDIRECT }, json: { ...params, ...CLIENT_PARAMS }, headers }]);
    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R1', expires_at: IN_AN_HOUR });
  });

  it('refreshes elsewhere and keeps the refresh token', async () => {
    const response = { access_token: 'T1', expires_in: 3600 };

    const { calls, issued } = await refreshOf(provider, stored, { responses: [response], entry });

    const form = { ...refreshParams('R0'), ...CLIENT_PARAMS };
    expect(calls).toEqual([{ at: 'POST https://acme.test/refresh', form, headers }]);
    expect(issued.credentials).toEqual({
      type: 'OAUTH2',
      access_token: 'T1',
      refresh_token: 'R0',
      expires_at: IN_AN_HOUR,
      raw: response,
    });
  });
});

describe('clover', () => {
  const response = {
    access_token: 'T1',
    access_token_expiration: Date.parse(IN_AN_HOUR) / 1000,
    refresh_token: 'R1',
    refresh_token_expiration: 1,
  };

  it('speaks JSON and names the end of the token its own way', async () => {
    const exchange = await exchangeOf('clover', { responses: [response] });
    const refresh = await refreshOf('clover', stored, { responses: [response] });

    expect(exchange.calls).toEqual([{ at, json: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(refresh.calls).toEqual([{ at, json: { ...refreshParams('R0'), ...CLIENT_PARAMS } }]);
    const credentials = { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1', expires_at: IN_AN_HOUR };
    expect(refresh.issued.credentials).toEqual({ ...credentials, raw: response });
  });

  it('says what Clover refuses', async () => {
    const refused = { status: 401, body: { message: 'Invalid refresh token.' } };

    await expect(refreshOf('clover', stored, { responses: [refused] })).rejects.toMatchObject({
      message: 'The provider gave no tokens (status 401): Invalid refresh token.',
    });
  });
});

describe('sentry-oauth', () => {
  const response = { id: '7', token: 'T1', refreshToken: 'R1', expiresAt: '2026-06-01T13:00:00Z', state: null };
  const options = {
    responses: [{ status: 201, body: response }],
    entry: { token_url: 'https://sentry.test/installations/${connectionConfig.installation.uuid}/authorizations/' },
    context: { connectionConfig: { 'installation.uuid': 'uuid-1' } },
  };
  const sentry = 'POST https://sentry.test/installations/uuid-1/authorizations/';

  it('speaks JSON and has names of its own', async () => {
    const exchange = await exchangeOf('sentry-oauth', options);
    const refresh = await refreshOf('sentry-oauth', stored, options);

    expect(exchange.calls).toEqual([{ at: sentry, json: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(refresh.calls).toEqual([{ at: sentry, json: { ...refreshParams('R0'), ...CLIENT_PARAMS } }]);
    const credentials = { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1', expires_at: IN_AN_HOUR };
    expect(exchange.issued.credentials).toEqual({ ...credentials, raw: response });
  });
});
