import { describe, expect, it } from 'vitest';
import {
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  REDIRECT,
  refreshOf,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const { redirect_uri: _redirect, ...PARAMS } = EXCHANGE_PARAMS;
const LONG = { access_token: 'LONG', token_type: 'bearer', expires_in: 5_184_000 };
const IN_60_DAYS = '2026-07-31T12:00:00.000Z';
const longLived = { type: 'OAUTH2', access_token: 'LONG', expires_at: IN_60_DAYS, raw: LONG };

describe('facebook', () => {
  it('exchanges by JSON, with the redirect address in the query', async () => {
    const { calls, issued } = await exchangeOf('facebook', { responses: [LONG] });

    const call = { at: `POST ${TOKEN_URL}`, query: { redirect_uri: REDIRECT }, json: { ...PARAMS, ...CLIENT_PARAMS } };
    expect(calls).toEqual([call]);
    expect(issued.credentials).toEqual(longLived);
  });

  it('renews the access token by itself, everything in the query', async () => {
    const { calls, issued } = await refreshOf('facebook', { access_token: 'OLD' }, { responses: [LONG] });

    const query = { grant_type: 'fb_exchange_token', ...CLIENT_PARAMS, fb_exchange_token: 'OLD' };
    expect(calls).toEqual([{ at: `POST ${TOKEN_URL}`, query, form: {} }]);
    expect(issued).toEqual({ credentials: longLived });
  });

  it('does not repeat the token that it sent when Facebook does', async () => {
    const body = {
      error: { message: 'Error validating access token: SESSION-OLD', type: 'OAuthException', code: 190 },
    };

    const refresh = refreshOf('facebook', { access_token: 'SESSION-OLD' }, { responses: [{ status: 400, body }] });

    await expect(refresh).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 400): Error validating access token: REDACTED.',
    });
  });
});

describe.each([
  ['instagram', 'graph.instagram.com', 'ig'],
  ['threads', 'graph.threads.net', 'th'],
])('%s', (provider, host, prefix) => {
  const second = {
    at: `GET https://${host}/access_token`,
    query: { grant_type: `${prefix}_exchange_token`, client_secret: 'the-secret', access_token: 'SHORT' },
  };

  it.each([
    ['as such', { access_token: 'SHORT', user_id: 17 }],
    ['in a list', { data: [{ access_token: 'SHORT', user_id: 17 }] }],
  ])('makes a long-lived token of the short-lived one, which comes %s', async (_how, short) => {
    const { calls, issued } = await exchangeOf(provider, { responses: [short, LONG] });

    expect(calls).toEqual([{ at: `POST ${TOKEN_URL}`, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }, second]);
    expect(issued.credentials).toEqual(longLived);
  });

  it('fails when the second call is refused', async () => {
    const refused = { status: 400, body: { error: { message: 'Unsupported request of SHORT' } } };

    const exchange = exchangeOf(provider, { responses: [{ access_token: 'SHORT' }, refused] });

    await expect(exchange).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: 'The provider gave no tokens (status 400): Unsupported request of REDACTED.',
    });
  });

  it('renews the access token by itself', async () => {
    const { calls, issued } = await refreshOf(provider, { access_token: 'OLD' }, { responses: [LONG] });

    expect(calls).toEqual([
      {
        at: `GET https://${host}/refresh_access_token`,
        query: { grant_type: `${prefix}_refresh_token`, access_token: 'OLD' },
      },
    ]);
    expect(issued).toEqual({ credentials: longLived });
  });
});
