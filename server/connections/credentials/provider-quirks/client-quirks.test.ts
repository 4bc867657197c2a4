import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  basicHeader,
  CLIENT,
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  type SeenCall,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW, TOKEN_UUID } from '../../../../test/support/token-fixture.ts';

const AT = `POST ${TOKEN_URL}`;
const AUTHORIZATION = basicHeader(CLIENT.id, CLIENT.secret);
const RESPONSE = { access_token: 'T1', refresh_token: 'R1', expires_in: 7200 };
const stored = { access_token: 'T0', refresh_token: 'R0' };
const IN_TWO_HOURS = '2026-06-01T14:00:00.000Z';
const IN_AN_HOUR = '2026-06-01T13:00:00.000Z';

describe.each(['workday-oauth', 'fanvue', 'followupboss'])('%s', (provider) => {
  it('names the client in a header only', async () => {
    const exchange = await exchangeOf(provider, { responses: [RESPONSE] });
    const refresh = await refreshOf(provider, stored, { responses: [RESPONSE] });

    const headers = { authorization: AUTHORIZATION };
    expect(exchange.calls).toEqual([{ at: AT, form: EXCHANGE_PARAMS, headers }]);
    expect(refresh.calls).toEqual([{ at: AT, form: refreshParams('R0'), headers }]);
    const credentials = { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1', expires_at: IN_TWO_HOURS };
    expect(exchange.issued.credentials).toEqual({ ...credentials, raw: RESPONSE });
    expect(refresh.issued.credentials).toEqual({ ...credentials, raw: RESPONSE });
  });

  it('says what the provider refuses', async () => {
    const refused = { status: 401, body: { error: 'invalid_client', error_description: 'No client the-id' } };

    const refresh = refreshOf(provider, stored, { responses: [refused] });

    await expect(refresh).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 401): invalid_client, No client the-id.',
    });
  });
});

describe('workday-oauth', () => {
  it.each([
    [{ overrideTokenRefresh: true }, 'R0'],
    [{ overrideTokenRefresh: 'true' }, 'R1'],
    [{}, 'R1'],
  ])('with %j goes on with refresh token %s', async (connectionConfig, expected) => {
    const { issued } = await refreshOf('workday-oauth', stored, {
      responses: [RESPONSE],
      context: { connectionConfig },
    });

    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: expected });
  });
});

describe('agiloft', () => {
  const client = { id: 'the-id', secret: '0123456789abcdefghijREST' };
  const headers = { authorization: basicHeader(client.id, client.secret) };

  it('renews with the first 20 characters of the secret', async () => {
    const exchange = await exchangeOf('agiloft', { responses: [RESPONSE], client });
    const refresh = await refreshOf('agiloft', stored, { responses: [RESPONSE], client });

    expect(exchange.calls).toEqual([{ at: AT, form: EXCHANGE_PARAMS, headers }]);
    const form = { ...refreshParams('R0'), client_id: 'the-id', md5_secret: '0123456789abcdefghij' };
    expect(refresh.calls).toEqual([{ at: AT, form, headers }]);
  });
});

describe('walmart', () => {
  const context = { connectionConfig: { sellerId: '43423324' } };
  const headers = {
    authorization: AUTHORIZATION,
    'wm_partner.id': '43423324',
    'wm_qos.correlation_id': TOKEN_UUID,
    'wm_svc.name': 'Walmart Marketplace',
  };

  it('names the seller and the service in headers', async () => {
    const exchange = await exchangeOf('walmart', { responses: [RESPONSE], context });
    const refresh = await refreshOf('walmart', stored, { responses: [RESPONSE], context });

    expect(exchange.calls).toEqual([{ at: AT, form: EXCHANGE_PARAMS, headers }]);
    expect(refresh.calls).toEqual([{ at: AT, form: refreshParams('R0'), headers }]);
    expect(exchange.issued.credentials.expires_at).toBe(IN_TWO_HOURS);
  });

  it.each([{}, { sellerId: '' }])('asks nothing without a seller: %j', async (connectionConfig) => {
    await expect(exchangeOf('walmart', { responses: [], context: { connectionConfig } })).rejects.toMatchObject({
      code: 'missing_connection_config',
    });
  });

  it('takes no seller that would end the header', async () => {
    const forged = { connectionConfig: { sellerId: '1\r\nx-other: 2' } };

    await expect(exchangeOf('walmart', { responses: [], context: forged })).rejects.toMatchObject({
      code: 'invalid_headers',
    });
  });
});

describe('absorb-lms', () => {
  const context = { connectionConfig: { apiKey: 'portal-key' } };
  const headers = { 'x-api-key': 'portal-key', 'x-api-version': '2', nonce: TOKEN_UUID };

  it('adds the key of the portal, a version and a nonce', async () => {
    const exchange = await exchangeOf('absorb-lms', { responses: [RESPONSE], context });
    const refresh = await refreshOf('absorb-lms', stored, { responses: [RESPONSE], context });

    expect(exchange.calls).toEqual([{ at: AT, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS }, headers }]);
    expect(refresh.calls).toEqual([{ at: AT, form: { ...refreshParams('R0'), ...CLIENT_PARAMS }, headers }]);
  });
});

describe.each(['stripe-app', 'stripe-app-sandbox'])('%s', (provider) => {
  const { expires_in: _lifetime, ...response } = RESPONSE;
  const headers = { authorization: basicHeader(CLIENT.secret, '') };

  it('uses the secret as the user, sends what Stripe knows, and lasts an hour', async () => {
    const exchange = await exchangeOf(provider, { responses: [response] });
    const refresh = await refreshOf(provider, stored, { responses: [response] });

    expect(exchange.calls).toEqual([{ at: AT, form: { grant_type: 'authorization_code', code: 'the-code' }, headers }]);
    expect(refresh.calls).toEqual([{ at: AT, form: refreshParams('R0'), headers }]);
    for (const { issued } of [exchange, refresh]) {
      expect(issued.credentials).toMatchObject({ access_token: 'T1', expires_at: IN_AN_HOUR, raw: response });
    }
  });
});

describe('jobber', () => {
  it('sends the common form and lasts an hour', async () => {
    const response = { access_token: 'T1', refresh_token: 'R1' };

    const exchange = await exchangeOf('jobber', { responses: [response] });
    const refresh = await refreshOf('jobber', stored, { responses: [response] });

    expect(exchange.calls).toEqual([{ at: AT, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(refresh.calls).toEqual([{ at: AT, form: { ...refreshParams('R0'), ...CLIENT_PARAMS } }]);
    expect(refresh.issued.credentials).toMatchObject({ refresh_token: 'R1', expires_at: IN_AN_HOUR });
  });
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

describe('revolut-business', () => {
  const client = { id: 'the-id', secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const response = { access_token: 'T1', token_type: 'bearer', expires_in: 3600 };

  async function checkAssertion({ form: { client_assertion: assertion = '', ...form } = {} }: SeenCall) {
    const options = { currentDate: new Date(TOKEN_NOW), audience: 'https://revolut.com', issuer: 'hub.test' };
    const { payload } = await jwtVerify(assertion, publicKey, options);
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toMatchObject({ sub: 'the-id', exp: TOKEN_NOW / 1000 + 300 });
    return form;
  }

  it('proves the client by an assertion for the host it comes back to', async () => {
    const { calls, issued } = await exchangeOf('revolut-business', {
      responses: [{ ...response, refresh_token: 'R1' }],
      client,
    });

    expect(calls).toHaveLength(1);
    expect(await checkAssertion(calls[0] as SeenCall)).toEqual({
      ...EXCHANGE_PARAMS,
      client_id: 'the-id',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(issued.config).toEqual({ assertion_issuer: 'hub.test' });
    expect(issued.credentials).toMatchObject({ refresh_token: 'R1', expires_at: IN_AN_HOUR });
  });

  it('proves it again when it refreshes', async () => {
    const context = { connectionConfig: { assertion_issuer: 'hub.test' } };
    const stored = { access_token: 'T0', refresh_token: 'R0' };

    const { calls, issued } = await refreshOf('revolut-business', stored, { responses: [response], client, context });

    expect(await checkAssertion(calls[0] as SeenCall)).toEqual({
      ...refreshParams('R0'),
      client_id: 'the-id',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R0', expires_at: IN_AN_HOUR });
  });

  it('asks nothing without a host', async () => {
    await expect(
      refreshOf('revolut-business', { refresh_token: 'R0' }, { responses: [], client }),
    ).rejects.toMatchObject({
      code: 'missing_connection_config',
    });
  });

  it('asks nothing without a key', async () => {
    const wrong = { id: 'the-id', secret: 'canary' };

    await expect(exchangeOf('revolut-business', { responses: [], client: wrong })).rejects.toMatchObject({
      code: 'invalid_certificate_or_key_format',
      message: expect.not.stringContaining('canary'),
    });
  });
});

describe('shopline-oauth', () => {
  const response = {
    code: 200,
    i18nCode: 'SUCCESS',
    data: { accessToken: 'T1', expireTime: '2026-06-01T13:00:00.000+00:00', scope: 'read_products' },
  };
  const entry = { token_url: 'https://shop.test/admin/oauth/token/create' };
  const signature = (body: string) =>
    createHmac('sha256', 'the-secret')
      .update(body + TOKEN_NOW)
      .digest('hex');
  const headersFor = (body: string) => ({ appkey: 'the-id', timestamp: String(TOKEN_NOW), sign: signature(body) });

  it('signs the body and the time', async () => {
    const { calls, issued } = await exchangeOf('shopline-oauth', { responses: [response], entry });

    const body = '{"code":"the-code"}';
    expect(calls).toEqual([{ at: `POST ${entry.token_url}`, json: { code: 'the-code' }, headers: headersFor(body) }]);
    expect(issued.credentials).toEqual({
      type: 'OAUTH2',
      access_token: 'T1',
      expires_at: IN_AN_HOUR,
      raw: response,
    });
  });

  it.each([entry, { ...entry, refresh_url: 'https://shop.test/admin/oauth/token/refresh' }])(
    'signs again to refresh, without a refresh token: %j',
    async (addresses) => {
      const { calls, issued } = await refreshOf(
        'shopline-oauth',
        { access_token: 'T0' },
        { responses: [response], entry: addresses },
      );

      const at = 'POST https://shop.test/admin/oauth/token/refresh';
      expect(calls).toEqual([{ at, json: {}, headers: headersFor('{}') }]);
      expect(issued.credentials).toMatchObject({ access_token: 'T1', expires_at: IN_AN_HOUR });
    },
  );

  it('is refused by a 200 with another code', async () => {
    const responses = [
      { code: 500, i18nCode: 'STORE_NOT_INSTALL_APP', message: 'The store has no such app', data: null },
    ];

    await expect(refreshOf('shopline-oauth', { access_token: 'T0' }, { responses, entry })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 200): The store has no such app.',
    });
  });

  it('needs a token in "data"', async () => {
    const refresh = refreshOf('shopline-oauth', {}, { responses: [{ code: 200, data: null }], entry });

    await expect(refresh).rejects.toMatchObject({ code: 'unable_to_parse_token_response' });
  });
});
