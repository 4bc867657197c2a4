import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MovableClock } from '../../support/movable-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type AgentFixture, type Created, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
const clock = new MovableClock();
/** The hub starts with a clock that is ahead; one test sets it back. */
const AHEAD_MS = 3 * 3_600_000;
beforeAll(async () => {
  clock.skip(AHEAD_MS);
  hub = await startAgentFixture({ clock });
});
afterAll(() => hub?.stop());

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };
const post = ({ mcp_url, session_token }: Created, message: object) =>
  hub.api.send(`POST ${new URL(mcp_url).pathname}`, {
    body: { jsonrpc: '2.0', id: 1, ...message },
    headers: { authorization: `Bearer ${session_token}`, accept: 'application/json, text/event-stream' },
  });

it('a session ends when its life is over, says so ever after, and never gets longer', async () => {
  const session = await hub.create({ tenant: ADA, expires_in: '2m' });
  expect((await post(session, { method: 'tools/list' })).status).toBe(200);

  clock.skip(121_000);

  expect(await post(session, { method: 'tools/list' })).toMatchObject({
    status: 404,
    body: { error: { code: 'session_not_found' } },
  });
  const ended = { session_id: session.session_id, ended_at: session.expires_at, reason: 'expired' };
  for (let times = 0; times < 2; times += 1)
    expect((await hub.api.send(`DELETE /sessions/${session.session_id}`)).body).toEqual({ data: ended });
  expect((await hub.api.send(`GET /sessions/${session.session_id}`)).body).toMatchObject({
    data: { state: 'expired', reason: 'expired', ended_at: session.expires_at },
  });
});

it('a policy that names the action holds for sessions that exist', async () => {
  const session = await hub.create({ tenant: ADA });
  const write = () =>
    post(session, {
      method: 'tools/call',
      params: { name: 'nango_execute', arguments: { tool: 'notes__write-note', input: { text: 'x' } } },
    });
  const put = async (policy: string) =>
    (await hub.api.send('PUT /environment/mcp-policies', { body: { tool: 'write-note', policy } })).status;

  expect(await put('allow')).toBe(200);
  expect((await write()).bytes.toString()).not.toContain('"isError":true');
  expect(await put('deny')).toBe(200);
  expect((await write()).bytes.toString()).toContain('"isError":true');
});

it('a session that was made by a clock that was ahead lasts as long as it was meant to', async () => {
  const session = await hub.create({ tenant: ADA, expires_in: '2m' });
  expect((await post(session, { method: 'tools/list' })).status).toBe(200);

  clock.skip(-AHEAD_MS);
  const expiresAt = async () => {
    const { body } = await hub.api.send(`GET /sessions/${session.session_id}`);
    return Date.parse((body as { data: { expires_at: string } }).data.expires_at);
  };
  await waitFor(async () => (await expiresAt()) < clock.now() + 121_000, { what: 'the times to be moved' });
  expect((await post(session, { method: 'tools/list' })).status).toBe(200);
  clock.skip(121_000);

  expect((await post(session, { method: 'tools/list' })).status).toBe(404);
});

it('a call reads neither its session nor what was decided about it again', async () => {
  const session = await hub.create({ tenant: ADA });
  const read = () =>
    post(session, {
      method: 'tools/call',
      params: { name: 'nango_execute', arguments: { tool: 'notes__read-note', input: {} } },
    });
  await read();
  const spy = vi.spyOn(sqlite3.Statement.prototype, 'all');
  expect((await read()).bytes.toString()).not.toContain('"isError":true');
  const run = spy.mock.contexts as unknown as Array<{ sql: string }>;
  spy.mockRestore();

  const reads = run.map(({ sql }) => sql).filter((sql) => /^SELECT.*(agent_sessions|mcp_decisions)/s.test(sql));
  expect(reads).toEqual([]);
});

it('no session of a deleted environment answers', async () => {
  const made = await hub.api.send('POST /environments', { body: { name: 'short' } });
  const { id } = (made.body as { data: { id: number } }).data;
  const key = await hub.api.send(`POST /environments/${id}/api-keys`, {
    body: { display_name: 'agents', scopes: ['environment:agent_sessions:write'] },
  });
  const { secret } = (key.body as { data: { secret: string } }).data;
  const session = await hub.create({ tenant: ADA, toolset: '*' }, secret);
  expect((await post(session, { method: 'tools/list' })).status).toBe(200);

  expect((await hub.api.send(`DELETE /environments/${id}`)).status).toBeLessThan(300);

  expect(await post(session, { method: 'tools/list' })).toMatchObject({ status: 404 });
});
