import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importConnection, PRACTICE_KEY } from '../../support/import-practice-connection.ts';
import { MovableClock } from '../../support/movable-clock.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { connectAgent, textOf } from './agent-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };
const TEMPLATES = new URL('../../../functions/templates/practice/', import.meta.url);

/** An action on the issues of the practice provider with an undo; `exec` and `undo` are bodies. */
const undoable = (exec: string, undo: string | undefined): string => `import { createAction } from 'homeport';
import * as z from 'zod';

export default createAction({
  description: 'Writes',
  version: '1.0.0',
  input: z.object({ text: z.string() }),
  output: z.any(),
  exec: async (nango, input) => {
    ${exec}
  },
  ${undo === undefined ? '' : `undo: async (nango, call) => {\n    ${undo}\n  },`}
});
`;
const CREATE = "const { data } = await nango.post({ endpoint: '/v1/issues', data: { title: input.text } });";
const CLOSE = "await nango.patch({ endpoint: '/v1/issues/' + call.output.id, data: { state: 'closed' } });";

const WRITERS: Record<string, string> = {
  'keep-much': undoable(`await nango.keepForUndo('x'.repeat(Number(input.text)));\n${CREATE}\nreturn data;`, CLOSE),
  'keep-state': undoable(
    `await nango.keepForUndo({ before: input.text });\n${CREATE}\nreturn data;`,
    "await nango.patch({ endpoint: '/v1/issues/' + call.output.id, data: { title: call.kept.before + ' again' } });",
  ),
  'no-undo': undoable(`${CREATE}\nreturn data;`, undefined),
  'throw-early': undoable(`${CREATE}\nreturn data;`, "throw new nango.ActionError({ message: 'Not on Saturdays.' });"),
  'throw-late': undoable(
    `${CREATE}\nreturn data;`,
    `${CLOSE}\nthrow new nango.ActionError({ message: 'Half done.' });`,
  ),
  'fail-late': undoable(`${CREATE}\nthrow new nango.ActionError({ message: 'Lost it.' });`, CLOSE),
  'redeploy-same': undoable(`${CREATE}\nreturn data;`, CLOSE),
  'redeploy-bare': undoable(`${CREATE}\nreturn data;`, CLOSE),
  'tell-secret': undoable(
    `const { credentials } = await nango.getConnection();\nawait nango.keepForUndo(credentials);\n${CREATE}\nreturn { id: data.id, credentials };`,
    CLOSE,
  ),
};

const clock = new MovableClock();
let hub: AgentFixture;
let dashboard: DashboardClient;

beforeAll(async () => {
  hub = await startAgentFixture({ clock, env: { HOMEPORT_MCP: 'allow' } });
  dashboard = await hub.signIn();

  const { workspace } = hub.server;
  for (const name of ['unchanged-issue', 'models'])
    await saveFunction(workspace, `notes/${name}.ts`, await readFile(new URL(`${name}.ts`, TEMPLATES), 'utf8'));
  for (const name of ['create-issue', 'close-issue'])
    await saveFunction(
      workspace,
      `notes/actions/${name}.ts`,
      await readFile(new URL(`actions/${name}.ts`, TEMPLATES), 'utf8'),
    );
  for (const [name, code] of Object.entries(WRITERS)) await saveFunction(workspace, `notes/actions/${name}.ts`, code);
  await waitForFunctions((config) =>
    [...Object.keys(WRITERS), 'create-issue', 'close-issue'].every((name) => config.includes(`"name":"${name}"`)),
  );
});
afterAll(() => hub?.stop());

const waitForFunctions = (isThere: (config: string) => boolean) =>
  waitFor(async () => isThere((await hub.api.send('GET /scripts/config')).bytes.toString()), { what: 'the functions' });

interface Call {
  call_id: string;
  tool: string;
  input: string | null;
  output: string | null;
  requests: Array<{ method: string; path: string; host: string | null; status: number | null; body: string | null }>;
  undo: { state: string; refusal: string | null; undone_at: string | null };
}

/** A session and its agent. */
async function start(body: Record<string, unknown> = {}, secret?: string) {
  const session = await hub.create({ tenant: ADA, ...body }, secret);
  const agent = await connectAgent(session);
  const id = session.session_id;
  const list = async (): Promise<Call[]> =>
    ((await hub.api.send(`GET /sessions/${id}/calls`)).body as { data: Call[] }).data;
  const undo = async (call: { call_id: string }, key = hub.server.secretKey) => {
    const path = `POST /sessions/${id}/calls/${call.call_id}/undo` as const;
    const { body: answer, status } = await hub.api.send(path, { headers: { authorization: `Bearer ${key}` } });
    const { data, error } = answer as { data?: Call; error?: { code: string; message: string } };
    return { status, data, code: error?.code, message: error?.message ?? '' };
  };
  const run = (tool: string, input: object) => agent.call('nango_execute', { tool: `notes__${tool}`, input });
  /** Runs a tool and resolves to its row of the list. */
  const write = async (tool: string, input: object): Promise<Call> => {
    await run(tool, input);
    const [call] = await list();
    if (call?.tool !== tool) throw new Error(`${tool} is not listed first`);
    return call;
  };
  return { id, agent, list, undo, run, write };
}

const issue = async (id: string): Promise<{ state: string; title: string; updated_at: string }> => {
  const headers = { 'provider-config-key': 'notes', 'connection-id': 'ada-notes' };
  const { body } = await hub.api.send(`GET /proxy/v1/issues/${id}`, { headers });
  return body as { state: string; title: string; updated_at: string };
};
const change = (id: string, data: object) =>
  hub.api.send(`PATCH /proxy/v1/issues/${id}`, {
    headers: { 'provider-config-key': 'notes', 'connection-id': 'ada-notes' },
    body: data,
  });
const idOf = ({ output }: Call): string => (JSON.parse(output ?? '{}') as { id: string }).id;

describe('a call that wrote', () => {
  it('is listed with what it did, and undone once', { tags: ['main-path'] }, async () => {
    const { list, undo, write } = await start();
    const call = await write('create-issue', { title: 'Search is slow' });
    expect(call).toMatchObject({
      requests: [{ method: 'POST', path: '/v1/issues', status: 201, body: '{"title":"Search is slow"}' }],
      input: '{"title":"Search is slow"}',
      undo: { state: 'possible', refusal: null, undone_at: null },
    });
    expect((await issue(idOf(call))).state).toBe('open');

    const { data, status } = await undo(call);
    expect(status).toBe(200);
    expect(data).toMatchObject({ undo: { state: 'undone', undone_at: expect.any(String) } });
    expect(await issue(idOf(call))).toMatchObject({ error: { code: 'not_found' } });

    const again = await undo(call);
    expect(again).toMatchObject({ status: 409, code: 'undo_refused' });
    expect(again.message).toMatch(/^It was undone at 20/);
    expect(await list()).toHaveLength(1);
  });
});

describe('the practice provider', () => {
  it('opens again what was closed', async () => {
    const { run, undo, write } = await start();
    const created = JSON.parse(textOf(await run('create-issue', { title: 'Lamp' }))) as { id: string };
    const call = await write('close-issue', { id: created.id });
    expect((await issue(created.id)).state).toBe('closed');
    expect((await undo(call)).status).toBe(200);
    expect((await issue(created.id)).state).toBe('open');
  });

  it('refuses what somebody changed since, and the next try can succeed', async () => {
    const { list, undo, write } = await start();
    const call = await write('create-issue', { title: 'Lamp' });
    await change(idOf(call), { title: 'Lamp, third floor' });
    const refused = await undo(call);
    expect(refused).toMatchObject({ status: 409, code: 'undo_refused' });
    expect(refused.message).toBe(`The issue "${idOf(call)}" was changed since that call.`);
    expect((await list())[0]?.undo.state).toBe('possible');
    expect((await issue(idOf(call))).state).toBe('open');
  });
});

describe('an undo that cannot be', () => {
  it.each([
    ['without an undo', 'no-undo', '"no-undo" has no undo.'],
    ['after a failure', 'fail-late', 'The call failed after it had begun.'],
  ])('says so %s', async (_title, tool, refusal) => {
    const { undo, write } = await start();
    const call = await write(tool, { text: 'x' });
    expect(call.undo).toEqual({ state: 'none', refusal, undone_at: null });
    expect(await undo(call)).toMatchObject({ status: 409, code: 'undo_refused', message: refusal });
  });

  it('keeps what the action needs, up to a size', async () => {
    const { undo, write } = await start();
    const kept = await write('keep-state', { text: 'before' });
    expect((await undo(kept)).status).toBe(200);
    expect((await issue(idOf(kept))).title).toBe('before again');
    expect((await write('keep-much', { text: '99990' })).undo.state).toBe('possible');
    const long = await write('keep-much', { text: '100001' });
    expect(long.undo.state).toBe('none');
    expect((await undo(long)).message).toBe(
      'What its undo needs is longer than 100,000 characters, so it was not kept.',
    );
    expect((await issue(idOf(long))).state).toBe('open');
  });

  it('can be tried again when it failed before its first write, and not when it failed later', async () => {
    const { list, undo, write } = await start();
    const early = await write('throw-early', { text: 'x' });
    for (const _time of [1, 2]) expect((await undo(early)).message).toBe('Not on Saturdays.');
    const late = await write('throw-late', { text: 'x' });
    expect((await undo(late)).message).toMatch(/failed after it had begun.*Half done\.$/);
    expect((await undo(late)).message).toMatch(/failed after it had begun.*Half done\.$/);
    expect((await list())[0]?.undo.state).toBe('failed');
  });

  it('happens once when two ask at the same time', async () => {
    const { undo, write } = await start();
    const call = await write('redeploy-same', { text: 'x' });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => undo(call)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
  });

  it('is refused after the code changed, or lost its undo', async () => {
    const { undo, write } = await start();
    const same = await write('redeploy-same', { text: 'x' });
    const bare = await write('redeploy-bare', { text: 'x' });
    const { workspace } = hub.server;
    const changed = WRITERS['redeploy-same']?.replace("description: 'Writes'", "description: 'Writes anew'") ?? '';
    await saveFunction(workspace, 'notes/actions/redeploy-same.ts', changed);
    await waitForFunctions((config) => config.includes('Writes anew'));
    expect((await undo(same)).message).toBe('The code of "redeploy-same" was changed since that call.');
    await saveFunction(
      workspace,
      'notes/actions/redeploy-bare.ts',
      undoable('return null;', undefined).replace('Writes', 'Bare'),
    );
    await waitForFunctions((config) => config.includes('Bare'));
    expect((await undo(bare)).message).toBe('"redeploy-bare" has no undo any more.');
  });

  it('is refused for another session, and for the key of another one', async () => {
    const allowed = [{ tags: { user: 'ada' } }];
    const scopes = ['environment:agent_sessions:write', 'environment:actions:execute'];
    const [own, other] = await Promise.all([
      hub.createKey({ name: 'own', scopes, allowed }),
      hub.createKey({ name: 'other', scopes, allowed }),
    ]);
    const mine = await start({}, own.secret);
    const call = await mine.write('create-issue', { title: 'Mine' });
    const elsewhere = await start({}, other.secret);
    expect(await mine.undo(call, other.secret)).toMatchObject({ status: 404, code: 'session_not_found' });
    expect(await elsewhere.undo(call, other.secret)).toMatchObject({ status: 404, code: 'not_found' });
    const weak = await hub.createKey({ name: 'weak' });
    expect(await mine.undo(call, weak.secret)).toMatchObject({ status: 403, code: 'forbidden' });
    expect((await mine.undo(call, own.secret)).status).toBe(200);
  });

  it('is a write within the limits of the session', async () => {
    const { list, undo, write } = await start({ limits: { writes: 1 } });
    const call = await write('create-issue', { title: 'Only one' });
    expect(await undo(call)).toMatchObject({ status: 403, code: 'call_limit_reached' });
    expect((await list())[0]?.undo.state).toBe('possible');
  });

  it('tells no secret of the connection, and stores none', async () => {
    const { run, undo, write } = await start();
    const call = await write('tell-secret', { text: 'x' });
    expect(JSON.stringify(call)).not.toContain(PRACTICE_KEY);
    expect(JSON.stringify(call)).toContain('REDACTED');
    expect(textOf(await run('tell-secret', { text: 'x' }))).not.toContain(PRACTICE_KEY);
    expect((await undo(call)).status).toBe(200);
  });

  it('is refused after the connection was deleted, also when one of the same name follows', async () => {
    const connection = { provider_config_key: 'notes', connection_id: 'gone-notes', tags: { user: 'gone' } };
    await importConnection(hub.server, connection);
    const { list, undo, write } = await start({ tenant: { connections: { any: [{ tags: { user: 'gone' } }] } } });
    const call = await write('create-issue', { title: 'Gone' });
    await hub.api.send('DELETE /connection/gone-notes?provider_config_key=notes');
    expect((await list())[0]).toMatchObject({ input: null, output: null, requests: [] });
    expect((await undo(call)).message).toBe('What its undo needs was removed with the connection.');
    await importConnection(hub.server, connection);
    expect((await undo(call)).status).toBe(409);
  });

  it('lists no call that only read', async () => {
    const { agent, list, run } = await start();
    await run('read-note', {});
    await agent.call('nango_tool_search', { queries: ['note'] });
    expect(await list()).toEqual([]);
  });

  it('keeps nothing readable in the database', async () => {
    const { write } = await start();
    await write('keep-state', { text: 'kept-in-the-clear?' });
    const files = await readdir(hub.server.home);
    const stored = await Promise.all(
      files
        .filter((name) => /\.db|\.sqlite|-wal/.test(name))
        .map((name) => readFile(join(hub.server.home, name), 'latin1')),
    );
    expect(stored.length).toBeGreaterThan(0);
    expect(stored.some((text) => text.includes('kept-in-the-clear?'))).toBe(false);
  });

  it('waits for the vault', async () => {
    const { undo, write } = await start();
    const call = await write('create-issue', { title: 'Locked' });
    await dashboard.call('POST /api/v1/vault/lock');
    expect(await undo(call)).toMatchObject({ status: 423, code: 'vault_locked' });
    await dashboard.call('POST /api/v1/vault/unlock');
    expect((await undo(call)).status).toBe(200);
  });

  it('is undone by a person in the dashboard, also after the session, which the audit and the log record', async () => {
    const { id, write } = await start();
    const call = await write('create-issue', { title: 'By hand' });
    await hub.api.send(`DELETE /sessions/${id}`);
    const params = { sessionId: id, callId: call.call_id };
    const undone = dashboard.call('POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo', { params });
    expect(await undone).toEqual({ success: true });
    const { data } = await dashboard.call('GET /api/v1/agents/sessions/:sessionId/calls', {
      params: { sessionId: id },
    });
    expect(data).toMatchObject([{ id: call.call_id, undoState: 'undone', undoneAt: expect.any(String) }]);
    const audit = await dashboard.call('GET /api/v1/audit', { query: { actions: 'agent_call_undone' } as never });
    expect(audit.data).toContainEqual(expect.objectContaining({ subject: call.call_id, result: 'done' }));
    // The log stores its rows a moment later.
    const ofSession = { query: { search: `session:${id}` } as never };
    await waitFor(
      async () => {
        const { data: rows } = await dashboard.call('GET /api/v1/logs/operations', ofSession);
        return rows.some(({ message, state }) => message === 'Undo of create-issue' && state === 'success');
      },
      { what: 'the undo in the log' },
    );
  });

  // The last one, because it moves the clock.
  it('is too late after seven days, and what it needs is gone', async () => {
    const { list, undo, write } = await start({ expires_in: '30d' });
    const call = await write('create-issue', { title: 'Old' });
    clock.skip(7 * 24 * 3_600_000 - 60_000);
    expect((await list())[0]?.undo.state).toBe('possible');
    clock.skip(60_000);
    expect((await undo(call)).message).toBe(
      'It was made more than 7 days ago; what its undo needs is not kept longer.',
    );
    expect((await list())[0]).toMatchObject({ input: null, output: null, requests: [] });
    expect((await issue(idOf(call))).state).toBe('open');
  });
});
