import { describe, expect, it } from 'vitest';
import {
  basicHeader,
  CLIENT_PARAMS,
  EXCHANGE_PARAMS,
  exchangeOf,
  type GivenResponse,
  recordingContext,
  refreshOf,
  refreshParams,
  TOKEN_URL,
} from '../../../../test/support/token-calls.ts';
import { TOKEN_NOW } from '../../../../test/support/token-fixture.ts';
import type { ProviderDefinition } from '../../../integrations/catalog/entry-schema.ts';
import type { TokenContext } from '../token-context.ts';
import { exchangeCode, refreshTokens } from './oauth2.ts';

const RESPONSE = { access_token: 'T1', refresh_token: 'R1', expires_in: 3600, scope: 'read' };
const HOUR_MS = 3_600_000;
const IN_AN_HOUR = '2026-06-01T13:00:00.000Z';
const at = `POST ${TOKEN_URL}`;
const stored = { access_token: 'T0', refresh_token: 'R0', expires_at: '2026-01-01T00:00:00.000Z', raw: { old: true } };
const exchange = (entry: Partial<ProviderDefinition> = {}, response: GivenResponse = RESPONSE) =>
  exchangeOf('acme', { responses: [response], entry });
const refresh = (entry: Partial<ProviderDefinition> = {}, response: GivenResponse = RESPONSE) =>
  refreshOf('acme', stored, { responses: [response], entry });

describe('exchangeCode: the request', () => {
  it('is a form with the client and the verifier', async () => {
    const { calls, issued } = await exchange();

    expect(calls).toEqual([{ at, form: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
    expect(issued).toEqual({
      credentials: {
        type: 'OAUTH2',
        access_token: 'T1',
        refresh_token: 'R1',
        expires_at: IN_AN_HOUR,
        raw: RESPONSE,
      },
      config: {},
    });
  });

  it.each([
    ['the computer sleeps for ten hours', 10 * HOUR_MS, IN_AN_HOUR],
    ['the clock is set back by ten hours', -10 * HOUR_MS, '2026-06-01T03:00:00.000Z'],
  ])('gives a token that ends an hour after it was sent, although %s before the answer', async (_, byMs, end) => {
    const { context } = recordingContext('acme', { responses: [RESPONSE] });
    let nowMs = TOKEN_NOW;
    const later: TokenContext = {
      ...context,
      now: () => nowMs,
      send: async (request) => {
        const response = await context.send(request);
        nowMs += byMs;
        return response;
      },
    };

    const { credentials } = await exchangeCode(later, {
      client: { id: 'i', secret: 's' },
      code: 'c',
      redirectUri: 'https://hub.test/cb',
    });

    expect(credentials['expires_at']).toBe(end);
  });

  it('has no verifier where PKCE is disabled', async () => {
    const { calls, context } = recordingContext('acme', { responses: [RESPONSE] });

    await exchangeCode(context, { client: { id: 'i', secret: 's' }, code: 'c', redirectUri: 'https://hub.test/cb' });

    expect(calls[0]?.form).toEqual({
      grant_type: 'authorization_code',
      code: 'c',
      redirect_uri: 'https://hub.test/cb',
      client_id: 'i',
      client_secret: 's',
    });
  });

  it('is JSON where the entry says so', async () => {
    const { calls } = await exchange({ body_format: 'json' });

    expect(calls).toEqual([{ at, json: { ...EXCHANGE_PARAMS, ...CLIENT_PARAMS } }]);
  });

  it('names the client in the header only, form-encoded, or in both, as it is', async () => {
    const options = { responses: [RESPONSE], client: { id: 'i d', secret: 's&t' } };

    const header = await exchangeOf('acme', { ...options, entry: { authorization_method: 'header' } });
    const both = await exchangeOf('acme', { ...options, entry: { token_request_auth_method: 'basic' } });

    expect(header.calls).toEqual([
      { at, form: EXCHANGE_PARAMS, headers: { authorization: basicHeader('i+d', 's%26t') } },
    ]);
    const form = { ...EXCHANGE_PARAMS, client_id: 'i d', client_secret: 's&t' };
    expect(both.calls).toEqual([{ at, form, headers: { authorization: basicHeader('i d', 's&t') } }]);
  });

  it('keeps the query of the address and fills it from the configuration', async () => {
    const entry = { token_url: 'https://acme.test/${connectionConfig.tenant}/token?version=2' };

    const { calls } = await exchangeOf('acme', {
      responses: [RESPONSE],
      entry,
      context: { connectionConfig: { tenant: 't 1' } },
    });

    expect(calls[0]).toMatchObject({ at: 'POST https://acme.test/t%201/token', query: { version: '2' } });
  });

  it('adds the parameters of the entry, which win', async () => {
    const entry = { token_params: { code: 'own', region: '${connectionConfig.region}' } };

    const { calls } = await exchangeOf('acme', {
      responses: [RESPONSE],
      entry,
      context: { connectionConfig: { region: 'eu' } },
    });

    expect(calls[0]?.form).toEqual({ ...EXCHANGE_PARAMS, ...CLIENT_PARAMS, code: 'own', region: 'eu' });
  });
});

describe('exchangeCode: the answer', () => {
  it.each<[string, Partial<ProviderDefinition>, Record<string, unknown>, object]>([
    ['an end as a date', {}, { access_token: 'T', expires_at: IN_AN_HOUR }, { expires_at: IN_AN_HOUR }],
    [
      'an end in seconds',
      {},
      { access_token: 'T', expires_at: Date.parse(IN_AN_HOUR) / 1000 },
      { expires_at: IN_AN_HOUR },
    ],
    ['no end', {}, { access_token: 'T' }, { access_token: 'T' }],
    ['a number', {}, { access_token: 17 }, { access_token: '17' }],
    [
      'an object at the alternative path',
      { alternate_access_token_response_path: 'data.user' },
      { data: { user: { access_token: 'T', refresh_token: 'R', expires_in: 3600 } } },
      { access_token: 'T', refresh_token: 'R', expires_at: IN_AN_HOUR },
    ],
    [
      'a text at the alternative path',
      { alternate_access_token_response_path: 'data.token' },
      { data: { token: 'T' } },
      { access_token: 'T' },
    ],
  ])('is read with %s', async (_what, entry, response, expected) => {
    const { issued } = await exchange(entry, response);

    expect(issued.credentials).toMatchObject({ ...expected, raw: response });
  });

  it('gives the texts and booleans that the entry names to the configuration', async () => {
    const entry = { token_response_metadata: ['team.id', 'is_admin', 'count', 'missing'] };

    const { issued } = await exchange(entry, { ...RESPONSE, team: { id: 'T1' }, is_admin: false, count: 3 });

    expect(issued.config).toEqual({ 'team.id': 'T1', is_admin: false });
  });

  it.each<[string, GivenResponse, string, RegExp]>([
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_grant' } },
      'token_exchange_failed',
      /400\): invalid_grant\.$/,
    ],
    ['a redirect', { status: 302, headers: { location: '/x' } }, 'token_exchange_failed', /status 302/],
    ['a page', { status: 200, body: '<html>' }, 'token_exchange_failed', /did not answer with a JSON object/],
    ['a list', { status: 200, body: [RESPONSE] }, 'token_exchange_failed', /did not answer with a JSON object/],
    [
      'a 200 without a token, which repeats the code',
      { error: 'bad_verification_code', error_description: 'The code the-code is wrong.' },
      'unable_to_parse_token_response',
      /\(status 200\): bad_verification_code, The code REDACTED is wrong\.$/,
    ],
    [
      'an empty token',
      { access_token: '' },
      'unable_to_parse_token_response',
      /without an access token \(status 200\)\.$/,
    ],
  ])('fails with %s', async (_what, response, code, message) => {
    await expect(exchange({}, response)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('never shows what was sent', async () => {
    const body = { error_description: 'the-secret and the-code and the-verifier of the-id' };

    await expect(exchange({}, { status: 401, body })).rejects.toMatchObject({
      payload: { status: 401, provider_error: expect.not.stringMatching(/the-(secret|code|verifier)/) },
    });
  });
});

describe('refreshTokens', () => {
  it('sends the refresh token and replaces it by the one of the answer', async () => {
    const { calls, kept, issued } = await refresh();

    expect(calls).toEqual([{ at, form: { ...refreshParams('R0'), ...CLIENT_PARAMS } }]);
    const credentials = { type: 'OAUTH2', access_token: 'T1', refresh_token: 'R1', expires_at: IN_AN_HOUR };
    expect(issued).toEqual({ credentials: { ...credentials, raw: RESPONSE } });
    expect(kept).toEqual([issued]);
  });

  it.each([undefined, '', null])('keeps the one in use when the answer has %j', async (token) => {
    const { issued } = await refresh({}, { access_token: 'T1', refresh_token: token });

    expect(issued.credentials).toMatchObject({ access_token: 'T1', refresh_token: 'R0' });
    expect(issued.credentials.expires_at).toBeUndefined();
  });

  it.each<[string, Partial<ProviderDefinition>, Record<string, string>]>([
    [
      'the parameters of the exchange but for its grant type',
      { token_params: { grant_type: 'authorization_code', audience: 'api' } },
      { ...refreshParams('R0'), audience: 'api' },
    ],
    [
      'its own parameters instead',
      { token_params: { audience: 'api' }, refresh_params: { scope: '${connectionConfig.scope}' } },
      { ...refreshParams('R0'), scope: 'all' },
    ],
    [
      'its own grant type and token',
      { refresh_params: { grant_type: 'renew', refresh_token: 'fixed' } },
      { grant_type: 'renew', refresh_token: 'fixed' },
    ],
    [
      'its own parameters, whatever those of the exchange lack',
      { token_params: { shop: '${connectionConfig.missing}' }, refresh_params: { a: 'b' } },
      { ...refreshParams('R0'), a: 'b' },
    ],
  ])('sends %s', async (_what, entry, form) => {
    const context = { connectionConfig: { scope: 'all' } };

    const { calls } = await refreshOf('acme', stored, { responses: [RESPONSE], entry, context });

    expect(calls[0]?.form).toEqual({ ...form, ...CLIENT_PARAMS });
  });

  it('goes to the address of refreshes', async () => {
    const entry = { refresh_url: 'https://acme.test/${connectionConfig.tenant}/refresh' };
    const context = { connectionConfig: { tenant: 't1' } };

    const { calls } = await refreshOf('acme', stored, { responses: [RESPONSE], entry, context });

    expect(calls[0]?.at).toBe('POST https://acme.test/t1/refresh');
  });

  it('keeps the client of the connection and leaves the configuration alone', async () => {
    const own = { client_id: 'own', client_secret: 'own-secret' };
    const entry = { token_response_metadata: ['scope'] };

    const { issued } = await refreshOf('acme', { ...stored, config_override: own }, { responses: [RESPONSE], entry });

    expect(issued.credentials['config_override']).toEqual(own);
    expect(issued.config).toBeUndefined();
  });

  it.each<[string, GivenResponse, string, string]>([
    [
      'a refusal',
      { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been revoked.' } },
      'refresh_token_external_error',
      'The provider gave no tokens (status 400): invalid_grant, Token has been revoked.',
    ],
    [
      'a 200 without a token',
      { error: 'invalid_refresh_token' },
      'unable_to_parse_token_response',
      'The provider answered without an access token (status 200): invalid_refresh_token.',
    ],
  ])('fails with %s and keeps nothing', async (_what, response, code, message) => {
    const { calls, context, kept } = recordingContext('acme', { responses: [response] });

    const failing = refreshTokens(context, { id: 'i', secret: 's' }, { type: 'OAUTH2', ...stored });

    await expect(failing).rejects.toMatchObject({ code, message });
    expect([calls.length, kept]).toEqual([1, []]);
  });
});
