import { describe, expect, it } from 'vitest';
import {
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';

const MAIN = { access_token: 'T1', refresh_token: 'R1', expires_in: 3600 };
const SECOND = { access_token: 'S1', refresh_token: 'SR1', expires_in: 3600, scope: 'Sites.Read.All', token_type: 'x' };
const HOUR_MS = 3_600_000;
const stored = { access_token: 'T0', refresh_token: 'R0' };
const mainCall = { at: `POST ${TOKEN_URL}`, form: { ...refreshParams('R0'), ...CLIENT_PARAMS } };
const secondAt = 'POST https://login.microsoftonline.com/tid-1/oauth2/v2.0/token';

describe.each(['one-drive', 'sharepoint-online'])('%s', (provider) => {
  const tenant = { tenantId: 'tid-1' };
  const second = { access_token: 'S0', refresh_token: 'SR0', expires_in: 3600, scope: 'old', expires_at: TOKEN_NOW };
  const secondCall = (token: string) => ({
    at: secondAt,
    form: { ...refreshParams(token), scope: 'https://tid-1.sharepoint.com/Sites.Read.All', ...CLIENT_PARAMS },
  });

  it('exchanges as others do', async () => {
    const { calls } = await exchangeOf(provider, { responses: [MAIN] });

    expect(calls).toEqual([{ at: `POST ${TOKEN_URL}`, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
  });

  it('renews the token for SharePoint, too', async () => {
    const context = { connectionConfig: { ...tenant, sharepointAccessToken: second } };

    const { calls, kept, issued } = await refreshOf(provider, stored, { responses: [MAIN, SECOND], context });

    expect(calls).toEqual([mainCall, secondCall('SR0')]);
    expect(kept).toEqual([{ credentials: issued.credentials }]);
    expect(issued).toEqual({
      credentials: expect.objectContaining({ access_token: 'T1', refresh_token: 'R1', raw: MAIN }),
      config: {
        sharepointAccessToken: {
          access_token: 'S1',
          refresh_token: 'SR1',
          expires_in: 3600,
          scope: 'Sites.Read.All',
          expires_at: TOKEN_NOW + HOUR_MS,
        },
      },
    });
  });

  it.each([
    ['its own refresh token', second, 'SR0', { refresh_token: 'SR0', scope: 'old' }],
    ["the connection's", { access_token: 'S0', expires_at: TOKEN_NOW }, 'R1', {}],
  ])('renews it with %s', async (_whose, sharepointAccessToken, sent, kept) => {
    const context = { connectionConfig: { ...tenant, sharepointAccessToken } };
    const response = { access_token: 'S1', expires_in: '60' };

    const { calls, issued } = await refreshOf(provider, stored, { responses: [MAIN, response], context });

    expect(calls[1]).toEqual(secondCall(sent));
    expect(issued.config).toEqual({
      sharepointAccessToken: { ...kept, access_token: 'S1', expires_in: 60, expires_at: TOKEN_NOW + 60_000 },
    });
  });

  it.each([{ tenantId: 'tid-1' }, { sharepointAccessToken: second }, { ...tenant, sharepointAccessToken: 'text' }])(
    'asks for no second token with %j',
    async (connectionConfig) => {
      const { calls } = await refreshOf(provider, stored, { responses: [MAIN], context: { connectionConfig } });

      expect(calls).toEqual([mainCall]);
    },
  );

  it('says what Microsoft refuses, and has kept the new tokens by then', async () => {
    const context = { connectionConfig: { ...tenant, sharepointAccessToken: second } };
    const refused = { status: 400, body: { error: 'invalid_grant', error_description: 'AADSTS70008: SR0 expired.' } };
    const kept: unknown[] = [];

    const refresh = refreshOf(provider, stored, {
      responses: [MAIN, refused],
      context: { ...context, keep: ({ credentials }) => kept.push(credentials['refresh_token']) },
    });

    await expect(refresh).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 400): invalid_grant, AADSTS70008: SR0 expired.',
    });
    expect(kept).toEqual(['R1']);
  });

  it('needs a second token in the answer', async () => {
    const context = { connectionConfig: { ...tenant, sharepointAccessToken: second } };

    await expect(refreshOf(provider, stored, { responses: [MAIN, {}], context })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
    });
  });
});

describe('microsoft-teams-bot', () => {
  it('asks for a token of the app in the tenant of the bot', async () => {
    const context = { connectionConfig: { botHostTenantId: 'tid-1' } };
    const response = { access_token: 'B1', expires_in: 3600 };

    const { calls, issued } = await refreshOf('microsoft-teams-bot', stored, { responses: [MAIN, response], context });

    const form = {
      grant_type: 'client_credentials',
      scope: 'https://api.botframework.com/.default',
      ...CLIENT_PARAMS,
    };
    expect(calls).toEqual([mainCall, { at: secondAt, form }]);
    expect(issued.config).toEqual({
      botFrameworkAccessToken: { access_token: 'B1', expires_in: 3600, expires_at: TOKEN_NOW + HOUR_MS },
    });
  });

  it('does without one when no tenant is known', async () => {
    const { calls, issued } = await refreshOf('microsoft-teams-bot', stored, { responses: [MAIN] });

    expect(calls).toEqual([mainCall]);
    expect(issued.config).toBeUndefined();
  });
});

describe('microsoft-admin', () => {
  const options = {
    responses: [{ access_token: 'T1', expires_in: 3600 }],
    entry: { token_url: 'https://login.test/${connectionConfig.tenant}/token', token_params: { extra: 'x' } },
    context: { connectionConfig: { tenant: 'tid-1' }, app: { scopes: 'a/.default,b' } },
  };
  const form = { grant_type: 'client_credentials', scope: 'a/.default b', ...CLIENT_PARAMS };
  const at = 'POST https://login.test/tid-1/token';

  it('asks for itself instead of exchanging or refreshing', async () => {
    const exchange = await exchangeOf('microsoft-admin', options);
    const refresh = await refreshOf('microsoft-admin', { access_token: 'T0' }, options);

    expect([exchange.calls, refresh.calls]).toEqual([[{ at, form }], [{ at, form }]]);
    const credentials = { type: 'OAUTH2', access_token: 'T1', expires_at: '2026-06-01T13:00:00.000Z' };
    expect(refresh.issued.credentials).toEqual({ ...credentials, raw: options.responses[0] });
  });
});
