import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const DESCRIPTION = {
  openapi: '3.1.0',
  info: { title: 'Acme Tasks API', version: '2' },
  servers: [{ url: '/v2' }],
  security: [{ key: [] }],
  components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  paths: { '/me': { get: { responses: { 200: { description: 'ok' } } } } },
};

/** A host with descriptions, an MCP server with a sign-in, one without, and an authorization server. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const base = `http://${request.headers.host}`;
  const json = (body: unknown, status = 200, headers: Record<string, string> = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
  const metadata = {
    issuer: base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    response_types_supported: ['code'],
    scopes_supported: ['read'],
  };
  if (request.url === '/openapi.json') return json(DESCRIPTION);
  if (request.url === '/parts.json')
    return json({ ...DESCRIPTION, info: { title: 'Parts', version: '1' }, paths: { '/me': { $ref: './me.json' } } });
  if (request.url === '/me.json') return json(DESCRIPTION.paths['/me']);
  if (request.url === '/elsewhere.json')
    return json({ ...DESCRIPTION, paths: { '/me': { $ref: `http://localhost:1/me.json` } } });
  if (request.url === '/mcp' && request.method === 'POST')
    return json({ error: 'invalid_token' }, 401, {
      'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
    });
  if (request.url === '/.well-known/oauth-protected-resource/mcp')
    return json({ resource: `${base}/mcp`, resource_name: 'Acme MCP Server', authorization_servers: [base] });
  if (request.url === '/.well-known/oauth-authorization-server')
    return json({ ...metadata, registration_endpoint: `${base}/register` });
  if (request.url === '/open-mcp' && request.method === 'POST')
    return json({ jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'open-notes', version: '1' } } });
  if (request.url === '/metadata.json') return json(metadata);
  response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>');
}

describe('homeport providers import', () => {
  let server: InProcessServer;
  let project: TempHome;
  let api: ReturnType<typeof createServer>;
  let url: string;
  beforeAll(async () => {
    [server, project] = await Promise.all([startInProcess(), createTempHome()]);
    api = createServer(answer);
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    api?.closeAllConnections();
    api?.close();
    await server?.stop();
    await project?.remove();
  });

  const cli = (...args: string[]): Promise<CliRun> =>
    runCli(['providers', 'import', ...args], { cwd: project.path, home: server.home });
  const entryOf = (run: CliRun): Record<string, unknown> => {
    const { provider, text } = JSON.parse(run.output) as { provider: string; text: string };
    return { key: provider, ...parse(text)[provider] };
  };

  it('writes an entry from the description at an address, and the hub uses it at once', async () => {
    const run = await cli(`${url}/openapi.json`);

    expect(run.status, run.errors).toBe(0);
    expect(run.output).toContain(`base_url: ${url}/v2`);
    expect(run.output).toContain('proxy.paginate');
    const today = new Date().toISOString().slice(0, 10);
    expect(run.output).toContain(`confirmed_on: ${today}\n  confirmed_by: description`);
    expect(
      (await runCli(['providers', 'show', 'acme-tasks'], { cwd: project.path, home: server.home })).output,
    ).toMatch(
      new RegExp(`confirmed_on: ${today}\\nconfirmed_by: description\\napi_description_url: ${url}/openapi.json`),
    );
    const response = await fetch(`${server.url}/providers/acme-tasks`, {
      headers: { authorization: `Bearer ${server.secretKey}` },
    });
    expect(await response.json()).toMatchObject({
      data: { auth_mode: 'API_KEY', proxy: { verification: { endpoints: ['/me'] } }, source: 'workspace' },
    });

    const again = await cli(`${url}/openapi.json`);
    expect(again.status).toBe(1);
    expect(again.errors).toContain('The workspace has an entry "acme-tasks"');
    const replaced = await cli(`${url}/openapi.json`, '--replace');
    expect(replaced.status, replaced.errors).toBe(0);
  });

  it('reads the parts of a description from its own host and folder only', async () => {
    const whole = await cli(`${url}/parts.json`, '--print', '--json');
    expect(entryOf(whole)).toMatchObject({ key: 'parts', proxy: { verification: { endpoints: ['/me'] } } });
    const elsewhere = await cli(`${url}/elsewhere.json`, '--print');
    expect(elsewhere.status).toBe(1);
    expect(elsewhere.errors).toContain('refers to another host');

    await mkdir(join(project.path, 'api'));
    await writeFile(join(project.path, 'secret.json'), '{}');
    const part = async (reference: string): Promise<CliRun> => {
      const paths = { '/me': { $ref: reference } };
      await writeFile(join(project.path, 'api/openapi.json'), JSON.stringify({ ...DESCRIPTION, paths }));
      return cli('api/openapi.json', '--print', '--json');
    };
    await writeFile(join(project.path, 'api/me.json'), JSON.stringify(DESCRIPTION.paths['/me']));
    expect(entryOf(await part('./me.json'))).toMatchObject({ proxy: { verification: { endpoints: ['/me'] } } });
    const outside = await part('../secret.json');
    expect(outside.status).toBe(1);
    expect(outside.output + outside.errors).toContain('not beside it');
  });

  it('proposes an entry for an MCP server from what it says of itself', async () => {
    const entry = entryOf(await cli(`${url}/mcp`, '--print', '--json'));
    expect(entry).toMatchObject({
      key: 'acme-mcp',
      display_name: 'Acme (MCP)',
      auth_mode: 'MCP_OAUTH2_GENERIC',
      mcp_server_url: `${url}/mcp`,
    });

    const open = await cli(`${url}/open-mcp`, '--print');
    expect(open.output).toContain('answers without a sign-in');
    const saved = await cli(`${url}/mcp`, '--name', 'own-mcp');
    expect(saved.status, saved.errors).toBe(0);
    const text = await readFile(join(server.workspace, 'providers.d/own-mcp.yaml'), 'utf8');
    expect(parse(text)).toHaveProperty('own-mcp');
  });

  it('takes the metadata of an authorization server, and says that the API is not in it', async () => {
    const run = await cli(`${url}/metadata.json`, '--print', '--json', '--name', 'acme-id');

    expect(entryOf(run)).toMatchObject({ auth_mode: 'OAUTH2', token_url: `${url}/token`, available_scopes: ['read'] });
    expect(JSON.parse(run.output).open).toContainEqual(expect.objectContaining({ keyPath: 'proxy.base_url' }));
  });

  it.each([
    ['nothing usable at the address', (at: string) => [`${at}/nothing`], 1, 'it answered 404 with text/html'],
    ['no server at the address', () => ['http://127.0.0.1:9/openapi.json'], 1, 'cannot be read'],
    ['an address with a password', () => ['https://a:b@acme.test/x'], 1, 'without a user name'],
    ['an unknown way to authorize', (at: string) => [`${at}/openapi.json`, '--auth', 'x'], 64, 'It has: key.'],
    ['a faulty key', (at: string) => [`${at}/openapi.json`, '--name', 'A b'], 64, 'lower-case letters'],
    [
      'the key of a built-in provider',
      (at: string) => [`${at}/openapi.json`, '--name', 'github'],
      1,
      '"github" is built in',
    ],
  ])('explains %s', async (_what, args, status, reason) => {
    const run = await cli(...args(url));

    expect(run.status).toBe(status);
    expect(run.errors.replaceAll(/\s+/g, ' ')).toContain(reason);
  });
});
