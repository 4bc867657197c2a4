import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type ScriptedHub, startScriptedHub } from './scripted-hub.ts';

const HANDLER = syncSource('return;')
  .replace('exec:', `webhookSubscriptions: ['*'],\n  exec:`)
  .replace(
    /\},\n\}\);\n$/,
    `},\n  onWebhook: async (nango, payload) => {
    await nango.batchSave([{ id: String(payload.n), text: nango.connectionId }], 'Item');
  },\n});\n`,
  );

let hub: ScriptedHub;

beforeAll(async () => {
  hub = await startScriptedHub({ files: { 'hears.ts': HANDLER } });
  await hub.addConnection('one', { connection_config: { 'team.id': 'T1', portalId: 62 }, metadata: { ids: ['a', 7] } });
  await hub.addConnection('two', { connection_config: { portalId: '62' }, metadata: { ids: 'a' } });
  await hub.addConnection('three', { webhook_url_override: hub.receiver.address('/second') });
});
afterAll(() => hub?.stop());
beforeEach(() => {
  hub.receiver.server.requests.length = 0;
});

const PROPERTY = (property: string, value: unknown) => ({ property, value });
const textOf = async (body: unknown, query = ''): Promise<[number, string, string | undefined]> => {
  const { status, bytes, headers } = await hub.send(body, { query });
  return [status, bytes.toString(), headers['content-type']];
};

/** The payload that was forwarded without a wrapper, by the number in it. */
const rawForwards = (): unknown[] =>
  hub.receiver.server.requests
    .map(({ body }) => JSON.parse(body.toString()))
    .filter(({ type }) => type === undefined)
    .map(({ n }) => n);

describe('the answer', () => {
  it.each([
    [401, 'Missing webhook signature'],
    [401, 'Invalid webhook signature'],
    [400, 'Webhook payload is missing nangoConnectionId'],
  ])('of a refusal is %i and the reason as a plain text (%s)', async (status, message) => {
    expect(await textOf({ result: { kind: 'refused', status, message } })).toEqual([
      status,
      JSON.stringify({ error: message }),
      'application/json; charset=utf-8',
    ]);
  });

  it('to a handshake is the one that the provider asks for, and nothing is forwarded', async () => {
    const handshake = { kind: 'answered', contentType: 'text/plain', text: 'challenge', headers: { 'x-hook': 's' } };

    const response = await hub.send({ result: handshake });
    await hub.send({ n: 0, targets: [] });
    await hub.receiver.webhooks(1, ({ n }) => n === 0);

    expect([response.status, response.bytes.toString(), response.headers['x-hook']]).toEqual([200, 'challenge', 's']);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(rawForwards()).toEqual([0]);
  });

  it('may be empty where the provider wants it so', async () => {
    const result = { kind: 'handled', events: [], forward: { viewed: true }, response: '' };

    expect(await textOf({ result })).toEqual([200, '', undefined]);
    await hub.receiver.webhooks(1, ({ viewed }) => viewed);
  });

  it('of a routing that throws is 500 and tells nothing of it', async () => {
    expect(await textOf({ throws: 'a secret detail' })).toEqual([
      500,
      '{"error":"internal_error"}',
      'application/json; charset=utf-8',
    ]);
  });

  it('to a body that nests too deep to be passed on is 400', async () => {
    const nested = `{"forward":${'['.repeat(20_000)}${']'.repeat(20_000)},"kind":"handled","events":[]}`;

    const [status, text] = await textOf(`{"result":${nested}}`);
    expect([status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'invalid_body' } }]);
  });

  it('of webhooks without any event is 200', async () => {
    const result = { kind: 'handled', events: [], forward: { events: [] } };

    expect((await textOf({ result })).slice(0, 2)).toEqual([200, '{"status":"success"}']);
    await hub.receiver.webhooks(1, ({ events }) => events?.length === 0);
  });

  it.each(['get', 'head', 'put', 'delete'])('to %s is 404', async (method) => {
    const { status } = await hub.api.send(`${method.toUpperCase()} ${hub.path}`, {
      headers: { authorization: undefined },
    });

    expect(status).toBe(404);
  });
});

describe('matching', () => {
  const forwardsOf = async (n: number, count: number, path?: string): Promise<string[]> => {
    const found = await hub.receiver.webhooks(count, ({ payload }) => payload?.n === n, path);
    return found.map(({ connectionId }) => connectionId).sort();
  };

  it('takes every connection that fits: two connections, two handler runs, two forwards', async () => {
    await hub.send({ n: 1, targets: [PROPERTY('portalId', 62)], types: ['x'] });

    expect(await forwardsOf(1, 2)).toEqual(['one', 'two']);
    for (const connectionId of ['one', 'two']) {
      const saved = await waitFor(async () => {
        const headers = { 'provider-config-key': 'scripted', 'connection-id': connectionId };
        const { body } = await hub.api.send('GET /records?model=Item', { headers });
        return (body as { records: Array<{ id: string; text: string }> }).records.find(({ id }) => id === '1');
      });
      expect(saved.text).toBe(connectionId);
    }
  });

  it.each([
    ['a flat key with a dot', PROPERTY('team.id', 'T1'), ['one']],
    ['a list in the metadata', PROPERTY('metadata.ids', 'a'), ['one', 'two']],
    ['a number in such a list', PROPERTY('metadata.ids', '7'), ['one']],
    ['the connection id', PROPERTY('connectionId', 'two'), ['two']],
  ])('reads %s', async (what, target, expected) => {
    const n = 100 + what.length;
    await hub.send({ n, targets: [target] });

    expect(await forwardsOf(n, expected.length)).toEqual(expected);
  });

  it('tries the next target only while none matches', async () => {
    const targets = [PROPERTY('portalId', 'nobody'), PROPERTY('team.id', 'T1'), 'all'];
    await hub.send({ n: 5, targets });

    expect(await forwardsOf(5, 1)).toEqual(['one']);
  });

  it('matches all connections when the routing names none, each with its own address', async () => {
    await hub.send({ n: 6, targets: ['all'] });

    expect(await forwardsOf(6, 1, '/second')).toEqual(['three']);
    expect(await forwardsOf(6, 2)).toEqual(['one', 'two']);
  });

  it('with an empty value matches no connection', async () => {
    await hub.send({ n: 7, targets: [PROPERTY('portalId', '')] });

    const [raw] = await hub.receiver.webhooks(1, ({ n }) => n === 7);
    expect(raw.connectionId).toBeUndefined();
  });

  it('leaves out connections that were deleted, and a forward that the integration does not want', async () => {
    await hub.addConnection('gone', { connection_config: { portalId: 'G' } });
    await hub.api.send('DELETE /connections/gone?provider_config_key=scripted');
    await hub.send({ n: 8, targets: [PROPERTY('portalId', 'G')] });
    await hub.receiver.webhooks(1, ({ n }) => n === 8);

    await hub.api.send('PATCH /integrations/scripted', { body: { forward_webhooks: false } });
    await hub.send({ n: 9, targets: [] });
    await hub.api.send('PATCH /integrations/scripted', { body: { forward_webhooks: true } });
    await hub.send({ n: 10, targets: [] });
    await hub.receiver.webhooks(1, ({ n }) => n === 10);
    expect(rawForwards()).toEqual([8, 10]);
  });
});
