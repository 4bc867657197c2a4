// @module-tag slow
import { chmod, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureHeaders } from '../../../server/webhooks-out/webhook-sender.ts';
import { type DestinationCalls, destinationCalls } from '../../support/destination-calls.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitFor } from '../../support/wait-for.ts';

type Body = Record<string, unknown>;

let hub: FunctionHub;
let calls: DestinationCalls;
let folder: string;
let receiver: Server;
let address: string;
/** What the receiver got, in its order. */
let got: Array<{ headers: IncomingMessage['headers']; text: string }> = [];
let answer: (response: ServerResponse, count: number) => void;

beforeAll(async () => {
  hub = await startFunctionHub({
    'syncs/items.ts': syncSource(
      `const { data } = await nango.get({ endpoint: '/items' }); await nango.batchSave(data.items, 'Item'); if (data.gone) await nango.batchDelete(data.gone, 'Item');`,
    ),
  });
  calls = destinationCalls(hub);
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: request.headers, text: Buffer.concat(chunks).toString('utf8') });
      answer(response, got.length);
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const at = receiver.address();
  address = `http://127.0.0.1:${typeof at === 'object' && at ? at.port : 0}/records`;
});
afterAll(async () => {
  receiver?.closeAllConnections();
  await new Promise((resolve) => receiver?.close(resolve));
  await hub?.stop();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-records-'));
  got = [];
  answer = (response) => response.writeHead(204).end();
  await hub.renewConnection();
});
afterEach(async () => {
  await calls.clear();
  await rm(folder, { recursive: true, force: true });
});

const run = (body: unknown) => calls.runSync('items', body);
const create = async (more: Body) => (await calls.create({ name: 'To', ...more })).id;
const read = (id: string) => calls.read({ id });
const settled = (id: string) => calls.settled({ id });
const failed = (id: string) => calls.failed({ id });
const retry = (id: string) => calls.act({ id }, 'retry');
async function lines(): Promise<Body[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ndjson')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
const item = (id: string, name = id) => ({ id, name });

/** Restores a backup from before some work, while the hub does not run. */
async function goBackAfter(work: () => Promise<void>): Promise<void> {
  const backup = await mkdtemp(join(tmpdir(), 'homeport-backup-'));
  const copy = async (from: string, to: string): Promise<void> => {
    for (const name of await readdir(from))
      if (name.startsWith('homeport.db')) await copyFile(join(from, name), join(to, name));
  };
  await hub.server.end();
  await copy(hub.server.home, backup);
  await hub.server.restart();
  await work();
  await hub.server.end();
  await copy(backup, hub.server.home);
  await hub.server.restart();
  await rm(backup, { recursive: true });
}

/** Resolves when everything was delivered once more after a backup was restored. */
const replayed = (id: string) =>
  waitFor(async () => ((await read(id))['delivered'] === 2 ? true : undefined), { what: 'everything again' });

describe('a folder of NDJSON', () => {
  it('gets every change as a line, once', { tags: ['main-path'] }, async () => {
    await run({ items: [item('1'), item('2')] });
    const id = await create({ kind: 'ndjson', folder });
    await settled(id);
    expect(await lines()).toMatchObject([
      { integration: 'acme', model: 'Item', id: '1', connection: 'c1', deleted: false, record: item('1') },
      { id: '2' },
    ]);
    await run({ items: [item('1', 'new')], gone: [{ id: '2' }] });
    await settled(id);
    expect((await lines()).map((line) => [line['id'], line['deleted']])).toEqual([
      ['1', false],
      ['2', false],
      ['1', false],
      ['2', true],
    ]);
  });

  it('cuts what a kill left half, and starts another file beside one that somebody cut', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'ndjson', folder });
    await settled(id);
    const [name = ''] = (await readdir(folder, { recursive: true })).filter((one) => one.endsWith('.ndjson'));
    const file = join(folder, name);
    const before = await readFile(file, 'utf8');
    await writeFile(file, `${before}{"id":"half`);
    await run({ items: [item('2')] });
    await settled(id);
    expect((await lines()).map((line) => line['id'])).toEqual(['1', '2']);
    await writeFile(file, before.slice(0, 10));
    await run({ items: [item('3')] });
    await settled(id);
    expect(await readFile(file.replace('.ndjson', '_2.ndjson'), 'utf8')).toContain('"id":"3"');
  });

  it('keeps the lines that a restored backup of the hub no longer knows, says so, and gets everything again', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'ndjson', folder });
    await settled(id);
    await goBackAfter(async () => {
      await run({ items: [item('1', 'lost'), item('2', 'lost')] });
      await settled(id);
    });
    await replayed(id);
    await run({ items: [item('3')] });
    await settled(id);
    const all = await lines();
    const restored = all.find((line) => line['restored'] === true);
    const records = all.filter((line) => line !== restored);
    expect(records.map(({ record }) => (record as Body)['name'])).toEqual(['1', 'lost', 'lost', '1', '3']);
    const isKnown = ({ last_changed }: Body) =>
      Date.parse(String(last_changed)) <= Date.parse(String(restored?.['after']));
    expect(records.map(isKnown)).toEqual([true, false, false, true, false]);
    expect(all.indexOf(restored as Body)).toBe(3);
    const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ndjson'));
    expect(files).toHaveLength(2);
  });

  it('that cannot be written waits, and says why', async () => {
    const taken = join(folder, 'taken');
    await writeFile(taken, 'a file');
    await run({ items: [item('1')] });
    const id = await create({ kind: 'ndjson', folder: join(taken, 'records') });
    expect(await failed(id)).toMatchObject({
      code: 'destination_unreachable',
      message: 'The folder cannot be written: a part of its path is a file.',
    });
    await rm(taken);
    await retry(id);
    await settled(id);
  });

  it.skipIf(process.platform !== 'linux')('that nobody can make is refused at once', async () => {
    const test = async (path: string) =>
      (await hub.call('POST', '/records/destinations/test', { body: { name: 'x', kind: 'ndjson', folder: path } })).body
        .data;
    expect(await test('/proc/homeport/records')).toEqual({
      ok: false,
      message: expect.stringContaining('The folder cannot be written'),
    });
    expect(await test('/etc/hostname')).toEqual({
      ok: false,
      message: 'The folder cannot be written: a file has its name.',
    });
    expect(await test(join(folder, 'a', 'b', 'c'))).toMatchObject({ ok: true });
  });

  it.skipIf(userInfo().uid === 0)('without the right to write says so', async () => {
    await run({ items: [item('1')] });
    await chmod(folder, 0o500);
    const id = await create({ kind: 'ndjson', folder });
    expect((await failed(id)).message).toContain('may not write there');
    await chmod(folder, 0o700);
  });

  it('says when the records of a connection are gone', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'ndjson', folder });
    await settled(id);
    await hub.renewConnection();
    await retry(id);
    await waitFor(async () => (await lines()).length === 2, { what: 'the line' });
    expect((await lines())[1]).toMatchObject({ connection: 'c1', model: 'Item', emptied: true });
  });
});

describe('a choice of integrations', () => {
  it('follows an integration that gets another key', async () => {
    await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'before' } });
    const id = await create({ kind: 'http', url: address, integrations: ['acme', 'before'] });
    const renamed = await hub.call('PATCH', '/integrations/before', { body: { unique_key: 'after' } });
    expect(renamed.status, JSON.stringify(renamed.body)).toBe(200);
    expect((await read(id)).integrations).toEqual(['acme', 'after']);
    await hub.call('DELETE', '/integrations/after');
  });
});

describe('an address', () => {
  it('gets signed batches', async () => {
    await run({ items: [item('1'), item('2')] });
    await settled(await create({ kind: 'http', url: `${address}?secret=1`, token: 'my-token' }));
    expect(got).toHaveLength(1);
    const [{ headers, text } = { headers: {}, text: '' }] = got;
    const body = JSON.parse(text);
    expect(body).toMatchObject({
      ...{ type: 'records', environment: 'dev', integration: 'acme', model: 'Item' },
      records: [{ id: '1', record: item('1') }, { id: '2' }],
    });
    expect(headers).toMatchObject({
      authorization: 'Bearer my-token',
      'idempotency-key': body.batch,
      ...signatureHeaders(hub.server.secretKey, text),
    });
  });

  it.each([
    [500, {}, 'destination_unreachable', 'The address answered 500.'],
    [429, { 'retry-after': '1' }, 'destination_unreachable', 'The address answered 429.'],
    [401, {}, 'destination_refused', 'The address answered 401.'],
    [307, { location: 'http://127.0.0.1:1/elsewhere' }, 'destination_refused', 'redirects to 127.0.0.1:1'],
  ])('that answers %i gets the same batch again, and loses nothing', async (status, headers, code, message) => {
    answer = (response, count) => response.writeHead(count === 1 ? status : 200, count === 1 ? headers : {}).end();
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    expect(await failed(id)).toMatchObject({ code, message: expect.stringContaining(message) });
    await retry(id);
    await settled(id);
    expect(got).toHaveLength(2);
    expect(got[1]?.headers['idempotency-key']).toBe(got[0]?.headers['idempotency-key']);
    expect(got[1]?.text).toBe(got[0]?.text);
  });

  it('that takes only small requests gets smaller ones, and says it when a single record is too large', async () => {
    let most = 700;
    answer = (response) => response.writeHead((got.at(-1)?.text.length ?? 0) > most ? 413 : 200).end();
    await run({ items: ['1', '2', '3', '4', '5'].map((id) => item(id)) });
    const id = await create({ kind: 'http', url: address });
    await settled(id);
    const taken = got.filter(({ text }) => text.length <= most).map(({ text }) => JSON.parse(text));
    expect(taken.flatMap(({ records }) => records.map((one: Body) => one['id']))).toEqual(['1', '2', '3', '4', '5']);
    expect(new Set(taken.map(({ batch }) => batch)).size).toBe(taken.length);
    most = 10;
    await run({ items: [item('6')] });
    expect((await failed(id)).message).toMatch(
      /^The address answered 413: it does not take a request of \d+ kB\. Raise its limit\.$/,
    );
  });

  it('that answers slowly or breaks off is waited for, and asked again', async () => {
    answer = (response, count) => {
      if (count === 1) return void response.socket?.destroy();
      response.writeHead(200);
      response.write('slow');
      setTimeout(() => response.end(), 200);
    };
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    expect((await failed(id)).code).toBe('destination_unreachable');
    await retry(id);
    expect(await settled(id)).toMatchObject({ delivered: 1 });
  });

  it('that never answers does not keep the hub from stopping', async () => {
    answer = () => {};
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    await waitFor(() => got.length > 0, { what: 'the request' });
    const startedAt = performance.now();
    await hub.server.end();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    answer = (response) => response.writeHead(200).end();
    await hub.server.restart();
    await settled(id);
  });

  it('is told that a backup of the hub was restored, once it is there, and gets everything again', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    await settled(id);
    await goBackAfter(async () => {
      await run({ items: [item('1', 'lost'), item('2', 'lost')] });
      await settled(id);
      answer = (response) => response.writeHead(503).end();
      got.splice(0, got.length, ...got.slice(0, 2));
    });
    await waitFor(() => got.length >= 3, { what: 'the message' });
    answer = (response) => response.writeHead(204).end();
    await replayed(id);
    await settled(id);
    const [first, lost, ...after] = got.map(({ text }) => JSON.parse(text));
    const told = after.filter(({ type }) => type === 'restored');
    expect(told.length).toBeGreaterThan(1);
    expect(new Set(told.map(({ batch }) => batch)).size).toBe(1);
    expect(after.map(({ type }) => type)).toEqual([...told.map(() => 'restored'), 'records']);
    expect(told[0]).toMatchObject({ destination: id, environment: 'dev', restored: true });
    const again = after.at(-1);
    expect(again.records).toEqual(first.records);
    // It is no repetition that a receiver may leave out.
    expect(again.batch).not.toBe(first.batch);
    expect(again.generation).toBe(told[0].generation);
    expect(again.generation).toBeGreaterThan(lost.generation);
    const isKnown = ({ last_changed }: Body) => Date.parse(String(last_changed)) <= Date.parse(told[0].after);
    expect(first.records.map(isKnown)).toEqual([true]);
    expect(lost.records.map(isKnown)).toEqual([false, false]);
  });

  it('is told so too when the backup is restored in another data folder', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    await settled(id);
    await hub.server.end();
    await rm(join(hub.server.home, 'destinations'), { recursive: true });
    await hub.server.restart();
    await replayed(id);
    expect(got.map(({ text }) => JSON.parse(text).type)).toEqual(['records', 'restored', 'records']);
    await hub.server.end();
    await hub.server.restart();
    await settled(id);
    expect(got).toHaveLength(3);
    await hub.call('DELETE', `/records/destinations/${id}`);
    expect(await readdir(join(hub.server.home, 'destinations'))).toEqual([]);
  });

  it('gets a replay as batches that it has not seen', async () => {
    await run({ items: [item('1')] });
    const id = await create({ kind: 'http', url: address });
    await settled(id);
    await calls.act({ id }, 'replay', {});
    await replayed(id);
    expect(new Set(got.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });
});
