import { writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { connectAgent } from './agent-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

const TOKEN = 'remote-access-token-1';

let hub: AgentFixture;
let remoteEntry: Record<string, unknown>;
let remote: HttpServer;
const seen: Array<{ path: string | undefined; authorization: string | undefined }> = [];

beforeAll(async () => {
  remote = createServer(async (request, response) => {
    if (request.url === '/token') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ access_token: TOKEN, token_type: 'bearer' }));
      return;
    }
    seen.push({ path: request.url, authorization: request.headers.authorization });
    const server = new Server({ name: 'remote', version: '1' }, { capabilities: { tools: {} } });
    const schema = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
    server.setRequestHandler(ListToolsRequestSchema, async () => ({
      tools: [
        {
          name: 'find_pages',
          title: 'Find pages',
          description: 'Finds pages',
          inputSchema: schema,
          annotations: { readOnlyHint: true, openWorldHint: false },
        },
        {
          name: 'erase_page',
          description: 'Erases a page',
          inputSchema: schema,
          annotations: { destructiveHint: true },
        },
      ],
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => ({
      content: [{ type: 'text', text: `${params.name}: ${JSON.stringify(params.arguments)}` }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  const { port } = remote.address() as AddressInfo;
  hub = await startAgentFixture({ env: { HOMEPORT_TRUST_WORKSPACE: '1' } });
  remoteEntry = {
    display_name: 'Wiki',
    docs: 'https://example.test',
    auth_mode: 'MCP_OAUTH2',
    client_registration: 'static',
    authorization_url: `http://127.0.0.1:${port}/authorize`,
    token_url: `http://127.0.0.1:${port}/token`,
    proxy: { base_url: `http://127.0.0.1:${port}/mcp` },
  };
  await writeFile(join(hub.server.workspace, 'providers.yaml'), JSON.stringify({ wiki: remoteEntry }));
  await waitFor(async () => (await hub.api.send('GET /providers/wiki')).status === 200, { what: 'the provider' });
  await hub.api.send('PATCH /environment/settings', { body: { allowed_hosts: [`127.0.0.1:${port}`] } });
  const credentials = { type: 'MCP_OAUTH2', client_id: 'a', client_secret: 'b' };
  const made = await hub.api.send('POST /integrations', {
    body: { provider: 'wiki', unique_key: 'wiki', credentials },
  });
  expect(made.status).toBe(200);
  const session = await hub.api.send('POST /connect/sessions', { body: { tags: { user: 'ada' } } });
  const { token } = (session.body as { data: { token: string } }).data;
  const start = await hub.api.send(`GET /oauth/connect/wiki?connect_session_token=${token}`);
  const state = new URL(String(start.headers.location)).searchParams.get('state');
  await fetch(`${hub.server.url}/oauth/callback?state=${state}&code=c`);
});
afterAll(async () => {
  await hub?.stop();
  await new Promise((resolve) => remote?.close(resolve));
});

it('relays the tools of an integration that is an MCP server, with its credentials', async () => {
  const tenant = { connections: { any: [{ tags: { user: 'ada' } }] } };
  expect(await hub.refusal({ tenant, toolset: { wiki: { allow: { tools: ['find_pages', 'ghost'] } } } })).toMatchObject(
    { code: 'unknown_tool', payload: { tools: [{ integration_id: 'wiki', tool: 'ghost' }] } },
  );
  const session = await hub.create({ tenant, toolset: { wiki: '*' }, pinned_tools: { wiki: ['find_pages'] } });
  expect(session.toolset).toEqual({ wiki: { connected: true, tools_pinned: 1, tools_searchable: 1 } });

  const client = new Client({ name: 'acceptance', version: '1' });
  const headers = { authorization: `Bearer ${session.session_token}` };
  const transport = new StreamableHTTPClientTransport(new URL(session.mcp_url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === 'wiki__find_pages')).toMatchObject({
    title: 'Find pages',
    description: 'Finds pages',
    inputSchema: { required: ['query'] },
  });
  // A hint that the server does not give has a default of its own.
  expect(tools.find(({ name }) => name === 'wiki__find_pages')?.annotations).toEqual({
    readOnlyHint: true,
    openWorldHint: false,
  });
  const direct = await client.callTool({ name: 'wiki__find_pages', arguments: { query: 'x' } });
  expect(direct.content).toEqual([{ type: 'text', text: 'find_pages: {"query":"x"}' }]);

  const dashboard = await hub.signIn();
  const erased = client.callTool({
    name: 'nango_execute',
    arguments: { tool: 'wiki__erase_page', input: { query: 'y' } },
  });
  let question: { id: string; risk: string; reasons: string[] } | undefined;
  await waitFor(
    async () => {
      [question] = (await dashboard.call('GET /api/v1/mcp/approvals')).data;
      return question !== undefined;
    },
    { what: 'the question' },
  );
  expect(question).toMatchObject({
    risk: 'delete',
    tool: 'erase_page',
    reasons: [expect.stringMatching(/^This session read text by strangers \(find_pages of wiki, /)],
    decisions: ['allow-once', 'deny', 'deny-always'],
  });
  await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
    params: { approvalId: question?.id ?? '' },
    body: { decision: 'allow-once' },
  });
  expect((await erased).content).toEqual([{ type: 'text', text: 'erase_page: {"query":"y"}' }]);

  const { body } = await hub.api.send(`GET /sessions/${session.session_id}`);
  expect(
    (body as { data: { untrusted_reads: { tool: string }[] } }).data.untrusted_reads.map(({ tool }) => tool),
  ).toEqual(['find_pages', 'erase_page']);
  await client.close();
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set([`Bearer ${TOKEN}`]));
  expect(new Set(seen.map(({ path }) => path))).toEqual(new Set(['/mcp']));
});

it('trusts an MCP server whose entry says that strangers do not write there', async () => {
  const trusted = { ...remoteEntry, display_name: 'Own wiki', untrusted_output: false };
  await writeFile(join(hub.server.workspace, 'providers.yaml'), JSON.stringify({ wiki: trusted }));
  await waitFor(async () => (await hub.api.send('GET /providers/wiki')).bytes.toString().includes('Own wiki'), {
    what: 'the entry',
  });
  const tenant = { connections: { any: [{ tags: { user: 'ada' } }] } };
  const session = await hub.create({ tenant, toolset: { wiki: '*' }, pinned_tools: { wiki: ['find_pages'] } });
  const { call, client } = await connectAgent(session);
  expect((await call('wiki__find_pages', { query: 'x' })).isError).not.toBe(true);
  await client.close();
  const { body } = await hub.api.send(`GET /sessions/${session.session_id}`);
  expect(body).toMatchObject({ data: { untrusted_reads: [] } });
});
