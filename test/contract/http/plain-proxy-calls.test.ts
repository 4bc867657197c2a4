import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeProvider, type ScriptedResponse } from '../../support/fake-provider.ts';
import { importConnection } from '../../support/import-practice-connection.ts';
import { type InProcessServer, startInProcess } from '../../support/start-in-process.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller, type ApiResponse } from './api-caller.ts';
import { providersOfEveryMode } from './workspace-providers.ts';

/** As clients write it the pipeline finds the route itself; in capitals Express finds it. */
const PLAIN = 'GET /proxy';
const LAYERED = 'GET /PROXY';

let home: TempHome;
let server: InProcessServer;
let api: ApiCaller;
let provider: FakeProvider;
let dashboard: DashboardClient;

beforeAll(async () => {
  provider = await FakeProvider.start();
  home = await createTempHome();
  const workspace = join(home.path, 'functions');
  await mkdir(workspace);
  await writeFile(join(workspace, 'providers.yaml'), providersOfEveryMode(provider.address));
  server = await startInProcess({ home: home.path });
  api = new ApiCaller(server);
  dashboard = await DashboardClient.signIn({ url: server.url, signIn: server });
  await api.send('POST /integrations', { body: { provider: 'own-key', unique_key: 'own-key' } });
  const credentials = { type: 'API_KEY', apiKey: 'the-key' };
  const body = { provider_config_key: 'own-key', connection_id: 'c', credentials };
  expect((await importConnection(server, body)).status).toBe(201);
});
afterAll(async () => {
  await server?.stop();
  await provider?.stop();
  await home?.remove();
});

/** Bytes of UTF-8, as headers carry them. */
const FILE_NAME = Buffer.from('filename="日本.txt"').toString('latin1');
const NAMED = { 'provider-config-key': 'own-key', 'connection-id': 'c' };

/** What the caller sees, without what is another one each time. */
function seen({ status, headers, bytes }: ApiResponse): object {
  const { date: _date, ...rest } = headers;
  return { status, headers: Object.entries(rest), bytes: bytes.toString('latin1') };
}

/** What the log keeps of the newest call, once it has ended. Messages may be stored later; refused calls have none. */
async function logged(after: string | undefined): Promise<{ id: string; entries: object }> {
  const operation = await waitFor(async () => {
    const { data } = await dashboard.call('GET /api/v1/logs/operations', { query: { types: 'proxy', limit: '1' } });
    return data[0] && data[0].id !== after && data[0].endedAt !== null && data[0];
  });
  const messages = await waitFor(async () => {
    const { data } = await dashboard.call('GET /api/v1/logs/messages', { query: { operationId: operation.id } });
    return (data.length > 0 || operation.state === 'failed') && data;
  });
  return { id: operation.id, entries: { operation: timeless(operation), messages: messages.map(timeless) } };
}

/** Without ids and times, at any depth. */
function timeless(value: object): object {
  const isOwn = (name: string): boolean => /^(id|operationId|date|durationMs)$|At$/.test(name);
  return JSON.parse(JSON.stringify(value, (name, member: unknown) => (isOwn(name) ? undefined : member))) as object;
}

async function both(path: string, headers: Record<string, string> = NAMED) {
  // The log is written in order: once it has this call, it has those of the tests before.
  const mark = `mark=${randomUUID()}`;
  provider.on('GET /mark', { body: '' });
  await api.send(`${PLAIN}/mark?${mark}`, { headers: NAMED });
  const before = await waitFor(
    async () => {
      const newest = await logged(undefined);
      return JSON.stringify(newest.entries).includes(mark) && newest;
    },
    { what: 'the call before in the log' },
  );
  const layered = await api.send(`${LAYERED}${path}`, { headers });
  const layeredLog = await logged(before.id);
  const plain = await api.send(`${PLAIN}${path}`, { headers });
  const plainLog = await logged(layeredLog.id);
  return { layered, plain, logs: { layered: layeredLog.entries, plain: plainLog.entries } };
}

describe('a call in its plain spelling', () => {
  it.each<[string, ScriptedResponse]>([
    ['JSON', { body: { ok: true } }],
    ['headers that come twice', { headers: { 'set-cookie': ['a=1', 'b=2'], 'x-two': ['1', '2'] }, body: 'two' }],
    ['headers of one hop and of other origins', { headers: { te: 'x', 'access-control-allow-origin': 'no' } }],
    ['an empty body', { body: '' }],
    ['no content', { status: 204 }],
    ['nothing new', { status: 304, headers: { etag: '"e"' } }],
    ['an encoded body', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('text') }],
    ['a body of unknown length', { headers: { 'transfer-encoding': 'chunked' }, body: 'chunks' }],
    ['an empty body of unknown length', { headers: { 'transfer-encoding': 'chunked' }, body: '' }],
    ['bytes with their headers', { body: Buffer.from([0, 128, 255]) }],
    ['a body after its headers', { body: 'x'.repeat(20_000) }],
    ['a long body', { body: 'x'.repeat(400_000) }],
    ['a refusal of the provider', { status: 403, body: { error: 'no' } }],
    ['a name of a file beyond ASCII', { headers: { 'content-disposition': FILE_NAME }, body: 'x' }],
    ['no answer', { drop: true }],
  ])('is answered and logged as any other: %s', async (_, response) => {
    provider.on('GET /same', response);

    const { layered, plain, logs } = await both('/same?q=1');

    expect(seen(plain)).toEqual(seen(layered));
    expect(logs.plain).toEqual(logs.layered);
  });

  it('gets the name of a file beyond ASCII as the provider sent it', async () => {
    provider.on('GET /same', { headers: { 'content-disposition': FILE_NAME }, body: 'x' });

    for (const way of [PLAIN, LAYERED]) {
      const { headers } = await api.send(`${way}/same`, { headers: NAMED });
      expect(headers['content-disposition']).toBe(FILE_NAME);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['an integration that is not there', { ...NAMED, 'provider-config-key': 'none' }],
    ['a connection that is not there', { ...NAMED, 'connection-id': 'none' }],
    ['an address that may not be reached', { ...NAMED, 'base-url-override': 'ftp://acme.test' }],
    ['a base address in vain', { ...NAMED, 'base-url-override': 'http://10.0.0.1' }],
  ])('is refused and logged as any other: %s', async (_, headers) => {
    const { layered, plain, logs } = await both('/same', headers);

    expect(plain.status).toBeGreaterThanOrEqual(400);
    expect(seen(plain)).toEqual(seen(layered));
    expect(logs.plain).toEqual(logs.layered);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['headers that are not valid', { ...NAMED, retries: 'many' }],
    ['no connection', { 'provider-config-key': 'own-key' }],
    ['no key', { ...NAMED, authorization: undefined }],
    ['a key that is not known', { ...NAMED, authorization: 'Bearer 5d0f2f7e-6a53-4c0e-9a53-000000000000' }],
    ['a foreign host', { ...NAMED, host: 'evil.example' }],
    ['a tunnel', { ...NAMED, 'x-forwarded-for': '1.2.3.4' }],
  ] as Array<[string, Record<string, string>]>)('is refused before anything is logged: %s', async (_, headers) => {
    const [layered, plain] = [
      await api.send(`${LAYERED}/same`, { headers }),
      await api.send(`${PLAIN}/same`, { headers }),
    ];

    expect(plain.status).toBeGreaterThanOrEqual(400);
    expect(seen(plain)).toEqual(seen(layered));
  });

  it('belongs to a key that has the scope and is not limited', async () => {
    const keyWith = async (further: object): Promise<Record<string, string>> => {
      const { body } = await api.send('POST /environment/api-keys', { body: { display_name: 'Own', ...further } });
      return { ...NAMED, authorization: `Bearer ${(body as { data: { secret: string } }).data.secret}` };
    };
    provider.on('GET /same', { body: 'x' });
    const narrow = await keyWith({ scopes: ['environment:connections:read'] });
    for (let time = 0; time < 2; time += 1)
      expect((await api.refusal('GET /proxy/same', { headers: narrow })).code).toBe('forbidden');

    const settings = (rate_limit_per_minute: number | null) =>
      api.send('PATCH /environment/settings', { body: { rate_limit_per_minute } });
    await settings(100);
    expect((await api.send('GET /proxy/same', { headers: NAMED })).headers['x-ratelimit-limit']).toBe('100');
    await settings(null);
    expect((await api.send('GET /proxy/same', { headers: NAMED })).headers['x-ratelimit-limit']).toBeUndefined();
  });
});
