import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { failure, type McpFixture, startMcpFixture } from './mcp-fixture.ts';

let hub: McpFixture;
let agent: Client;
let agentKey: { id: number; secret: string };

beforeAll(async () => {
  hub = await startMcpFixture();
  agentKey = await hub.createKey('Desk agent');
  agent = await hub.connect(agentKey.secret);
});
afterEach(() => hub.endQuestions());
afterAll(() => hub?.stop());

const NOTE = { text: 'buy milk' };
const write = (client = agent, input: Record<string, unknown> = NOTE) =>
  client.callTool({ name: 'write-note', arguments: input });
const waiting = async (): Promise<number> => (await hub.dashboard.call('GET /api/v1/mcp/approvals')).data.length;

/** Calls of a tool in the log, newest first. */
async function logged(tool: string) {
  const query = { search: tool, types: 'action' };
  const { data } = await hub.dashboard.call('GET /api/v1/logs/operations', { query });
  return data;
}

describe('tools/list', () => {
  it('lists the actions that take an object or nothing, with schemas and what they risk', async () => {
    const { tools } = await agent.listTools();

    const byName = Object.fromEntries(tools.map((tool) => [tool.name, tool]));
    const own = ['delete-note', 'only-reads', 'read-me', 'refuses', 'undeclared', 'write-note'];
    expect(Object.keys(byName).sort()).toEqual(own);
    expect(byName['read-me']).toMatchObject({
      description: 'Does it',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    });
    expect(byName['write-note']).toMatchObject({
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    });
    expect(byName['delete-note']?.annotations).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(byName['only-reads']?.annotations).toMatchObject({ readOnlyHint: true });
    expect(byName['undeclared']?.annotations).toMatchObject({ readOnlyHint: false });
  });

  it('leaves out disabled actions', async () => {
    const params = { integrationKey: 'practice', type: 'action', name: 'undeclared' };
    const key = 'PATCH /api/v1/functions/:integrationKey/:type/:name';
    await hub.dashboard.call(key, { params, body: { isEnabled: false } });

    const { tools } = await agent.listTools();

    await hub.dashboard.call(key, { params, body: { isEnabled: true } });
    expect(tools.map(({ name }) => name)).not.toContain('undeclared');
  });
});

describe('tools/call', () => {
  it.each([
    ['has a GET endpoint', 'read-me'],
    ['is declared so', 'only-reads'],
  ])('runs what only reads without asking, when it %s', async (_, name) => {
    const result = await agent.callTool({ name, arguments: {} });

    expect(result.content).toEqual([{ type: 'text', text: '{}' }]);
  });

  it('asks before it writes, shows what for, and runs once it may', async () => {
    const call = write();
    const question = await hub.question();
    expect(question).toMatchObject({
      clientName: 'Desk agent',
      integrationKey: 'practice',
      connectionId: 'me',
      tool: 'write-note',
      risk: 'write',
      arguments: NOTE,
    });
    expect(Date.parse(question.expiresAt) - Date.parse(question.askedAt)).toBe(55_000);

    await hub.decide('allow-once');

    expect((await call).content).toEqual([{ type: 'text', text: JSON.stringify(NOTE, null, 2) }]);
    const again = failure(write());
    await hub.decide('deny');
    await again;
  });

  it('keeps in the log who called and why that was allowed', async () => {
    const client = await hub.connect((await hub.createKey('Logged agent')).secret);
    const call = write(client);
    await hub.decide('allow-once');
    await call;

    const reason = { message: 'Logged agent: allowed once by the user' };
    await waitFor(
      async () => {
        const [operation] = await logged('write-note');
        if (operation?.state !== 'success') return false;
        const query = { operationId: operation.id };
        const { data } = await hub.dashboard.call('GET /api/v1/logs/messages', { query });
        return data.some(({ message }) => message === reason.message);
      },
      { what: 'the reason in the log' },
    );
  });

  it('keeps in the audit which call was answered how', async () => {
    const client = await hub.connect((await hub.createKey('Audited agent')).secret);
    const call = write(client);
    await hub.decide('allow-once');
    await call;

    const { data } = await hub.dashboard.call('GET /api/v1/audit', { query: { actions: 'approval_answered' } });
    expect(data[0]).toMatchObject({
      integrationKey: 'practice',
      connectionId: 'me',
      subject: 'allow-once: write-note for Audited agent',
    });
  });

  it('asks no question that is too long to read', async () => {
    const error = await failure(write(agent, { text: 'x'.repeat(100_001) }));

    expect(error).toContain('request_too_large');
    expect(await waiting()).toBe(0);
  });

  it('does nothing when the user denies, and the log says so', async () => {
    const call = failure(agent.callTool({ name: 'delete-note', arguments: { id: '1' } }));

    await hub.decide('deny');

    expect(await call).toContain('The user has denied the call');
    await waitFor(async () => (await logged('delete-note')).length > 0, { what: 'the refusal in the log' });
    const [operation, ...others] = await logged('delete-note');
    expect(others).toEqual([]);
    expect(operation).toMatchObject({ state: 'cancelled', trigger: 'mcp' });
  });

  it('takes no answer for a no', async () => {
    const call = failure(write());
    await hub.question();

    hub.expire();

    expect(await call).toContain('did not answer within 55 s');
    expect(await call).toContain('on its page Agents, where "write-note" is listed under Tools');
    expect(await waiting()).toBe(0);
  });

  it('takes no answer with more than the client asked for, and then another one', async () => {
    const call = failure(agent.callTool({ name: 'write-note', arguments: NOTE }));
    const { id } = await hub.question();
    const answer = (body: object) =>
      hub.dashboard.refusal('POST /api/v1/mcp/approvals/:approvalId', { params: { approvalId: id }, body });

    const wider = await answer({ decision: 'allow-once', arguments: { ...NOTE, also: 'this' } });
    expect(wider).toEqual({ status: 400, code: 'invalid_body' });
    expect(await waiting()).toBe(1);

    hub.expire();
    expect(await call).toContain('(forbidden)');
  });

  it('takes no permission while the vault is locked, and then another one', async () => {
    const called = write();
    const { id } = await hub.question();
    const answerWith = (decision: 'allow-once' | 'allow-always') => ({
      params: { approvalId: id },
      body: { decision },
    });
    const refusal = (decision: 'allow-once' | 'allow-always') =>
      hub.dashboard.refusal('POST /api/v1/mcp/approvals/:approvalId', answerWith(decision));
    await hub.dashboard.call('POST /api/v1/vault/lock');

    expect(await refusal('allow-once')).toEqual({ status: 423, code: 'vault_locked' });
    expect(await refusal('allow-always')).toEqual({ status: 423, code: 'vault_locked' });
    await hub.dashboard.call('POST /api/v1/vault/unlock');

    const { data } = await hub.dashboard.call('GET /api/v1/mcp/decisions');
    expect(data.filter(({ clientId }) => clientId === agentKey.id)).toEqual([]);
    await hub.decide('allow-once');
    expect((await called).content).toMatchObject([{ text: JSON.stringify(NOTE, null, 2) }]);
    expect(await refusal('allow-once')).toEqual({ status: 404, code: 'not_found' });
  });

  it('asks no longer when the caller has gone', async () => {
    const leave = new AbortController();
    const headers = {
      authorization: `Bearer ${agentKey.secret}`,
      'provider-config-key': 'practice',
      'connection-id': 'me',
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    const params = { name: 'write-note', arguments: NOTE };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    const call = fetch(`${hub.server.url}/mcp`, { method: 'POST', headers, body, signal: leave.signal });
    const gone = expect(call).rejects.toThrow();
    const { id } = await hub.question();

    leave.abort();

    await gone;
    await waitFor(async () => (await waiting()) === 0, { what: 'the end of the question' });
    const late = { params: { approvalId: id }, body: { decision: 'allow-once' } };
    const refusal = await hub.dashboard.refusal('POST /api/v1/mcp/approvals/:approvalId', late);
    expect(refusal).toEqual({ status: 404, code: 'not_found' });
  });

  it('says what an action failed with, as a result that a model can act on', async () => {
    const text = await failure(agent.callTool({ name: 'refuses', arguments: {} }));

    expect(text).toBe(
      'The function ended with an ActionError. (action_script_runtime_error)\nDetails: {"reason":"no"}\n' +
        'A repeat with the same input does not help unless the cause is gone.',
    );
  });

  it('refuses an unknown tool, as an error of the protocol', async () => {
    const unknown = { code: -32602, message: expect.stringContaining('Unknown tool: ') };
    await expect(agent.callTool({ name: 'listed', arguments: {} })).rejects.toMatchObject(unknown);
    await expect(agent.callTool({ name: 'nobody', arguments: {} })).rejects.toMatchObject(unknown);
  });
});

describe('decisions', () => {
  it('that last hold for one client, one connection and one tool, and are taken back', async () => {
    const key = await hub.createKey('Lasting');
    const [client, elsewhere] = [await hub.connect(key.secret), await hub.connect(key.secret, 'other')];
    const both = [write(client), write(client, { text: 'second' })];
    await waitFor(async () => (await waiting()) === 2, { what: 'two questions' });

    await hub.decide('allow-always');

    await Promise.all(both);
    await write(client);
    expect(await waiting()).toBe(0);
    const others = [
      failure(write()),
      failure(write(elsewhere)),
      failure(client.callTool({ name: 'delete-note', arguments: { id: '1' } })),
    ];
    await waitFor(async () => (await waiting()) === 3, { what: 'three questions' });
    hub.expire();
    await Promise.all(others);

    const named = { integrationKey: 'practice', connectionId: 'me', tool: 'write-note' };
    const { data } = await hub.dashboard.call('GET /api/v1/mcp/decisions');
    const own = data.filter(({ clientId }) => clientId === key.id);
    expect(own).toMatchObject([{ ...named, clientName: 'Lasting', policy: 'allow' }]);
    await hub.dashboard.call('PUT /api/v1/mcp/decisions', { body: { ...named, clientId: key.id, policy: null } });
    const asked = failure(write(client));
    await hub.decide('deny');
    await asked;
  });

  it('for the session need no asking and are not stored', async () => {
    const client = await hub.connect((await hub.createKey('Session')).secret);
    const first = write(client);
    await hub.decide('allow-session');
    await first;

    await write(client);

    const { data } = await hub.dashboard.call('GET /api/v1/mcp/decisions');
    expect(data.filter(({ clientName }) => clientName === 'Session')).toEqual([]);
  });

  it('may deny permanently, also for tools that only read', async () => {
    const key = await hub.createKey('Denied');
    const client = await hub.connect(key.secret);
    const asked = failure(write(client));
    await hub.decide('deny-always');
    await asked;
    expect(await failure(write(client))).toContain('(forbidden)');
    const named = { integrationKey: 'practice', connectionId: 'me', tool: 'read-me', clientId: key.id };
    await hub.dashboard.call('PUT /api/v1/mcp/decisions', { body: { ...named, policy: 'deny' } });

    expect(await failure(client.callTool({ name: 'read-me', arguments: {} }))).toContain('(forbidden)');
    expect(await waiting()).toBe(0);
  });

  it('end with the key of their client', async () => {
    const key = await hub.createKey('Revoked');
    const named = { integrationKey: 'practice', connectionId: 'me', tool: 'write-note', clientId: key.id };
    await hub.dashboard.call('PUT /api/v1/mcp/decisions', { body: { ...named, policy: 'allow' } });

    await hub.api.send('DELETE /environment/api-keys', { body: { key_id: key.id } });

    const { data } = await hub.dashboard.call('GET /api/v1/mcp/decisions');
    expect(data.filter(({ clientName }) => clientName === 'Revoked')).toEqual([]);
    const body = { ...named, policy: 'allow' };
    expect(await hub.dashboard.refusal('PUT /api/v1/mcp/decisions', { body })).toMatchObject({ status: 404 });
  });

  it('do not let one client bury the dashboard in questions', async () => {
    const client = await hub.connect((await hub.createKey('Flood')).secret);
    const calls = Array.from({ length: 21 }, () => failure(write(client)));

    await waitFor(async () => (await waiting()) === 20, { what: 'twenty questions' });
    const [refused] = await Promise.all([Promise.race(calls)]);
    hub.expire();

    expect(refused).toContain('resource_capped');
    await Promise.all(calls);
  });
});

describe('the endpoint', () => {
  const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const named = { 'provider-config-key': 'practice', 'connection-id': 'me' };
  const accept = 'application/json, text/event-stream';

  it('needs a key that may use it', async () => {
    const { secret } = await hub.createKey('Reader', ['environment:records:read']);
    const headers = { ...named, accept, authorization: `Bearer ${secret}` };

    expect(await hub.api.refusal('POST /mcp', { headers, body: listTools })).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    await expect(hub.connect(secret)).rejects.toThrow();
    const onlyMcp = { ...headers, authorization: `Bearer ${agentKey.secret}` };
    const trigger = { headers: onlyMcp, body: { action_name: 'write-note', input: NOTE } };
    expect(await hub.api.refusal('POST /action/trigger', trigger)).toMatchObject({ status: 403 });
  });

  it('needs the headers of a connection that exists', async () => {
    const call = (headers: Record<string, string>) =>
      hub.api.refusal('POST /mcp', { headers: { accept, ...headers }, body: listTools });

    expect(await call({})).toMatchObject({ status: 400, code: 'invalid_headers' });
    expect(await call({ ...named, 'connection-id': 'nobody' })).toMatchObject({
      status: 400,
      code: 'unknown_connection',
    });
    expect(await call({ ...named, 'provider-config-key': 'nobody' })).toMatchObject({ code: 'unknown_connection' });
  });

  it('answers JSON to clients that accept both forms, and 405 to clients that want to listen', async () => {
    const response = await hub.api.send('POST /mcp', { headers: { ...named, accept }, body: listTools });
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toContain('application/json');
    expect(
      (await hub.api.send('POST /mcp', { headers: { ...named, accept: 'application/json' }, body: listTools })).status,
    ).toBe(406);

    const stream = await hub.api.send('GET /mcp', { headers: { accept: 'text/event-stream' } });

    expect([stream.status, stream.body]).toEqual([
      405,
      { jsonrpc: '2.0', error: { code: -32000, message: expect.any(String) }, id: null },
    ]);
  });

  it('informs the dashboard when a question is asked and when it ends', async () => {
    const events = await fetch(`${hub.server.url}/api/v1/events?env=dev`, {
      headers: hub.dashboard.headers,
    });
    const reader = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    const call = failure(write());
    await hub.decide('deny');
    await call;

    let text = '';
    while (!text.includes('"state":"denied"')) text += (await reader?.read())?.value ?? '';

    await reader?.cancel();
    expect(text).toMatch(/event: approval\ndata: .*"state":"asked","approval":\{.*"tool":"write-note"/);
    expect(text).toMatch(/event: approval\ndata: .*"state":"denied","approval":null/);
  });
});
