import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import type { DashboardClient } from '../dashboard/dashboard-client.ts';
import { type AgentFixture, startAgentFixture } from './agent-fixture.ts';

let person: TempHome;
let fixture: AgentFixture;
let dashboard: DashboardClient;
beforeAll(async () => {
  person = await createTempHome();
  fixture = await startAgentFixture({ env: { HOME: person.path } });
  dashboard = await fixture.signIn();
});
afterEach(() => rm(join(person.path, '.cursor'), { recursive: true, force: true }));
afterAll(async () => {
  await fixture?.stop();
  await person.remove();
});

const program = async (id: string) => {
  const { data } = await dashboard.call('GET /api/v1/agents/programs');
  return data.find((one) => one.id === id);
};

describe.skipIf(process.platform !== 'linux')('agent programs in the dashboard', () => {
  it('are listed with what to do by hand', async () => {
    expect(await program('cursor')).toMatchObject({ name: 'Cursor', isSetUp: false, access: null, lastUsedAt: null });
    const cursor = await program('cursor');
    expect(cursor?.link).toContain('cursor://anysphere.cursor-deeplink/mcp/install?name=homeport&config=');
    expect(JSON.parse(cursor?.snippet ?? '').mcpServers.homeport.url).toBe(`${fixture.server.url}/agents/mcp`);
    expect((await program('vscode'))?.link).toMatch(/^vscode:mcp\/install\?%7B%22name%22%3A%22homeport%22/);
    expect((await program('claude-desktop'))?.snippet).toContain('"stdio"');
  });

  it('are set up after a look at the change, and removed', async () => {
    await mkdir(join(person.path, '.cursor'));
    const file = join(person.path, '.cursor/mcp.json');
    await writeFile(file, '{\n  "mcpServers": {}\n}\n');
    const params = { program: 'cursor' };
    const change = await dashboard.call('GET /api/v1/agents/programs/:program/change', { params });
    expect([change.file, change.isNew, change.line]).toEqual([file, false, 2]);
    expect(change.added.join('\n')).toContain('"homeport": {');
    const written = await dashboard.call('PUT /api/v1/agents/programs/:program', { params });
    expect(await readFile(written.backup ?? '', 'utf8')).toBe('{\n  "mcpServers": {}\n}\n');
    expect(await program('cursor')).toMatchObject({ isSetUp: true, access: 'sign-in' });
    await dashboard.call('DELETE /api/v1/agents/programs/:program', { params });
    expect(await program('cursor')).toMatchObject({ isSetUp: false });
    expect((await dashboard.refusal('DELETE /api/v1/agents/programs/:program', { params })).status).toBe(404);
    expect((await dashboard.refusal('PUT /api/v1/agents/programs/:program', { params: { program: 'x' } })).status).toBe(
      404,
    );
  });

  it('show the use of the session that their file holds, whatever the client calls itself', async () => {
    const session = await fixture.create({
      tenant: { connections: { pinned: [{ integration_id: 'notes', connection_id: 'ada-notes' }] } },
    });
    await mkdir(join(person.path, '.cursor'));
    const entry = { url: session.mcp_url, headers: { Authorization: `Bearer ${session.session_token}` } };
    await writeFile(join(person.path, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { homeport: entry } }));
    expect(await program('cursor')).toMatchObject({ access: 'session', lastUsedAt: null });

    const params = { name: 'nango_tool_search', arguments: { queries: ['note'] } };
    await fetch(session.mcp_url, {
      method: 'POST',
      headers: {
        authorization: entry.headers.Authorization,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });

    expect((await program('cursor'))?.lastUsedAt).toEqual(expect.any(String));
  });

  it('say why their file cannot be read, and leave it', async () => {
    await mkdir(join(person.path, '.gemini'));
    const file = join(person.path, '.gemini/settings.json');
    await writeFile(file, '{ "mcpServers": ');
    expect((await program('gemini'))?.problem).toContain(`${file}: It is not JSON`);
    const refused = await dashboard.refusal('PUT /api/v1/agents/programs/:program', { params: { program: 'gemini' } });
    expect([refused, await readFile(file, 'utf8')]).toEqual([
      { status: 400, code: 'invalid_body' },
      '{ "mcpServers": ',
    ]);
  });
});

describe('agent sessions in the dashboard', () => {
  it('are made by hand, listed and ended', async () => {
    const offers = (await dashboard.call('GET /api/v1/agents/offers')).data;
    expect(offers.map(({ integrationKey }) => integrationKey).toSorted()).toEqual(['mail', 'notes']);
    const made = await dashboard.call('POST /api/v1/agents/sessions', {
      body: {
        connections: [{ integrationKey: 'notes', connectionId: 'ada-notes', tools: ['read-note'] }],
        expiresIn: '1h',
      },
    });
    expect(made.url).toContain(`/session/${made.id}/mcp`);
    const find = async () =>
      (await dashboard.call('GET /api/v1/agents/sessions')).data.find(({ id }) => id === made.id);
    expect(await find()).toMatchObject({
      state: 'active',
      madeBy: 'person',
      connections: [{ integrationKey: 'notes', connectionId: 'ada-notes' }],
    });
    await dashboard.call('DELETE /api/v1/agents/sessions/:sessionId', { params: { sessionId: made.id } });
    expect(await find()).toMatchObject({ state: 'terminated' });
    expect(
      (
        await dashboard.refusal('POST /api/v1/agents/sessions', {
          body: { connections: [{ integrationKey: 'notes', connectionId: 'nobody', tools: null }], expiresIn: '1h' },
        })
      ).code,
    ).toBe('unknown_pinned_connection');
  });
});
