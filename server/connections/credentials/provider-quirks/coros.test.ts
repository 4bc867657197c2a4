import { describe, expect, it } from 'vitest';
import {
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const IN_30_DAYS = '2026-07-01T12:00:00.000Z';
const stored = { access_token: 'T0', refresh_token: 'R0' };
const entry = { refresh_url: 'https://acme.test/oauth2/refresh-token' };
const refreshCall = { at: `POST ${entry.refresh_url}`, form: { ...refreshParams('R0'), ...CLIENT_PARAMS } };

describe.each(['coros', 'coros-sandbox'])('%s', (provider) => {
  it('exchanges by the common form', async () => {
    const response = { expires_in: 2_592_000, refresh_token: 'R1', access_token: 'T1', openId: 'o1' };

    const { calls, issued } = await exchangeOf(provider, { responses: [response], entry });

    expect(calls).toEqual([{ at: `POST ${TOKEN_URL}`, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R1', expires_at: IN_30_DAYS });
  });

  it('has its token prolonged by a refresh', async () => {
    const response = { result: '0000', message: 'OK' };

    const { calls, issued } = await refreshOf(provider, stored, { responses: [response], entry });

    expect(calls).toEqual([refreshCall]);
    expect(issued.credentials).toEqual({ type: 'OAUTH2', ...stored, expires_at: IN_30_DAYS, raw: response });
  });

  it('takes new tokens when there are some', async () => {
    const response = { access_token: 'T1', refresh_token: 'R1', expires_in: 2_592_000 };

    const { issued } = await refreshOf(provider, stored, { responses: [response], entry });

    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R1' });
  });

  it('is refused by a 200 with another result', async () => {
    const responses = [{ result: '1001', message: 'Service exception' }];

    await expect(refreshOf(provider, stored, { responses, entry })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 200): Service exception.',
    });
  });
});
