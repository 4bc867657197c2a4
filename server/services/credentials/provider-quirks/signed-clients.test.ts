import { createHmac, generateKeyPairSync } from 'node:crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  EXCHANGE_PARAMS,
  exchangeOf,
  refreshOf,
  refreshParams,
  type SeenCall,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const IN_AN_HOUR = '2026-06-01T13:00:00.000Z';

describe('revolut-business', () => {
  const client = { id: 'the-id', secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const answer = { access_token: 'T1', token_type: 'bearer', expires_in: 3600 };

  async function checkAssertion({ form: { client_assertion: assertion = '', ...form } = {} }: SeenCall) {
    const options = { currentDate: new Date(TOKEN_NOW), audience: 'https://revolut.com', issuer: 'hub.test' };
    const { payload } = await jwtVerify(assertion, publicKey, options);
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'RS256', typ: 'JWT' });
    expect(payload).toMatchObject({ sub: 'the-id', exp: TOKEN_NOW / 1000 + 300 });
    return form;
  }

  it('proves the client by an assertion for the host it comes back to', async () => {
    const { calls, issued } = await exchangeOf('revolut-business', {
      answers: [{ ...answer, refresh_token: 'R1' }],
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

    const { calls, issued } = await refreshOf('revolut-business', stored, { answers: [answer], client, context });

    expect(await checkAssertion(calls[0] as SeenCall)).toEqual({
      ...refreshParams('R0'),
      client_id: 'the-id',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    });
    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R0', expires_at: IN_AN_HOUR });
  });

  it('asks nothing without a host', async () => {
    await expect(refreshOf('revolut-business', { refresh_token: 'R0' }, { answers: [], client })).rejects.toMatchObject(
      {
        code: 'missing_connection_config',
      },
    );
  });

  it('asks nothing without a key', async () => {
    const wrong = { id: 'the-id', secret: 'canary' };

    await expect(exchangeOf('revolut-business', { answers: [], client: wrong })).rejects.toMatchObject({
      code: 'invalid_certificate_or_key_format',
      message: expect.not.stringContaining('canary'),
    });
  });
});

describe('shopline-oauth', () => {
  const answer = {
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
    const { calls, issued } = await exchangeOf('shopline-oauth', { answers: [answer], entry });

    const body = '{"code":"the-code"}';
    expect(calls).toEqual([{ at: `POST ${entry.token_url}`, json: { code: 'the-code' }, headers: headersFor(body) }]);
    expect(issued.credentials).toEqual({
      type: 'OAUTH2',
      access_token: 'T1',
      expires_at: IN_AN_HOUR,
      raw: answer,
    });
  });

  it.each([entry, { ...entry, refresh_url: 'https://shop.test/admin/oauth/token/refresh' }])(
    'signs again to refresh, without a refresh token: %j',
    async (addresses) => {
      const { calls, issued } = await refreshOf(
        'shopline-oauth',
        { access_token: 'T0' },
        { answers: [answer], entry: addresses },
      );

      const at = 'POST https://shop.test/admin/oauth/token/refresh';
      expect(calls).toEqual([{ at, json: {}, headers: headersFor('{}') }]);
      expect(issued.credentials).toMatchObject({ access_token: 'T1', expires_at: IN_AN_HOUR });
    },
  );

  it('is refused by a 200 with another code', async () => {
    const answers = [
      { code: 500, i18nCode: 'STORE_NOT_INSTALL_APP', message: 'The store has no such app', data: null },
    ];

    await expect(refreshOf('shopline-oauth', { access_token: 'T0' }, { answers, entry })).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      message: 'The provider gave no tokens (status 200): The store has no such app.',
    });
  });

  it('needs a token in "data"', async () => {
    const refresh = refreshOf('shopline-oauth', {}, { answers: [{ code: 200, data: null }], entry });

    await expect(refresh).rejects.toMatchObject({ code: 'unable_to_parse_token_response' });
  });
});
