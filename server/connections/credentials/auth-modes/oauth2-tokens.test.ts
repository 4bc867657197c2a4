import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider, type RecordedRequest } from '../../../../test/support/fake-provider.ts';
import { TOKEN_NOW, tokenContext } from '../../../../test/support/token-fixture.ts';
import type { ProviderDefinition } from '../../../integrations/catalog/entry-schema.ts';
import type { TokenContext } from '../token-context.ts';
import { type CodeExchange, exchangeCode, refreshTokens } from './oauth2.ts';

const CLIENT = { id: 'client', secret: 'client-secret' };
const EXCHANGE: CodeExchange = {
  client: CLIENT,
  code: 'the-code',
  redirectUri: 'http://localhost:3003/oauth/callback',
  codeVerifier: 'the-verifier',
};
const IN_AN_HOUR = new Date(TOKEN_NOW + 3_600_000).toISOString();

let provider: FakeProvider;

beforeAll(async () => {
  provider = await FakeProvider.start();
});
afterEach(() => void provider.requests.splice(0));
afterAll(() => provider.stop());

function contextOf(
  entry: Partial<ProviderDefinition> = {},
  connectionConfig: Record<string, unknown> = {},
): TokenContext {
  return tokenContext({
    entry: { auth_mode: 'OAUTH2', token_url: `${provider.address}/token`, ...entry },
    app: { clientId: CLIENT.id, clientSecret: CLIENT.secret },
    connectionConfig,
  });
}

function respondWith(body: unknown, status = 200): void {
  provider.on('POST /token', { status, body });
}

function sent(): { form: Record<string, string>; request: RecordedRequest } {
  const [request] = provider.requests;
  if (!request) throw new Error('Nothing was sent.');
  return { form: Object.fromEntries(new URLSearchParams(request.body.toString())), request };
}

describe('a response that is no JSON', () => {
  it.each([
    ['application/x-www-form-urlencoded', 'access_token=at&expires_in=3600&refresh_token=r%2Bt'],
    ['application/x-www-form-urlencoded; charset=utf-8', '\ufeffaccess_token=at&expires_in=3600&refresh_token=r%2Bt'],
    ['text/plain', 'access_token=at&expires_in=3600&refresh_token=r%2Bt\n'],
    ['text/html', '{"access_token":"at","expires_in":3600,"refresh_token":"r+t"}'],
    ['application/x-www-form-urlencoded', '{"access_token":"at","expires_in":3600,"refresh_token":"r+t"}'],
    ['application/json', '\ufeff{"access_token":"at","expires_in":3600,"refresh_token":"r+t"}'],
    ['', 'access_token=at&expires_in=3600&refresh_token=r%2Bt'],
  ])('is read: %s %s', async (type, body) => {
    provider.on('POST /token', { body, headers: { 'content-type': type } });
    const expected = { access_token: 'at', refresh_token: 'r+t', expires_at: IN_AN_HOUR };

    expect((await exchangeCode(contextOf(), EXCHANGE)).credentials).toMatchObject(expected);
    const stored = { type: 'OAUTH2' as const, refresh_token: 'old', raw: {} };
    expect((await refreshTokens(contextOf(), CLIENT, stored)).credentials).toMatchObject(expected);
  });

  it('tells its error', async () => {
    provider.on('POST /token', {
      status: 200,
      body: 'error=bad_verification_code&error_description=The+code+has+expired.',
      headers: { 'content-type': 'text/plain' },
    });

    await expect(exchangeCode(contextOf(), EXCHANGE)).rejects.toThrow(/bad_verification_code, The code has expired/);
  });

  it('is refused when it is a page', async () => {
    provider.on('POST /token', { body: '<html>error=none</html>', headers: { 'content-type': 'text/html' } });

    await expect(exchangeCode(contextOf(), EXCHANGE)).rejects.toMatchObject({ code: 'token_exchange_failed' });
  });
});

describe('exchanging a code', () => {
  it('sends what OAuth 2 and PKCE ask for', async () => {
    respondWith({ access_token: 'at', refresh_token: 'rt', expires_in: 3600 });

    const { credentials } = await exchangeCode(contextOf(), EXCHANGE);

    expect(sent().form).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: EXCHANGE.redirectUri,
      code_verifier: 'the-verifier',
      client_id: 'client',
      client_secret: 'client-secret',
    });
    expect(sent().request.headers).toMatchObject({ accept: 'application/json', 'user-agent': 'Homeport' });
    expect(credentials).toMatchObject({ access_token: 'at', refresh_token: 'rt', expires_at: IN_AN_HOUR });
  });

  it('has no verifier to send where PKCE is disabled', async () => {
    respondWith({ access_token: 'at' });

    await exchangeCode(contextOf({ disable_pkce: true }), { ...EXCHANGE, codeVerifier: undefined });

    expect(sent().form).not.toHaveProperty('code_verifier');
  });

  it('lets the parameters of the entry win, with values of the connection in place', async () => {
    respondWith({ access_token: 'at' });
    const entry = { token_params: { redirect_uri: 'fixed', audience: 'https://${connectionConfig.tenant}.acme.test' } };

    await exchangeCode(contextOf(entry, { tenant: 'mine' }), EXCHANGE);

    expect(sent().form).toMatchObject({ redirect_uri: 'fixed', audience: 'https://mine.acme.test', code: 'the-code' });
  });

  it('sends JSON where the entry asks for it', async () => {
    respondWith({ access_token: 'at' });

    await exchangeCode(contextOf({ body_format: 'json' }), EXCHANGE);

    expect(sent().request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(sent().request.body.toString())).toMatchObject({
      code: 'the-code',
      client_secret: 'client-secret',
    });
  });

  it('uses the address for OAUTH2 of several, with its query and the values of the connection', async () => {
    provider.on('POST /t/a%2Fb/token', { body: { access_token: 'at' } });
    const token_url = {
      OAUTH2: `${provider.address}/t/\${connectionConfig.tenant}/token?key=1`,
      OAUTH2_CC: `${provider.address}/cc`,
    };

    await exchangeCode(contextOf({ token_url }, { tenant: 'a/b' }), EXCHANGE);

    expect(sent().request.url).toBe('/t/a%2Fb/token?key=1');
  });

  it('encodes values of the address, unless the entry says that they are parts of it', async () => {
    respondWith({ access_token: 'at' });
    const entry = { token_url: `${provider.address}/\${connectionConfig.path}/token` };
    provider.on('POST /eu%2Fone/token', { body: { access_token: 'encoded' } });
    provider.on('POST /eu/one/token', { body: { access_token: 'plain' } });
    const tokenFor = async (more: Partial<ProviderDefinition>) =>
      (await exchangeCode(contextOf({ ...entry, ...more }, { path: 'eu/one' }), EXCHANGE)).credentials['access_token'];

    expect(await tokenFor({})).toBe('encoded');
    expect(await tokenFor({ token_url_skip_encode: ['base_url'] })).toBe('plain');
  });

  it('gives what the entry names of the answer as configuration: texts and booleans, by dotted names', async () => {
    const token_response_metadata = ['instance_url', 'team.id', 'is_admin', 'count', 'missing', 'team'];
    respondWith({ access_token: 'at', instance_url: 'https://x.test', team: { id: 'T' }, is_admin: false, count: 3 });

    const { config } = await exchangeCode(contextOf({ token_response_metadata }), EXCHANGE);

    expect(config).toEqual({ instance_url: 'https://x.test', 'team.id': 'T', is_admin: false });
  });

  it.each([
    [
      400,
      { error: 'invalid_grant', error_description: 'The code is spent.' },
      'status 400): invalid_grant, The code is spent.',
    ],
    [401, { message: 'Who are you?' }, 'status 401): Who are you?'],
    [500, '<h1>Oops</h1>', 'status 500).'],
  ])('says what the provider said with %i', async (status, body, message) => {
    respondWith(body, status);

    await expect(exchangeCode(contextOf(), EXCHANGE)).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: expect.stringContaining(message),
      payload: { status },
    });
  });

  it('follows no redirect', async () => {
    provider.on('POST /token', { status: 307, headers: { location: `${provider.address}/elsewhere` } });

    await expect(exchangeCode(contextOf(), EXCHANGE)).rejects.toMatchObject({ code: 'token_exchange_failed' });
    expect(provider.requests.map(({ url }) => url)).toEqual(['/token']);
  });

  it.each(['only words', '["at"]', '"at"'])('takes neither texts nor lists: %s', async (body) => {
    respondWith(body);

    await expect(exchangeCode(contextOf(), EXCHANGE)).rejects.toMatchObject({
      code: 'token_exchange_failed',
      message: expect.stringContaining('JSON'),
    });
  });

  it.each([200, 400])('repeats no secret that the provider repeats (status %i)', async (status) => {
    respondWith({ error: `bad code the-code with client-secret, verifier the-verifier` }, status);

    const thrown: Error = (await exchangeCode(contextOf(), EXCHANGE).catch((error: Error) => error)) as Error;

    expect(thrown.message).toContain('bad code REDACTED with REDACTED, verifier REDACTED');
  });

  it('repeats no header that the provider repeats', async () => {
    provider.on('POST /token', ({ headers }) => ({
      status: 400,
      body: { error: `bad header ${String(headers['authorization'])}` },
    }));

    await expect(exchangeCode(contextOf({ authorization_method: 'header' }), EXCHANGE)).rejects.toMatchObject({
      message: expect.stringContaining('bad header Basic REDACTED'),
    });
  });
});

describe('renewing tokens', () => {
  const STORED = { type: 'OAUTH2', access_token: 'old', refresh_token: 'old-refresh', raw: {} } as const;

  it('sends the refresh token and the client', async () => {
    respondWith({ access_token: 'new', expires_in: 3600 });

    const { config, credentials } = await refreshTokens(contextOf(), CLIENT, STORED);

    expect(sent().form).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'old-refresh',
      client_id: 'client',
      client_secret: 'client-secret',
    });
    expect(credentials).toEqual({
      type: 'OAUTH2',
      access_token: 'new',
      refresh_token: 'old-refresh',
      expires_at: IN_AN_HOUR,
      raw: { access_token: 'new', expires_in: 3600 },
    });
    expect(config).toBeUndefined();
  });

  it('takes a new refresh token, and drops the end of the old token', async () => {
    respondWith({ access_token: 'new', refresh_token: 'new-refresh' });

    const { credentials } = await refreshTokens(contextOf(), CLIENT, { ...STORED, expires_at: IN_AN_HOUR });

    expect(credentials).toMatchObject({ refresh_token: 'new-refresh' });
    expect(credentials).not.toHaveProperty('expires_at');
  });

  it('keeps the connection’s own client', async () => {
    respondWith({ access_token: 'new' });
    const config_override = { client_id: 'own', client_secret: 'own-secret' };

    const { credentials } = await refreshTokens(contextOf(), CLIENT, { ...STORED, config_override });

    expect(credentials).toMatchObject({ config_override });
  });

  it('adds the parameters of the exchange but for its grant type', async () => {
    respondWith({ access_token: 'new' });

    await refreshTokens(
      contextOf({ token_params: { grant_type: 'authorization_code', audience: 'api' } }),
      CLIENT,
      STORED,
    );

    expect(sent().form).toMatchObject({ grant_type: 'refresh_token', audience: 'api' });
  });

  it('sends refresh_params instead of them, filled', async () => {
    respondWith({ access_token: 'new' });
    const entry = {
      token_params: { audience: 'api', only: '${connectionConfig.late}' },
      refresh_params: { grant_type: 'renew', tenant: '${connectionConfig.tenant}' },
    };

    await refreshTokens(contextOf(entry, { tenant: 'mine' }), CLIENT, STORED);

    expect(sent().form).toMatchObject({ grant_type: 'renew', tenant: 'mine', refresh_token: 'old-refresh' });
    expect(sent().form).not.toHaveProperty('audience');
  });

  it('uses refresh_url where there is one', async () => {
    provider.on('POST /renew/mine', { body: { access_token: 'new' } });

    await refreshTokens(
      contextOf({ refresh_url: `${provider.address}/renew/\${connectionConfig.tenant}` }, { tenant: 'mine' }),
      CLIENT,
      STORED,
    );

    expect(sent().request.url).toBe('/renew/mine');
  });

  it('names the client in the header alone where the entry says so', async () => {
    respondWith({ access_token: 'new' });

    await refreshTokens(contextOf({ authorization_method: 'header' }), CLIENT, STORED);

    expect(sent().request.headers['authorization']).toBe(
      `Basic ${Buffer.from('client:client-secret').toString('base64')}`,
    );
    expect(sent().form).toEqual({ grant_type: 'refresh_token', refresh_token: 'old-refresh' });
  });

  it('makes the new tokens durable before it returns', async () => {
    respondWith({ access_token: 'new', refresh_token: 'new-refresh' });
    const kept: unknown[] = [];

    await refreshTokens({ ...contextOf(), keep: (issued) => kept.push(issued) }, CLIENT, STORED);

    expect(kept).toMatchObject([{ credentials: { refresh_token: 'new-refresh' } }]);
  });

  it('is refused under its own name', async () => {
    respondWith({ error: 'invalid_grant' }, 400);

    await expect(refreshTokens(contextOf(), CLIENT, STORED)).rejects.toMatchObject({
      code: 'refresh_token_external_error',
      payload: { status: 400, provider_error: expect.stringContaining('invalid_grant') },
    });
  });
});
