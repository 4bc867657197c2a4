import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeProvider } from '../../support/fake-provider.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from './dashboard-client.ts';

const LIST = 'GET /api/v1/webhooks/outgoing';
const ONE = 'GET /api/v1/webhooks/outgoing/:webhookId';
const REPLAY = 'POST /api/v1/webhooks/outgoing/:webhookId/replay';
const FAILED = 'POST /api/v1/webhooks/outgoing/replay-failed';
const SAMPLE = 'POST /api/v1/webhooks/outgoing/sample';
const SETTINGS = 'GET /api/v1/settings';
const CHANGE = 'PATCH /api/v1/settings';

let receiver: FakeProvider;
let server: InProcessServer;
let client: DashboardClient;

beforeAll(async () => {
  receiver = await FakeProvider.start();
  server = await startInProcess({ env: { HOMEPORT_WEBHOOK_URL: `${receiver.address}/hook` } });
  client = await DashboardClient.signIn({ url: server.url, signIn: server });
});
afterAll(async () => {
  await server?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.on('POST /hook', { status: 200 });
});

async function ended(webhookId: string) {
  return waitFor(async () => {
    const detail = await client.call(ONE, { params: { webhookId } });
    return detail.state === 'waiting' ? undefined : detail;
  });
}

async function sample(body: Record<string, unknown> = { type: 'sync' }) {
  return ended((await client.call(SAMPLE, { body })).id);
}

describe('outgoing webhooks of the dashboard', () => {
  it('are listed and shown with their answers', async () => {
    receiver.on('POST /hook', { status: 201, body: { ok: true } });
    const detail = await sample({ type: 'auth' });

    expect(detail).toMatchObject({ type: 'auth', cause: 'sample', state: 'delivered', code: 201 });
    expect(detail.attempts).toMatchObject([{ attempt: 1, code: 201, body: '{"ok":true}' }]);
    const { data, total } = await client.call(LIST, { query: { types: 'auth' } });
    expect([total, data[0]?.id]).toEqual([1, detail.id]);
    const log = await client.call('GET /api/v1/logs/operations/:operationId', {
      params: { operationId: detail.operationId ?? '' },
    });
    expect(log).toMatchObject({ operation: { type: 'webhook' }, state: 'success' });
  });

  it('are sent again, also elsewhere and all that failed', async () => {
    receiver.on('POST /hook', { status: 410 }).on('POST /other', { status: 200 });
    const failed = await sample();
    const first = await client.call(REPLAY, {
      params: { webhookId: failed.id },
      body: { url: `${receiver.address}/other` },
    });
    expect(await ended(first.id)).toMatchObject({ cause: 'replay', originId: failed.id, state: 'delivered' });

    const second = await sample();
    receiver.on('POST /hook', { status: 200 });
    expect(await client.call(FAILED, { body: {} })).toEqual({ count: 1, perSecond: 10 });
    const { data } = await client.call(LIST, { query: { limit: '1' } });
    expect(await ended(data[0]?.id ?? '')).toMatchObject({ originId: second.id, state: 'delivered' });
  });

  it('cause events as they happen', async () => {
    const abort = new AbortController();
    const response = await fetch(`${server.url}/api/v1/events?env=dev`, {
      headers: client.headers,
      signal: abort.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    const { id } = await client.call(SAMPLE, { body: { type: 'sync' } });

    const event = `data: ${JSON.stringify({ direction: 'outgoing', id })}`;
    await waitFor(() => text.split(event).length - 1 >= 2, { what: 'the events of the webhook' });
    expect(text).toContain('event: webhook');
    abort.abort();
    await reading;
  });

  it('refuses unreachable addresses and unknown ids', async () => {
    const { id: webhookId } = await sample();
    const refusal = (url: string) => client.refusal(REPLAY, { params: { webhookId }, body: { url } });

    expect(await refusal(`${server.url}/hook`)).toEqual({ status: 400, code: 'invalid_body' });
    expect(await refusal(server.url.replace('127.0.0.1', 'localhost'))).toEqual({ status: 400, code: 'invalid_body' });
    expect(await refusal('ftp://a.test')).toEqual({ status: 400, code: 'invalid_body' });
    expect(await client.refusal(ONE, { params: { webhookId: 'none' } })).toEqual({ status: 404, code: 'not_found' });
    expect(await client.refusal(LIST, { query: { states: 'lost' } })).toMatchObject({ code: 'invalid_query_params' });
    expect(await client.refusal(SAMPLE, { body: { type: 'other' } })).toMatchObject({ code: 'invalid_body' });
  });
});

describe('settings of the dashboard', () => {
  it('come without the values of variables, which are shown one by one', async () => {
    await client.call(CHANGE, { body: { variables: [{ name: 'KEY', value: 'canary-value' }] } });
    const text = JSON.stringify(await client.call(SETTINGS));

    expect(text).toContain('"variables":[{"name":"KEY","is_plain":false}]');
    expect(text).not.toContain('canary-value');
    const reveal = (body: unknown) => client.call('POST /api/v1/reveal', { body });
    expect(await reveal({ kind: 'variable', name: 'KEY' })).toEqual({ value: 'canary-value' });
    expect(await client.refusal('POST /api/v1/reveal', { body: { kind: 'variable', name: 'NONE' } })).toMatchObject({
      status: 404,
    });
  });

  it('keep the variables that are sent without a value', async () => {
    await client.call(CHANGE, {
      body: {
        variables: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
      },
    });
    const { variables } = await client.call(CHANGE, {
      body: { variables: [{ name: 'B' }, { name: 'C', value: '3' }] },
    });

    expect(variables).toEqual([
      { name: 'B', is_plain: false },
      { name: 'C', is_plain: false },
    ]);
    expect(await client.call('POST /api/v1/reveal', { body: { kind: 'variable', name: 'B' } })).toEqual({ value: '2' });
    expect(await client.refusal(CHANGE, { body: { variables: [{ name: 'NEW' }] } })).toMatchObject({ status: 400 });
    expect(
      await client.refusal(CHANGE, { body: { variables: [{ name: 'B' }, { name: 'B', value: '4' }] } }),
    ).toMatchObject({ status: 400 });
  });

  it('change what is given', async () => {
    const settings = await client.call(CHANGE, {
      body: { webhook: { on_sync_error: false }, retention: { webhooks_days: null }, log_level: 'debug' },
    });

    expect(settings).toMatchObject({
      webhook: { on_sync_error: false, on_auth_creation: true, primary_url: `${receiver.address}/hook` },
      retention: { logs_days: 15, webhooks_days: null },
      log_level: 'debug',
    });
    expect(await client.call(SETTINGS)).toEqual(settings);
  });

  it('say at which field a webhook address is the hub itself', async () => {
    const response = await client.send(CHANGE, { body: { webhook: { secondary_url: `${server.url}/x` } } });

    expect(await response.json()).toMatchObject({
      error: {
        code: 'invalid_body',
        errors: [{ path: ['webhook', 'secondary_url'], message: expect.stringContaining('Homeport itself') }],
      },
    });
  });

  it('give the signing key, and a new one', async () => {
    const reveal = async () => (await client.call('POST /api/v1/reveal', { body: { kind: 'signing_key' } })).value;
    expect(await reveal()).toBe(server.secretKey);
    await client.call('POST /api/v1/settings/signing-key');

    expect(await reveal()).not.toBe(server.secretKey);
  });
});
