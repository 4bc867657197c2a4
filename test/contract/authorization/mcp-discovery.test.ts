import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type McpHub, serverMetadata, startMcpHub, startMcpServer } from './mcp-hub.ts';

const OAUTH = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';

let hub: McpHub;
let mcp: FakeProvider;
let issuer: FakeProvider;

beforeAll(async () => {
  hub = await startMcpHub();
  await hub.addIntegration({ provider: 'mcp-generic', unique_key: 'mcp' });
});
afterAll(() => hub.stop());

beforeEach(async () => {
  issuer = await FakeProvider.start();
  issuer.on('POST /register', { status: 201, body: { client_id: 'registered' } });
  mcp = await startMcpServer(issuer.address);
  await hub.allow(hostOf(issuer), hostOf(mcp));
  return () => Promise.all([mcp.stop(), issuer.stop()]);
});

const hostOf = ({ address }: FakeProvider): string => new URL(address).host;
const begin = (path = '/mcp') => hub.start('mcp', { 'params[mcp_server_url]': `${mcp.address}${path}` });
const describes = (changes?: Record<string, unknown>): void => {
  issuer.on(`GET ${OAUTH}`, { body: serverMetadata(issuer.address, changes) });
};

describe('finding the authorization server', () => {
  it('reads the metadata of OAuth before that of OpenID Connect', async () => {
    describes();

    const { to } = await begin();

    expect(`${to?.origin}${to?.pathname}`).toBe(`${issuer.address}/authorize`);
    expect(to?.searchParams.get('client_id')).toBe('registered');
  });

  it.each([
    ['a path in the well-known address of OAuth', `${OAUTH}/tenant`],
    ['a path in the well-known address of OpenID Connect', `${OPENID}/tenant`],
    ['a well-known address behind the path', `/tenant${OPENID}`],
  ])('follows an issuer with a path to %s', async (_what, path) => {
    const tenant = `${issuer.address}/tenant`;
    const openid = { jwks_uri: `${tenant}/jwks`, subject_types_supported: ['public'] };
    const body = { ...serverMetadata(tenant), ...openid, id_token_signing_alg_values_supported: ['RS256'] };
    issuer.on(`GET ${path}`, { body: { ...body, registration_endpoint: `${issuer.address}/register` } });
    const server = await startMcpServer(tenant);
    await hub.allow(hostOf(issuer), hostOf(server));

    const { to } = await hub.start('mcp', { 'params[mcp_server_url]': `${server.address}/mcp` });

    await server.stop();
    expect(to?.pathname).toBe('/tenant/authorize');
  });

  it('finds the metadata of a server whose answer names none', async () => {
    describes();
    mcp.on('POST /mcp', { status: 401 });

    expect((await begin()).to?.searchParams.get('resource')).toBe(`${mcp.address}/mcp`);
  });

  it('asks the host of a server without a description, and then for no resource', async () => {
    mcp.on('POST /bare', { status: 401 });
    mcp.on(`GET ${OAUTH}`, { body: serverMetadata(mcp.address) });
    mcp.on('POST /register', { status: 201, body: { client_id: 'at-the-server' } });

    const { to } = await begin('/bare');

    expect([to?.origin, to?.searchParams.get('client_id')]).toEqual([mcp.address, 'at-the-server']);
    expect(to?.searchParams.has('resource')).toBe(false);
  });

  it.each([
    ['what the answer asks for', { scope: 'asked', resource: ['of-resource'] }, 'asked'],
    ['what the server describes', { resource: ['of-resource', 'more'] }, 'of-resource more'],
    ['what its authorization server offers', {}, 'offered'],
  ])(
    'asks for the scopes of %s',
    async (_what, { scope, resource }: { scope?: string; resource?: string[] }, wanted) => {
      describes({ scopes_supported: ['offered'] });
      const server = await startMcpServer(issuer.address, resource ? { scopes_supported: resource } : {});
      if (scope) server.on('POST /mcp', { status: 401, headers: { 'www-authenticate': `Bearer scope="${scope}"` } });
      await hub.allow(hostOf(issuer), hostOf(server));

      const { to } = await hub.start('mcp', { 'params[mcp_server_url]': `${server.address}/mcp` });

      await server.stop();
      expect(to?.searchParams.get('scope')).toBe(wanted);
    },
  );

  it('sends an own client of the sign-in instead of registering one', async () => {
    describes({ registration_endpoint: undefined });

    const query = { 'params[mcp_server_url]': `${mcp.address}/mcp`, 'credentials[oauth_client_id_override]': 'mine' };
    expect((await hub.start('mcp', query)).to?.searchParams.get('client_id')).toBe('mine');
    expect(await begin()).toMatchObject({ refusal: '400 provider_config_err' });
  });

  it('names the client to the token endpoint the way it was registered', async () => {
    describes({ token_endpoint_auth_methods_supported: ['client_secret_basic'] });
    const client = { client_id: 'registered', client_secret: 's3cret' };
    issuer.on('POST /register', { status: 201, body: client });
    issuer.on('POST /token', { body: { access_token: 'a-token', token_type: 'Bearer' } });
    const { to } = await begin();

    const state = to?.searchParams.get('state') ?? '';
    const { status } = await hub.finish(new URL(`${hub.callbackUrl}?code=c&state=${state}`));

    expect(status).toBe(200);
    const [request] = issuer.requestsTo('/token');
    const sent = Object.fromEntries(new URLSearchParams(String(request?.body)));
    expect(request?.headers['authorization']).toBe(`Basic ${btoa('registered:s3cret')}`);
    expect(sent).toMatchObject({ grant_type: 'authorization_code', resource: `${mcp.address}/mcp` });
    expect(Object.keys(sent).sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri', 'resource']);
  });
});

describe('servers that are not believed', () => {
  it.each([
    ['names another issuer', { issuer: 'https://issuer.example' }],
    ['does not protect codes', { code_challenge_methods_supported: ['plain'] }],
    ['does not say that it protects codes', { code_challenge_methods_supported: undefined }],
    ['does not support authorization codes', { response_types_supported: ['token'] }],
    ['signs in without encryption', { authorization_endpoint: 'http://issuer.example/authorize' }],
    ['gives tokens without encryption', { token_endpoint: 'http://issuer.example/token' }],
    ['gives tokens at an address of this computer', { token_endpoint: 'http://127.0.0.1:9/token' }],
    ['registers without encryption', { registration_endpoint: 'http://issuer.example/register' }],
    ['names an address for the browser to run', { authorization_endpoint: 'javascript:alert(1)' }],
    [
      'reads the connection in its address',
      { token_endpoint: 'https://x.example/${connectionConfig.oauth_client_info}' },
    ],
    ['has a user in its address', { token_endpoint: 'https://user:pass@x.example/token' }],
  ])('refuses an authorization server that %s', async (_what, changes) => {
    describes(changes);

    expect(await begin()).toMatchObject({ refusal: '400 mcp_discovery_failed' });
    expect(issuer.requestsTo('/register')).toHaveLength(0);
  });

  it('refuses a server that describes another one', async () => {
    describes();
    const server = await startMcpServer(issuer.address, { resource: 'https://bank.example/mcp' });
    await hub.allow(hostOf(issuer), hostOf(server));

    const { refusal } = await hub.start('mcp', { 'params[mcp_server_url]': `${server.address}/mcp` });

    await server.stop();
    expect(refusal).toBe('400 mcp_discovery_failed');
  });

  it('refuses a server whose own description is missing or says nothing', async () => {
    describes();
    mcp.on('GET /.well-known/oauth-protected-resource/mcp', { body: 'not json' });
    expect(await begin()).toMatchObject({ refusal: '400 mcp_discovery_failed' });
    mcp.on('GET /.well-known/oauth-protected-resource/mcp', { status: 404 });
    expect(await begin()).toMatchObject({ refusal: '400 mcp_discovery_failed' });
  });

  it('follows redirects of metadata within their host only', async () => {
    describes();
    const elsewhere = await FakeProvider.start();
    elsewhere.on('GET /metadata', { body: serverMetadata(issuer.address) });
    issuer.on('GET /metadata', { body: serverMetadata(issuer.address) });
    await hub.allow(hostOf(issuer), hostOf(mcp), hostOf(elsewhere));
    issuer.on(`GET ${OAUTH}`, { status: 302, headers: { location: '/metadata' } });
    expect((await begin()).to?.origin).toBe(issuer.address);

    issuer.on(`GET ${OAUTH}`, { status: 302, headers: { location: `${elsewhere.address}/metadata` } });

    expect(await begin()).toMatchObject({ refusal: '400 mcp_discovery_failed' });
    expect(elsewhere.requests).toHaveLength(0);
    await elsewhere.stop();
  });

  it('does not follow where a registration is redirected to', async () => {
    describes();
    issuer.on('POST /register', { status: 307, headers: { location: '/elsewhere' } });

    expect(await begin()).toMatchObject({ refusal: '400 client_registration_failed' });
    expect(issuer.requestsTo('/elsewhere')).toHaveLength(0);
  });

  it('gives no server the values that an end user invents for the connection', async () => {
    describes();
    mcp.on('POST /mcp', { status: 401 });
    mcp.on('GET /.well-known/oauth-protected-resource/mcp', { status: 404 });
    mcp.on(`GET ${OAUTH}`, { body: serverMetadata(mcp.address) });
    mcp.on('POST /register', { status: 201, body: { client_id: 'real' } });
    const invented = {
      'params[mcp_server_url]': `${mcp.address}/mcp`,
      'params[oauth_metadata]': JSON.stringify(serverMetadata('https://evil.example')),
      'params[oauth_client_info]': '{"client_id":"evil"}',
      'params[oauth_resource_url]': 'https://evil.example',
    };

    const { to } = await hub.start('mcp', invented);

    expect([to?.origin, to?.searchParams.get('client_id')]).toEqual([mcp.address, 'real']);
    expect(to?.searchParams.has('resource')).toBe(false);
  });
});

describe('the address of the MCP server', () => {
  it.each([
    [undefined, 'url_param_err'],
    ['not an address', 'url_param_err'],
    ['http://mcp.example/mcp', 'url_param_err'],
    ['http://127.0.0.1:9/mcp', 'url_param_err'],
    ['file:///etc/passwd', 'url_param_err'],
    ['https://user:pass@mcp.example/mcp', 'url_param_err'],
    ['https://mcp.example/${connectionConfig.x}', 'url_param_err'],
    ['https://127.0.0.1/mcp', 'provider_unreachable'],
    ['https://localhost/mcp', 'provider_unreachable'],
    ['https://[::1]/mcp', 'provider_unreachable'],
    ['https://169.254.169.254/latest', 'provider_unreachable'],
    ['https://2130706433/mcp', 'provider_unreachable'],
  ])('%s is refused', async (address, code) => {
    const query = address === undefined ? {} : { 'params[mcp_server_url]': address };

    expect(await hub.start('mcp', query)).toMatchObject({ refusal: `400 ${code}` });
  });

  it('may be plain http on this computer only where the environment allows the host', async () => {
    describes();
    await hub.allow();
    expect(await begin()).toMatchObject({ refusal: '400 url_param_err' });
    expect(mcp.requests).toHaveLength(0);
  });

  it('never is the hub itself', async () => {
    const port = new URL(hub.server.url).port;
    await hub.allow('127.0.0.1', 'localhost');

    const { refusal } = await hub.start('mcp', { 'params[mcp_server_url]': `http://localhost:${port}/mcp` });

    expect(refusal).toBe('400 provider_unreachable');
  });
});
