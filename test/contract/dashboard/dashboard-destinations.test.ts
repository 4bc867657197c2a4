import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const LIST = 'GET /api/v1/webhook-destinations';
const CREATE = 'POST /api/v1/webhook-destinations';
const CHANGE = 'PATCH /api/v1/webhook-destinations/:destinationId';
const DELETE = 'DELETE /api/v1/webhook-destinations/:destinationId';
const TEST = 'POST /api/v1/webhook-destinations/:destinationId/test';
const WEBHOOK = 'GET /api/v1/webhooks/outgoing/:webhookId';
const PUBLIC = '/environment/webhook-destinations';

let receiver: FakeProvider;
let server: InProcessServer;
let client: DashboardClient;
beforeAll(async () => {
  receiver = await FakeProvider.start();
  server = await startInProcess();
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
});
beforeEach(async () => {
  receiver.on('POST /billing', { status: 200 });
  await callApi('PUT', { destinations: [] });
});

async function callApi(method: 'GET' | 'PUT', body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${server.url}${PUBLIC}`, {
    method,
    headers: { authorization: `Bearer ${server.secretKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const draft = (part: object = {}) => ({
  ...{ name: 'Billing', url: `${receiver.address}/billing`, isEnabled: true, types: ['sync'], integrations: [] },
  ...part,
});
const create = (part: object = {}) => client.call(CREATE, { body: draft(part) });
const all = async () => (await client.call(LIST)).data;

describe('webhook destinations in the dashboard', () => {
  it('are created, listed, changed and deleted, with an entry in the audit for each', async () => {
    const made = await create();
    expect(await all()).toEqual([made]);
    const params = { destinationId: made.id };
    const changed = await client.call(CHANGE, { params, body: { name: '', types: ['auth', 'auth', 'forward'] } });
    expect(changed).toEqual({ ...made, name: null, types: ['auth', 'forward'] });
    expect(await client.call(CHANGE, { params, body: { isEnabled: false } })).toEqual({ ...changed, isEnabled: false });
    await client.call(DELETE, { params });
    expect(await all()).toEqual([]);

    const { data } = await client.call('GET /api/v1/audit', { query: { actions: 'settings_changed' } });
    expect(data.slice(0, 4).map(({ action, subject }) => `${action}: ${subject}`)).toEqual([
      'settings_changed: webhook destination deleted',
      'settings_changed: webhook destination changed',
      'settings_changed: webhook destination changed',
      'settings_changed: webhook destination created',
    ]);
  });

  it.each([
    ['is no address', { url: 'localhost:4000' }, ['url']],
    ['is no web address', { url: 'ftp://a.test' }, ['url']],
    ['is the hub itself', () => ({ url: `${server.url}/x` }), ['url']],
    ['has a long name', { name: 'x'.repeat(101) }, ['name']],
    ['names an unknown type', { types: ['other'] }, ['types', '0']],
    ['names what is no integration', { integrations: ['a/b'] }, ['integrations', '0']],
  ])('are refused at the field when one %s', async (_, part, path) => {
    const body = draft(typeof part === 'function' ? part() : part);
    const response = await (await client.send(CREATE, { body })).json();

    expect(response).toMatchObject({ error: { code: 'invalid_body', errors: [{ path }] } });
    expect(await all()).toEqual([]);
  });

  it('are not found in another environment', async () => {
    const { id: destinationId } = await create();
    await client.call('POST /api/v1/environments', { body: { name: 'other' } });
    const elsewhere = { params: { destinationId }, query: { env: 'other' } };

    expect((await client.call(LIST, { query: { env: 'other' } })).data).toEqual([]);
    for (const [route, body] of [
      [CHANGE, { name: 'x' }],
      [DELETE, undefined],
      [TEST, { type: 'sync' }],
    ] as const)
      expect(await client.refusal(route, { ...elsewhere, body })).toEqual({ status: 404, code: 'not_found' });
  });

  it('are tested one by one, also when they are off', async () => {
    const { id: destinationId } = await create({ isEnabled: false });
    const { id: webhookId } = await client.call(TEST, { params: { destinationId }, body: { type: 'auth' } });
    const ended = await waitFor(async () => {
      const webhook = await client.call(WEBHOOK, { params: { webhookId } });
      return webhook.state === 'waiting' ? undefined : webhook;
    });

    expect(ended).toMatchObject({ type: 'auth', cause: 'sample', state: 'delivered', destinationName: 'Billing' });
    expect(receiver.requestsTo('/billing')).toHaveLength(1);
  });
});

describe('a destination that names an integration', () => {
  it('follows it when it gets another key', async () => {
    await client.call('POST /api/v1/integrations', { body: { provider: 'practice', key: 'old', config: {} } });
    await create({ integrations: ['other', 'old'] });
    await client.call('PATCH /api/v1/integrations/:integrationKey', {
      params: { integrationKey: 'old' },
      body: { key: 'new' },
    });

    expect((await all())[0]?.integrations).toEqual(['other', 'new']);
  });
});

describe(`PUT ${PUBLIC}`, () => {
  it('replaces the list and keeps destinations that are named by their id', async () => {
    const kept = await create();
    await create({ name: 'Gone' });
    const url = `${receiver.address}/billing`;
    const sent = { destinations: [{ id: kept.id, url, name: 'Kept', is_enabled: false }, { url }] };
    const response = await callApi('PUT', sent);

    const empty = { types: [], integrations: [] };
    expect(response).toEqual({
      status: 200,
      body: {
        data: [
          { id: kept.id, name: 'Kept', url, is_enabled: false, ...empty },
          { id: expect.any(String), name: null, url, is_enabled: true, ...empty },
        ],
      },
    });
    expect(await callApi('GET')).toEqual(response);
  });

  it('changes nothing when one of them is refused', async () => {
    const kept = await create();
    const url = `${receiver.address}/billing`;
    const id = '00000000-0000-4000-8000-000000000000';
    const refused = await Promise.all([
      callApi('PUT', { destinations: [{ url }, { url: `${server.url}/x` }] }),
      callApi('PUT', { destinations: [{ url }, { id, url }] }),
      callApi('PUT', { destinations: Array.from({ length: 21 }, () => ({ url })) }),
    ]);

    expect(refused.map(({ status }) => status)).toEqual([400, 404, 400]);
    expect(refused[0]?.body).toMatchObject({ error: { errors: [{ path: ['destinations', '1', 'url'] }] } });
    expect(await all()).toEqual([kept]);
  });
});
