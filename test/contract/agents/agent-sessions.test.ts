import sqlite3 from 'sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

let hub: AgentFixture;
beforeAll(async () => {
  hub = await startAgentFixture();
});
afterAll(() => hub?.stop());

const ADA = { connections: { any: [{ tags: { user: 'ada' } }] } };
const RED = { connections: { any: [{ tags: { team: 'red' } }] } };
const pin = (integration_id: string, connection_id: string) => ({ integration_id, connection_id });
const pinned = (...pins: object[]) => ({ connections: { pinned: pins } });
const end = async (id: string) => (await hub.api.send(`DELETE /sessions/${id}`)).body;

describe('POST /sessions', () => {
  it('answers 201 with the token, the address, what it may use, and a life of one hour', async () => {
    const before = Date.now();
    const session = await hub.create({ tenant: ADA });

    expect(session).toMatchObject({
      toolset: {
        mail: { connected: true, tools_pinned: 0, tools_searchable: 1 },
        notes: { connected: true, tools_pinned: 0, tools_searchable: 3 },
      },
      meta_tools: { nango_tool_search: true, nango_execute: true, nango_proxy: false },
    });
    expect(Object.keys(session.toolset)).toEqual(['mail', 'notes']);
    expect(Object.keys(session.meta_tools)).not.toContain('nango_create_connection');
    expect(session.mcp_url).toBe(`${hub.server.url}/session/${session.session_id}/mcp`);
    expect(Date.parse(session.expires_at) - before).toBeGreaterThan(3_599_000);
    expect(Date.parse(session.expires_at) - before).toBeLessThan(3_700_000);
  });

  it.each([
    ['60s', 60],
    ['1m', 60],
    ['2h', 7200],
    ['30d', 2_592_000],
  ])('lives as long as expires_in says: %s', async (expires_in, seconds) => {
    const before = Date.now();
    const { expires_at } = await hub.create({ tenant: ADA, expires_in });

    expect(Math.abs(Date.parse(expires_at) - before - seconds * 1000)).toBeLessThan(60_000);
  });

  it.each([
    ['no tenant', {}],
    ['neither any nor pinned', { tenant: { connections: {} } }],
    ['an empty any', { tenant: { connections: { any: [] } } }],
    ['more than ten selectors', { tenant: { connections: { any: Array(11).fill({ tags: { user: 'ada' } }) } } }],
    ['a selector without tags', { tenant: { connections: { any: [{ tags: {} }] } } }],
    ['a tag name with a space', { tenant: { connections: { any: [{ tags: { 'a b': 'c' } }] } } }],
    ['an unknown member', { tenant: ADA, more: 1 }],
    ['an unknown member of the tenant', { tenant: { ...ADA, more: 1 } }],
    ['an unknown member of a policy', { tenant: ADA, toolset: { notes: { only: [] } } }],
    ['too short a life', { tenant: ADA, expires_in: '59s' }],
    ['too long a life', { tenant: ADA, expires_in: '31d' }],
    ['a life in another form', { tenant: ADA, expires_in: '1 hour' }],
  ])('refuses %s as invalid_body with issues', async (_, body) => {
    const { code, issues, status } = await hub.api.refusal('POST /sessions', { body });

    expect({ status, code }).toEqual({ status: 400, code: 'invalid_body' });
    expect(issues?.length).toBeGreaterThan(0);
  });

  it('takes exactly one connection of each integration, and names the candidates without their tags', async () => {
    expect(await hub.refusal({ tenant: RED })).toEqual({
      status: 400,
      code: 'ambiguous_connections',
      payload: {
        integrations: {
          notes: { match_count: 2, candidates: [{ connection_id: 'ada-notes' }, { connection_id: 'bob-notes' }] },
        },
      },
    });
  });

  it('does not mind what is ambiguous outside of the toolset, and lets a pin decide', async () => {
    expect((await hub.create({ tenant: RED, toolset: { mail: '*' } })).toolset).toMatchObject({
      mail: { connected: true },
    });
    const connections = { ...RED.connections, pinned: [pin('notes', 'bob-notes')] };
    const { session_id } = await hub.create({ tenant: { connections } });
    const { body } = await hub.api.send(`GET /sessions/${session_id}`);
    expect(body).toMatchObject({ data: { toolset: { notes: { connected: true, connection_id: 'bob-notes' } } } });
  });

  it('selects by all tags of one of the selectors, whatever the case of their names', async () => {
    const any = [{ tags: { USER: 'bob', team: 'red' } }, { tags: { user: 'nobody' } }];
    expect(Object.keys((await hub.create({ tenant: { connections: { any } } })).toolset)).toEqual(['notes']);
    const wrongValue = { connections: { any: [{ tags: { user: 'ADA' } }] } };
    expect((await hub.create({ tenant: wrongValue })).toolset).toEqual({});
  });

  it('refuses pins that do not exist, also of another integration, and ignores those outside of the toolset', async () => {
    const pins = [pin('notes', 'gone'), pin('mail', 'ada-notes'), pin('ghost', 'x')];
    expect(await hub.refusal({ tenant: pinned(...pins) })).toEqual({
      status: 400,
      code: 'unknown_pinned_connection',
      payload: { pinned: pins },
    });
    const session = await hub.create({
      tenant: pinned(pin('notes', 'gone'), pin('mail', 'ada-mail')),
      toolset: { mail: '*' },
    });
    expect(session.toolset).toEqual({ mail: { connected: true, tools_pinned: 0, tools_searchable: 1 } });
  });

  it('refuses a pin that the selectors do not match', async () => {
    const connections = { ...ADA.connections, pinned: [pin('notes', 'bob-notes')] };
    expect(await hub.refusal({ tenant: { connections } })).toEqual({
      status: 400,
      code: 'pinned_connection_not_matched',
      payload: { pinned: [{ ...pin('notes', 'bob-notes'), candidates: [{ connection_id: 'ada-notes' }] }] },
    });
  });

  it('takes every integration for "*", connected or not', async () => {
    const { toolset } = await hub.create({ tenant: ADA, toolset: '*' });
    expect(toolset).toEqual({
      empty: { connected: false, tools_pinned: 0, tools_searchable: 0 },
      mail: { connected: true, tools_pinned: 0, tools_searchable: 1 },
      notes: { connected: true, tools_pinned: 0, tools_searchable: 3 },
    });
  });

  it.each([
    ['"*"', '*', 3],
    ['{}', {}, 3],
    ['allow "*" with a deny', { allow: '*', deny: { tools: ['delete-note'] } }, 2],
    ['an allowlist', { allow: { tools: ['read-note'] } }, 1],
    ['an empty allowlist', { allow: { tools: [] } }, 0],
    ['deny over allow', { allow: { tools: ['read-note', 'write-note'] }, deny: { tools: ['read-note'] } }, 1],
  ])('counts the tools of %s', async (_, notes, count) => {
    const { toolset } = await hub.create({ tenant: ADA, toolset: { notes } });
    expect(toolset).toEqual({ notes: { connected: true, tools_pinned: 0, tools_searchable: count } });
  });

  it('counts pinned tools apart', async () => {
    const pinned_tools = { notes: ['read-note', 'read-note'] };
    const { toolset } = await hub.create({ tenant: ADA, toolset: { notes: '*' }, pinned_tools });
    expect(toolset).toEqual({ notes: { connected: true, tools_pinned: 1, tools_searchable: 2 } });
  });

  it.each([
    ['the toolset', { toolset: { ghost: '*', notes: '*' } }],
    ['pinned_tools', { pinned_tools: { ghost: ['x'] } }],
  ])('refuses an unknown integration of %s', async (_, more) => {
    const refused = await hub.refusal({ tenant: ADA, ...more });
    expect(refused).toEqual({ status: 400, code: 'unknown_integration', payload: { integrations: ['ghost'] } });
  });

  it.each([
    ['allow', { toolset: { notes: { allow: { tools: ['ghost', 'read-note'] } } } }],
    ['deny', { toolset: { notes: { deny: { tools: ['ghost'] } } } }],
    ['pinned_tools', { pinned_tools: { notes: ['ghost'] } }],
  ])('refuses an unknown tool of %s', async (_, more) => {
    expect(await hub.refusal({ tenant: ADA, ...more })).toEqual({
      status: 400,
      code: 'unknown_tool',
      payload: { tools: [{ integration_id: 'notes', tool: 'ghost' }] },
    });
  });

  it.each(['all', [], { notes: 'all' }, { notes: { allow: ['read-note'] } }, { notes: { deny: '*' } }])(
    'says what a toolset is, for %j',
    async (toolset) => {
      const { body, status } = await hub.api.send('POST /sessions', { body: { tenant: ADA, toolset } });
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('for each integration')]);
      expect(body).toMatchObject({ error: { code: 'invalid_body', errors: [{ path: ['toolset'] }] } });
    },
  );

  it('refuses a sync as a tool', async () => {
    const toolset = { notes: { allow: { tools: ['fetch-notes'] } } };
    expect(await hub.refusal({ tenant: ADA, toolset })).toEqual({
      status: 400,
      code: 'unsupported_function_type',
      payload: { tools: [{ integration_id: 'notes', tool: 'fetch-notes', type: 'sync' }] },
    });
  });

  it.each([
    ['was denied', { notes: { deny: { tools: ['read-note'] } } }],
    ['was not allowed', { notes: { allow: { tools: ['write-note'] } } }],
    ['is of an integration outside', { mail: '*' }],
  ])('pins no tool that %s', async (_, toolset) => {
    expect(await hub.refusal({ tenant: ADA, toolset, pinned_tools: { notes: ['read-note'] } })).toEqual({
      status: 400,
      code: 'tool_not_in_toolset',
      payload: { pinned: [{ integration_id: 'notes', tool: 'read-note' }] },
    });
  });

  it('refuses unknown meta tools, and switches the known ones', async () => {
    const meta_tools = { nango_execute: false, nango_fly: true, toString: true };
    expect(await hub.refusal({ tenant: ADA, meta_tools })).toEqual({
      status: 400,
      code: 'unknown_meta_tool',
      payload: { meta_tools: ['nango_fly', 'toString'] },
    });
    const chosen = { nango_execute: false, nango_proxy: true, nango_create_connection: true };
    const session = await hub.create({ tenant: ADA, meta_tools: chosen });
    expect(session.meta_tools).toEqual({ nango_tool_search: true, ...chosen });
  });

  it('creates nothing when it refuses', async () => {
    const count = async () => ((await hub.api.send('GET /sessions')).body as { data: unknown[] }).data.length;
    const before = await count();
    await hub.refusal({ tenant: RED });
    await hub.refusal({ tenant: ADA, pinned_tools: { notes: ['ghost'] } });
    expect(await count()).toBe(before);
  });

  it('needs the scope', async () => {
    const { secret } = await hub.createKey({ name: 'reader', scopes: ['environment:mcp'] });
    const authorization = `Bearer ${secret}`;
    for (const route of ['POST /sessions', 'GET /sessions', 'GET /sessions/x', 'DELETE /sessions/x'])
      expect(await hub.api.refusal(route, { headers: { authorization } })).toMatchObject({ status: 403 });
    const { secret: own } = await hub.createKey({ name: 'agents' });
    expect((await hub.create({ tenant: ADA }, own)).session_id).toBeTruthy();
  });
});

describe('a limited key', () => {
  it('sees its connections only: others are no candidates, and not ambiguous', async () => {
    const allowed = [{ integrationKey: 'notes', connectionId: 'ada-notes' }];
    const { secret } = await hub.createKey({ name: 'limited', allowed });

    const session = await hub.create({ tenant: RED }, secret);
    expect(session.toolset).toEqual({ notes: { connected: true, tools_pinned: 0, tools_searchable: 3 } });
    expect(await hub.refusal({ tenant: pinned(pin('notes', 'bob-notes')) }, secret)).toEqual({
      status: 400,
      code: 'unknown_pinned_connection',
      payload: { pinned: [pin('notes', 'bob-notes')] },
    });
    const headers = { authorization: `Bearer ${secret}` };
    const other = await hub.create({ tenant: ADA });
    expect(await hub.api.refusal(`DELETE /sessions/${other.session_id}`, { headers })).toMatchObject({
      code: 'session_not_found',
    });
    const { body } = await hub.api.send('GET /sessions', { headers });
    expect((body as { data: Array<{ session_id: string }> }).data.map((one) => one.session_id)).toEqual([
      session.session_id,
    ]);
  });
});

describe('a list of sessions', () => {
  it('reads the connections and limits of all of them at once', async () => {
    /** Reads of sessions, their connections, limits and untrusted texts. Polls of the queue and the log read other tables. */
    const countReads = async (): Promise<number> => {
      const spy = vi.spyOn(sqlite3.Statement.prototype, 'all');
      const { body } = await hub.api.send('GET /sessions');
      const run = spy.mock.contexts as unknown as Array<{ sql: string }>;
      const found = run.filter(({ sql }) => /FROM agent_sessions|AS wanted|FROM untrusted_reads/.test(sql));
      spy.mockRestore();
      expect((body as { data: Array<{ toolset: unknown }> }).data[0]?.toolset).toEqual({
        mail: { connected: true, connection_id: 'ada-mail' },
        notes: { connected: true, connection_id: 'ada-notes' },
      });
      return found.length;
    };
    await hub.create({ tenant: ADA });
    expect(await countReads()).toBe(4);

    for (let made = 0; made < 5; made += 1) await hub.create({ tenant: ADA });
    expect(await countReads()).toBe(4);
  });
});

describe('the end of a session', () => {
  it('says when and why, the second time as the first time', async () => {
    const { session_id } = await hub.create({ tenant: ADA });

    const first = await end(session_id);
    expect(first).toMatchObject({ data: { session_id, reason: 'terminated' } });
    expect(await end(session_id)).toEqual(first);
    const { body } = await hub.api.send(`GET /sessions/${session_id}`);
    expect(body).toMatchObject({ data: { state: 'terminated', reason: 'terminated' } });
  });

  it('is no session for an id that does not exist, or of another environment', async () => {
    expect(await hub.api.refusal('DELETE /sessions/ghost')).toEqual({ status: 404, code: 'session_not_found' });
    expect(await hub.api.refusal('GET /sessions/ghost')).toEqual({ status: 404, code: 'session_not_found' });
  });

  it('comes with the key that made it', async () => {
    const { id, secret } = await hub.createKey({ name: 'short-lived' });
    const { session_id } = await hub.create({ tenant: ADA }, secret);
    const dashboard = await hub.signIn();
    await dashboard.call('DELETE /api/v1/keys/:keyId', { params: { keyId: String(id) } });

    const { body } = await hub.api.send(`GET /sessions/${session_id}`);
    expect(body).toMatchObject({ data: { state: 'terminated' } });
  });

  it('leaves a deleted connection out for good', async () => {
    const body = { provider_config_key: 'mail', connection_id: 'short', tags: { user: 'short' } };
    await importConnection(hub.server, body);
    const tenant = { connections: { any: [{ tags: { user: 'short' } }] } };
    const { session_id } = await hub.create({ tenant });
    const toolset = async () =>
      ((await hub.api.send(`GET /sessions/${session_id}`)).body as { data: { toolset: unknown } }).data.toolset;
    expect(await toolset()).toEqual({ mail: { connected: true, connection_id: 'short' } });

    await hub.api.send('DELETE /connections/short?provider_config_key=mail');
    expect(await toolset()).toEqual({ mail: { connected: false, connection_id: null } });
    await importConnection(hub.server, body);
    expect(await toolset()).toEqual({ mail: { connected: false, connection_id: null } });
  });

  it('does not come with a restart', async () => {
    const { session_id } = await hub.create({ tenant: ADA });
    await hub.server.restart();

    const { body } = await hub.api.send(`GET /sessions/${session_id}`);
    expect(body).toMatchObject({ data: { state: 'active', calls: 0, last_used_at: null, client: null } });
  });
});
