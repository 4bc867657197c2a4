import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLI_ENTRY } from '../../support/run-cli.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';
import { signInWith, type Transport } from './oauth-client.ts';

let fixture: AgentFixture;
let dashboard: DashboardClient;
let address: URL;
beforeAll(async () => {
  fixture = await startAgentFixture();
  dashboard = await fixture.signIn();
  address = new URL(`${fixture.server.url}/agents/mcp`);
});
afterAll(() => fixture?.stop());

const signedIn = (tools: string[] | null) =>
  signInWith(address, {
    dashboard,
    name: 'desk-agent',
    connection: { integrationKey: 'notes', connectionId: 'ada-notes', tools },
  });

const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  (content as Array<{ text?: string }>).map(({ text }) => text ?? '').join('');

describe('the official client', () => {
  it('signs in, finds a tool and runs it', async () => {
    const { client } = await signedIn(['read-note']);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(['nango_execute', 'nango_tool_search']);
    const found = await client.callTool({ name: 'nango_tool_search', arguments: { queries: ['read a note'] } });
    expect(textOf(found)).toContain('notes__read-note');
    expect(textOf(found)).not.toContain('write-note');
    const run = await client.callTool({ name: 'nango_execute', arguments: { tool: 'notes__read-note', input: {} } });
    expect(run.isError ?? false).toBe(false);
    await client.close();
  });

  it('is out as soon as a person ends the session', async () => {
    const { client } = await signedIn(null);
    await client.callTool({ name: 'nango_tool_search', arguments: { queries: ['note'] } });
    const [session] = (await dashboard.call('GET /api/v1/agents/sessions')).data;
    expect(session).toMatchObject({ name: 'Desk agent', client: 'desk-agent', madeBy: 'program' });
    await dashboard.call('DELETE /api/v1/agents/sessions/:sessionId', { params: { sessionId: session?.id ?? '' } });
    await expect(client.listTools()).rejects.toThrow();
    await client.close();
  });
});

describe('the address', () => {
  it('says where to sign in, and refuses pages of other origins', async () => {
    const metadata = `resource_metadata="${fixture.server.url}/.well-known/oauth-protected-resource/agents/mcp"`;
    const post = (headers: Record<string, string>) => fetch(address, { method: 'POST', headers, body: '{}' });
    const without = await post({});
    expect([without.status, without.headers.get('www-authenticate')]).toEqual([401, `Bearer ${metadata}`]);
    const wrong = await post({ authorization: 'Bearer nobody' });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer ${metadata}, error="invalid_token"`,
    ]);
    // A token of one session, or a secret key, is no access token.
    const { session_token } = await fixture.create({ tenant: { connections: { any: [{ tags: { user: 'ada' } }] } } });
    for (const token of [session_token, fixture.server.secretKey])
      expect((await post({ authorization: `Bearer ${token}` })).status).toBe(401);
    for (const origin of ['https://evil.test', 'null']) {
      const foreign = await post({ origin });
      expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
    expect((await fetch(address)).status).toBe(401);
  });
});

describe('homeport agents stdio', () => {
  it('speaks MCP for programs that start their servers themselves, and ends its session with them', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [CLI_ENTRY, 'agents', 'stdio', '--connection', 'ada-mail'],
      env: { HOMEPORT_HOME: fixture.server.home, PATH: process.env['PATH'] ?? '', HOME: fixture.server.home },
    });
    const client = new Client({ name: 'desk-app', version: '1' });
    await client.connect(transport as Transport);
    const found = await client.callTool({ name: 'nango_tool_search', arguments: { queries: ['send an email'] } });
    expect(textOf(found)).toContain('mail__send-mail');
    const own = async () =>
      (await dashboard.call('GET /api/v1/agents/sessions')).data.find(({ client: name }) => name === 'desk-app');
    expect(await own()).toMatchObject({
      state: 'active',
      connections: [{ integrationKey: 'mail', connectionId: 'ada-mail' }],
    });
    await client.close();
    await expect.poll(async () => (await own())?.state).toBe('terminated');
  });
});
