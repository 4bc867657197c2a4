import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type McpFixture, startMcpFixture } from './mcp-fixture.ts';

const CONNECTION = { integrationKey: 'practice', connectionId: 'me' };

let hub: McpFixture;
beforeAll(async () => {
  hub = await startMcpFixture();
});
afterEach(() => hub.endQuestions());
afterAll(() => hub?.stop());

const listClients = async () => (await hub.dashboard.call('GET /api/v1/mcp/clients')).data;
const makeClient = (name: string) => hub.dashboard.call('POST /api/v1/mcp/clients', { body: { name } });
const rulesOf = async (clientId: number) => {
  const { data } = await hub.dashboard.call('GET /api/v1/mcp/tools', {
    query: { ...CONNECTION, clientId: `${clientId}` },
  });
  return Object.fromEntries(data.map((rule) => [rule.name, rule]));
};
const write = (client: Client): Promise<unknown> =>
  client.callTool({ name: 'write-note', arguments: { text: 'x' } }).catch((error: Error) => error);

describe('the keys of the MCP screen', () => {
  it('may only call tools, and differ from keys that may do more', async () => {
    const made = await makeClient('  Screen agent ');
    const client = await hub.connect(made.secret);

    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    const headers = { authorization: `Bearer ${made.secret}` };
    expect(await hub.api.refusal('GET /connections', { headers })).toMatchObject({ status: 403 });
    await hub.createKey('Reader', ['environment:records:read']);
    await waitFor(async () => (await listClients()).some(({ id, lastUsedAt }) => id === made.id && lastUsedAt), {
      what: 'the last use',
    });
    const named = (await listClients()).filter(({ name }) => ['default', 'Screen agent', 'Reader'].includes(name));
    expect(named).toMatchObject([
      { name: 'default', isAgent: false },
      { id: made.id, name: 'Screen agent', isAgent: true },
    ]);
  });

  it('need a name that is free', async () => {
    await makeClient('Twice');
    const again = { body: { name: 'Twice' } };

    expect(await hub.dashboard.refusal('POST /api/v1/mcp/clients', again)).toMatchObject({ status: 409 });
    expect(await hub.dashboard.refusal('POST /api/v1/mcp/clients', { body: { name: ' ' } })).toMatchObject({
      status: 400,
    });
  });

  it('stop working when they are revoked, which no other key can be here', async () => {
    const made = await makeClient('Short');
    const [first] = await listClients();
    await hub.dashboard.call('DELETE /api/v1/mcp/clients/:clientId', { params: { clientId: `${made.id}` } });

    await expect(hub.connect(made.secret)).rejects.toThrow();
    const params = { clientId: `${first?.id}` };
    expect(await hub.dashboard.refusal('DELETE /api/v1/mcp/clients/:clientId', { params })).toMatchObject({
      status: 404,
    });
    expect(await listClients()).toContainEqual(first);
  });
});

describe('the tools of a connection', () => {
  it('say what one client meets: by risk, by decision, and for as long as the hub runs', async () => {
    const made = await makeClient('Ruled');
    const client = await hub.connect(made.secret);
    expect(await rulesOf(made.id)).toMatchObject({
      'read-me': { risk: 'read', policy: null, effective: 'allow', decidedAt: null },
      'write-note': { risk: 'write', policy: null, effective: 'ask', description: 'Does it' },
      'delete-note': { risk: 'delete', policy: null, effective: 'ask' },
    });

    await hub.dashboard.call('PUT /api/v1/mcp/decisions', {
      body: { ...CONNECTION, clientId: made.id, tool: 'read-me', policy: 'deny' },
    });
    const call = write(client);
    await hub.decide('allow-session');
    await call;

    const rules = await rulesOf(made.id);
    expect(rules['read-me']).toMatchObject({ policy: 'deny', effective: 'deny', decidedAt: expect.any(String) });
    expect(rules['write-note']).toMatchObject({ policy: null, effective: 'allow' });
    expect(rules).not.toHaveProperty('listed');
    const other = await makeClient('Unruled');
    expect((await rulesOf(other.id))['read-me']).toMatchObject({ policy: null, effective: 'allow' });
    await hub.dashboard.call('PUT /api/v1/mcp/decisions', {
      body: { ...CONNECTION, clientId: made.id, tool: 'write-note', policy: null },
    });
    expect((await rulesOf(made.id))['write-note']).toMatchObject({ effective: 'ask' });
  });

  it('are of a connection and a client that exist', async () => {
    const { id } = await makeClient('Nowhere');
    const refusal = (query: Record<string, string>) => hub.dashboard.refusal('GET /api/v1/mcp/tools', { query });

    expect(await refusal({ ...CONNECTION, connectionId: 'nobody', clientId: `${id}` })).toMatchObject({ status: 404 });
    expect(await refusal({ ...CONNECTION, clientId: '99999' })).toMatchObject({ status: 404 });
  });
});

describe('a refused call', () => {
  it('is found in the log by the name of its client', async () => {
    const client = await hub.connect((await makeClient('Refused agent')).secret);
    const call = write(client);
    await hub.decide('deny');
    await call;

    const query = { search: 'Refused agent', types: 'action' };
    const found = async () => (await hub.dashboard.call('GET /api/v1/logs/operations', { query })).data;
    await waitFor(async () => (await found()).length > 0, { what: 'the operation' });
    expect(await found()).toMatchObject([{ state: 'cancelled', trigger: 'mcp', syncConfigName: 'write-note' }]);
  });
});
