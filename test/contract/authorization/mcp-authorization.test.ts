import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeProvider } from '../../support/fake-provider.ts';
import { type OidcServer, startOidcServer } from '../../support/oidc-server.ts';
import { type McpHub, startMcpHub, startMcpServer } from './mcp-hub.ts';

let hub: McpHub;
let oidc: OidcServer;
let mcp: FakeProvider;

beforeAll(async () => {
  [hub, oidc] = await Promise.all([startMcpHub(), startOidcServer()]);
  mcp = await startMcpServer(oidc.address, { scopes_supported: ['tools:read'] });
  await hub.allow(new URL(oidc.address).host, new URL(mcp.address).host);
  await hub.addIntegration({ provider: 'mcp-generic', unique_key: 'generic', custom: { client_name: 'Acme Notes' } });
});
afterAll(() => Promise.all([hub.stop(), oidc.stop(), mcp.stop()]));

const anHourMs = 3_600_000;
const countOf = (route: string): number => oidc.asked.filter((one) => one === route).length;

describe('MCP_OAUTH2_GENERIC', () => {
  const startGeneric = () => hub.start('generic', { 'params[mcp_server_url]': `${mcp.address}/mcp` });

  it('signs in at a server that only its end user knows, and renews the tokens', async () => {
    const { to } = await startGeneric();
    expect(Object.fromEntries(to?.searchParams ?? [])).toMatchObject({
      response_type: 'code',
      scope: 'tools:read offline_access',
      resource: `${mcp.address}/mcp`,
      code_challenge_method: 'S256',
      redirect_uri: hub.callbackUrl,
      prompt: 'consent',
    });
    const page = await hub.finish(await oidc.authorize(String(to)));

    expect(page.text).toContain('nango_oauth_callback_success');
    const made = await hub.connection('generic');
    const { oauth_metadata, oauth_client_info, ...config } = made.connection_config;
    expect(config).toEqual({
      mcp_server_url: `${mcp.address}/mcp`,
      oauth_resource_url: `${mcp.address}/mcp`,
      oauth_code_verifier: expect.stringMatching(/^[0-9a-f]{48}$/),
    });
    expect(JSON.parse(oauth_metadata ?? '')).toMatchObject({ issuer: oidc.address });
    expect(JSON.parse(oauth_client_info ?? '')).toMatchObject({
      client_id: to?.searchParams.get('client_id'),
      token_endpoint_auth_method: 'none',
    });

    hub.clock.skip(anHourMs);
    const renewed = await hub.connection('generic');
    expect(renewed.credentials.access_token).not.toBe(made.credentials.access_token);
    expect(renewed.credentials.refresh_token).not.toBe(made.credentials.refresh_token);
  });

  it('seals the secret parts of the configuration', async () => {
    await hub.finish(await oidc.authorize(String((await startGeneric()).to)));
    const { connection_config } = await hub.connection('generic');
    const { readFile } = await import('node:fs/promises');
    const { oauth_code_verifier: verifier = '', oauth_resource_url: resource = '' } = connection_config;
    const texts = await Promise.all(
      ['', '-wal'].map((end) => readFile(`${hub.server.home}/homeport.db${end}`, 'latin1').catch(() => '')),
    );

    const stored = texts.join('');
    expect(stored).toContain(resource);
    expect(stored).not.toContain(verifier);
    expect(stored).not.toContain(JSON.parse(connection_config['oauth_client_info'] ?? '{}').client_id);
  });

  it('refuses a code that another server gave', async () => {
    const { to } = await startGeneric();
    const callback = await oidc.authorize(String(to));
    expect(callback.searchParams.get('iss')).toBe(oidc.address);
    callback.searchParams.set('iss', 'https://elsewhere.example');

    const { status, text } = await hub.finish(callback);

    expect([status, text.includes('A different server')]).toEqual([400, true]);
  });

  it('uses the scopes and the client that the integration sets for its one server', async () => {
    const registrations = countOf('POST /reg');
    await hub.addIntegration({
      provider: 'mcp-generic',
      unique_key: 'fixed',
      credentials: { type: 'MCP_OAUTH2_GENERIC', client_id: 'entered', scopes: 'tools:read' },
      custom: { mcp_server_url: `${mcp.address}/mcp` },
    });

    const { to } = await hub.start('fixed', { 'params[mcp_server_url]': 'https://other.example/mcp' });

    expect([to?.origin, to?.searchParams.get('client_id')]).toEqual([oidc.address, 'entered']);
    expect(to?.searchParams.get('scope')).toBe('tools:read');
    expect(countOf('POST /reg')).toBe(registrations);
  });

  it('signs in at the server that the entry of the provider fixes', async () => {
    await hub.define('one-server', {
      auth_mode: 'MCP_OAUTH2_GENERIC',
      mcp_server_url: `${mcp.address}/mcp`,
      proxy: { base_url: mcp.address },
    });
    await hub.addIntegration({
      provider: 'one-server',
      unique_key: 'one-server',
      credentials: { type: 'MCP_OAUTH2_GENERIC', client_id: 'entered' },
    });

    for (const query of [{}, { 'params[mcp_server_url]': 'https://other.example/mcp' }]) {
      const { to } = await hub.start('one-server', query);
      expect([to?.origin, to?.searchParams.get('client_id')]).toEqual([oidc.address, 'entered']);
    }
  });

  it('never sends a client of the integration to a server that an end user names', async () => {
    await hub.addIntegration({
      provider: 'mcp-generic',
      unique_key: 'unfixed',
      credentials: { type: 'MCP_OAUTH2_GENERIC', client_id: 'entered', client_secret: 'entered-secret' },
    });

    const { to } = await hub.start('unfixed', { 'params[mcp_server_url]': `${mcp.address}/mcp` });

    expect(to?.searchParams.get('client_id')).not.toBe('entered');
  });
});

describe('MCP_OAUTH2', () => {
  const entry = (): Record<string, unknown> => ({
    client_registration: 'dynamic',
    registration_url: `${oidc.address}/reg`,
    authorization_url: `${oidc.address}/auth`,
    token_url: `${oidc.address}/token`,
    default_scopes: ['openid', 'offline_access'],
    authorization_params: { prompt: 'consent', client_id: 'evil', scope: 'evil', redirect_uri: 'https://evil.example' },
    disable_pkce: true,
    proxy: { base_url: mcp.address },
  });

  it('registers once, when the integration is created, and signs in with that client', async () => {
    const before = countOf('POST /reg');
    await hub.define('acme-mcp', entry());
    await hub.addIntegration({ provider: 'acme-mcp', unique_key: 'acme' });
    expect(countOf('POST /reg')).toBe(before + 1);

    const { to } = await hub.start('acme');
    expect(Object.fromEntries(to?.searchParams ?? [])).toMatchObject({
      scope: 'openid offline_access',
      redirect_uri: hub.callbackUrl,
      code_challenge_method: 'S256',
    });
    await hub.finish(await oidc.authorize(String(to)));

    const made = await hub.connection('acme');
    expect(made.credentials.config_override).toEqual({ client_id: to?.searchParams.get('client_id') });
    expect(made.connection_config).toEqual({});
    hub.clock.skip(anHourMs);
    expect((await hub.connection('acme')).credentials.access_token).not.toBe(made.credentials.access_token);
    expect(countOf('POST /reg')).toBe(before + 1);
  });

  it('registers at the first sign-in when the provider could not be reached before, once for many at a time', async () => {
    mcp.on('POST /reg', { status: 503, body: { error: 'temporarily_unavailable' } });
    await hub.define('late-mcp', { ...entry(), registration_url: `${mcp.address}/reg` });
    await hub.addIntegration({ provider: 'late-mcp', unique_key: 'late' });
    const asked = mcp.requestsTo('/reg').length;
    expect(await hub.start('late')).toMatchObject({ refusal: '400 client_registration_failed' });
    mcp.on('POST /reg', { status: 201, body: { client_id: 'late-client' } });

    const both = await Promise.all([hub.start('late'), hub.start('late')]);

    expect(both.map(({ to }) => to?.searchParams.get('client_id'))).toEqual(['late-client', 'late-client']);
    expect(mcp.requestsTo('/reg')).toHaveLength(asked + 2);
    expect(JSON.parse(String(mcp.requestsTo('/reg').at(-1)?.body))).toEqual({
      redirect_uris: [hub.callbackUrl],
      token_endpoint_auth_method: 'none',
      client_name: 'Homeport',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      application_type: 'native',
    });
  });

  it('registers again for another callback address; connections keep the client that they were made with', async () => {
    await hub.define('moved-mcp', entry());
    await hub.addIntegration({ provider: 'moved-mcp', unique_key: 'moved' });
    await hub.finish(await oidc.authorize(String((await hub.start('moved')).to)));
    const before = await hub.connection('moved');
    const callback_url = 'https://hub.example/oauth/callback';
    await hub.api.send('PATCH /environment/settings', { body: { callback_url } });

    const { to } = await hub.start('moved');

    await hub.api.send('PATCH /environment/settings', { body: { callback_url: '' } });
    expect(to?.searchParams.get('redirect_uri')).toBe(callback_url);
    expect(to?.searchParams.get('client_id')).not.toBe(before.credentials.config_override?.['client_id']);
    expect((await oidc.authorize(String(to))).searchParams.get('code')).toBeTruthy();
    hub.clock.skip(anHourMs);
    expect((await hub.connection('moved')).credentials.access_token).not.toBe(before.credentials.access_token);
  });

  it('sends the members of registration_params, lists as lists', async () => {
    mcp.on('POST /reg', { status: 201, body: { client_id: 'x' } });
    const registration_params = { grant_types: 'authorization_code', client_name: 'Own name' };
    await hub.define('param-mcp', { ...entry(), registration_url: `${mcp.address}/reg`, registration_params });

    await hub.addIntegration({ provider: 'param-mcp', unique_key: 'param' });

    expect(JSON.parse(String(mcp.requestsTo('/reg').at(-1)?.body))).toMatchObject({
      grant_types: ['authorization_code'],
      client_name: 'Own name',
    });
  });

  it('uses the client that a person entered when the provider registers none', async () => {
    await hub.define('static-mcp', { ...entry(), client_registration: 'static' });
    await hub.addIntegration({ provider: 'static-mcp', unique_key: 'static' });
    expect(await hub.start('static')).toMatchObject({ refusal: '400 provider_config_err' });
    const credentials = { type: 'MCP_OAUTH2', client_id: 'entered', scopes: 'a,b' };

    await hub.api.send('PATCH /integrations/static', { body: { credentials } });

    const { to } = await hub.start('static');
    expect([to?.searchParams.get('client_id'), to?.searchParams.get('scope')]).toEqual(['entered', 'a b']);
    const { body } = await hub.api.send('GET /integrations/static?include=credentials');
    expect(body).toMatchObject({
      data: { credentials: { type: 'MCP_OAUTH2', client_id: 'entered', client_secret: null, scopes: 'a,b' } },
    });
  });

  it('says what clients that are known by an address need', async () => {
    await hub.define('cimd-mcp', { ...entry(), client_registration: 'cimd' });
    await hub.addIntegration({ provider: 'cimd-mcp', unique_key: 'cimd' });

    const { refusal, message } = await hub.start('cimd');

    expect(refusal).toBe('400 provider_config_err');
    expect(message).toContain('public https address');
  });

  it('refuses to begin while the token address lacks a value', async () => {
    const connection_config = { region: { type: 'string', title: 'Region', description: 'x' } };
    const token_url = `${oidc.address}/\${connectionConfig.region}/token`;
    await hub.define('region-mcp', { ...entry(), token_url, connection_config });
    await hub.addIntegration({ provider: 'region-mcp', unique_key: 'region' });

    expect(await hub.start('region')).toMatchObject({ refusal: '400 url_param_err' });
    expect((await hub.start('region', { 'params[region]': 'eu' })).to?.origin).toBe(oidc.address);
  });
});
