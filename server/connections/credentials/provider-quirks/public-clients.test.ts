import { describe, expect, it } from 'vitest';
import {
  basicHeader,
  CLIENT,
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';

const RESPONSE = { access_token: 'T1', refresh_token: 'R1', expires_in: 3600 };
const stored = { access_token: 'T0', refresh_token: 'R0' };
const at = `POST ${TOKEN_URL}`;

describe.each(['heygen', 'posthog-oauth', 'attio-mcp'])('%s', (provider) => {
  it.each([CLIENT.secret, undefined])('never sends a secret, of which there is %s', async (secret) => {
    const client = { id: 'the-id', secret };

    const exchange = await exchangeOf(provider, { responses: [RESPONSE], client });
    const refresh = await refreshOf(provider, stored, { responses: [RESPONSE], client });

    expect(exchange.calls).toEqual([{ at, form: { ...EXCHANGE_PARAMS, client_id: 'the-id' } }]);
    expect(refresh.calls).toEqual([{ at, form: { ...refreshParams('R0'), client_id: 'the-id' } }]);
  });
});

describe('mercury', () => {
  it('names no client in the body', async () => {
    const exchange = await exchangeOf('mercury', { responses: [RESPONSE] });
    const refresh = await refreshOf('mercury', stored, { responses: [RESPONSE] });

    expect(exchange.calls).toEqual([{ at, form: EXCHANGE_PARAMS }]);
    expect(refresh.calls).toEqual([{ at, form: refreshParams('R0') }]);
  });

  it('names it in the header where the entry says so', async () => {
    const entry = { authorization_method: 'header' as const };

    const { calls } = await refreshOf('mercury', stored, { responses: [RESPONSE], entry });

    expect(calls).toEqual([
      { at, form: refreshParams('R0'), headers: { authorization: basicHeader('the-id', 'the-secret') } },
    ]);
  });
});
