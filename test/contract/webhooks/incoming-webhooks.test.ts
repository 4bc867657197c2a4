import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHubProcess, startFunctionHubProcess } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

/** A sync that saves its handler's input as records. */
const handlerSource = (subscriptions: string[], body: string, model: string): string =>
  syncSource('return;')
    .replace('Item:', `${model}:`)
    .replace('exec:', `webhookSubscriptions: ${JSON.stringify(subscriptions)},\n  exec:`)
    .replace(/\},\n\}\);\n$/, `},\n  onWebhook: async (nango, payload) => {\n    ${body}\n  },\n});\n`);
const saves = (model: string): string =>
  `await nango.batchSave([{ id: String(payload.id ?? 'none'), text: JSON.stringify(payload) }], '${model}');`;

const FILES = {
  'syncs/named.ts': handlerSource(['item.created', '*'], saves('Named'), 'Named'),
  'syncs/other.ts': handlerSource(['item.deleted'], saves('Other'), 'Other'),
  'syncs/asks.ts': handlerSource(['ask'], `await nango.get({ endpoint: '/gate' }); ${saves('Asked')}`, 'Asked'),
  'syncs/fails.ts': handlerSource(['fail'], `throw new Error('the handler fails');`, 'Failing'),
  'syncs/without.ts': syncSource('return;')
    .replace('Item:', 'Without:')
    .replace('exec:', `webhookSubscriptions: ['without'],\n  exec:`),
};

/** Handlers of one function that run at once with the default memory for functions. */
const SLOTS = 7;

let hub: FunctionHubProcess;
let receiver: WebhookReceiver;
let address: string;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  hub = await startFunctionHubProcess(FILES, { env: { HOMEPORT_WEBHOOK_URL: receiver.address() } });
  address = await webhookAddress();
});
afterAll(async () => {
  await hub?.stop();
  await receiver?.stop();
});
beforeEach(() => {
  receiver.server.requests.length = 0;
});

/** The address for an integration whose provider has a routing; those of others differ only in the key. */
async function webhookAddress(): Promise<string> {
  const body = { provider: 'unauthenticated', unique_key: 'plain' };
  await hub.call('POST', '/integrations', { body });
  const { data } = (await hub.call('GET', '/integrations/plain?include=webhook')).body;
  return data.webhook_url.replace(/^http:\/\/localhost/, 'http://127.0.0.1').replace(/plain$/, 'acme');
}

async function send(body: unknown, headers: Record<string, string> = {}, query = ''): Promise<[number, string]> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const response = await fetch(`${address}${query}`, {
    method: 'POST',
    headers: { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...headers },
    body: isRaw ? (body as string) : JSON.stringify(body),
  });
  return [response.status, await response.text()];
}

const SUCCESS = [200, '{"status":"success"}'];
const records = async (model: string): Promise<Array<{ id: string; text: string }>> =>
  (await hub.records(`model=${model}`)).body.records;
const savedBy = (model: string, id: string) =>
  waitFor(async () => (await records(model)).find((record) => record.id === id), { what: `record ${id}` });
const isForward = (webhook: { type?: string }): boolean => webhook.type === 'forward';

describe('a webhook that names a connection', () => {
  it('runs the handler that subscribes to its type, once, with the body itself', async () => {
    const body = { id: 1, type: 'item.created', connectionId: 'c1', deep: { a: [1, null] } };

    expect(await send(body)).toEqual(SUCCESS);

    expect(JSON.parse((await savedBy('Named', '1')).text)).toEqual(body);
    const syncs = await receiver.webhooks(1, ({ type, model }) => type === 'sync' && model !== 'Asked');
    expect(syncs).toMatchObject([
      {
        syncName: 'named',
        syncType: 'WEBHOOK',
        success: true,
        model: 'Named',
        responseResults: { added: 1, updated: 0, deleted: 0 },
      },
    ]);
    expect(await records('Other')).toEqual([]);
  });

  it('tells the caller’s application, with the provider’s headers', async () => {
    const body = { id: 2, type: 'item.created', connectionId: 'c1' };
    await send(body, { 'x-acme-signature': 'abc', authorization: 'Bearer theirs', cookie: 'a=b' });

    const [forward] = await receiver.webhooks(1, isForward);
    expect(forward).toEqual({
      from: 'acme',
      type: 'forward',
      connectionId: 'c1',
      providerConfigKey: 'acme',
      payload: body,
    });
    const request = receiver.server.requests.find(({ body: sent }) => sent.includes('"forward"'));
    expect(request?.headers).toMatchObject({ 'x-acme-signature': 'abc' });
    expect(request?.headers['cookie']).toBeUndefined();
    expect(request?.headers['authorization']).toBeUndefined();
  });

  it.each([
    ['the query', '?nangoConnectionId=c1', {}, {}],
    ['a header', '', { 'x-nango-connection-id': 'c1' }, {}],
    ['the body', '', {}, { nangoConnectionId: 'c1' }],
  ])('may name it in %s', async (_where, query, headers, part) => {
    receiver.server.requests.length = 0;
    await send({ type: 'x', ...part }, headers, query);

    expect(await receiver.webhooks(1, isForward)).toMatchObject([{ connectionId: 'c1' }]);
  });

  it('leaves a paused sync its handlers, its status without error and its last date alone', async () => {
    await hub.call('POST', '/sync/pause', {
      body: { provider_config_key: 'acme', connection_id: 'c1', syncs: ['named'] },
    });
    receiver.server.requests.length = 0;
    await send({ id: 3, type: 'item.created', connectionId: 'c1' });
    await savedBy('Named', '3');
    await receiver.webhooks(1, ({ type, syncName }) => type === 'sync' && syncName === 'named');

    // An event of an earlier webhook may arrive late: only the end of the handler's run shows that it is over.
    const state = await waitFor(async () => {
      const { body } = await hub.call('GET', '/sync/status?provider_config_key=acme&connection_id=c1&syncs=named');
      return body.syncs[0].status !== 'RUNNING' && body.syncs[0];
    });
    expect(state).toMatchObject({ status: 'PAUSED', latestResult: { Named: { added: 1 } } });
    await send({ id: 4, type: 'fail', connectionId: 'c1' });
    const [failed] = await receiver.webhooks(1, ({ syncName }) => syncName === 'fails');
    expect(failed).toMatchObject({
      success: false,
      syncType: 'WEBHOOK',
      model: 'Failing',
      error: { type: 'script_error', description: 'the handler fails' },
    });
    const { body: connection } = await hub.call('GET', '/connections/c1?provider_config_key=acme');
    expect(connection.errors).toEqual([]);
  });

  it('fails the run of a sync that declares subscriptions and has no handler', async () => {
    await send({ type: 'without', connectionId: 'c1' });

    const [failed] = await receiver.webhooks(1, ({ syncName }) => syncName === 'without');
    expect(failed).toMatchObject({ success: false, error: { description: expect.stringContaining('onWebhook') } });
  });

  it('runs while the sync itself runs', async () => {
    let letGo: () => void = () => {};
    const gate = new Promise<{ body: object }>((resolve) => {
      letGo = () => resolve({ body: {} });
    });
    const begun = new Promise<void>((resolve) => {
      hub.provider.on('GET /gate', () => {
        resolve();
        return gate;
      });
    });
    await send({ id: 'a', type: 'ask', connectionId: 'c1' });
    await begun;
    await hub.call('POST', '/sync/trigger', {
      body: { provider_config_key: 'acme', connection_id: 'c1', syncs: ['asks'] },
    });
    await waitForSync(hub.connection, 'asks', ({ finishedAt }) => finishedAt !== undefined);
    expect(await records('Asked')).toEqual([]);

    letGo();
    await savedBy('Asked', 'a');
  });
});

describe('a webhook that fits no connection', () => {
  it('is passed on raw and signed, and answered all the same', async () => {
    const body = { type: 'item.created', connectionId: 'nobody', z: 1, a: 2 };

    expect(await send(body, { 'x-acme': '1' })).toEqual(SUCCESS);

    const [forward] = await receiver.webhooks(1, ({ connectionId }) => connectionId === 'nobody');
    expect(forward).toEqual(body);
    const request = receiver.server.requests.find(({ body: sent }) => sent.includes('nobody'));
    expect(request?.headers['x-acme']).toBe('1');
  });
});

describe('bodies', () => {
  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b[c]=2&type=x', { a: '1', b: { c: '2' }, type: 'x' }],
    ['a form with a common name', 'application/x-www-form-urlencoded', 'toString=form', { toString: 'form' }],
    ['JSON of another type', 'text/plain', '{"type":"sns"}', { type: 'sns' }],
    ['text', 'text/plain', 'just text', 'just text'],
    ['JSON of a vendor', 'application/vnd.acme+json', '[1]', [1]],
  ])('of %s are read', async (_what, type, text, expected) => {
    await send(text, { 'content-type': type });

    const found = await receiver.webhooks(1, (webhook) => JSON.stringify(webhook) === JSON.stringify(expected));
    expect(found).toHaveLength(1);
  });

  const fields = Array.from({ length: 21 }, (_, at) => `ids[]=${at}`).join('&');
  const list = `[${Array.from({ length: 21 }, (_, at) => `"${at}"`).join(',')}]`;

  it.each<[string, string, string | Buffer, string]>([
    ['numbers', 'application/json', '{"id":738529527931269425,"n":[1.0,1e400,-0,0.10]}', ''],
    ['order and repeated names', 'application/json', '{"b":1,"10":2,"2":3,"b":{"__proto__":4}}', ''],
    ['characters', 'application/json', '{"a":"\\u0000\\ud800\u2028é😀"}', ''],
    ['a list of 21 fields', 'application/x-www-form-urlencoded', fields, `{"ids":${list}}`],
    ['repeated fields', 'application/x-www-form-urlencoded', 'a=1&__proto__=2&a=3', '{"a":["1","3"],"__proto__":"2"}'],
    ['JSON in Latin-1', 'application/json; charset=iso-8859-1', Buffer.from('{"a":"é"}', 'latin1'), '{"a":"é"}'],
    ['a form in Latin-1', 'application/x-www-form-urlencoded; charset=iso-8859-1', 'a=%E9', '{"a":"é"}'],
    ['JSON with a byte order mark', 'application/json', '\uFEFF{"a":1}', '{"a":1}'],
    ['JSON in UTF-16', 'application/json', Buffer.from('\uFEFF{"a":"é"}', 'utf16le'), '{"a":"é"}'],
    ['bytes that are no text', 'application/octet-stream', Buffer.from([0, 255, 254, 1]), '"AP/+AQ=="'],
    [
      'exponents and long fractions',
      'application/json',
      '{"n":[1E+2,-0.0,12345678901234567890.12345678901234567890,5e-324]}',
      '',
    ],
    ['numbers as names', 'application/json', '{"9007199254740993":1,"01":2,"1.0":3,"9007199254740993":4}', ''],
    ['repeated names at depth', 'application/json', '[{"a":{"x":1,"x":[{"y":1,"y":2}]}}]', ''],
    ['names of the prototype', 'application/json', '{"constructor":{"prototype":1},"toString":2,"__proto__":null}', ''],
    ['a name of charset in capitals and quotes', 'application/json; Charset="UTF-8"', '{"a":"é"}', ''],
    [
      'JSON in windows-1252',
      'application/json; charset=windows-1252',
      Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0x80, 0x22, 0x7d]),
      '{"a":"€"}',
    ],
    [
      'JSON in Shift JIS',
      'application/json; charset=shift_jis',
      Buffer.from('7b2261223a22835c227d', 'hex'),
      '{"a":"ソ"}',
    ],
    [
      'JSON in UTF-16 that says so',
      'application/json; charset=utf-16le',
      Buffer.from('{"a":"é"}', 'utf16le'),
      '{"a":"é"}',
    ],
    [
      'JSON in UTF-16 of the other order',
      'application/json',
      Buffer.from('\uFEFF{"a":"é"}', 'utf16le').swap16(),
      '{"a":"é"}',
    ],
    [
      'numbers in a form as texts',
      'application/x-www-form-urlencoded',
      'id=738529527931269425&n=1.0',
      '{"id":"738529527931269425","n":"1.0"}',
    ],
    ['a field without a value, and an empty one', 'application/x-www-form-urlencoded', 'a&b=', '{"a":"","b":""}'],
    ['plus signs and percent signs', 'application/x-www-form-urlencoded', 'a+b=c+d%2Be%25', '{"a b":"c d+e%"}'],
    ['semicolons and equals signs', 'application/x-www-form-urlencoded', 'a=1;b=2==', '{"a":"1;b=2=="}'],
    [
      'the order of fields that look like numbers',
      'application/x-www-form-urlencoded',
      'b=1&10=2&2=3',
      '{"b":"1","10":"2","2":"3"}',
    ],
    ['a field and a list of one name', 'application/x-www-form-urlencoded', 'a=1&a[]=2', '{"a":["1","2"]}'],
    [
      'nested names at depth',
      'application/x-www-form-urlencoded',
      'a[b][c][d][e][f][g][h]=1',
      '{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":"1"}}}}}}}}',
    ],
    [
      'a form with a byte order mark in a value',
      'application/x-www-form-urlencoded',
      'a=%EF%BB%BFb',
      '{"a":"\uFEFFb"}',
    ],
    [
      'several JSON documents in a text',
      'application/x-ndjson',
      '{"a":1}\n{"a":2}\n',
      JSON.stringify('{"a":1}\n{"a":2}\n'),
    ],
    ['XML as it came', 'application/xml', '<a b="1">é\r\n</a>', JSON.stringify('<a b="1">é\r\n</a>')],
    [
      'JSON of a vendor with a charset',
      'application/vnd.acme+json; charset=iso-8859-1',
      Buffer.from('{"a":"é"}', 'latin1'),
      '{"a":"é"}',
    ],
    ['a text with a byte order mark', 'text/plain', '\uFEFFa', '"\uFEFFa"'],
  ])('keep %s, with a connection and without one', async (_what, type, body, expected) => {
    const payload = expected || String(body);
    for (const query of ['', '?nangoConnectionId=c1']) {
      expect(await send(body, { 'content-type': type }, query)).toEqual(SUCCESS);
      const sent = query === '' ? payload : `"payload":${payload},`;
      await waitFor(() => receiver.server.requests.some((request) => request.body.toString().includes(sent)), {
        what: sent,
      });
    }
  });

  it('that cannot be read, or hold too much, are refused with the reason', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const [status, text] = await send('a=1&'.repeat(10_001), form);

    expect([status, text]).toEqual([413, expect.stringContaining('more than 10000 fields')]);
    expect((await send('a=%FF', form))[0]).toBe(400);
    expect((await send(Buffer.from([0xff, 0x00]), { 'content-type': 'text/plain; charset=utf-8' }))[0]).toBe(400);
  });

  it('may be compressed', async () => {
    const body = gzipSync(JSON.stringify({ packed: true }));
    expect(await send(body, { 'content-type': 'application/json', 'content-encoding': 'gzip' })).toEqual(SUCCESS);

    await receiver.webhooks(1, ({ packed }) => packed === true);
  });

  it('may be large, up to what is kept of one', async () => {
    const large = 'x'.repeat(9 * 1024 * 1024);
    expect(await send({ large })).toEqual(SUCCESS);

    await receiver.webhooks(1, (webhook) => webhook.large?.length === large.length);
    const [status] = await send({ large: 'x'.repeat(10 * 1024 * 1024) });
    expect(status).toBe(413);
  });
});

describe('answers', () => {
  const at = (uuid: string, key: string): Promise<Response> =>
    fetch(`${hub.server.url}/webhook/${uuid}/${key}`, { method: 'POST', body: '{"a":1}' });
  const uuid = (): string => address.split('/').at(-2) ?? '';

  it('refuse a broken address', async () => {
    const response = await at('Not-A-Name', 'acme');

    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: { code: 'invalid_uri_params', errors: [expect.objectContaining({ path: ['environmentUuid'] })] },
    });
    expect((await at(uuid(), 'a%2Fb')).status).toBe(400);
  });

  it('are the same under the name of the environment', async () => {
    const response = await at('dev', 'acme');

    expect([response.status, await response.text()]).toEqual(SUCCESS);
  });

  it('refuse an unknown environment', async () => {
    const noEnvironment = await at('5d0f2f7e-6a53-4c0e-9a53-3f6d7a1c2b4e', 'acme');

    expect([noEnvironment.status, await noEnvironment.text()]).toEqual([
      404,
      '{"error":{"code":"unknown_environment"}}',
    ]);
  });

  it.each(['prod', 'not-a-uuid'])('refuse what is neither a UUID nor the name of an environment: %s', async (name) => {
    const response = await at(name, 'acme');

    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: {
          code: 'invalid_uri_params',
          errors: [{ code: 'invalid_format', message: expect.any(String), path: ['environmentUuid'] }],
        },
      },
    ]);
  });

  it('refuse an unknown integration', async () => {
    const noIntegration = await at(uuid(), 'nobody');

    expect([noIntegration.status, await noIntegration.text()]).toEqual([
      404,
      '{"error":{"code":"unknown_provider_config"}}',
    ]);
  });

  it('say nothing to a request without anything in it', async () => {
    const response = await fetch(address, { method: 'POST' });

    expect([response.status, await response.text()]).toEqual([204, '']);
  });

  it('refuse invalid JSON', async () => {
    const [status, text] = await send('{', { 'content-type': 'application/json' });

    expect([status, JSON.parse(text).error.code]).toEqual([400, 'invalid_json']);
  });
});

describe('the end of the program after the answer', () => {
  it('loses no queued handler and no forward', async () => {
    let begun = 0;
    hub.provider.on('GET /gate', () => {
      begun += 1;
      return new Promise(() => {});
    });
    receiver.holdFirst('/hook');
    // Every slot is in use: further webhooks wait for the restart.
    for (let slot = 0; slot < SLOTS; slot += 1) await send({ type: 'ask', connectionId: 'c1' });
    await waitFor(() => begun === SLOTS, { what: `${SLOTS} handlers` });
    expect(await send({ id: 'queued', type: 'item.created', connectionId: 'c1' })).toEqual(SUCCESS);
    receiver.server.requests.length = 0;

    await hub.server.kill();
    receiver.respond('/hook', { status: 200 });
    await hub.server.restart();

    await savedBy('Named', 'queued');
    await receiver.webhooks(1, (webhook) => isForward(webhook) && webhook.payload.id === 'queued');
    const lost = await receiver.webhooks(SLOTS, ({ syncName }) => syncName === 'asks');
    expect(lost.every(({ success }) => success === false)).toBe(true);
    expect(begun).toBe(SLOTS);
  });

  it.each([
    ['a crash', () => hub.server.kill()],
    ['an orderly stop', async () => {}],
  ])('fails a handler that ran, tells so and does not repeat it (%s)', async (_how, end) => {
    let calls = 0;
    const begun = new Promise<void>((resolve) => {
      hub.provider.on('GET /gate', () => {
        calls += 1;
        resolve();
        return new Promise(() => {});
      });
    });
    await send({ id: 'b', type: 'ask', connectionId: 'c1' });
    await begun;

    await end();
    await hub.server.restart();
    const [failed] = await receiver.webhooks(1, ({ syncName }) => syncName === 'asks');

    expect(failed).toMatchObject({ success: false, syncType: 'WEBHOOK', model: '' });
    const { body } = await hub.call('GET', '/sync/status?provider_config_key=acme&connection_id=c1&syncs=asks');
    expect(body.syncs[0].status).not.toBe('RUNNING');
    expect(calls).toBe(1);
  });
});
