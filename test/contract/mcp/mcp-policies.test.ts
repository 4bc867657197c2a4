import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Logger } from '../../../server/platform/lib/logger.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { runCli } from '../../support/run-cli.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { failure, type McpFixture, startMcpFixture } from './mcp-fixture.ts';

const POLICIES = '/environment/mcp-policies';
const NOTE = { name: 'write-note', arguments: { text: 'buy milk' } };
const written = [{ type: 'text', text: JSON.stringify(NOTE.arguments, null, 2) }];

const CHANGING = `import { createAction } from 'homeport';
import * as z from 'zod';
export default createAction({
  description: 'TEXT',
  endpoint: { method: 'METHOD', path: '/practice/changing' },
  input: z.void(),
  output: z.string(),
  exec: async () => 'TEXT',
});
`;

describe('policies', () => {
  let hub: McpFixture;
  /** Warnings of the program in its terminal. */
  const warnings: string[] = [];
  beforeAll(async () => {
    const logger: Logger = Object.assign(Object.create(silentLogger), {
      warn: (_facts: unknown, message: string) => warnings.push(message),
      child: () => logger,
    });
    hub = await startMcpFixture({ logger });
  });
  afterEach(() => hub.endQuestions());
  afterAll(() => hub?.stop());

  async function saveChanging(method: string, text: string): Promise<void> {
    const source = CHANGING.replace('METHOD', method).replaceAll('TEXT', text);
    await saveFunction(hub.server.workspace, 'practice/actions/changing.ts', source);
    await waitFor(async () => (await hub.api.send('GET /scripts/config')).bytes.toString().includes(text));
  }

  it('are set for every client and connection over the API', async () => {
    const { secret } = await hub.createKey('Agent');
    const [client, elsewhere] = [await hub.connect(secret), await hub.connect(secret, 'other')];
    const set = (body: object) => hub.api.send(`PUT ${POLICIES}`, { body });

    const count = async (list: string): Promise<number> =>
      (Object.values((await hub.api.send(list)).body as object)[0] as unknown[]).length;
    const pairs = (await count('GET /environment/api-keys')) * (await count('GET /connections'));
    expect((await set({ tool: 'write-note', policy: 'allow' })).body).toEqual({
      data: { changed: pairs, holds_for_later: true },
    });
    expect((await client.callTool(NOTE)).content).toEqual(written);
    expect((await elsewhere.callTool(NOTE)).content).toEqual(written);
    await set({ tool: 'write-note', policy: 'deny', connection_id: 'me', provider_config_key: 'practice' });

    expect(await failure(client.callTool(NOTE))).toContain('The user has denied this tool');
    expect((await elsewhere.callTool(NOTE)).content).toEqual(written);
    await set({ tool: 'write-note', policy: 'ask' });
    for (const body of [
      { tool: 'nosuch', policy: 'allow' },
      { tool: 'write-note', policy: 'allow', client: 'nobody' },
      { tool: 'write-note', policy: 'allow', connection_id: 'nobody' },
    ])
      expect((await set(body)).status).toBe(404);
  });

  it('are set by the command that a waiting call prints', async () => {
    const client = await hub.connect((await hub.createKey('Desk agent')).secret);
    const call = client.callTool(NOTE);
    await hub.question();

    const warning = warnings.findLast((text) => text.includes('mcp'));
    const command = "homeport mcp allow write-note --client 'Desk agent' --integration practice --connection me";
    expect(warning).toContain(command);
    const { body } = await hub.api.send(`GET ${POLICIES}`);
    expect(body).toMatchObject({ data: { waiting: [{ client: 'Desk agent', tool: 'write-note', risk: 'write' }] } });
    const args = ['mcp', 'allow', 'write-note', '--client', 'Desk agent', '--connection', 'me'];
    const run = await runCli(args, { cwd: hub.server.home, home: hub.server.home });

    expect([run.status, run.output]).toEqual([0, expect.stringContaining('write-note: allow, for one client')]);
    expect((await call).content).toEqual(written);
    expect((await client.callTool(NOTE)).content).toEqual(written);
    const listed = await runCli(['mcp', 'list', '--json'], { cwd: hub.server.home, home: hub.server.home });
    const { policies, waiting } = listed.json();
    expect(policies.filter(({ client: name }: { client: string }) => name === 'Desk agent')).toMatchObject([
      { connection_id: 'me', tool: 'write-note', policy: 'allow' },
    ]);
    expect(waiting).toEqual([]);
  });

  it('for every connection hold for connections and keys that come later', async () => {
    const set = (body: object) => hub.api.send(`PUT ${POLICIES}`, { body });
    await set({ tool: 'delete-note', policy: 'allow' });
    const later = await hub.createKey('Later agent');
    await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'later' });
    const call = { name: 'delete-note', arguments: { id: '1' } };
    expect((await (await hub.connect(later.secret, 'later')).callTool(call)).isError ?? false).toBe(false);

    await set({ tool: 'delete-note', policy: 'deny', client: 'Later agent' });
    await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'latest' });
    expect(await failure((await hub.connect(later.secret, 'latest')).callTool(call))).toContain('has denied this tool');
    await set({ tool: 'delete-note', policy: 'ask' });
  });

  it('hold for what comes later when the command line sets them, and its list says so', async () => {
    const cli = (...args: string[]) => runCli(args, { cwd: hub.server.home, home: hub.server.home });
    const call = { name: 'undeclared', arguments: {} };

    const denied = await cli('mcp', 'deny', 'undeclared');
    await importConnection(hub.server, { provider_config_key: 'practice', connection_id: 'after-deny' });
    const { secret } = await hub.createKey('After deny');
    expect(await failure((await hub.connect(secret, 'after-deny')).callTool(call))).toContain('has denied this tool');
    const listed = await cli('mcp', 'list');

    expect([denied.status, denied.errors]).toEqual([0, '']);
    expect(denied.output).toMatch(/undeclared: deny, for \d+ pairs .*, and for those that come later\n$/);
    expect(listed.output).toMatch(/^undeclared +every +every +every +deny$/m);
    expect(listed.output).not.toMatch(/^undeclared .*\(default\)/m);
    expect(listed.output).toMatch(/^only-reads +practice +every +every +allow \(default\)$/m);

    const only = await cli('mcp', 'allow', 'undeclared', '--client', 'After deny', '--connection', 'after-deny');
    expect(only.output).toMatch(/undeclared: allow, for one client at one connection\n$/);
    expect((await (await hub.connect(secret, 'after-deny')).callTool(call)).isError ?? false).toBe(false);
    expect((await cli('mcp', 'list', '--json')).json().rules).toContainEqual({
      tool: 'undeclared',
      policy: 'deny',
      client: null,
      connection_id: null,
      provider_config_key: null,
      decided_at: expect.any(String),
    });
  });

  it('allow a version of the code and a risk, not a name', async () => {
    const client = await hub.connect((await hub.createKey('Careful agent')).secret);
    const call = { name: 'changing', arguments: {} };
    await saveChanging('POST', 'first version');
    await hub.api.send(`PUT ${POLICIES}`, { body: { tool: 'changing', policy: 'allow' } });
    expect((await client.callTool(call)).content).toMatchObject([{ text: '"first version"' }]);

    for (const [method, text] of [
      ['POST', 'second version'],
      ['DELETE', 'second version, other risk'],
    ] as const) {
      await saveChanging(method, text);
      const asked = client.callTool(call);
      await hub.question();
      await hub.decide('allow-always');
      expect((await asked).content).toMatchObject([{ text: JSON.stringify(text) }]);
      expect((await client.callTool(call)).content).toMatchObject([{ text: JSON.stringify(text) }]);
    }
  });

  it('answer waiting calls of the version that they are for, and no call runs another version', async () => {
    const key = await hub.createKey('Patient agent');
    const client = await hub.connect(key.secret);
    const call = { name: 'changing', arguments: {} };
    const questions = async () => (await hub.dashboard.call('GET /api/v1/mcp/approvals')).data;
    const answer = (approvalId: string, decision: 'allow-once' | 'allow-always') =>
      hub.dashboard.call('POST /api/v1/mcp/approvals/:approvalId', { params: { approvalId }, body: { decision } });
    const ended = (made: Promise<unknown>) => made.then(JSON.stringify, ({ message }: Error) => message);
    await saveChanging('DELETE', 'version before the question');
    const first = ended(client.callTool(call));
    await waitFor(async () => (await questions()).length === 1, { what: 'the first question' });
    await saveChanging('DELETE', 'version after the question');
    const second = ended(client.callTool(call));
    await waitFor(async () => (await questions()).length === 2, { what: 'the second question' });
    const [about, other] = await questions();

    await answer(about?.id ?? '', 'allow-always');

    expect(await first).toMatch('was changed while the user was asked');
    expect((await questions()).map(({ id }) => id)).toEqual([other?.id]);
    await answer(other?.id ?? '', 'allow-once');
    expect(await second).toMatch('version after the question');
    const third = ended(client.callTool(call));
    const { id } = await hub.question();
    await hub.dashboard.call('DELETE /api/v1/mcp/clients/:clientId', { params: { clientId: String(key.id) } });
    await answer(id, 'allow-once');
    expect(await third).toMatch('was changed while the user was asked');
  });

  it('are not for keys that may only call tools', async () => {
    const { secret } = await hub.createKey('Another agent');
    const headers = { authorization: `Bearer ${secret}` };

    const body = { tool: 'write-note', policy: 'allow' };

    expect((await hub.api.send(`PUT ${POLICIES}`, { headers, body })).status).toBe(403);
    expect((await hub.api.send(`GET ${POLICIES}`, { headers })).status).toBe(403);
  });
});

it.each([
  ['allow', 'write-note', true],
  ['deny', 'read-me', false],
])('HOMEPORT_MCP=%s counts for clients without a policy', async (HOMEPORT_MCP, name, isAllowed) => {
  const hub = await startMcpFixture({ env: { HOMEPORT_MCP } });
  onTestFinished(() => hub.stop());
  const client = await hub.connect((await hub.createKey('Agent')).secret);

  const call = client.callTool({ ...NOTE, name });

  if (isAllowed) expect((await call).content).toEqual(written);
  else expect(await failure(call)).toContain('on its page Agents, where "read-me" is listed under Tools');
});
