import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookRow } from '../../../server/webhooks-in/dashboard-webhooks.contract.ts';
import { findSecrets } from '../../support/find-secrets.ts';
import { lookInto } from '../../support/look-into.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { type ScriptedHub, startScriptedHub } from '../webhooks/scripted-hub.ts';
import { DashboardClient } from './dashboard-client.ts';
import { EventPage } from './event-page.ts';

const HANDLER = syncSource('return;')
  .replace('exec:', `webhookSubscriptions: ['run'],\n  exec:`)
  .replace(
    /\},\n\}\);\n$/,
    `},\n  onWebhook: async (nango, payload) => {
    if (payload.fails) throw new Error('told to fail');
    await nango.batchSave([{ id: String(payload.n), text: 'x' }], 'Item');
  },\n});\n`,
  );
const DAY_MS = 86_400_000;
const CANARY = 'canary-5f0a77e1c2d9';

let hub: ScriptedHub;
let client: DashboardClient;

beforeAll(async () => {
  hub = await startScriptedHub({ files: { 'hears.ts': HANDLER } });
  await hub.addConnection('one');
  await hub.addConnection('two');
  client = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
});
afterAll(() => hub?.stop());
beforeEach(async () => {
  // What other tests sent arrives first.
  await waitFor(
    async () => (await list()).every(({ forwards, forwardState }) => forwards === 0 || isOver(forwardState)),
    {
      what: 'every delivery to end',
    },
  );
  hub.receiver.server.requests.length = 0;
});
/** What was passed on, without webhooks about the runs that it started. */
const forwarded = () => hub.receiver.server.requests.filter(({ body }) => !body.includes('"from":"nango"'));
const isOver = (state: WebhookRow['forwardState']): boolean => state !== null && state !== 'waiting';

const list = async (query: Record<string, string> = {}): Promise<WebhookRow[]> =>
  (await client.call('GET /api/v1/webhooks/incoming', { query })).data;
const get = (webhookId: string) => client.call('GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId } });
const replay = (webhookId: string, body: unknown = {}) =>
  client.call('POST /api/v1/webhooks/incoming/:webhookId/replay', { params: { webhookId }, body });
const newest = async (): Promise<WebhookRow> => {
  const [row] = await list({ limit: '1' });
  if (!row) throw new Error('no webhook is kept');
  return row;
};
const TO_ONE = { targets: [{ property: 'connectionId', value: 'one' }], types: ['run'] };
/** The log is written a moment later. */
const ended = (operationId: string | null | undefined) =>
  waitFor(
    async () => {
      const params = { operationId: operationId ?? '' };
      const operation = await client.call('GET /api/v1/logs/operations/:operationId', { params });
      return operation.endedAt === null ? undefined : operation;
    },
    { what: 'the end of the operation' },
  );
const settled = (id: string): Promise<WebhookRow> =>
  waitFor(
    async () => {
      const { headers: _headers, query: _query, body: _body, expiresAt: _expires, ...row } = await get(id);
      return row.runs.every(({ endedAt }) => endedAt !== null) ? row : undefined;
    },
    { what: 'the end of every run' },
  );

describe('a kept webhook', () => {
  it('counts for the filter of its integration and is part of an export', async () => {
    await hub.send({ n: 0, ...TO_ONE });
    const { total } = await client.call('GET /api/v1/webhooks/incoming');

    const { data } = await client.call('GET /api/v1/filter-values', { query: { of: 'incoming.integrations' } });
    const exported = await fetch(`${hub.server.url}/api/v1/export/webhooks/incoming?env=dev`, {
      headers: client.headers,
    });

    expect(data).toMatchObject([{ value: 'scripted', provider: 'scripted', count: total }]);
    const connectionsOf = (integration: string) =>
      client.call('GET /api/v1/filter-values', { query: { of: 'incoming.connections', integration } });
    expect((await connectionsOf('scripted')).data).toContainEqual(expect.objectContaining({ value: 'one' }));
    expect((await connectionsOf('other')).data).toEqual([]);
    expect((await exported.text()).trim().split('\n')).toHaveLength(total);
  });

  it('shows what arrived and what came of it', async () => {
    const body = { n: 1, ...TO_ONE };
    await hub.send(body, { headers: { 'x-acme-event': 'run' }, query: '?a=b&c=%20' });
    const { id } = await newest();

    const webhook = await get(id);
    expect(webhook).toMatchObject({
      integrationKey: 'scripted',
      provider: 'scripted',
      method: 'POST',
      path: hub.path,
      query: 'a=b&c=%20',
      outcome: 'handled',
      status: 200,
      signature: 'unsupported',
      message: null,
      eventTypes: ['run'],
      connectionIds: ['one'],
      forwards: 1,
      operationId: null,
      replayOf: null,
      headers: { 'x-acme-event': 'run', 'content-type': 'application/json' },
    });
    expect(JSON.parse(webhook.body?.text ?? '')).toEqual(body);
    expect(webhook.sizeBytes).toBe(JSON.stringify(body).length);

    const { runs } = await settled(id);
    expect(runs).toMatchObject([{ functionName: 'hears', connectionId: 'one', state: 'success' }]);
    const operation = await ended(runs[0]?.operationId);
    expect(operation).toMatchObject({
      operation: { type: 'webhook', action: 'incoming' },
      state: 'success',
      connectionName: 'one',
      syncConfigName: 'hears',
      trigger: 'webhook',
      meta: { webhookId: id },
    });
  });

  it.each([
    [{ result: { kind: 'refused', status: 401, message: 'Invalid webhook signature' } }, 'refused', 401, 'failed'],
    [{ result: { kind: 'answered', contentType: 'text/plain', text: 'x' } }, 'handshake', 200, 'success'],
    [{ throws: 'anything' }, 'error', 500, 'failed'],
    [{ targets: [], types: ['run'] }, 'forwarded', 200, 'success'],
  ])('that runs nothing (%j) has an operation in the log', async (body, outcome, status, state) => {
    await hub.send(body);
    const row = await newest();

    expect(row).toMatchObject({ outcome, status, runs: [] });
    expect(await ended(row.operationId)).toMatchObject({ operation: { type: 'webhook', action: 'incoming' }, state });
  });

  it('says how passing it on went', async () => {
    await hub.send({ n: 2, ...TO_ONE });
    const { id } = await newest();

    const passedOn = await waitFor(
      async () => {
        const row = await get(id);
        return isOver(row.forwardState) ? row : undefined;
      },
      { what: 'the delivery to end' },
    );
    expect(passedOn).toMatchObject({ forwards: 1, forwardState: 'delivered' });
  });

  it('of a handler that fails says so', async () => {
    await hub.send({ fails: true, ...TO_ONE });

    expect(await settled((await newest()).id)).toMatchObject({ runs: [{ state: 'failed' }] });
  });

  it('with bytes that are no text shows them in base64', async () => {
    const bytes = Buffer.from([0, 255, 254, 1]);
    await hub.send(bytes, { headers: { 'content-type': 'application/octet-stream' } });

    const { body } = await get((await newest()).id);
    expect(body).toEqual({ encoding: 'base64', text: bytes.toString('base64') });
  });

  it('whose body gave way to newer ones keeps its row', async () => {
    await hub.send({ large: 'x'.repeat(1024), targets: [] });
    const { id, sizeBytes } = await newest();
    await lookInto(hub.server.home, (database) =>
      database.transaction((tx) => tx.run('UPDATE incoming_webhooks SET body = NULL WHERE id = ?', [id])),
    );

    expect(sizeBytes).toBeGreaterThan(1024);
    expect((await get(id)).body).toBeNull();
    const refusal = await client.refusal('POST /api/v1/webhooks/incoming/:webhookId/replay', {
      params: { webhookId: id },
      body: {},
    });
    expect(refusal).toEqual({ status: 409, code: 'webhook_body_gone' });
    expect(await replay(id, { body: { text: '{"n":2,"targets":[]}', encoding: 'utf8' } })).toMatchObject({
      status: 200,
    });
  });

  it('is sealed: nothing of it can be read in the data folder', async () => {
    const parts = { note: `${CANARY}-body`, ...TO_ONE, types: ['other'] };
    await hub.send(parts, { headers: { 'x-signature': `${CANARY}-header` }, query: `?token=${CANARY}-query` });
    await hub.receiver.webhooks(1, ({ payload }) => payload?.note === parts.note);

    expect(await findSecrets(hub.server.home, { canary: CANARY }, {})).toEqual([]);
  });
});

describe('the stream of events', () => {
  it('reports a webhook when it arrives and when its runs start and end', async () => {
    const page = await EventPage.open(client);
    await hub.send({ n: 40, ...TO_ONE });
    const { id } = await newest();
    await settled(id);
    // Events of its forward to the app arrive in between.
    const incoming = (): unknown[] => page.of('webhook').filter((data) => (data as { id: string }).id === id);
    await waitFor(() => incoming().length >= 3, { what: 'three events of the webhook' });
    page.close();

    expect(incoming()).toEqual(Array(3).fill({ direction: 'incoming', id }));
  });
});

describe('the list', () => {
  it('filters, searches, sorts and pages', async () => {
    await hub.send({ n: 5, targets: [{ property: 'connectionId', value: 'two' }], types: ['only.here'] });

    expect(await list({ search: 'ONLY.here' })).toMatchObject([{ eventTypes: ['only.here'], connectionIds: ['two'] }]);
    const ofTwo = await list({ connections: 'two' });
    expect(new Set(ofTwo.map(({ connectionIds }) => connectionIds.join()))).toEqual(new Set(['two']));
    await hub.send({ throws: 'anything' });
    await hub.send({ n: 5 }, { query: '?secret=wrong' });
    const failed = (await list({ outcomes: 'refused,error' })).map(({ outcome }) => outcome);
    expect(failed.slice(0, 2)).toEqual(['refused', 'error']);
    expect(failed.every((outcome) => outcome === 'refused' || outcome === 'error')).toBe(true);
    expect(await list({ integrations: 'other' })).toEqual([]);
    expect(await list({ period: `${Date.now() + DAY_MS},` })).toEqual([]);
    const sizes = (await list({ sort: '-size' })).map(({ sizeBytes }) => sizeBytes);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));

    const first = await client.call('GET /api/v1/webhooks/incoming', { query: { limit: '2' } });
    await hub.send({ n: 6, targets: [] });
    const query = { limit: '2', offset: '2', snapshot: first.snapshot };
    const second = await client.call('GET /api/v1/webhooks/incoming', { query });
    expect(second.total).toBe(first.total);
    expect(second.data.some(({ id }) => first.data.some((row) => row.id === id))).toBe(false);
  });

  it('has only webhooks of its environment', async () => {
    await hub.api.send('POST /environments', { body: { name: 'stage' } });
    await hub.send({ n: 7, targets: [] });
    const { id } = await newest();

    expect(await list({ env: 'stage' })).toEqual([]);
    const query = { env: 'stage' };
    expect(
      await client.refusal('GET /api/v1/webhooks/incoming/:webhookId', { params: { webhookId: id }, query }),
    ).toMatchObject({ status: 404 });
  });
});

describe('a repetition', () => {
  it('goes the same way once more and names what it repeats', async () => {
    await hub.send({ n: 20, ...TO_ONE });
    const first = await newest();
    const again = await replay(first.id);

    expect(again).toMatchObject({ outcome: 'handled', status: 200 });
    expect(await settled(again.id)).toMatchObject({
      replayOf: first.id,
      connectionIds: ['one'],
      runs: [{ state: 'success' }],
    });
    expect(await hub.receiver.webhooks(2, ({ payload }) => payload?.n === 20)).toHaveLength(2);
    expect((await settled(first.id)).replayOf).toBeNull();
  });

  const fields = Array.from({ length: 30 }, (_, at) => `ids[]=${at}`).join('&');
  it.each<[string, string, Buffer]>([
    ['numbers', 'application/json', Buffer.from('{"id":738529527931269425,"n":[1.0,1e400,-0,0.10,1E+2]}')],
    ['order and repeated names', 'application/json', Buffer.from('{ "b":1,\r\n"10":2,"b":{"__proto__":4} }')],
    ['characters', 'application/json', Buffer.from('{"a":"\\ud800\\u0000\u2028é😀"}')],
    ['a byte order mark', 'application/json', Buffer.from('\uFEFF{"a":1}')],
    ['Latin-1', 'application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'latin1')],
    ['Shift JIS', 'application/json; charset=shift_jis', Buffer.from('7b2261223a22835c227d', 'hex')],
    ['UTF-16', 'application/json', Buffer.from('\uFEFF{"a":"é"}', 'utf16le')],
    ['UTF-16 without a mark', 'application/json; charset=utf-16le', Buffer.from('{"a":"b"}', 'utf16le')],
    ['a long form', 'application/x-www-form-urlencoded', Buffer.from(fields)],
    ['a form in Latin-1', 'application/x-www-form-urlencoded; charset=iso-8859-1', Buffer.from('a=%E9&a=2&b')],
    ['XML', 'application/xml', Buffer.from('<a b="1">é\r\n</a>')],
    ['bytes', 'application/octet-stream', Buffer.from([0, 255, 254, 1])],
    ['a list', 'application/json', Buffer.from('[1,[2.0],{}]')],
  ])('passes on what came, also when it is sent from the form: %s', async (_what, type, body) => {
    await hub.send(body, { headers: { 'content-type': type, 'x-two': 'a, b' }, query: '?q=%E9&q=2&q' });
    const first = await get((await newest()).id);
    const repeated = [
      await replay(first.id),
      await replay(first.id, { query: first.query, headers: first.headers, body: first.body }),
    ];

    await waitFor(() => forwarded().length === 3, { what: 'three deliveries' });
    expect(new Set(forwarded().map((request) => request.body.toString('hex'))).size).toBe(1);
    for (const { id } of repeated) {
      const { query, headers, body: kept } = await get(id);
      expect({ query, headers, body: kept }).toEqual({ query: first.query, headers: first.headers, body: first.body });
    }
    expect(Buffer.from(first.body?.text ?? '', first.body?.encoding).equals(body)).toBe(true);
  });

  it('passes on what came compressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    await hub.send(gzipSync('{"id":738529527931269425}'), { headers });
    await replay((await newest()).id);

    await waitFor(() => forwarded().length === 2, { what: 'two deliveries' });
    for (const { body } of forwarded()) expect(body.toString()).toContain('{"id":738529527931269425}');
  });

  it('may have another body and other headers', async () => {
    await hub.send({ n: 21, ...TO_ONE });
    const body = { n: 22, ...TO_ONE };
    const { id } = await replay((await newest()).id, {
      headers: { 'content-type': 'application/json', 'x-edited': 'yes' },
      body: { text: JSON.stringify(body), encoding: 'utf8' },
    });

    const [forward] = await hub.receiver.webhooks(1, ({ payload }) => payload?.n === 22);
    expect(forward.payload).toEqual(body);
    expect((await get(id)).headers).toEqual({ 'content-type': 'application/json', 'x-edited': 'yes' });
  });

  it('may go to another connection', async () => {
    await hub.send({ n: 23, ...TO_ONE });
    const { id } = await replay((await newest()).id, { connectionIds: ['two'] });

    expect(await settled(id)).toMatchObject({
      connectionIds: ['two'],
      runs: [{ connectionId: 'two', state: 'success' }],
    });
  });

  it('checks the signature again, or not', async () => {
    await hub.send({ n: 24, ...TO_ONE }, { query: '?secret=wrong' });
    const { id } = await newest();

    expect(await replay(id)).toMatchObject({ outcome: 'refused', status: 401 });
    expect(await replay(id, { checksSignature: false })).toMatchObject({ outcome: 'handled', status: 200 });
  });

  it.each([[{ headers: { 'Bad Name': 'x' } }], [{ connectionIds: [] }], [{ body: { text: 'x', encoding: 'hex' } }]])(
    'with %j is refused',
    async (body) => {
      await hub.send({ n: 25, targets: [] });
      const params = { webhookId: (await newest()).id };
      const { status } = await client.refusal('POST /api/v1/webhooks/incoming/:webhookId/replay', { params, body });

      expect(status).toBe(400);
    },
  );

  it('of an unknown webhook is 404', async () => {
    const call = { params: { webhookId: 'x' }, body: {} };

    expect(await client.refusal('POST /api/v1/webhooks/incoming/:webhookId/replay', call)).toMatchObject({
      status: 404,
    });
  });
});
