import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';
import { HOSTILE_STATEMENTS } from './hostile-statements.ts';

const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';

const Ticket = z.object({
  id: z.string(),
  title: z.string(),
  open: z.boolean(),
  votes: z.number().int(),
  price: z.number().nullable(),
  due: z.iso.date().optional(),
  opened: z.iso.datetime(),
  author: z.object({ name: z.string() }),
  labels: z.array(z.string()),
});

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: { Ticket, Order: z.any() },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/tickets' });
    await nango.batchSave(data.tickets, 'Ticket');
    if (data.orders) await nango.batchSave(data.orders, 'Order');
    if (data.gone) await nango.batchDelete(data.gone, 'Ticket');
  },
});
`;

const ticket = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  title: `Ticket ${id}`,
  open: true,
  votes: Number(id),
  price: null,
  due: '2026-02-03',
  opened: '2026-01-02T03:04:05+01:00',
  author: { name: 'Kim' },
  labels: ['a', 'b'],
  ...more,
});

let hub: FunctionHub;
let page: DashboardClient;
let api: ApiCaller;

async function run(connectionId: string, body: unknown): Promise<void> {
  hub.provider.on('GET /tickets', { body });
  const { nango } = hub.connection;
  const previous = (await nango.syncStatus('acme', ['tickets'], connectionId)).syncs[0];
  await nango.triggerSync('acme', ['tickets'], connectionId);
  await waitForSync(
    { ...hub.connection, connectionId },
    'tickets',
    ({ finishedAt }) => finishedAt !== undefined && finishedAt !== previous?.finishedAt,
  );
}

beforeAll(async () => {
  hub = await startFunctionHub({ 'syncs/tickets.ts': SYNC });
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  api = new ApiCaller(hub.server);
  await hub.addConnection('c2', { tags: { team: 'blue' }, end_user: { id: 'u2' } });
  await run('c1', {
    tickets: [ticket('1'), ticket('2', { open: false, price: 2.5 }), ticket('3', { votes: 9_007_199_254_740_991 })],
    orders: [
      { id: 'o1', total: 5, items: [{ sku: 'x' }] },
      { id: 'o2', total: 6.5 },
    ],
  });
  await run('c2', { tickets: [ticket('1', { title: 'Of c2' })] });
});
afterAll(() => hub?.stop());

type Body = Record<string, unknown>;

/** A query may take longer than the silence after which Node's own agent closes a socket. */
async function query(sql: string, more: Body = {}, secretKey = hub.server.secretKey) {
  const response = await fetch(`${hub.server.url}/records/query`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql, format: 'json', ...more }),
  });
  return { status: response.status, body: await response.json() };
}
async function rows(sql: string, more: Body = {}): Promise<Body[]> {
  const { status, body } = await query(sql, more);
  expect(body, sql).toHaveProperty('rows');
  expect(status).toBe(200);
  return (body as { rows: Body[] }).rows;
}
async function problem(
  sql: string,
  more: Body = {},
  secretKey = hub.server.secretKey,
): Promise<{ status: number; code: string; message: string }> {
  const { status, body } = await query(sql, more, secretKey);
  const { error } = body as { error: { code: string; message: string } };
  return { status, ...error };
}

describe('views', () => {
  it('have the columns of the model, with types, and where each record comes from', async () => {
    const { body } = await query("SELECT * FROM acme.Ticket WHERE _connection = 'c1' ORDER BY id LIMIT 1");
    const { columns, rows: found } = body as { columns: Array<{ name: string; type: string }>; rows: Body[] };
    expect(Object.fromEntries(columns.map(({ name, type }) => [name, type]))).toEqual({
      ...{ id: 'VARCHAR', title: 'VARCHAR', open: 'BOOLEAN', votes: 'BIGINT', price: 'DOUBLE', due: 'DATE' },
      ...{ opened: 'TIMESTAMP WITH TIME ZONE', author: 'JSON', labels: 'JSON', _id: 'VARCHAR', _connection: 'VARCHAR' },
      ...{ _variant: 'VARCHAR', _end_user: 'VARCHAR', _tags: 'JSON', _deleted: 'BOOLEAN' },
      ...{ _first_seen: 'TIMESTAMP WITH TIME ZONE', _last_changed: 'TIMESTAMP WITH TIME ZONE' },
    });
    expect(found).toEqual([
      {
        ...ticket('1'),
        opened: '2026-01-02T02:04:05.000Z',
        ...{ _id: '1', _connection: 'c1', _variant: 'base', _end_user: null, _tags: {}, _deleted: false },
        _first_seen: expect.stringMatching(/^20\d\d-.*Z$/),
        _last_changed: expect.stringMatching(/^20\d\d-.*Z$/),
      },
    ]);
  });

  it('join connections, count, and group', async () => {
    expect(
      await rows('SELECT _connection, _end_user, _tags, count(*) AS n FROM acme.ticket GROUP BY ALL ORDER BY 1'),
    ).toEqual([
      { _connection: 'c1', _end_user: null, _tags: {}, n: 3 },
      { _connection: 'c2', _end_user: 'u2', _tags: { team: 'blue', end_user_id: 'u2' }, n: 1 },
    ]);
    expect(
      await rows("SELECT author->>'name' AS name, labels->>0 AS first, votes FROM acme.ticket WHERE votes > 100"),
    ).toEqual([{ name: 'Kim', first: 'a', votes: 9_007_199_254_740_991 }]);
  });

  it('find the columns of a model without a schema in its records', async () => {
    expect(await rows('SELECT id, total, items, _record FROM acme."Order" ORDER BY id')).toEqual([
      { id: 'o1', total: 5, items: [{ sku: 'x' }], _record: { id: 'o1', total: 5, items: [{ sku: 'x' }] } },
      { id: 'o2', total: 6.5, items: null, _record: { id: 'o2', total: 6.5 } },
    ]);
  });

  it('show connections, syncs, runs and deliveries, without secrets', async () => {
    expect(
      await rows('SELECT integration, connection, end_user FROM homeport.connections ORDER BY connection'),
    ).toEqual([
      { integration: 'acme', connection: 'c1', end_user: null },
      { integration: 'acme', connection: 'c2', end_user: 'u2' },
    ]);
    expect(await rows('SELECT name, last_status FROM homeport.syncs ORDER BY connection')).toEqual([
      { name: 'tickets', last_status: 'SUCCESS' },
      { name: 'tickets', last_status: 'SUCCESS' },
    ]);
    expect(
      await rows(
        "SELECT connection, records_added FROM homeport.runs WHERE state = 'success' AND type = 'sync' ORDER BY 1",
      ),
    ).toEqual([
      { connection: 'c1', records_added: 5 },
      { connection: 'c2', records_added: 1 },
    ]);
    expect(await rows('SELECT count(*) AS n FROM homeport.deliveries')).toEqual([{ n: 0 }]);
  });

  it('are listed', async () => {
    const { body } = await api.send('GET /records/views');
    const { data } = body as { data: Array<{ schema: string; name: string }> };
    expect(data.map(({ schema, name }) => `${schema}.${name}`)).toEqual([
      ...['acme.Order', 'acme.Order_history', 'acme.Ticket', 'acme.Ticket_history', 'homeport.connections'],
      ...['homeport.deliveries', 'homeport.runs', 'homeport.syncs'],
    ]);
  });

  it('follow changes, deletions, and the end of a connection', async () => {
    await hub.addConnection('c3');
    const ofC3 = "SELECT id, title, _deleted FROM acme.ticket WHERE _connection = 'c3' ORDER BY id";
    await run('c3', { tickets: [ticket('1'), ticket('2')] });
    expect(await rows(ofC3)).toHaveLength(2);
    await run('c3', { tickets: [ticket('1', { title: 'Changed' }), ticket('5')], gone: [{ id: '2' }] });
    expect(await rows(ofC3)).toEqual([
      { id: '1', title: 'Changed', _deleted: false },
      { id: '2', title: 'Ticket 2', _deleted: true },
      { id: '5', title: 'Ticket 5', _deleted: false },
    ]);
    await api.send('DELETE /connections/c3?provider_config_key=acme');
    expect(await rows(ofC3)).toEqual([]);
  });

  it('have the versions of a model whose history is kept', async () => {
    await page.call('PUT /api/v1/functions/:integrationKey/sync/:name/history', {
      params: { integrationKey: 'acme', name: 'tickets' },
      query: { env: 'dev' },
      body: { model: 'Ticket', isOn: true },
    });
    await run('c2', { tickets: [ticket('1', { title: 'Second' }), ticket('7')] });
    const found = await rows(
      "SELECT title, valid_from, valid_to FROM acme.Ticket_history WHERE _connection = 'c2' ORDER BY id, valid_from",
    );
    expect(found).toEqual([
      { title: 'Of c2', valid_from: expect.any(String), valid_to: found[1]?.['valid_from'] },
      { title: 'Second', valid_from: expect.any(String), valid_to: null },
      { title: 'Ticket 7', valid_from: expect.any(String), valid_to: null },
    ]);
  });
});

describe('an answer', () => {
  const SQL =
    "SELECT id, votes, open, due, opened, labels, price, title FROM acme.ticket WHERE _connection = 'c1' AND id <> '3' ORDER BY id";
  const send = (headers: Record<string, string>, body: Body = {}) =>
    fetch(`${hub.server.url}/records/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hub.server.secretKey}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ sql: SQL, ...body }),
    });

  it('is NDJSON by default', async () => {
    const response = await send({});
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('x-row-count')).toBe('2');
    const lines = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      { id: '1', labels: ['a', 'b'], price: null },
      { id: '2', price: 2.5 },
    ]);
  });

  it('is CSV by the Accept header', async () => {
    const response = await send({ accept: 'text/csv' });
    expect((await response.text()).split('\r\n')).toEqual([
      'id,votes,open,due,opened,labels,price,title',
      '1,1,true,2026-02-03,2026-01-02T02:04:05.000Z,"[""a"",""b""]",,Ticket 1',
      '2,2,false,2026-02-03,2026-01-02T02:04:05.000Z,"[""a"",""b""]",2.5,Ticket 2',
      '',
    ]);
  });

  it('is an Arrow stream with types', async () => {
    const response = await send({}, { format: 'arrow' });
    expect(response.status, response.ok ? '' : await response.clone().text()).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream');
    const table = tableFromIPC(Buffer.from(await response.arrayBuffer()));
    expect(table.schema.fields.map(({ type }) => String(type))).toEqual([
      ...['Utf8', 'Int64', 'Bool', 'Date32<DAY>', 'Timestamp<MICROSECOND, UTC>', 'Utf8', 'Float64', 'Utf8'],
    ]);
    expect(table.numRows).toBe(2);
    expect(table.get(1)?.toJSON()).toMatchObject({ id: '2', votes: 2n, open: false, price: 2.5, labels: '["a","b"]' });
  });

  it('is a Parquet file that other programs read', async () => {
    const response = await send(
      { accept: 'application/vnd.apache.parquet' },
      {
        sql: `${SQL.split(' ORDER')[0]} UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, i::VARCHAR FROM range(40000) AS t(i)`,
      },
    );
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const folder = await createTempHome();
    const file = join(folder.path, 'tickets.parquet');
    await writeFile(file, Buffer.from(await response.arrayBuffer()));
    const connection = await DuckDBConnection.create();
    const read = await connection.runAndReadAll(`SELECT * FROM '${file}' WHERE id IS NOT NULL ORDER BY id`);
    expect(read.columnTypes().map(String)).toEqual([
      ...['VARCHAR', 'BIGINT', 'BOOLEAN', 'DATE', 'TIMESTAMP WITH TIME ZONE', 'VARCHAR', 'DOUBLE', 'VARCHAR'],
    ]);
    expect(read.getRowObjectsJson()).toMatchObject([
      { id: '1', votes: '1', open: true, due: '2026-02-03', labels: '["a","b"]', price: null, title: 'Ticket 1' },
      { id: '2', votes: '2', open: false, price: 2.5 },
    ]);
    const count = await connection.runAndReadAll(
      `SELECT count(*), max(opened) = '2026-01-02T02:04:05Z' FROM '${file}'`,
    );
    expect(count.getRows()).toEqual([[40_002n, true]]);
    connection.closeSync();
    await folder.remove();
  });

  it.each(['arrow', 'csv', 'json', 'ndjson', 'parquet'])('without rows is complete as %s', async (format) => {
    const response = await send({}, { format, sql: 'SELECT id FROM acme.ticket WHERE false' });
    expect(response.status).toBe(200);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (format === 'arrow') expect(tableFromIPC(bytes).schema.fields).toHaveLength(1);
    else if (format === 'parquet') expect(bytes.subarray(0, 4).toString()).toBe('PAR1');
    else expect(bytes.toString()).toMatch({ csv: /^id\r\n$/, ndjson: /^$/ }[format] ?? /^\{"columns".*"rows":\[\]\}$/);
  });

  it('takes values for placeholders', async () => {
    const one = "SELECT id FROM acme.ticket WHERE _connection = 'c1' AND";
    expect(await rows(`${one} votes = ? AND title = ?`, { params: [2, 'Ticket 2'] })).toEqual([{ id: '2' }]);
    expect(await rows(`${one} title = $title`, { params: { title: "x' OR 'a'='a" } })).toEqual([]);
    expect(await rows('SELECT $1 AS a, $2 AS b, $3 AS c', { params: [true, null, 1.5] })).toEqual([
      { a: true, b: null, c: 1.5 },
    ]);
    expect(await problem('SELECT $1', { params: [] })).toMatchObject({ status: 400, code: 'query_failed' });
  });

  it('has large rows, many of them, and names that occur twice', async () => {
    expect(await rows('SELECT 1 AS a, 2 AS a')).toEqual([{ a: 1, 'a:1': 2 }]);
    const many = await rows("SELECT i, repeat('x', 100) AS text FROM range(50000) AS t(i)");
    expect(many).toHaveLength(50_000);
    expect(many.at(-1)).toEqual({ i: 49_999, text: 'x'.repeat(100) });
  });
});

describe('a hostile statement', () => {
  it.each(HOSTILE_STATEMENTS)('%s is refused', async (sql) => {
    const { status, code, message } = await problem(sql);
    expect({ status, code }, message).toEqual({ status: 400, code: 'query_refused' });
    expect(message).toMatch(/^[A-Z].*\.$/s);
    expect(message).not.toContain('/tmp/homeport');
  });

  it.each([
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM acme.missing',
    'SELECT nothing FROM acme.ticket',
    'SELEC 1',
    'SELECT (',
    "SELECT 'a'::INT",
  ])('%s fails with the place', async (sql) => {
    expect(await problem(sql)).toMatchObject({
      status: 400,
      code: 'query_failed',
      message: expect.stringMatching(/Error/),
    });
  });

  it('leaves the engine and its files as they were', async () => {
    expect(await rows("SELECT count(*) AS n FROM acme.ticket WHERE _connection = 'c1'")).toEqual([{ n: 3 }]);
    expect(
      (await readdir('/tmp')).filter((name) => name.startsWith('homeport-query') || name.startsWith('homeport-log')),
    ).toEqual([]);
  });

  it('that returns too many rows says what to do', async () => {
    const { status, code, message } = await problem('SELECT * FROM range(101)', { limit: 100 });
    expect({ status, code }).toEqual({ status: 413, code: 'query_too_large' });
    expect(message).toContain('LIMIT');
    expect(await rows('SELECT * FROM range(100)', { limit: 100 })).toHaveLength(100);
  });

  it('is streamed beyond every limit of rows, and a stream that fails has no end', { tags: ['slow'] }, async () => {
    const stream = (sql: string, format = 'csv') =>
      fetch(`${hub.server.url}/records/query`, {
        method: 'POST',
        headers: { authorization: `Bearer ${hub.server.secretKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ sql, format, stream: true, limit: 1, params: [7] }),
      });
    const answer = await stream('SELECT i, ? AS seven FROM range(1_100_000) AS t(i); ');
    expect(answer.headers.get('x-row-count')).toBe('1100000');
    let lines = 0;
    for await (const piece of answer.body ?? []) for (const byte of piece) if (byte === 10) lines += 1;
    expect(lines).toBe(1_100_001);
    const failing = await stream(
      "SELECT i, IF(i = 900_000, error('it ends'), ?::VARCHAR) AS value FROM range(1_000_000) AS t(i)",
    );
    expect(failing.status).toBe(200);
    await expect(failing.text()).rejects.toThrow();
    expect((await stream('SELECT ?', 'json')).status).toBe(400);
  });

  it('that needs too much memory says what to do, and the next one works', async () => {
    const { code, message } = await problem(
      'SELECT list(i) AS a, max(repeat(i::VARCHAR, 5000)) FROM range(50000000) AS t(i) GROUP BY i % 25000000',
    );
    expect(code, message).toBe('query_too_large');
    expect(await rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }, 60_000);
});

describe('a key', () => {
  async function keyWith(scopes: string[], allowed: unknown = null): Promise<string> {
    const body = { name: `key ${Math.random()}`, scopes, allowed, icon: 'robot', colour: 'green' } as never;
    const { secret } = await page.call('POST /api/v1/keys', { query: { env: 'dev' }, body });
    return secret;
  }

  it('needs the scope', async () => {
    expect(await problem('SELECT 1', {}, await keyWith(['environment:records:read']))).toMatchObject({
      status: 403,
      code: 'forbidden',
    });
    const { status } = await query('SELECT 1', {}, await keyWith(['environment:records:query']));
    expect(status).toBe(200);
  });

  it('with limits sees its connections only, in every view', async () => {
    const limited = await keyWith(['environment:records:query'], [{ tags: { team: 'blue' } }]);
    const of = async (sql: string) => ((await query(sql, {}, limited)).body as { rows: Body[] }).rows;
    expect(await of('SELECT DISTINCT _connection AS c FROM acme.ticket')).toEqual([{ c: 'c2' }]);
    expect(await of('SELECT connection AS c FROM homeport.connections')).toEqual([{ c: 'c2' }]);
    expect(await of('SELECT DISTINCT connection AS c FROM homeport.syncs')).toEqual([{ c: 'c2' }]);
    expect(await of('SELECT DISTINCT connection AS c FROM homeport.runs')).toEqual([{ c: 'c2' }]);
    expect(await of('SELECT count(*) AS n FROM acme."Order"')).toEqual([{ n: 0 }]);
  });
});

describe('a locked vault', () => {
  it('ends the engine and refuses queries until it is unlocked', async () => {
    await page.call('POST /api/v1/vault/lock');
    expect(await problem('SELECT count(*) FROM acme.ticket')).toMatchObject({ code: 'vault_locked' });
    await page.call('POST /api/v1/vault/unlock');
    expect(await rows("SELECT count(*) AS n FROM acme.ticket WHERE _connection = 'c1'")).toEqual([{ n: 3 }]);
  });
});
