import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { saveFunction, waitUntilLive } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type AgentFixture, action, type Created, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
beforeAll(async () => {
  hub = await startAgentFixture();
});
afterAll(() => hub?.stop());

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };

async function post({ mcp_url, session_token }: Created, method: string, params: object = {}): Promise<string> {
  const { bytes, status } = await hub.api.send(`POST ${new URL(mcp_url).pathname}`, {
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: { authorization: `Bearer ${session_token}`, accept: 'application/json, text/event-stream' },
  });
  expect(status).toBe(200);
  return bytes.toString();
}

it('the token of a session is shown once, and no file of the data folder has it', async () => {
  const session = await hub.create({ tenant: ADA });
  await post(session, 'tools/list');
  for (const route of ['GET /sessions', `GET /sessions/${session.session_id}`]) {
    const shown = (await hub.api.send(route)).bytes.toString();
    expect(shown).toContain(session.session_id);
    expect(shown).not.toContain(session.session_token);
  }
  const secret = session.session_token.replace('homeport_agent_', '');
  const files = (await readdir(hub.server.home, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  let found = 0;
  for (const { name, parentPath } of files) {
    const text = (await readFile(join(parentPath, name))).toString('latin1');
    if (text.includes(session.session_id)) found += 1;
    expect([name, text.includes(secret)]).toEqual([name, false]);
  }
  // The session itself is there: the files were read where it is kept.
  expect(found).toBeGreaterThan(0);
});

it('the hub gives an agent no credential, also not with the whole answer of a request that carried it', async () => {
  await saveFunction(
    hub.server.workspace,
    'notes/actions/whole-note.ts',
    action({
      endpoint: "{ method: 'GET', path: '/x/whole' }",
      description: 'Gets a whole answer',
      body: `const { config, data, headers, status } = await nango.get({ endpoint: '/v1/issues?limit=1' });
    return JSON.parse(JSON.stringify({ config: config ?? null, data, headers, status }));`,
    }),
  );
  await waitUntilLive(hub.server, ['notes/actions/whole-note.ts']);
  const session = await hub.create({ tenant: ADA });
  const search = { name: 'nango_tool_search', arguments: { queries: ['whole answer'] } };
  const execute = { name: 'nango_execute', arguments: { tool: 'notes__whole-note', input: {} } };
  const ran = await post(session, 'tools/call', execute);
  // The provider answers 401 without the credential.
  expect(ran).toMatch(/\\"status\\": ?200/);
  const found = await post(session, 'tools/call', search);
  expect(found).toContain('notes__whole-note');
  for (const seen of [JSON.stringify(session), await post(session, 'tools/list'), found, ran])
    expect(seen).not.toContain(PRACTICE_KEY);
});

it('a credential that a function or a provider repeats does not reach the agent', async () => {
  await saveFunction(
    hub.server.workspace,
    'notes/actions/leak-note.ts',
    action({
      endpoint: "{ method: 'GET', path: '/x/leak' }",
      description: 'Fails with the key',
      body: `const { credentials } = await nango.getConnection();
    throw new nango.ActionError({ message: 'Key ' + credentials.apiKey, deep: [{ [credentials.apiKey]: credentials.apiKey }] });`,
    }),
  );
  await saveFunction(
    hub.server.workspace,
    'notes/actions/echo-note.ts',
    action({
      endpoint: "{ method: 'GET', path: '/x/echo' }",
      description: 'Repeats headers',
      output: 'z.object({ data: z.any() })',
      body: "return { data: (await nango.get({ endpoint: '/v1/echo?word=ordinary' })).data };",
    }),
  );
  await waitUntilLive(hub.server, ['notes/actions/leak-note.ts', 'notes/actions/echo-note.ts']);
  const session = await hub.create({ tenant: ADA });
  const execute = (tool: string): Promise<string> =>
    post(session, 'tools/call', { name: 'nango_execute', arguments: { tool, input: {} } });

  const failed = await execute('notes__leak-note');
  expect(failed).toContain('Key REDACTED');
  expect(failed).not.toContain(PRACTICE_KEY);
  const repeated = await execute('notes__echo-note');
  expect(repeated).toContain('ordinary');
  expect(repeated).toContain('Bearer REDACTED');
  expect(repeated).not.toContain(PRACTICE_KEY);
  // The program of a person that runs the action itself gets its whole output.
  const direct = await hub.api.send('POST /action/trigger', {
    body: { action_name: 'echo-note', input: {} },
    headers: { 'provider-config-key': 'notes', 'connection-id': 'ada-notes' },
  });
  expect(direct.bytes.toString()).toContain(PRACTICE_KEY);
});

it('nango_proxy gives no credential that the provider repeats', async () => {
  const session = await hub.create({ tenant: ADA, meta_tools: { nango_proxy: true } });
  const dashboard = await hub.signIn();
  const asked = post(session, 'tools/call', {
    name: 'nango_proxy',
    arguments: { integration: 'notes', method: 'GET', path: '/v1/echo?word=ordinary' },
  });
  let approvalId = '';
  await waitFor(
    async () => {
      approvalId = (await dashboard.call('GET /api/v1/mcp/approvals')).data[0]?.id ?? '';
      return approvalId !== '';
    },
    { what: 'a question' },
  );
  const decision = 'allow-once';
  await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', { params: { approvalId }, body: { decision } });
  const answer = await asked;
  expect(answer).toContain('ordinary');
  expect(answer).toContain('Bearer REDACTED');
  expect(answer).not.toContain(PRACTICE_KEY);
});
