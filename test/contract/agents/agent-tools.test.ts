import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { importConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, action, type Created, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
let dashboard: DashboardClient;
const clients: Client[] = [];
beforeAll(async () => {
  hub = await startAgentFixture();
  dashboard = await hub.signIn();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(() => hub?.stop());

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };

async function connect({ mcp_url, session_token }: Created, name = 'acceptance'): Promise<Client> {
  const client = new Client({ name, version: '1.2.3' });
  const headers = { authorization: `Bearer ${session_token}` };
  const transport = new StreamableHTTPClientTransport(new URL(mcp_url), { requestInit: { headers } });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  clients.push(client);
  return client;
}

interface Result {
  isError?: boolean;
  content: Array<{ type: string; text: string }>;
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape
  structuredContent?: any;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name, arguments: args })) as unknown as Result;
}
const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n');

async function decide(decision: 'allow-once' | 'allow-session' | 'allow-always' | 'deny') {
  let id: string | undefined;
  await waitFor(
    async () => {
      id = (await dashboard.call('GET /api/v1/mcp/approvals')).data[0]?.id;
      return id !== undefined;
    },
    { what: 'a question' },
  );
  const params = { approvalId: id ?? '' };
  await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', { params, body: { decision } });
}

describe('an agent', () => {
  it('creates, searches and executes', { tags: ['main-path'] }, async () => {
    const session = await hub.create({ tenant: ADA });
    const agent = await connect(session);
    expect((await agent.listTools()).tools.map(({ name }) => name)).toEqual(['nango_tool_search', 'nango_execute']);

    const found = await call(agent, 'nango_tool_search', {
      queries: ['read a note', 'send email'],
      goal: 'mail a note',
    });
    expect(found.structuredContent).toMatchObject({
      integrations: {
        mail: { status: 'connected', connection_id: 'ada-mail' },
        notes: { status: 'connected', connection_id: 'ada-notes' },
      },
      results: [
        {
          query: 'read a note',
          guidance: expect.stringContaining('nango_execute'),
          matches: [
            {
              tool: 'notes__read-note',
              integration: 'notes',
              action: 'read-note',
              provider: 'practice',
              description: 'Reads a note by its id',
              listed: false,
              connection: { status: 'connected', connection_id: 'ada-notes' },
              input: { kind: 'none' },
            },
            ...found.structuredContent.results[0].matches.slice(1),
          ],
        },
        { matches: [{ tool: 'mail__send-mail', input: { kind: 'schema', schema: { required: ['to', 'subject'] } } }] },
      ],
    });
    for (const { related } of found.structuredContent.results)
      for (const lead of related) expect(lead).not.toHaveProperty('input');

    expect(await call(agent, 'nango_execute', { tool: 'notes__read-note', input: {} })).toMatchObject({
      content: [{ type: 'text', text: '{}' }],
    });
    const { body } = await hub.api.send(`GET /sessions/${session.session_id}`);
    expect(body).toMatchObject({
      data: { state: 'active', calls: 2, client: { name: 'acceptance', version: '1.2.3' } },
    });
    expect((body as { data: { last_used_at: string } }).data.last_used_at).toBeTruthy();
  });

  it('runs a tool that asks when a person allows it, and says so when the person denies it', async () => {
    const agent = await connect(await hub.create({ tenant: ADA }));
    const write = () => call(agent, 'nango_execute', { tool: 'notes__write-note', input: { text: 'milk' } });

    const allowed = write();
    await decide('allow-once');
    expect(await allowed).toMatchObject({ content: [{ text: JSON.stringify({ text: 'milk' }, null, 2) }] });

    const denied = write();
    await decide('deny');
    const result = await denied;
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('denied');
  });

  it('is not asked again within the session, and not in a later one of the program after "always"', async () => {
    const first = await connect(await hub.create({ tenant: ADA }));
    const remove = (client: Client) =>
      call(client, 'nango_execute', { tool: 'notes__delete-note', input: { id: '1' } });
    const once = remove(first);
    await decide('allow-session');
    await once;
    expect((await remove(first)).isError).toBeFalsy();

    const second = await connect(await hub.create({ tenant: ADA }));
    const asked = remove(second);
    await decide('allow-always');
    await asked;
    const third = await connect(await hub.create({ tenant: ADA }));
    expect((await remove(third)).isError).toBeFalsy();
  });

  it('has pinned tools in its list, and calls only those by their names', async () => {
    const agent = await connect(
      await hub.create({ tenant: ADA, toolset: { notes: '*' }, pinned_tools: { notes: ['read-note'] } }),
    );
    const { tools } = await agent.listTools();
    expect(tools.map(({ name }) => name)).toContain('notes__read-note');
    expect(tools.find(({ name }) => name === 'notes__read-note')).toMatchObject({
      description: 'Reads a note by its id',
      annotations: { readOnlyHint: true },
    });

    expect(textOf(await call(agent, 'notes__read-note'))).toBe('{}');
    const other = await call(agent, 'notes__write-note', { text: 'x' });
    expect(other.isError).toBe(true);
    expect(textOf(other)).toContain('nango_execute');
  });

  it('gets a result with the name of the field for wrong input, before a person is asked', async () => {
    const agent = await connect(await hub.create({ tenant: ADA }));
    const wrong = await call(agent, 'nango_execute', { tool: 'mail__send-mail', input: { to: 'ada' } });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain('subject');

    const ghost = await call(agent, 'nango_execute', { tool: 'notes__ghost' });
    expect(ghost.isError).toBe(true);
    expect(textOf(ghost)).toContain('nango_tool_search');
    const none = await call(agent, 'nango_tool_search', { queries: [] });
    expect(textOf(none)).toContain('queries');
    expect((await call(agent, 'nango_tool_search', { queries: Array(6).fill('note') })).isError).toBe(true);
  });

  it('sees no tool that its toolset denies', async () => {
    const toolset = { notes: { deny: { tools: ['read-note'] } } };
    const agent = await connect(await hub.create({ tenant: ADA, toolset }));
    const { structuredContent } = await call(agent, 'nango_tool_search', { queries: ['read note'] });
    const [{ matches, related }] = structuredContent.results;
    expect([...matches, ...related].map(({ tool }: { tool: string }) => tool)).not.toContain('notes__read-note');
    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBe(true);
    expect(
      (await call(agent, 'nango_execute', { tool: 'mail__send-mail', input: { to: 'a', subject: 'b' } })).isError,
    ).toBe(true);
  });

  it('has only the meta tools that are switched on', async () => {
    const meta_tools = { nango_tool_search: false, nango_proxy: true, nango_create_connection: true };
    const agent = await connect(await hub.create({ tenant: ADA, meta_tools }));
    const names = (await agent.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(['nango_execute', 'nango_proxy', 'nango_create_connection']);
    await expect(call(agent, 'nango_tool_search', { queries: ['note'] })).rejects.toThrow('Unknown tool');
  });

  it('learns that an integration is not connected', async () => {
    const agent = await connect(
      await hub.create({ tenant: { connections: { any: [{ tags: { user: 'carl' } }] } }, toolset: { notes: '*' } }),
    );
    const { structuredContent } = await call(agent, 'nango_tool_search', { queries: ['read note'] });
    expect(structuredContent.integrations).toEqual({ notes: { status: 'not_connected' } });
    expect(structuredContent.results[0].matches[0].connection).toEqual({ status: 'not_connected' });
    const result = await call(agent, 'nango_execute', { tool: 'notes__read-note' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain('not connected');
  });

  it('leaves one timeline in the log', async () => {
    const session = await hub.create({ tenant: ADA });
    const agent = await connect(session);
    await call(agent, 'nango_tool_search', { queries: ['read note'] });
    await call(agent, 'nango_execute', { tool: 'notes__read-note' });
    await hub.api.send(`DELETE /sessions/${session.session_id}`);

    const listed = async () => {
      const query = { search: `session:${session.session_id}` };
      const { data } = await dashboard.call('GET /api/v1/logs/operations', { query });
      return data.map(({ operation: { action, type } }) => `${type}:${action}`).reverse();
    };
    await waitFor(async () => (await listed()).includes('agent_session:end'), { what: 'the end in the log' });
    expect(await listed()).toEqual([
      'agent_session:create',
      'agent_session:search',
      'agent_session:execute',
      'action:run',
      'agent_session:end',
    ]);
  });
});

describe('nango_proxy', () => {
  const meta_tools = { nango_proxy: true };
  const get = (client: Client, more: object = {}) =>
    call(client, 'nango_proxy', { integration: 'notes', method: 'GET', path: '/v1/echo', query: { a: 1 }, ...more });

  it('asks for every method, then gives status, headers and body', async () => {
    const agent = await connect(await hub.create({ tenant: ADA, meta_tools }));
    const asked = get(agent);
    await decide('allow-session');
    const { structuredContent } = await asked;
    expect(structuredContent).toMatchObject({
      status: 200,
      headers: { 'content-type': expect.stringContaining('json') },
    });
    expect(JSON.stringify(structuredContent.body)).toContain('/v1/echo');
    expect((await get(agent, { method: 'POST', body: { x: 1 } })).structuredContent).toMatchObject({ status: 200 });
  });

  it.each([
    ['an address', { path: 'https://example.com/x' }],
    ['a host', { path: '//example.com/x' }],
    ['a backslash', { path: '/\\example.com' }],
    ['another method', { method: 'TRACE' }],
    ['a header of the hub', { headers: { Host: 'example.com' } }],
    ['another base', { headers: { 'Base-Url-Override': 'https://example.com' } }],
    ['an integration outside of the toolset', { integration: 'mail' }],
    ['an integration that is not connected', { integration: 'empty' }],
  ])('does not go to %s', async (_, more) => {
    const toolset = { notes: '*', empty: '*' };
    const agent = await connect(await hub.create({ tenant: ADA, toolset, meta_tools }));
    expect((await get(agent, more)).isError).toBe(true);
    expect((await dashboard.call('GET /api/v1/mcp/approvals')).data).toEqual([]);
  });
});

describe('the address of a session', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const accept = 'application/json, text/event-stream';
  const post = ({ mcp_url, session_token }: Created, headers: Record<string, string | undefined> = {}) =>
    hub.api.send(`POST ${new URL(mcp_url).pathname}`, {
      body: list,
      headers: { authorization: `Bearer ${session_token}`, accept, ...headers },
    });

  it('needs the token of the session, which opens nothing else', async () => {
    const [session, other] = [await hub.create({ tenant: ADA }), await hub.create({ tenant: ADA })];

    expect(await post(session)).toMatchObject({ status: 200 });
    expect(await post(session, { authorization: undefined })).toMatchObject({ status: 401 });
    const wrong = { status: 404, body: { error: { code: 'session_not_found' } } };
    expect(await post(session, { authorization: `Bearer ${other.session_token}` })).toMatchObject(wrong);
    expect(await post(session, { authorization: `Bearer ${hub.server.secretKey}` })).toMatchObject(wrong);
    expect(await post({ ...session, mcp_url: `${hub.server.url}/session/ghost/mcp` })).toMatchObject(wrong);
    for (const route of ['GET /connections', 'GET /sessions', 'POST /mcp'])
      expect(
        await hub.api.send(route, { headers: { authorization: `Bearer ${session.session_token}` } }),
      ).toMatchObject({ status: 401 });
  });

  it('answers 405 to GET, 403 to other origins, and gives no CORS headers', async () => {
    const session = await hub.create({ tenant: ADA });
    const route = new URL(session.mcp_url).pathname;
    const authorization = `Bearer ${session.session_token}`;
    expect(await hub.api.send(`GET ${route}`, { headers: { authorization, accept } })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
      body: { jsonrpc: '2.0', error: { code: -32000 }, id: null },
    });
    for (const origin of ['https://example.com', 'null', 'http://localhost:1']) {
      const refused = await post(session, { origin });
      expect(refused.status).toBe(403);
      expect(refused.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect(await post(session, { origin: hub.server.url })).toMatchObject({ status: 200 });
    const preflight = await hub.api.send(`OPTIONS ${route}`, { headers: { origin: 'https://example.com' } });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
  });

  it('is gone when the session was ended, or its key revoked', async () => {
    const ended = await hub.create({ tenant: ADA });
    await hub.api.send(`DELETE /sessions/${ended.session_id}`);
    expect(await post(ended)).toMatchObject({ status: 404, body: { error: { code: 'session_not_found' } } });

    const key = await hub.createKey({ name: 'gone soon' });
    const revoked = await hub.create({ tenant: ADA }, key.secret);
    await dashboard.call('DELETE /api/v1/keys/:keyId', { params: { keyId: String(key.id) } });
    expect(await post(revoked)).toMatchObject({ status: 404, body: { error: { code: 'session_not_found' } } });
  });

  it('ends the question of a call that waits', async () => {
    const session = await hub.create({ tenant: ADA });
    const agent = await connect(session, 'interrupted');
    const waiting = call(agent, 'nango_execute', { tool: 'notes__write-note', input: { text: 'x' } });
    await waitFor(async () => (await dashboard.call('GET /api/v1/mcp/approvals')).data.length > 0, {
      what: 'the question',
    });
    await hub.api.send(`DELETE /sessions/${session.session_id}`);

    expect((await waiting).isError).toBe(true);
    expect((await dashboard.call('GET /api/v1/mcp/approvals')).data).toEqual([]);
  });

  it('serves only the limits that the key still has', async () => {
    const key = await hub.createKey({ name: 'narrowed' });
    const session = await hub.create({ tenant: ADA, toolset: { notes: '*' } }, key.secret);
    const agent = await connect(session);
    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBeFalsy();
    await dashboard.call('PATCH /api/v1/keys/:keyId', {
      params: { keyId: String(key.id) },
      body: { allowed: [{ integrationKey: 'mail' }] },
    });

    expect(textOf(await call(agent, 'nango_execute', { tool: 'notes__read-note' }))).toContain('not connected');
  });

  it('forgets a connection that was deleted', async () => {
    const tags = { user: 'eve' };
    const eve = { provider_config_key: 'notes', connection_id: 'eve-notes', tags };
    await importConnection(hub.server, eve);
    const agent = await connect(await hub.create({ tenant: { connections: { any: [{ tags }] } } }));
    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBeFalsy();
    await hub.api.send('DELETE /connections/eve-notes?provider_config_key=notes');
    await importConnection(hub.server, eve);
    expect(textOf(await call(agent, 'nango_execute', { tool: 'notes__read-note' }))).toContain('not connected');
  });

  it('waits while the vault is locked, also after a restart, and goes on afterwards', async () => {
    const session = await hub.create({ tenant: ADA });
    await dashboard.call('POST /api/v1/vault/lock');
    const agent = await connect(session);
    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBe(true);
    const { body } = await hub.api.send(`GET /sessions/${session.session_id}`);
    expect(body).toMatchObject({ data: { state: 'paused' } });
    await dashboard.call('POST /api/v1/vault/unlock');
    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBeFalsy();
  });

  it('asks again when the code of an allowed tool changes', async () => {
    const save = async (version: 'first' | 'second'): Promise<void> => {
      const endpoint = "{ method: 'POST', path: '/x/changing' }";
      const source = action({ endpoint, body: `return '${version}';` });
      await saveFunction(hub.server.workspace, 'notes/actions/changing.ts', source);
      await waitFor(
        async () => {
          const { bytes } = await hub.api.send('GET /integrations/notes/functions/changing/code');
          return bytes.toString().includes(version);
        },
        { what: `the ${version} code` },
      );
    };
    await save('first');
    const agent = await connect(await hub.create({ tenant: ADA }), 'changing');
    const change = () => call(agent, 'nango_execute', { tool: 'notes__changing' });
    const first = change();
    await decide('allow-always');
    await first;
    expect((await change()).isError).toBeFalsy();
    await save('second');
    const again = change();
    await decide('deny');
    expect((await again).isError).toBe(true);
  });
});

describe('nango_create_connection', () => {
  const open = async (url: string, integration: string) => {
    const token = new URL(url).searchParams.get('session_token');
    const route = `POST /api-auth/api-key/${integration}?connect_session_token=${token}`;
    const { body, status } = await hub.api.send(route, {
      body: { apiKey: PRACTICE_KEY },
      headers: { authorization: undefined },
    });
    if (status !== 200) throw new Error(`${route} answered ${status}: ${JSON.stringify(body)}`);
    return body as { connectionId: string };
  };

  it('gives a link; what the person connects with it belongs to the session and its tenant', async () => {
    const tags = { user: 'dora' };
    const tenant = { connections: { any: [{ tags }] } };
    const meta_tools = { nango_create_connection: true };
    const session = await hub.create({ tenant, toolset: { notes: '*' }, meta_tools });
    expect(session.meta_tools).toMatchObject({ nango_create_connection: true });
    const agent = await connect(session);
    const { structuredContent } = await call(agent, 'nango_create_connection', { integration: 'notes' });
    const { connectionId } = await open(structuredContent.url, 'notes');

    expect((await call(agent, 'nango_execute', { tool: 'notes__read-note' })).isError).toBeFalsy();
    const found = await call(agent, 'nango_tool_search', { queries: ['note'] });
    expect(found.structuredContent.integrations).toEqual({
      notes: { status: 'connected', connection_id: connectionId },
    });
    const { body } = await hub.api.send(`GET /connections/${connectionId}?provider_config_key=notes`);
    expect(body).toMatchObject({ tags });

    const again = await call(agent, 'nango_create_connection', { integration: 'notes' });
    expect((await open(again.structuredContent.url, 'notes')).connectionId).toBe(connectionId);
    expect((await call(agent, 'nango_create_connection', { integration: 'mail' })).isError).toBe(true);
  });
});
