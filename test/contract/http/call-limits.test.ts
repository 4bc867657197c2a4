import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { saveFunction } from '../../support/server-workspace.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { action } from '../agents/agent-fixture.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from './api-caller.ts';

const PATH = '/environment/limits';

let server: InProcessServer;
let api: ApiCaller;
beforeAll(async () => {
  server = await startInProcess();
  api = new ApiCaller(server);
  await importPracticeConnection(server);
  const files = {
    'costs-money': action({
      endpoint: "{ method: 'GET', path: '/practice/costs' }",
      body: 'await nango.reportCost(2); return null;',
    }),
    'writes-note': action({ endpoint: "{ method: 'POST', path: '/practice/notes' }" }),
    'calls-paid': action({
      body: "await nango.triggerAction('practice', 'me', 'costs-money'); return null;",
    }),
    'wrong-cost': action({ input: 'z.object({ amount: z.any() })', body: 'await nango.reportCost(input.amount);' }),
  };
  for (const [name, source] of Object.entries(files))
    await saveFunction(server.workspace, `practice/actions/${name}.ts`, source);
  await waitFor(
    async () => {
      const text = (await api.send('GET /scripts/config')).bytes.toString();
      return Object.keys(files).every((name) => text.includes(`"name":"${name}"`));
    },
    { what: 'the actions' },
  );
});
afterAll(() => server?.stop());

interface Key {
  id: string;
  headers: Record<string, string>;
}

async function createKey(limits: object): Promise<Key> {
  const { body } = await api.send('POST /environment/api-keys', {
    body: { display_name: crypto.randomUUID(), scopes: ['environment:*'] },
  });
  const { id, secret } = (body as { data: { id: number; secret: string } }).data;
  const set = await api.send(`PUT ${PATH}`, { body: { kind: 'key', id: String(id), limits } });
  expect(set.status).toBe(200);
  return {
    id: String(id),
    headers: { authorization: `Bearer ${secret}`, 'provider-config-key': 'practice', 'connection-id': 'me' },
  };
}
const proxy = ({ headers }: Key, method = 'GET', path = '/v1/echo') => api.send(`${method} /proxy${path}`, { headers });
const trigger = ({ headers }: Key, action_name: string, more: Record<string, string> = {}, input?: object) =>
  api.send('POST /action/trigger', {
    headers: { ...headers, ...more },
    body: { action_name, ...(input ? { input } : {}) },
  });
const usedBy = async ({ id }: Key) => {
  const { body } = await api.send(`GET ${PATH}`);
  const all = (body as { data: Array<{ kind: string; id: string; used: object }> }).data;
  return all.find((one) => one.kind === 'key' && one.id === id)?.used;
};
const errorOf = ({ body, status }: { body: unknown; status: number }) => {
  const { error } = body as { error?: { code: string; payload?: object } };
  return { status, code: error?.code, payload: error?.payload };
};

describe('limits of a key', () => {
  it('hold for the proxy and for actions together, with 429 and Retry-After', async () => {
    const key = await createKey({ calls_per_minute: 2 });
    expect((await proxy(key)).status).toBe(200);
    expect((await trigger(key, 'costs-money')).status).toBe(200);

    const refused = await proxy(key);

    expect(errorOf(refused)).toMatchObject({
      status: 429,
      code: 'call_rate_reached',
      payload: { limit: 'calls_per_minute', of: 'key', id: key.id, allowed: 2, used: 2 },
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(errorOf(await trigger(key, 'costs-money'))).toMatchObject({ status: 429 });
  });

  it('count writes, also of queued actions, and answer 403 beyond them', async () => {
    const key = await createKey({ writes: 2 });
    expect((await proxy(key, 'POST')).status).toBe(200);
    expect((await trigger(key, 'writes-note', { 'x-async': 'true' })).status).toBe(202);

    for (const refused of [await proxy(key, 'DELETE'), await trigger(key, 'writes-note', { 'x-async': 'true' })])
      expect(errorOf(refused)).toMatchObject({ status: 403, code: 'call_limit_reached', payload: { limit: 'writes' } });
    expect((await proxy(key)).status).toBe(200);
    expect(await usedBy(key)).toEqual({ calls: 3, writes: 2, cost: 0 });
  });

  it('let exactly as many calls at once pass as there is room for', async () => {
    const key = await createKey({ calls: 3 });
    const all = await Promise.all(Array.from({ length: 10 }, () => proxy(key)));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(all.filter(({ status }) => status === 403)).toHaveLength(7);
  });

  it('count what functions report, of nested and of queued ones too', async () => {
    const key = await createKey({ cost: 6 });
    expect((await trigger(key, 'costs-money')).status).toBe(200);
    expect((await trigger(key, 'calls-paid')).status).toBe(200);
    expect((await trigger(key, 'costs-money', { 'x-async': 'true' })).status).toBe(202);
    await waitFor(
      async () => (await usedBy(key)) !== undefined && JSON.stringify(await usedBy(key)).includes('"cost":6'),
      {
        what: 'the cost of the queued action',
      },
    );

    expect(errorOf(await trigger(key, 'writes-note'))).toMatchObject({ code: 'call_limit_reached' });
  });

  it.each([[-1], ['2'], [null], [2e9]])('take no cost %j', async (amount) => {
    const key = await createKey({ cost: 100 });
    expect((await trigger(key, 'wrong-cost', {}, { amount })).status).toBeGreaterThanOrEqual(400);
    expect(await usedBy(key)).toMatchObject({ cost: 0 });
  });

  it('name hosts and methods', async () => {
    const elsewhere = await createKey({ hosts: ['api.example.com'] });
    expect(errorOf(await proxy(elsewhere))).toMatchObject({ status: 403, payload: { limit: 'hosts' } });
    const here = await createKey({ hosts: ['127.0.0.1'], methods: ['GET'] });
    expect((await proxy(here)).status).toBe(200);
    expect(errorOf(await proxy(here, 'POST'))).toMatchObject({ status: 403, payload: { limit: 'methods' } });
  });

  it('bind the sessions that it makes, and what these may be given', async () => {
    const key = await createKey({ calls: 5 });
    const tenant = { connections: { pinned: [{ integration_id: 'practice', connection_id: 'me' }] } };
    const make = (limits: object) => api.send('POST /sessions', { headers: key.headers, body: { tenant, limits } });

    expect((await make({ calls: 5 })).status).toBe(201);
    for (const limits of [{ calls: 6 }, { calls: null }]) {
      const { body, status } = await make(limits);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('The key of the session allows 5')]);
    }
  });

  it('are changed and taken back at once, and the audit says so', async () => {
    const key = await createKey({ calls: 0 });
    expect((await proxy(key)).status).toBe(403);

    await api.send(`PUT ${PATH}`, { body: { kind: 'key', id: key.id, limits: null } });

    expect((await proxy(key)).status).toBe(200);
    const dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
    const { data } = await dashboard.call('GET /api/v1/audit', { query: { actions: 'limits_changed' } });
    expect(data.map(({ subject }) => subject)).toContain(`key ${key.id}`);
  });

  it.each([
    [{ kind: 'key', id: '99999', limits: {} }, 404, 'not_found'],
    [{ kind: 'session', id: 'nosuch', limits: {} }, 404, 'session_not_found'],
    [{ kind: 'key', limits: {} }, 400, 'invalid_body'],
    [{ kind: 'sessions', id: 'x', limits: {} }, 400, 'invalid_body'],
    [{ kind: 'run', id: 'x', limits: {} }, 400, 'invalid_body'],
    [{ kind: 'sessions', limits: { calls: -1 } }, 400, 'invalid_body'],
    [{ kind: 'sessions', limits: { speed: 1 } }, 400, 'invalid_body'],
  ])('are not set by %j', async (body, status, code) => {
    expect(errorOf(await api.send(`PUT ${PATH}`, { body }))).toMatchObject({ status, code });
  });
});

describe('a change of limits', () => {
  const put = async (limits: object | null, of: object = { kind: 'sessions' }) => {
    const { body, status } = await api.send(`PUT ${PATH}`, { body: { ...of, limits } });
    expect(status).toBe(200);
    return (body as { data: { limits: object; own: string[] } }).data;
  };

  it('concerns what it names, so that later defaults hold for the rest', async () => {
    expect(await put({ writes: 200 })).toMatchObject({
      limits: { writes: 200, calls_per_minute: 120 },
      own: ['writes'],
    });
    expect((await put({ repeats: null, calls: 9 })).own.toSorted()).toEqual(['calls', 'repeats', 'writes']);
    expect(await put({ writes: 'default', repeats: 'default' })).toMatchObject({
      limits: { writes: 1000, repeats: 5, calls: 9 },
      own: ['calls'],
    });
    expect(await put({})).toMatchObject({ limits: { calls: 9 }, own: ['calls'] });
    expect(await put(null)).toMatchObject({ limits: { calls: null }, own: [] });
  });

  it('of two at once loses none', async () => {
    const key = await createKey({ calls: 5 });
    const of = { kind: 'key', id: key.id };
    await Promise.all([put({ writes: 1 }, of), put({ cost: 2 }, of), put({ hosts: ['a.test'] }, of)]);
    expect(await put({}, of)).toMatchObject({ limits: { calls: 5, writes: 1, cost: 2, hosts: ['a.test'] } });
  });

  it.each([[{ writes: 'none' }], [{ calls: -1 }], [{ repeats: 1 }], [{ other: 1 }], [{ hosts: 'default,x' }]])(
    'refuses %j and changes nothing',
    async (limits) => {
      expect((await api.send(`PUT ${PATH}`, { body: { kind: 'sessions', limits } })).status).toBe(400);
      expect((await put({})).own).toEqual([]);
    },
  );
});
