import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OidcServer, startOidcServer } from '../../support/oidc-server.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Acme', version: '2' },
  servers: [{ url: '/v2' }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Acme-Key' },
      app: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://id.acme.test/authorize',
            tokenUrl: 'https://id.acme.test/token',
            scopes: { read: 'Read', write: 'Write' },
          },
        },
      },
    },
  },
  paths: { '/me': { get: { security: [{ key: [] }] } }, '/teams/{team}': { get: {} } },
};

const metadataOf = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  device_authorization_endpoint: `${issuer}/device`,
  token_endpoint_auth_methods_supported: ['none'],
  response_types_supported: ['code'],
});

const field = '{ type: string, title: Key, description: A key }';

/** Entries that agree with their providers, and one that differs in each member that is compared. */
const entries = (id: string, api: string, silent: string) => `
signed:
  display_name: Signed
  auth_mode: OAUTH2
  authorization_url: ${id}/auth
  token_url: ${id}/token
  default_scopes: [openid, "tools:read"]
  proxy: { base_url: ${api} }
moved:
  display_name: Moved
  auth_mode: OAUTH2
  authorization_url: ${id}/old/authorize
  token_url: ${id}/token/
  default_scopes: [openid, "tools:write"]
  token_request_auth_method: private_key_jwt
  disable_pkce: true
  proxy: { base_url: ${api} }
keyed:
  display_name: Keyed
  auth_mode: API_KEY
  api_description_url: ${api}/openapi.json
  proxy: { base_url: ${api}, headers: { x-acme-key: "\${apiKey}" }, verification: { method: GET, endpoints: [/v2/me] } }
  credentials: { apiKey: ${field} }
older:
  display_name: Older
  auth_mode: API_KEY
  api_description_url: ${api}/openapi.json
  proxy: { base_url: ${api}/v1, headers: { x-key: "\${apiKey}" } }
  credentials: { apiKey: ${field} }
tried:
  display_name: Tried
  auth_mode: API_KEY
  api_description_url: ${api}/openapi.json
  proxy: { base_url: ${api}/v2, headers: { x-acme-key: "\${apiKey}" }, verification: { method: GET, endpoints: [/whoami] } }
  credentials: { apiKey: ${field} }
scoped:
  display_name: Scoped
  auth_mode: OAUTH2
  api_description_url: ${api}/openapi.json
  authorization_url: https://id.acme.test/authorize
  token_url: https://id.acme.test/oauth/token
  default_scopes: [admin]
  available_scopes: [read]
  proxy: { base_url: ${api}/v2 }
named:
  display_name: Named
  auth_mode: BASIC
  api_description_url: ${api}/openapi.json
  proxy: { base_url: ${api}/v2 }
silent:
  display_name: Silent
  auth_mode: OAUTH2
  authorization_url: ${silent}/authorize
  token_url: ${silent}/token
  proxy: { base_url: ${silent} }
tools:
  display_name: Tools
  auth_mode: MCP_OAUTH2
  authorization_url: ${api}/authorize
  token_url: ${api}/token
  registration_url: ${api}/old/register
  client_registration: dynamic
  proxy: { base_url: ${api}/mcp }
coded:
  display_name: Coded
  auth_mode: OAUTH2
  authorization_url: ${api}/authorize
  token_url: ${api}/token
  device_authorization_url: ${api}/old/device
  public_client: true
  proxy: { base_url: ${api} }
plain:
  display_name: Plain
  auth_mode: API_KEY
  proxy: { base_url: ${api} }
  credentials: { apiKey: ${field} }
`;

describe('homeport providers check', () => {
  let home: TempHome;
  let id: OidcServer;
  let api: Server;
  let url: string;
  let asked: string[];
  beforeAll(async () => {
    asked = [];
    [home, id] = await Promise.all([createTempHome(), startOidcServer()]);
    api = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const json = (body: object): void => void response.writeHead(200).end(JSON.stringify(body));
      if (request.url === '/mcp') return void response.writeHead(401).end();
      if (request.url === '/.well-known/oauth-protected-resource/mcp')
        return json({ resource: `${url}/mcp`, authorization_servers: [url] });
      if (request.url === '/.well-known/oauth-authorization-server') return json(metadataOf(url));
      if (request.url !== '/openapi.json') return void response.writeHead(404).end('Not here');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(DESCRIPTION));
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    await mkdir(join(home.path, 'functions'), { recursive: true });
    await writeFile(join(home.path, 'functions/providers.yaml'), entries(id.address, url, 'http://127.0.0.1:9'));
  });
  afterAll(async () => {
    await id?.stop();
    api?.closeAllConnections();
    api?.close();
    await home?.remove();
  });

  const check = (...args: string[]): Promise<CliRun> =>
    runCli(['providers', 'check', ...args], { cwd: home.path, home: home.path });
  const lines = (run: CliRun): string[] =>
    run.output
      .replaceAll(id.address, 'ID')
      .replaceAll(url, 'API')
      .split('\n')
      .filter((line) => line !== '');

  it('finds nothing about an entry that its authorization server confirms', async () => {
    const run = await check('signed');

    expect(run.status, run.output + run.errors).toBe(0);
    expect(lines(run)).toEqual(['✓ signed agrees with ID/.well-known/openid-configuration']);
    expect(id.asked.every((one) => one.startsWith('GET /.well-known/') || one.includes('/.well-known/'))).toBe(true);
  });

  it('names what the metadata of the authorization server say otherwise, line by line', async () => {
    const run = await check('moved');

    expect(run.status).toBe(1);
    expect(lines(run)).toEqual([
      expect.stringMatching(/^✗ moved\.authorization_url: ID\/old\/authorize; ID\/\S+ has: ID\/auth$/),
      expect.stringMatching(/^✗ moved\.token_request_auth_method: private_key_jwt; .* has: none, client_secret_basic/),
      expect.stringMatching(/^✗ moved\.disable_pkce: true; .* has: S256$/),
      expect.stringMatching(/^✗ moved\.default_scopes: tools:write; .* has: not among its scopes$/),
    ]);
  });

  it('agrees with a description that has the key, and the request about the caller', async () => {
    const run = await check('keyed');

    expect(run.status, run.output).toBe(0);
    expect(lines(run)).toEqual(['✓ keyed agrees with API/openapi.json']);
  });

  it.each([
    [
      'older',
      [
        'proxy.base_url: API/v1; API/openapi.json has: API/v2',
        'proxy.headers.x-key: ${apiKey}; API/openapi.json has: API key in the header X-Acme-Key',
      ],
    ],
    ['tried', ['proxy.verification: GET /whoami; API/openapi.json has: not among its operations']],
    [
      'scoped',
      [
        'token_url: https://id.acme.test/oauth/token; API/openapi.json has: https://id.acme.test/token',
        'default_scopes: admin; API/openapi.json has: not among its scopes',
        'available_scopes: not listed; API/openapi.json has: write',
      ],
    ],
    [
      'named',
      ['auth_mode: BASIC; API/openapi.json has: API key in the header X-Acme-Key, OAuth 2 with a sign-in page'],
    ],
  ])('names what a description says otherwise: %s', async (provider, expected) => {
    const run = await check(provider);

    expect(run.status).toBe(1);
    expect(lines(run).filter((line) => line.startsWith('✗'))).toEqual(expected.map((one) => `✗ ${provider}.${one}`));
  });

  it('compares with a description that is named, also in a file', async () => {
    await writeFile(join(home.path, 'acme.json'), JSON.stringify({ ...DESCRIPTION, servers: [{ url: `${url}/v3` }] }));

    expect((await check('plain', '--description', `${url}/openapi.json`)).output).toContain(
      'plain.proxy.headers.authorization: Bearer ${apiKey};',
    );
    const run = await check('tried', '--description', 'acme.json');
    expect(lines(run)[0]).toMatch(/^✗ tried\.proxy\.base_url: API\/v2; \S+acme\.json has: API\/v3$/);
  });

  it('confirms a built-in entry by the description that its provider ships', async () => {
    const file = fileURLToPath(import.meta.resolve('@figma/rest-api-spec/openapi/openapi.yaml'));
    const run = await check('figma', '--description', file);

    expect(run.status, run.output).toBe(0);
    expect(run.output).toContain('✓ figma agrees with');
  });

  it('compares the address for codes of devices, and knows clients without a secret', async () => {
    const run = await check('coded');

    expect(lines(run).filter((line) => line.startsWith('✗'))).toEqual([
      '✗ coded.device_authorization_url: API/old/device; API/.well-known/oauth-authorization-server has: API/device',
    ]);
  });

  it('compares with what the authorization server of an MCP server says', async () => {
    const run = await check('tools');

    expect(run.status).toBe(1);
    expect(lines(run).filter((line) => line.startsWith('✗'))).toEqual([
      '✗ tools.registration_url: API/old/register; API/mcp has: API/register',
    ]);
  });

  it('says which provider does not answer, goes on with the others, and changes nothing', async () => {
    const path = join(home.path, 'functions/providers.yaml');
    const before = await readFile(path, 'utf8');
    asked.length = 0;
    const run = await check('silent', 'keyed', 'plain', '--json');

    expect(run.status).toBe(1);
    const { error } = run.json();
    expect(error.counts).toEqual({ agree: 1, differ: 0, unread: 1, nothing_to_compare: 1 });
    expect(error.checks[0]).toMatchObject({
      provider: 'silent',
      differences: [],
      problems: [expect.stringContaining('http://127.0.0.1:9/.well-known/openid-configuration cannot be read')],
    });
    expect(asked.every((one) => one.startsWith('GET '))).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it('explains wrong arguments', async () => {
    expect(await check('keyde')).toMatchObject({
      status: 1,
      errors: expect.stringContaining('Did you mean "keyed"?'),
    });
    expect((await check('keyed', 'nobody')).errors).toContain('"nobody" is not in the catalogue');
    expect((await check('nobody', '--description', 'acme.json')).errors).toContain('"nobody" is not in the catalogue');
    expect((await check('--all', 'keyed')).status).toBe(64);
    expect((await check('keyed', 'plain', '--description', 'acme.json')).status).toBe(64);
    expect((await check('functions/providers.yaml')).output).toContain('11 new');
  });
});
