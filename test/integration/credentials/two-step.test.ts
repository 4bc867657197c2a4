import { generateKeyPairSync } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { issueTwoStep } from '../../../server/connections/credentials/auth-modes/issue-two-step.ts';
import type { TokenContext } from '../../../server/connections/credentials/token-context.ts';
import type { ProviderDefinition } from '../../../server/integrations/catalog/entry-schema.ts';
import { FakeProvider } from '../../support/fake-provider.ts';
import { TOKEN_NOW, TOKEN_UUID, tokenContext } from '../../support/token-fixture.ts';

const HOUR = 3_600_000;
const YEARS_99 = 99 * 365 * 24 * HOUR;
const given = { user: 'me', apiKey: 'canary-key' };

let provider: FakeProvider;

beforeEach(async () => {
  provider = await FakeProvider.start();
  provider.on('POST /token', { body: { access: { token: 'T' } } });
});

afterEach(() => provider.stop());

function issue(
  rules: Partial<ProviderDefinition> = {},
  values: Record<string, unknown> = given,
  parts: Partial<TokenContext> = {},
) {
  const entry = {
    auth_mode: 'TWO_STEP' as const,
    token_url: `${provider.address}/token`,
    token_params: { key: '${credentials.apiKey}' },
    token_response: { token: 'access.token' },
    ...rules,
  };
  return issueTwoStep(tokenContext({ ...parts, entry }), values);
}

const received = (index = 0) => {
  const { method, url, headers, body } = provider.requests[index]!;
  return { method, url, headers, body: body.toString() };
};

const inMs = (afterMs: number): string => new Date(TOKEN_NOW + afterMs).toISOString();

function jwt(expiresAtMs: number): Promise<string> {
  return new SignJWT({ exp: expiresAtMs / 1_000 }).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32));
}

describe('mintTwoStep: the request', () => {
  it('sends JSON with nested members, dropping what has no value', async () => {
    await issue({
      token_params: {
        auth: { key: '${credentials.apiKey}', none: '${credentials.none}' },
        empty: { none: '${connectionConfig.none}' },
        list: ['${credentials.user}', '${credentials.none}', { id: '${random}' }],
        date: '${now+7:days:YYYY-MM-DD}',
        bare: '${user}',
      },
    });

    expect(received()).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(received().body)).toEqual({
      auth: { key: 'canary-key' },
      list: ['me', { id: TOKEN_UUID }],
      date: '2026-06-08',
      bare: 'me',
    });
  });

  it('sends a form, with nested members in brackets', async () => {
    await issue({ body_format: 'form', token_params: { a: { b: 'x y' }, key: '${apiKey}' } });

    expect(received()).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a%5Bb%5D=x+y&key=canary-key',
    });
  });

  it('sends XML whose attributes are written with $, and escapes values', async () => {
    await issue(
      {
        body_format: 'xml',
        token_params: { login: { $version: '2"', user: '${user}', key: { $kind: 'api', '#text': '${apiKey}' } } },
      },
      { user: 'a<b>&c', apiKey: 'k' },
    );

    expect(received()).toMatchObject({
      headers: { 'content-type': 'application/xml' },
      body: '<?xml version="1.0" encoding="UTF-8"?><login version="2&quot;"><user>a&lt;b&gt;&amp;c</user><key kind="api">k</key></login>',
    });
  });

  it('reads an answer in XML', async () => {
    provider.on('POST /token', { body: '<?xml version="1.0"?><r><access><token>007</token></access></r>' });

    const { credentials } = await issue({ token_response: { token: 'r.access.token' } });

    expect(credentials).toMatchObject({ token: '007', raw: { r: { access: { token: '007' } } } });
  });

  it('asks by GET, with the parameters in the query and the headers of the entry', async () => {
    provider.on('GET /token', { body: { access: { token: 'T' } } });

    await issue({
      token_request_method: 'GET',
      token_headers: {
        Authorization: 'Basic ${base64(${credentials.user}:${credentials.apiKey})}',
        Accept: 'text/plain',
        'x-none': '${credentials.none}',
      },
    });

    expect(received()).toMatchObject({ method: 'GET', url: '/token?key=canary-key', body: '' });
    expect(received().headers).toMatchObject({
      authorization: `Basic ${Buffer.from('me:canary-key').toString('base64')}`,
      accept: 'text/plain',
    });
    expect(received().headers).not.toHaveProperty('x-none');
  });

  it('refuses values that would end a header', async () => {
    const rules = { token_headers: { 'x-key': '${credentials.apiKey}' } };

    await expect(issue(rules, { apiKey: 'canary\r\nx: y' })).rejects.toMatchObject({
      code: 'invalid_headers',
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });

  it('prefers what the integration presets and keeps it off the connection', async () => {
    const field = { type: 'string', title: 'K', description: 'K' } as const;
    const { credentials } = await issue({ integration_config: { apiKey: field, other: field } }, given, {
      custom: { apiKey: 'preset-key', other: '', stray: 's' },
    });

    expect(JSON.parse(received().body)).toEqual({ key: 'preset-key' });
    expect(credentials).toEqual({
      type: 'TWO_STEP',
      user: 'me',
      token: 'T',
      expires_at: inMs(YEARS_99),
      raw: { access: { token: 'T' } },
    });
  });

  it('signs a token with the key of the entry first', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const { credentials } = await issue(
      {
        signature: { protocol: 'RSA' },
        token: {
          signing_key: '${credentials.privateKey}',
          expires_in_ms: 300_000,
          header: { alg: 'RS256' },
          payload: { iss: '${credentials.user}' },
        },
        token_params: { assertion: '${token}' },
      },
      { user: 'me', privateKey: pem },
    );

    const sent = JSON.parse(received().body) as { assertion: string };
    const { payload } = await jwtVerify(sent.assertion, publicKey, { currentDate: new Date(TOKEN_NOW) });
    expect(payload).toEqual({ iss: 'me', iat: TOKEN_NOW / 1_000, exp: TOKEN_NOW / 1_000 + 300 });
    expect(credentials).toMatchObject({ token: 'T', privateKey: pem });
  });
});

describe('mintTwoStep: further steps', () => {
  const second = {
    token_url: '${connectionConfig.base}/ticket/${step1.id}',
    token_params: { grant: '${step1.access.token}', key: '${credentials.apiKey}' },
    token_headers: { 'x-id': '${step1.id}' },
  };
  const parts = () => ({ connectionConfig: { base: provider.address } });

  beforeEach(() => {
    provider.on('POST /token', { status: 201, body: { id: 'a/b', access: { token: 'T1' } } });
    provider.on('POST /ticket/a%2Fb', { body: { ticket: 'T2' } });
    provider.on('GET /last', { body: { access: { token: 'T3' }, raw: 'r' } });
  });

  it('read the answers before them; the last one gives the token', async () => {
    const { credentials } = await issue(
      {
        additional_steps: [
          second,
          {
            token_url: `${provider.address}/last`,
            token_request_method: 'GET',
            token_params: { t: '${step2.ticket}' },
          },
        ],
      },
      given,
      parts(),
    );

    expect(provider.requests.map(({ url }) => url)).toEqual(['/token', '/ticket/a%2Fb', '/last?t=T2']);
    expect(JSON.parse(received(1).body)).toEqual({ grant: 'T1', key: 'canary-key' });
    expect(received(1).headers['x-id']).toBe('a/b');
    expect(credentials).toMatchObject({ token: 'T3', raw: { access: { token: 'T3' }, raw: 'r' } });
    expect(credentials).not.toHaveProperty('step1');
  });

  it('must each answer 200 and say which one did not', async () => {
    provider.on('POST /token', { body: { id: 'a/b', access: { token: 'canary-step-token' }, word: 'here' } });
    provider.on('POST /ticket/a%2Fb', {
      status: 201,
      body: { error: { message: 'No canary-key, no canary-step-token here.' } },
    });

    await expect(issue({ additional_steps: [second] }, given, parts())).rejects.toMatchObject({
      code: 'invalid_two_step_credentials_step_2',
      status: 400,
      message: 'The provider refused token request 2 (status 201): No REDACTED, no REDACTED here.',
    });
  });

  it('have the general code beyond the fifth', async () => {
    const step = { token_url: `${provider.address}/token` };
    provider.on('POST /token', () => ({ status: provider.requests.length === 6 ? 403 : 200, body: {} }));

    await expect(issue({ additional_steps: Array(6).fill(step) })).rejects.toMatchObject({
      code: 'invalid_two_step_credentials',
      message: 'The provider refused token request 6 (status 403).',
    });
  });
});

describe('mintTwoStep: renewal', () => {
  const rules = {
    refresh_token_params: { refresh: '${refresh_token}', old: '${credentials.token}' },
    token_headers: { 'x-h': 'login' },
    token_response: { token: 'access.token', refresh_token: 'access.refresh' },
  };
  const stored = { ...given, type: 'TWO_STEP', token: 'T0', refresh_token: 'R0', expires_at: inMs(0), raw: {} };

  it('uses the refresh call when a refresh token is stored', async () => {
    provider.on('POST /refresh', { body: { access: { token: 'T', refresh: 'R' } } });

    const { credentials } = await issue({ ...rules, refresh_url: `${provider.address}/refresh` }, stored);

    expect(received()).toMatchObject({ url: '/refresh', headers: { 'x-h': 'login' } });
    expect(JSON.parse(received().body)).toEqual({ refresh: 'R0', old: 'T0' });
    expect(credentials).toMatchObject({ ...given, token: 'T', refresh_token: 'R' });
  });

  it('uses the headers of the refresh call, at the token address when it has none of its own', async () => {
    await issue(
      { ...rules, refresh_token_params: undefined, refresh_token_headers: { 'x-r': '${refresh_token}' } },
      stored,
    );

    expect(received()).toMatchObject({ url: '/token', headers: { 'x-r': 'R0' }, body: '{}' });
    expect(received().headers).not.toHaveProperty('x-h');
  });

  it('logs in again when there is no refresh call or no refresh token', async () => {
    const { refresh_token_params: _call, ...without } = rules;
    await issue(without, stored);
    const { credentials } = await issue(rules, { ...stored, refresh_token: undefined });

    expect([received(0).body, received(1).body]).toEqual(['{"key":"canary-key"}', '{"key":"canary-key"}']);
    expect(credentials).not.toHaveProperty('refresh_token');
  });
});

describe('mintTwoStep: what is stored', () => {
  it('is the input without one-shot and former values', async () => {
    const { credentials } = await issue(
      {},
      { ...given, assertionOption: { key: 'k' }, token: 'old', refresh_token: 'old' },
    );

    expect(credentials).toEqual({
      ...given,
      type: 'TWO_STEP',
      token: 'T',
      expires_at: inMs(YEARS_99),
      raw: { access: { token: 'T' } },
    });
  });

  it('keeps headers and cookies of the answers, but no reserved name', async () => {
    provider.on('POST /token', {
      headers: {
        'x-session': 's1',
        token: 'evil',
        'set-cookie': ['a=1; Path=/; HttpOnly', 'b="2"; Secure', 'type=evil'],
      },
      body: { access: { token: 'T' } },
    });

    const { credentials } = await issue({ token_response_headers: ['X-Session', 'token', 'set-cookie', 'x-none'] });

    expect(credentials).toMatchObject({
      'X-Session': 's1',
      a: '1',
      b: '"2"',
      _cookies: 'a=1; b="2"; type=evil',
      type: 'TWO_STEP',
      token: 'T',
    });
    expect(credentials).not.toHaveProperty('x-none');
  });

  it('takes the whole body for the token when the entry names no path', async () => {
    provider.on('POST /token', { body: ' plain-token\n' });

    const { credentials } = await issue({ token_response: { token: '' } });

    expect(credentials).toMatchObject({ token: 'plain-token' });
    expect(credentials).not.toHaveProperty('raw');
  });

  it('puts the values that the entry names into the configuration', async () => {
    const { config } = await issue({ token_response_metadata: ['access.token'] });

    expect(config).toEqual({ 'access.token': 'T' });
  });
});

describe('mintTwoStep: expiry', () => {
  const at = (strategy: 'expireAt' | 'expireIn') => ({
    token: 'access.token',
    refresh_token: 'refresh',
    token_expiration: 'end',
    token_expiration_strategy: strategy,
  });

  it.each([
    ['a moment', at('expireAt'), {}, { end: inMs(HOUR) }, HOUR],
    ['seconds', at('expireIn'), {}, { end: 7200 }, 2 * HOUR],
    ['a duration', at('expireIn'), {}, { end: '2h' }, 2 * HOUR],
    ['the entry', { token: 'access.token' }, { token_expires_in_ms: HOUR }, {}, HOUR],
    ['the entry, as the answer is unreadable', at('expireIn'), { token_expires_in_ms: HOUR }, { end: 'soon' }, HOUR],
    ['nobody', at('expireAt'), {}, {}, YEARS_99],
  ])('is what %s says', async (_name, tokenResponse, rules, members, expected) => {
    provider.on('POST /token', { body: { access: { token: 'T' }, ...members } });

    const { credentials } = await issue({ token_response: tokenResponse, ...rules });

    expect(credentials.expires_at).toBe(inMs(expected));
  });

  it('is never when the entry says so', async () => {
    provider.on('POST /token', { body: { access: { token: await jwt(TOKEN_NOW + HOUR) } } });

    expect((await issue({ token_expires_in_ms: 0 })).credentials).not.toHaveProperty('expires_at');
  });

  it.each([
    ['before the end of the token itself', {}, 2, undefined, 1.75],
    ['as the answer says, whatever the token does', { end: inMs(3 * HOUR) }, 2, undefined, 3],
    ['before the end of the refresh token, always', { end: inMs(3 * HOUR) }, 9, 2, 1.75],
    ['as the answer says when the refresh token lasts longer', { end: inMs(HOUR) }, 9, 2, 1],
  ])('is %s', async (_name, members, tokenHours, refreshHours, expectedHours) => {
    const token = await jwt(TOKEN_NOW + tokenHours * HOUR);
    const refresh = refreshHours === undefined ? undefined : await jwt(TOKEN_NOW + refreshHours * HOUR);
    provider.on('POST /token', { body: { access: { token }, refresh, ...members } });

    const { credentials } = await issue({ token_response: at('expireAt') });

    expect(credentials.expires_at).toBe(inMs(expectedHours * HOUR));
  });
});

describe('mintTwoStep: failures', () => {
  it('is missing_token_url without an address', async () => {
    await expect(issue({ token_url: undefined })).rejects.toMatchObject({ code: 'missing_token_url' });
  });

  it.each([202, 204, 301, 401, 500])('takes status %i for a refusal', async (status) => {
    provider.on('POST /token', {
      status,
      headers: { location: '/x' },
      ...(status === 204 ? {} : { body: { message: 'No.' } }),
    });

    await expect(issue()).rejects.toMatchObject({ code: 'two_step_credentials_fetch_error', status: 400 });
    expect(provider.requests).toHaveLength(1);
  });

  it.each([{ access: {} }, { access: { token: '' } }, 'not json', {}])('finds no token in %j', async (body) => {
    provider.on('POST /token', { body });

    await expect(issue()).rejects.toMatchObject({ code: 'invalid_two_step_credentials' });
  });

  it('does not send what it cannot sign', async () => {
    const rules = { signature: { protocol: 'RSA' } as const, token: { signing_key: '${credentials.apiKey}' } };

    await expect(issue(rules)).rejects.toMatchObject({
      code: 'invalid_two_step_credentials',
      message: expect.not.stringContaining('canary'),
    });
    expect(provider.requests).toEqual([]);
  });
});
