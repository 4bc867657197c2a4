import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../support/run-cli.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { connectAgent, decideNext, textOf } from './agent-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';
import { signInWith } from './oauth-client.ts';

let hub: AgentFixture;
let dashboard: DashboardClient;
beforeAll(async () => {
  hub = await startAgentFixture();
  dashboard = await hub.signIn();
});
afterAll(() => hub?.stop());

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };
const WRITE = { tool: 'notes__write-note', input: { text: 'milk' } };
const NOTE = { integrationKey: 'notes', connectionId: 'ada-notes', tool: 'write-note' };

const DENY_DELETES = { tool: 'delete-note', policy: 'deny', provider_config_key: 'notes' };

async function connect(program: string) {
  const session = await hub.create({ tenant: ADA, meta_tools: { nango_proxy: true } });
  const { client, call } = await connectAgent(session, program);
  return {
    session,
    close: () => client.close(),
    execute: (input: object) => call('nango_execute', { ...input }),
    call,
  };
}

/** The decisions about the programs whose name begins with `client`. */
const listPrograms = async (client: string) => {
  const { body } = await hub.api.send('GET /environment/mcp-policies');
  const { programs } = (body as { data: { programs: Array<{ client: string }> } }).data;
  return programs.filter((one) => one.client.startsWith(client));
};
const cli = (...args: string[]) => runCli(args, { cwd: hub.server.home, home: hub.server.home });

describe('what a person answered for good about a program', () => {
  it('is listed and taken back: then the program is asked again', { tags: ['main-path'] }, async () => {
    const agent = await connect('writer');
    const asked = agent.execute(WRITE);
    await decideNext(dashboard, 'allow-always');
    expect((await asked).isError).toBeFalsy();

    const { data } = await dashboard.call('GET /api/v1/mcp/decisions');
    const row = data.find(({ clientName }) => clientName.startsWith('writer'));
    expect(row).toMatchObject({ ...NOTE, clientId: null, sessionId: null, policy: 'allow' });
    expect(await listPrograms('writer')).toEqual([
      {
        client: row?.program,
        program: row?.program,
        session_id: null,
        provider_config_key: 'notes',
        connection_id: 'ada-notes',
        tool: 'write-note',
        policy: 'allow',
        decided_at: row?.decidedAt,
      },
    ]);
    expect((await cli('mcp', 'list')).output).toMatch(/^write-note +notes +ada-notes +writer .*allow$/m);

    const body = { ...NOTE, program: row?.program ?? '', sessionId: null };
    const other = { ...body, connectionId: 'bob-notes' };
    expect(await dashboard.refusal('DELETE /api/v1/mcp/decisions', { body: other })).toMatchObject({ status: 404 });
    await dashboard.call('DELETE /api/v1/mcp/decisions', { body });
    expect(await dashboard.refusal('DELETE /api/v1/mcp/decisions', { body })).toMatchObject({ status: 404 });
    expect(await listPrograms('writer')).toEqual([]);

    const again = agent.execute({ ...WRITE, input: { text: 'bread' } });
    await decideNext(dashboard, 'deny');
    expect(textOf(await again)).toContain('denied');
    await agent.close();
  });

  it('for one session names the session, and goes with its end', async () => {
    const agent = await connect('short');
    const asked = agent.execute(WRITE);
    await decideNext(dashboard, 'allow-session');
    await asked;

    const { session_id } = agent.session;
    expect(await listPrograms('short')).toMatchObject([
      { client: 'short', program: null, session_id, policy: 'allow' },
    ]);
    expect((await cli('mcp', 'list')).output).toContain(`short, session ${session_id}`);
    await agent.close();
    await hub.api.send(`DELETE /sessions/${session_id}`);
    expect(await listPrograms('short')).toEqual([]);
  });

  it('is of the name that the person was shown at the sign-in, whatever the program calls itself later', async () => {
    const signIn = (name: string) =>
      signInWith(new URL(`${hub.server.url}/agents/mcp`), {
        name,
        dashboard,
        connection: { integrationKey: 'notes', connectionId: 'ada-notes', tools: null },
      });
    const write = (client: Client, text: string) =>
      client.callTool({ name: 'nango_execute', arguments: { tool: WRITE.tool, input: { text } } });
    const first = await signIn('one');
    const asked = write(first.client, 'a');
    await decideNext(dashboard, 'allow-always');
    await asked;

    expect(await listPrograms('Desk')).toMatchObject([{ program: 'Desk agent', policy: 'allow' }]);
    const second = await signIn('two');
    expect((await write(second.client, 'b')).isError ?? false).toBe(false);
    for (const { client } of [first, second]) await client.close();
    expect(await cli('mcp', 'ask', 'write-note')).toMatchObject({ status: 0 });
  });

  it('is replaced by a later policy for every client, also for tools that are no actions', async () => {
    const agent = await connect('proxying');
    const get = () => agent.call('nango_proxy', { integration: 'notes', method: 'GET', path: '/practice/api/me' });
    const asked = get();
    await decideNext(dashboard, 'deny-always');
    await asked;
    const kept = agent.execute(WRITE);
    await decideNext(dashboard, 'allow-session');
    await kept;
    await hub.api.send('PUT /environment/mcp-policies', { body: DENY_DELETES });
    expect(await listPrograms('proxying')).toMatchObject([
      { tool: 'write-note' },
      { tool: 'nango_proxy', policy: 'deny' },
    ]);

    expect(await cli('mcp', 'ask', 'nango_proxy', '--connection', 'bob-notes')).toMatchObject({ status: 1 });
    expect(await cli('mcp', 'ask', 'nango_proxy')).toMatchObject({ status: 0 });
    expect(await listPrograms('proxying')).toMatchObject([{ tool: 'write-note' }]);
    const again = get();
    await decideNext(dashboard, 'allow-once');
    await again;
    await agent.close();
  });
});
