import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { HOSTILE_STATEMENTS } from '../queries/hostile-statements.ts';
import { connectAgent, decideNext, type ToolAnswer, textOf } from './agent-client.ts';
import type { Created } from './agent-fixture.ts';

const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'Tickets', version: '1.0.0', frequency: 'every day', autoStart: false,
  models: { Ticket: z.object({ id: z.string(), title: z.string(), votes: z.number() }) },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/tickets' });
    await nango.batchSave(data.tickets, 'Ticket');
  },
});
`;
const TOOL = 'homeport_query_records';

let hub: FunctionHub;
let page: DashboardClient;
let api: ApiCaller;
beforeAll(async () => {
  hub = await startFunctionHub({ 'syncs/tickets.ts': SYNC });
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  api = new ApiCaller(hub.server);
  for (const user of ['ada', 'bob'])
    await hub.addConnection(user, { tags: { user }, credentials: { type: 'API_KEY', apiKey: `secret-of-${user}` } });
  await sync('ada', [
    { id: '1', title: 'First, with secret-of-ada', votes: 5 },
    { id: '2', title: 'Second', votes: 7 },
  ]);
  await sync('bob', [{ id: '1', title: 'Of bob', votes: 1 }]);
});
afterAll(() => hub?.stop());

async function sync(connectionId: string, tickets: object[]): Promise<void> {
  hub.provider.on('GET /tickets', { body: { tickets } });
  await hub.connection.nango.triggerSync('acme', ['tickets'], connectionId);
  await waitForSync(
    { ...hub.connection, connectionId },
    'tickets',
    ({ finishedAt }) => finishedAt !== undefined && finishedAt !== null,
  );
}

async function start(user = 'ada', more: Record<string, unknown> = {}) {
  const { body, status } = await api.send('POST /sessions', {
    body: { tenant: { connections: { any: [{ tags: { user } }] } }, meta_tools: { [TOOL]: true }, ...more },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const { data } = body as { data: Created };
  const agent = await connectAgent(data);
  return { ...data, ...agent, ask: (args: Record<string, unknown>): Promise<ToolAnswer> => agent.call(TOOL, args) };
}

describe('an agent with homeport_query_records', () => {
  it('lists its views, then asks over the records of its tenant only', async () => {
    const { ask, client, meta_tools } = await start();
    expect(meta_tools).toEqual({
      ...{ nango_tool_search: true, nango_execute: true, nango_proxy: false, [TOOL]: true },
    });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain(TOOL);
    expect(client.getInstructions()).toContain(TOOL);

    const { structuredContent: listed } = await ask({});
    expect(listed.views[0]).toEqual({
      view: 'acme.Ticket',
      columns: expect.arrayContaining(['id VARCHAR', 'votes DOUBLE', '_deleted BOOLEAN']),
    });
    expect(JSON.stringify(listed)).not.toContain('homeport.');

    const answer = await ask({
      sql: 'SELECT id, votes, _connection FROM acme.Ticket WHERE votes > $1 ORDER BY id',
      params: [4],
    });
    expect(answer.structuredContent).toEqual({
      columns: [
        { name: 'id', type: 'VARCHAR' },
        { name: 'votes', type: 'DOUBLE' },
        { name: '_connection', type: 'VARCHAR' },
      ],
      row_count: 2,
      rows: [
        { id: '1', votes: 5, _connection: 'ada' },
        { id: '2', votes: 7, _connection: 'ada' },
      ],
    });
    expect(JSON.parse(textOf(answer))).toEqual(answer.structuredContent);
    const ofBob = await (await start('bob')).ask({ sql: 'SELECT title FROM acme.Ticket' });
    expect(ofBob.structuredContent.rows).toEqual([{ title: 'Of bob' }]);
  });

  it('gets no secret of a connection, also when a record or an error repeats one', async () => {
    const { ask } = await start();
    const rows = textOf(await ask({ sql: "SELECT title FROM acme.Ticket WHERE id = '1'" }));
    expect(rows).toContain('First, with');
    expect(rows).not.toContain('secret-of-ada');
    const failed = await ask({ sql: "SELECT title::INT FROM acme.Ticket WHERE id = '1'" });
    expect(failed.isError).toBe(true);
    expect(textOf(failed)).toContain('Conversion Error');
    expect(textOf(failed)).not.toContain('secret-of-ada');
  });

  it('gets as many rows as a model can use, and hears how to get the others', async () => {
    const { ask } = await start();
    const many = (await ask({ sql: 'SELECT i FROM range(5000) AS t(i)' })).structuredContent;
    expect(many.rows).toHaveLength(100);
    expect(many).toMatchObject({ row_count: 5000, guidance: expect.stringContaining('first 100 of 5000 rows') });
    const long = (await ask({ sql: "SELECT repeat('x', 20000) AS text FROM range(10)", limit: 10 })).structuredContent;
    expect(long.rows).toHaveLength(2);
    const none = (await ask({ sql: "SELECT repeat('x', 200000) AS text" })).structuredContent;
    expect(none).toMatchObject({ rows: [], row_count: 1, guidance: expect.stringContaining('left(text, 500)') });
    const wrong = await ask({ sql: 'SELECT 1', limit: 5000 });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain('limit');
  });

  it.each([
    ...HOSTILE_STATEMENTS,
    'SELECT * FROM homeport.connections',
    'SELECT * FROM "HOMEPORT".runs',
    'DESCRIBE homeport.runs',
    'SUMMARIZE homeport.deliveries',
    'SELECT (SELECT count(*) FROM homeport.syncs)',
    'WITH x AS (SELECT * FROM memory.homeport.connections) SELECT * FROM x',
    'PIVOT homeport.runs ON state USING count(*)',
  ])('cannot run %s', async (sql) => {
    const answer = await (await shared()).ask({ sql });
    expect(answer.isError, textOf(answer)).toBe(true);
    expect(textOf(answer)).toMatch(
      /query_refused|can run here|cannot be used here|only|no database|one statement|empty/i,
    );
  });

  it('is asked when it repeats itself, and its calls are in the log', async () => {
    const { ask, session_id } = await start();
    await ask({ sql: 'SELECT count(*) AS n FROM acme.Ticket' });
    await waitFor(
      async () => {
        const { data } = await page.call('GET /api/v1/logs/operations', { query: { search: `session:${session_id}` } });
        return data.some(({ operation, state }) => operation.action === 'query' && state === 'success');
      },
      { what: 'the call in the log' },
    );
    for (let times = 0; times < 3; times += 1) await ask({ sql: 'SELECT count(*) AS n FROM acme.Ticket' });
    const repeated = ask({ sql: 'SELECT count(*) AS n FROM acme.Ticket' });
    await decideNext(page, 'deny');
    expect((await repeated).isError).toBe(true);
  });

  it('loses a connection with the session’s right to it', async () => {
    await hub.addConnection('carl', { tags: { user: 'carl' } });
    const { ask } = await start('carl');
    expect((await ask({ sql: 'SELECT count(*) AS n FROM acme.Ticket' })).structuredContent.rows).toEqual([{ n: 0 }]);
    await api.send('DELETE /connections/carl?provider_config_key=acme');
    await hub.addConnection('carl', { tags: { user: 'carl' } });
    const answer = await ask({ sql: 'SELECT count(*) AS n FROM acme.Ticket' });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toContain('No integration of this session is connected');
  });
});

let one: ReturnType<typeof start> | undefined;
/** Statements of the table use one session. */
function shared(): ReturnType<typeof start> {
  one ??= start('ada', { limits: { calls_per_minute: null, repeats: null } });
  return one;
}

describe('a session without the switch', () => {
  it('does not have the tool', async () => {
    const { call, client } = await start('ada', { meta_tools: {} });
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain(TOOL);
    await expect(call(TOOL, {})).rejects.toThrow();
  });
});

describe('a client of /mcp', () => {
  const tools = async (scopes: string[]) => {
    const { secret } = await page.call('POST /api/v1/keys', {
      query: { env: 'dev' },
      body: { name: `key ${Math.random()}`, scopes, icon: 'robot', colour: 'green' } as never,
    });
    const agent = await connectAgent({ mcp_url: `${hub.server.url}/mcp`, session_token: secret }, 'acceptance', {
      'connection-id': 'bob',
      'provider-config-key': 'acme',
    });
    return { ...agent, names: (await agent.client.listTools()).tools.map(({ name }) => name) };
  };

  it('has the tool when its key names the scope, over its connection', async () => {
    expect((await tools(['environment:*'])).names).not.toContain(TOOL);
    expect((await tools(['environment:mcp'])).names).not.toContain(TOOL);
    const { call, names } = await tools(['environment:mcp', 'environment:records:query']);
    expect(names).toContain(TOOL);
    expect((await call(TOOL, { sql: 'SELECT title FROM acme.Ticket' })).structuredContent.rows).toEqual([
      { title: 'Of bob' },
    ]);
    const refused = await call(TOOL, { sql: 'SELECT * FROM homeport.connections' });
    expect(refused.isError).toBe(true);
  });
});
