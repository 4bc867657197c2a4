import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, type Created, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
let dashboard: DashboardClient;
const clients: Client[] = [];
beforeAll(async () => {
  hub = await startAgentFixture({ env: { HOMEPORT_MCP: 'allow' } });
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
}

async function execute(client: Client, tool: string, input: Record<string, unknown> = {}): Promise<Result> {
  return (await client.callTool({ name: 'nango_execute', arguments: { tool, input } })) as unknown as Result;
}
const textOf = ({ content }: Result): string => content.map(({ text }) => text).join('\n');

describe('limits of a session', () => {
  it('end its writes with a result that the model understands, and leave reading', async () => {
    const agent = await connect(await hub.create({ tenant: ADA, limits: { writes: 1 } }));

    expect(await execute(agent, 'notes__write-note', { text: 'one' })).not.toHaveProperty('isError', true);
    const refused = await execute(agent, 'notes__write-note', { text: 'two' });

    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toMatch(/The session may write 1 times in all, .*Tools that only read still work/);
    expect(textOf(refused)).toContain('call_limit_reached');
    expect(await execute(agent, 'notes__read-note')).not.toHaveProperty('isError', true);
  });

  it('refuse calls beyond those of a minute, also for a program that renames itself, and log it once', async () => {
    const session = await hub.create({ tenant: ADA, limits: { calls_per_minute: 2 } });
    const agent = await connect(session);
    await execute(agent, 'notes__read-note');
    await execute(agent, 'notes__read-note');

    const refused = await execute(agent, 'notes__read-note');
    const renamed = await execute(await connect(session, 'another name'), 'notes__read-note');

    for (const one of [refused, renamed])
      expect(textOf(one)).toMatch(/2 calls per minute.*Repeat this call after \d+ s/);
    const logged = async () => {
      const search = `session:${session.session_id} type:agent_session:limit`;
      return (await dashboard.call('GET /api/v1/logs/operations', { query: { search } })).data;
    };
    await waitFor(async () => (await logged()).length > 0, { what: 'the refusal in the log' });
    expect(await logged()).toMatchObject([{ state: 'cancelled', error: { type: 'call_rate_reached' } }]);
  });

  it.each([
    { calls: -1 },
    { calls: 1.5 },
    { writes: 'many' },
    { cost: -0.1 },
    { calls_per_minute: 0 },
    { hosts: ['https://example.com/'] },
    { methods: ['BREW'] },
    { other: 1 },
  ])('are refused when they are %j', async (limits) => {
    expect(await hub.refusal({ tenant: ADA, limits })).toMatchObject({ status: 400, code: 'invalid_body' });
  });

  it('hold for nango_proxy: host and method', async () => {
    const session = await hub.create({
      tenant: ADA,
      meta_tools: { nango_proxy: true },
      limits: { hosts: ['api.example.com'], methods: ['GET'] },
    });
    const agent = await connect(session);
    const send = async (method: string) =>
      (await agent.callTool({
        name: 'nango_proxy',
        arguments: { integration: 'notes', method, path: '/v1/echo' },
      })) as unknown as Result;

    expect(textOf(await send('POST'))).toContain('may send only GET, not POST');
    expect(textOf(await send('GET'))).toMatch(/may reach only api\.example\.com, not /);
  });
});

describe('a session that searches in a loop', () => {
  const search = async (agent: Client, queries: string[]): Promise<Result> =>
    (await agent.callTool({ name: 'nango_tool_search', arguments: { queries } })) as unknown as Result;
  const questions = async () => (await dashboard.call('GET /api/v1/mcp/approvals')).data;

  it('is asked about at the fifth time, and goes on when the person says so for the session', async () => {
    const agent = await connect(await hub.create({ tenant: ADA }));
    for (let count = 0; count < 4; count += 1) expect((await search(agent, ['note'])).isError).not.toBe(true);
    const fifth = search(agent, [' note ']);
    await waitFor(async () => (await questions()).length === 1, { what: 'the question' });
    const [question] = await questions();
    expect(question).toMatchObject({
      tool: 'nango_tool_search',
      reasons: ['The same call came 5 times in a row.'],
      decisions: ['allow-once', 'allow-session', 'deny'],
    });
    await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
      params: { approvalId: question?.id ?? '' },
      body: { decision: 'allow-session' },
    });
    expect(textOf(await fifth)).toContain('notes__write-note');
    for (let count = 0; count < 6; count += 1) expect((await search(agent, ['note'])).isError).not.toBe(true);
    expect(await questions()).toEqual([]);
  });

  it('is asked about when searches and calls take turns, and is told what to do after a no', async () => {
    const agent = await connect(await hub.create({ tenant: ADA }));
    for (let count = 0; count < 4; count += 1) {
      await search(agent, ['read']);
      await execute(agent, 'notes__read-note');
    }
    await search(agent, ['read']);
    const tenth = execute(agent, 'notes__read-note');
    await waitFor(async () => (await questions()).length === 1, { what: 'the question' });
    const [question] = await questions();
    expect(question?.reasons).toEqual(['The same 2 calls came 5 times in turn.']);
    await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
      params: { approvalId: question?.id ?? '' },
      body: { decision: 'deny' },
    });
    expect(textOf(await tenth)).toContain('Do not repeat it as it is');
  });

  it('is refused after a no, and the log says so', async () => {
    const session = await hub.create({ tenant: ADA });
    const agent = await connect(session);
    for (let count = 0; count < 4; count += 1) await search(agent, ['x']);
    const fifth = search(agent, ['x']);
    await waitFor(async () => (await questions()).length === 1, { what: 'the question' });
    await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
      params: { approvalId: (await questions())[0]?.id ?? '' },
      body: { decision: 'deny' },
    });
    const text = textOf(await fifth);
    expect(text).toContain('use the result that you have');
    expect(text).not.toContain('homeport mcp allow');
    await waitFor(
      async () => {
        const query = { search: `session:${session.session_id}`, states: 'cancelled' };
        const { data } = await dashboard.call('GET /api/v1/logs/operations', { query });
        return data.some(({ message }) => message.startsWith('Search: x'));
      },
      { what: 'the operation' },
    );
  });
});
