import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { connectAgent, waitForQuestion } from './agent-client.ts';
import { type AgentFixture, action, startAgentFixture } from './agent-fixture.ts';

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };
const TEMPLATES = new URL('../../../functions/templates/practice/', import.meta.url);
const writing = (body: string) => action({ input: 'z.object({ id: z.string() })', body });
const PATCH = "await nango.patch({ endpoint: '/v1/issues/' + input.id, data: { state: 'closed' } });";

const WRITERS: Record<string, string> = {
  'patch-blind': writing(`${PATCH}\nreturn null;`),
  'wait-long': writing(`await new Promise((resolve) => setTimeout(resolve, 20_000));\n${PATCH}\nreturn null;`),
  'fail-first': writing("throw new nango.ActionError({ message: 'There is no such lamp.' });"),
  'write-twice': writing(
    `const { data } = await nango.post({ endpoint: '/v1/issues', data: { title: 'One' } });\nawait nango.patch({ endpoint: '/v1/issues/' + data.id.trim(), data: { state: 'closed' } });\nreturn null;`,
  ),
  'write-nothing': writing('return null;'),
  'store-much': writing(
    `await nango.updateMetadata({ seen: true });\nawait nango.reportCost(5);\nawait nango.keepForUndo({ a: 1 });\n${PATCH}\nreturn null;`,
  ),
  'call-other': writing(
    "await nango.triggerAction('notes', 'ada-notes', 'patch-blind', { id: input.id });\nreturn null;",
  ),
  'override-method': writing(
    "await nango.get({ endpoint: '/v1/issues/' + input.id, headers: { 'X-HTTP-Method-Override': 'DELETE' } });\nreturn null;",
  ),
  'fetch-write': writing(
    "await nango.uncontrolledFetch({ url: new URL('https://example.invalid/hook'), method: 'POST', body: '{\"a\":1}' });\nreturn null;",
  ),
  'tell-secret': writing(
    "const { credentials } = await nango.getConnection();\nawait nango.post({ endpoint: '/v1/issues', data: { title: credentials.apiKey } });\nreturn null;",
  ),
};
const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'Issues', version: '1.0.0', frequency: 'every hour', autoStart: false, syncType: 'full',
  models: { Known: z.object({ id: z.string(), state: z.string() }) },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/v1/issues', params: { limit: 100 } });
    await nango.batchSave(data.issues.map(({ id }) => ({ id, state: 'as synced' })), 'Known');
  },
});
`;

let hub: AgentFixture;
let dashboard: DashboardClient;
beforeAll(async () => {
  hub = await startAgentFixture();
  dashboard = await hub.signIn();
  const { workspace } = hub.server;
  const template = (name: string) => readFile(new URL(`${name}.ts`, TEMPLATES), 'utf8');
  for (const name of ['models', 'unchanged-issue'])
    await saveFunction(workspace, `notes/${name}.ts`, await template(name));
  for (const name of ['create-issue', 'close-issue'])
    await saveFunction(workspace, `notes/actions/${name}.ts`, await template(`actions/${name}`));
  for (const [name, code] of Object.entries(WRITERS)) await saveFunction(workspace, `notes/actions/${name}.ts`, code);
  await saveFunction(workspace, 'notes/syncs/keep-known.ts', SYNC);
  const names = [...Object.keys(WRITERS), 'create-issue', 'close-issue', 'keep-known'];
  await waitFor(
    async () => {
      const { bytes } = await hub.api.send('GET /scripts/config');
      return names.every((name) => bytes.toString().includes(`"name":"${name}"`));
    },
    { what: 'the functions' },
  );
});
afterAll(() => hub?.stop());

const NAMED = { 'provider-config-key': 'notes', 'connection-id': 'ada-notes' };
const issue = async (path = ''): Promise<{ id: string; state: string }> =>
  (await hub.api.send(`GET /proxy/v1/issues/${path}`, { headers: NAMED })).body as { id: string; state: string };
const newIssue = async (): Promise<string> => {
  const sent = await hub.api.send('POST /proxy/v1/issues', { headers: NAMED, body: { title: 'Lamp' } });
  return (sent.body as { id: string }).id;
};

const operations = async (query: Record<string, string>): Promise<Array<{ message: string }>> =>
  (await dashboard.call('GET /api/v1/logs/operations', { query: { limit: 100, ...query } as never })).data as never;

/** The preview of a call, which is denied then. */
async function previewOf(tool: string, input: object, body: Record<string, unknown> = {}) {
  const session = await hub.create({ tenant: ADA, ...body });
  const agent = await connectAgent(session);
  const startedAt = performance.now();
  const answer =
    tool === 'nango_proxy'
      ? agent.call(tool, { ...input })
      : agent.call('nango_execute', { tool: `notes__${tool}`, input });
  const { id, preview } = await waitForQuestion(dashboard, ({ sessionId }) => sessionId === session.session_id);
  const waitedMs = performance.now() - startedAt;
  await dashboard.call('POST /api/v1/mcp/approvals/:approvalId', {
    params: { approvalId: id },
    body: { decision: 'deny' },
  });
  expect((await answer).isError).toBe(true);
  if (!preview) throw new Error('The question has no preview.');
  return { ...preview, waitedMs };
}

describe('the question about a write', () => {
  it('shows what would change beside what is there, and sends nothing', { tags: ['main-path'] }, async () => {
    const id = await newIssue();
    const { problem, summary, writes } = await previewOf('close-issue', { id });
    expect(writes).toEqual([
      { method: 'PATCH', path: `/v1/issues/${id}`, known: 'read', lines: ['- state: "open"', '+ state: "closed"'] },
    ]);
    expect([problem, summary]).toEqual([null, [`PATCH /v1/issues/${id} (state)`]]);
    expect((await issue(id)).state).toBe('open');
    // The trial is no call of the agent, but it is in the log.
    const calls = await operations({ search: 'trigger:mcp' });
    expect(calls.filter(({ message }) => message.startsWith('Preview'))).toEqual([]);
    await waitFor(async () => (await operations({})).some(({ message }) => message === 'Preview of close-issue'), {
      what: 'the trial in the log',
    });
  });

  it('shows a new thing', async () => {
    const { writes } = await previewOf('create-issue', { title: 'Door' });
    expect(writes).toEqual([{ method: 'POST', path: '/v1/issues', known: null, lines: ['+ title: "Door"'] }]);
  });

  it('compares with the last synced record when the function reads nothing', async () => {
    const { issues } = (await issue()) as unknown as { issues: Array<{ id: string }> };
    const id = issues[0]?.id ?? '';
    const sync = { provider_config_key: 'notes', connection_id: 'ada-notes', syncs: ['keep-known'] };
    await hub.api.send('POST /sync/trigger', { body: sync });
    await waitFor(
      async () => (await hub.api.send('GET /records?model=Known', { headers: NAMED })).bytes.toString().includes(id),
      { what: 'the records' },
    );
    const { writes } = await previewOf('patch-blind', { id });
    expect(writes[0]).toMatchObject({ known: 'record', lines: ['- state: "as synced"', '+ state: "closed"'] });
  });

  it('shows the request of nango_proxy', async () => {
    const request = { integration: 'notes', method: 'POST', path: '/v1/issues?x=1', body: { title: 'Raw' } };
    const { writes } = await previewOf('nango_proxy', request, { meta_tools: { nango_proxy: true } });
    expect(writes).toEqual([{ method: 'POST', path: '/v1/issues', known: null, lines: ['+ title: "Raw"'] }]);
  });
});

describe('a preview that cannot be made', () => {
  it.each([
    ['fail-first', /^It failed when it was tried: There is no such lamp\.$/, 0],
    ['write-nothing', /^It wrote nothing when it was tried\.$/, 0],
    ['write-twice', /^What follows depends on the answer of the provider\.$/, 1],
    ['call-other', /It runs another function, which is not tried\.$/, 0],
  ])('says why: %s', async (tool, problem, count) => {
    const shown = await previewOf(tool, { id: await newIssue() });
    expect(shown.problem).toMatch(problem);
    expect(shown.writes).toHaveLength(count);
    expect(shown.summary.join()).toMatch(/.+/);
  });

  it('does not delay the question', async () => {
    const { problem, waitedMs } = await previewOf('wait-long', { id: 'x' });
    expect(problem).toBe('The trial took longer than 2 seconds.');
    expect(waitedMs).toBeLessThan(10_000);
  });
});

describe('a trial', () => {
  it('stores nothing', async () => {
    const { writes } = await previewOf('store-much', { id: await newIssue() });
    expect(writes).toHaveLength(1);
    const { body } = await hub.api.send('GET /connection/ada-notes?provider_config_key=notes');
    expect((body as { metadata: object }).metadata ?? {}).toEqual({});
  });

  it('sends no write in the form of a read, and none by uncontrolledFetch', async () => {
    const id = await newIssue();
    expect((await previewOf('override-method', { id })).writes).toHaveLength(1);
    expect((await issue(id)).state).toBe('open');
    const { writes } = await previewOf('fetch-write', { id });
    expect(writes).toEqual([{ method: 'POST', path: 'https://example.invalid/hook', known: null, lines: ['+ a: 1'] }]);
  });

  it('shows no secret', async () => {
    const preview = await previewOf('tell-secret', { id: 'x' });
    expect(JSON.stringify(preview)).not.toContain(PRACTICE_KEY);
    expect(JSON.stringify(preview)).toContain('REDACTED');
  });
});
