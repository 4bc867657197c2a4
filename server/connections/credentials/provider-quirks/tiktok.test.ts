import { describe, expect, it } from 'vitest';
import {
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const at = `POST ${TOKEN_URL}`;
const IN_A_DAY = '2026-06-02T12:00:00.000Z';
const TOKENS = { access_token: 'T1', refresh_token: 'R1', expires_in: 86_400 };
const stored = { access_token: 'T0', refresh_token: 'R0' };

describe('tiktok-ads', () => {
  it('sends three names of its own and gets a token without an end', async () => {
    const response = { code: 0, message: 'OK', data: { access_token: 'T1', advertiser_ids: ['1'] } };
    const entry = { token_params: { grant_type: 'authorization_code' } };

    const { calls, issued } = await exchangeOf('tiktok-ads', { responses: [response], entry });

    expect(calls).toEqual([{ at, json: { app_id: 'the-id', secret: 'the-secret', auth_code: 'the-code' } }]);
    expect(issued.credentials).toEqual({ type: 'OAUTH2', access_token: 'T1', raw: response });
  });
});

describe('tiktok-accounts', () => {
  const response = { code: 0, message: 'OK', data: TOKENS };
  const entry = { refresh_url: 'https://acme.test/refresh', refresh_params: { grant_type: 'refresh_token' } };

  it('speaks JSON and has the tokens in "data"', async () => {
    const exchange = await exchangeOf('tiktok-accounts', { responses: [response], entry });
    const refresh = await refreshOf('tiktok-accounts', stored, { responses: [response], entry });

    const { code, ...params } = EXCHANGE_PARAMS;
    expect(exchange.calls).toEqual([{ at, json: { ...params, ...CLIENT_PARAMS, auth_code: code } }]);
    expect(refresh.calls).toEqual([
      { at: 'POST https://acme.test/refresh', json: { ...refreshParams('R0'), ...CLIENT_PARAMS } },
    ]);
    for (const { issued } of [exchange, refresh]) {
      const credentials = { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1', expires_at: IN_A_DAY };
      expect(issued.credentials).toEqual({ ...credentials, raw: response });
    }
  });
});

describe.each(['tiktok-ads', 'tiktok-accounts'])('%s', (provider) => {
  it.each([40_105, '40105'])('is refused by a 200 with the code %s', async (code) => {
    const responses = [{ code, message: 'The auth_code the-code is wrong.', data: {} }];

    await expect(exchangeOf(provider, { responses })).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: 'The provider gave no tokens (status 200): The auth_code REDACTED is wrong.',
    });
  });

  it('needs a token in "data"', async () => {
    await expect(exchangeOf(provider, { responses: [{ code: 0, message: 'OK' }] })).rejects.toMatchObject({
      code: 'unable_to_parse_token_response',
    });
  });
});

describe('tiktok-personal', () => {
  it('calls the client a key', async () => {
    const exchange = await exchangeOf('tiktok-personal', { responses: [TOKENS] });
    const refresh = await refreshOf('tiktok-personal', stored, { responses: [TOKENS] });

    const client = { client_key: 'the-id', client_secret: 'the-secret' };
    expect(exchange.calls).toEqual([{ at, form: { ...EXCHANGE_PARAMS, ...client } }]);
    expect(refresh.calls).toEqual([{ at, form: { ...refreshParams('R0'), ...client } }]);
    expect(refresh.issued.credentials).toMatchObject({ refresh_token: 'R1', expires_at: IN_A_DAY });
  });

  it('says what a 200 without a token says', async () => {
    const responses = [{ error: 'invalid_grant', error_description: 'Refresh token R0000 is invalid.', log_id: 'x' }];

    await expect(
      refreshOf('tiktok-personal', { ...stored, refresh_token: 'R0000' }, { responses }),
    ).rejects.toMatchObject({
      code: 'unable_to_parse_token_response',
      message:
        'The provider answered without an access token (status 200): invalid_grant, Refresh token REDACTED is invalid.',
    });
  });
});
