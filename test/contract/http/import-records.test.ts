// @module-tag slow
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { lookInto } from '../../support/look-into.ts';
import { waitFor } from '../../support/wait-for.ts';

const ORDERS = `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: {
    Order: z.object({
      id: z.string(),
      title: z.string(),
      amount: z.number().nullable(),
      paid: z.boolean().optional(),
      at: z.iso.datetime({ offset: true }).optional(),
      lines: z.array(z.object({ sku: z.string(), count: z.int() })).optional(),
      state: z.enum(['open', 'closed']).optional(),
    }),
  },
  exec: async () => {},
});
`;

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub({ 'syncs/orders.ts': ORDERS });
});
afterAll(() => hub?.stop());
beforeEach(() => hub.renewConnection());

const HEADERS = { 'connection-id': 'c1', 'provider-config-key': 'acme' };
const TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  parquet: 'application/vnd.apache.parquet',
  json: 'application/json',
};

async function send(
  body: string | Uint8Array<ArrayBuffer>,
  format: keyof typeof TYPES,
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const url = new URL('/records/import', hub.server.url);
  url.search = new URLSearchParams({ model: 'Order', ...query }).toString();
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${hub.server.secretKey}`, 'content-type': TYPES[format], ...HEADERS, ...headers },
    body,
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the members it needs.
  return { status: response.status, body: (await response.json()) as any };
}

/** The records of a model as one text each, as they are stored. */
async function stored(model = 'Order'): Promise<string[]> {
  const url = new URL(`/records?model=${model}&limit=10000`, hub.server.url);
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${hub.server.secretKey}`, ...HEADERS },
  });
  const text = await response.text();
  return [...text.matchAll(/(\{"[^\n]*?),"_nango_metadata":\{[^}]*\}\}/g)].map(([, record]) =>
    `${record}}`.replace(/^\{"next_cursor".*"records":\[/, ''),
  );
}

const lines = (...records: unknown[]): string => records.map((one) => `${JSON.stringify(one)}\n`).join('');

describe('POST /records/import', () => {
  it('says what an import would do, then does it, then finds nothing to do', { tags: ['main-path'] }, async () => {
    const file = lines({ id: 'a', title: 'one', amount: 1 }, { id: 'b', title: 'two', amount: null });
    const counts = { rows: 2, added: 2, updated: 0, unchanged: 0, invalid: 0 };
    const tried = await send(file, 'ndjson', { dry_run: 'true' });
    expect(tried.body).toMatchObject({ ...counts, dry_run: true, schema_of: 'orders', webhook_of: null });
    expect((await hub.records('model=Order')).body.records).toEqual([]);

    expect((await send(file, 'ndjson')).body).toMatchObject({ ...counts, dry_run: false });
    expect((await send(file, 'ndjson')).body).toMatchObject({ added: 0, updated: 0, unchanged: 2 });

    const changed = lines({ id: 'a', title: 'other', amount: 1 }, { id: 'c', title: 'new', amount: 3 });
    expect((await send(changed, 'ndjson', { dry_run: 'true' })).body).toMatchObject({ added: 1, updated: 1 });
    expect((await send(changed, 'ndjson')).body).toMatchObject({ added: 1, updated: 1, unchanged: 0 });
    expect(await stored()).toEqual([
      '{"id":"b","title":"two","amount":null}',
      '{"id":"a","title":"other","amount":1}',
      '{"id":"c","title":"new","amount":3}',
    ]);
  });

  it('says how far it came when storing fails in the middle, and goes on with the same file', async () => {
    const file = lines(
      ...Array.from({ length: 2500 }, (_, index) => ({ id: `r${index}`, title: 'one', amount: index })),
    );
    const execute = (sql: string) => lookInto(hub.server.home, (database) => database.transaction((tx) => tx.run(sql)));
    await execute(`CREATE TRIGGER full_disk BEFORE INSERT ON records WHEN new.external_id = 'r1500'
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const broken = await send(file, 'ndjson');
    await execute('DROP TRIGGER full_disk');

    expect(broken.status).toBe(500);
    expect(broken.body.error).toMatchObject({
      code: 'import_interrupted',
      message: expect.stringMatching(/^The import ended after 1000 of 2500 rows: .*Import the same file again/s),
    });
    expect(broken.body.error.payload).toMatchObject({ rows: 1000, added: 1000 });
    expect(await stored()).toHaveLength(1000);
    expect((await send(file, 'ndjson')).body).toMatchObject({ rows: 2500, added: 1500, unchanged: 1000 });
  });

  it('names line and column of each row that does not fit, and stores nothing', { tags: ['main-path'] }, async () => {
    const file = [
      '{"id":"a","title":"one","amount":1}',
      '',
      '{"id":"b","title":2,"amount":1}',
      '{"title":"no id","amount":1}',
      '{"id":"a","title":"again","amount":1}',
      '{"id":"c","title":"x","amount":1,"lines":[{"sku":"s","count":1},{"sku":"s"}]}',
      '{"id":"d","title":"x","amount":1',
      '[1]',
      '{"id":"e","title":"x","amount":1,"state":"lost"}',
      '{"id":"f","title":"x","amount":1,"at":"yesterday"}',
    ].join('\r\n');
    const { status, body } = await send(file, 'ndjson');
    expect(status).toBe(400);
    expect(body.error.code).toBe('invalid_import');
    expect(body.error.message).toBe(
      '8 of the rows cannot be imported, so nothing was stored. Line 3, column title: must be string.',
    );
    expect(body.error.payload.problems).toEqual(
      [
        { row: 2, line: 3, column: 'title', message: 'must be string' },
        { row: 3, line: 4, column: 'id', message: 'is missing: every record needs an id' },
        { row: 4, line: 5, column: 'id', message: 'occurs before: row 1 has it' },
        { row: 5, line: 6, column: 'lines.1.count', message: 'is missing' },
        { row: 6, line: 7, column: null, message: expect.stringContaining('It is not JSON') },
        { row: 7, line: 8, column: null, message: 'is not a JSON object' },
        { row: 8, line: 9, column: 'state', message: 'is none of "open", "closed"' },
        { row: 9, line: 10, column: 'at', message: 'is not a date-time' },
      ].sort((a, b) => a.row - b.row),
    );
    expect(await stored()).toEqual([]);
  });

  it('reads CSV with quotes, line breaks in cells, a byte order mark and empty lines, by the schema', async () => {
    const file =
      '\uFEFFid;title;amount;paid;lines\r\n\r\n1;"a ""quoted""; text\nof two lines";1.50;TRUE;"[{""sku"":""s"",""count"":1}]"\r\n' +
      '007;"";;;\r\n9007199254740993;last;12345678901234567890.5;false;\r\n';
    const { body } = await send(file, 'csv');
    expect(body).toMatchObject({ added: 3, invalid: 0 });
    expect(body.columns).toContainEqual({ name: 'amount', type: 'DOUBLE' });
    expect(await stored()).toEqual([
      '{"id":"1","title":"a \\"quoted\\"; text\\nof two lines","amount":1.50,"paid":true,"lines":[{"sku":"s","count":1}]}',
      '{"id":"007","title":"","amount":null}',
      '{"id":"9007199254740993","title":"last","amount":12345678901234567890.5,"paid":false}',
    ]);
  });

  it.each([
    ['id,title,amount\n1,"open', 2, 'A quote that opens here is not closed.'],
    ['id,title,amount\n1,a"b,2\n', 2, 'A quote stands inside a cell'],
    ['id,title,amount\n1,"a"b,2\n', 2, 'Text follows a closing quote.'],
    ['id,title,title\n1,a,b\n', 1, 'Two columns are named "title".'],
    ['id,,title\n1,a,b\n', 1, 'Column 2 has no name'],
    ['', null, 'The file is empty.'],
  ])('refuses the CSV file %j', async (file, line, message) => {
    const { status, body } = await send(file, 'csv');
    expect(status).toBe(400);
    expect(body.error.payload.problems[0]).toEqual({
      row: null,
      line,
      column: null,
      message: expect.stringContaining(message),
    });
  });

  it('refuses a broken CSV file without a schema too', async () => {
    const { body } = await send('id,a\n1,"open', 'csv', { model: 'Seed' });
    expect(body.error.payload.problems[0]).toMatchObject({
      line: 2,
      message: 'A quote that opens here is not closed.',
    });
  });

  it('names the line of a CSV row with other cells than the head', async () => {
    const { body } = await send('id,title,amount\n1,"a\nb",2\n2,c\n3,d,e\n', 'csv');
    expect(body.error.payload.problems).toEqual([
      { row: 2, line: 4, column: null, message: 'has 2 cells, and the first line has 3' },
      { row: 3, line: 5, column: 'amount', message: expect.stringContaining('must be number') },
    ]);
  });

  it('refuses what is not UTF-8', async () => {
    const latin = await send(Buffer.from('id,title,amount\n1,caf\xe9,2\n', 'latin1'), 'csv');
    expect(latin.body.error.payload.problems[0].message).toContain('not UTF-8');
    const wide = await send(Buffer.from('\uFEFFid,title\n', 'utf16le'), 'csv');
    expect(wide.body.error.payload.problems[0].message).toContain('UTF-16');
    const json = await send(Buffer.from('{"id":"1","title":"caf\xe9","amount":1}\n', 'latin1'), 'ndjson');
    expect(json.body.error.payload.problems[0]).toMatchObject({ line: 1, message: 'It is not UTF-8 text.' });
  });

  it('finds the types of a CSV file without a schema from all its cells', async () => {
    const file = 'id,n,code,flag,list,big\n1,5,007,true,[1],9007199254740993\n2,-2.5,12,false,"{""a"":1}",1\n3,,x,,,\n';
    const { body } = await send(file, 'csv', { model: 'Seed' });
    expect(body).toMatchObject({ added: 3, schema_of: null });
    expect(body.columns).toEqual([
      { name: 'n', type: 'DOUBLE' },
      { name: 'code', type: 'VARCHAR' },
      { name: 'flag', type: 'BOOLEAN' },
      { name: 'list', type: 'JSON' },
      { name: 'big', type: 'VARCHAR' },
    ]);
    expect(await stored('Seed')).toEqual([
      '{"id":"1","n":5,"code":"007","flag":true,"list":[1],"big":"9007199254740993"}',
      '{"id":"2","n":-2.5,"code":"12","flag":false,"list":{"a":1},"big":"1"}',
      '{"id":"3","n":null,"code":"x","flag":null,"list":null,"big":null}',
    ]);
  });

  it('reads Parquet with large numbers, times and nested values', async () => {
    const buffer = parquetWriteBuffer({
      columnData: [
        { name: 'id', data: [9007199254740993n, 2n], type: 'INT64' },
        { name: 'title', data: ['one', 'two'], type: 'STRING' },
        { name: 'amount', data: [1.5, null], type: 'DOUBLE' },
        { name: 'at', data: [new Date('2026-01-31T10:00:00.123Z'), null], type: 'TIMESTAMP' },
        { name: 'lines', data: [[{ sku: 's', count: 1 }], null], type: 'JSON' },
      ],
    });
    expect((await send(new Uint8Array(buffer), 'parquet')).body).toMatchObject({ added: 2, invalid: 0, rows: 2 });
    expect(await stored()).toEqual([
      '{"id":"9007199254740993","title":"one","amount":1.5,"at":"2026-01-31T10:00:00.123Z","lines":[{"sku":"s","count":1}]}',
      '{"id":"2","title":"two","amount":null}',
    ]);
    const broken = await send(new Uint8Array(buffer).subarray(0, 60), 'parquet');
    expect(broken.body.error.payload.problems[0].message).toContain('not a Parquet file that can be read');
  });

  it('takes a JSON list or an answer of GET /records, keeps digits, and marks deleted records as deleted', async () => {
    await send('[{"id":1,"title":"one","amount":9007199254740993},{"id":"2","title":"two","amount":1e2}]', 'json');
    expect(await stored()).toEqual([
      '{"id":"1","title":"one","amount":9007199254740993}',
      '{"id":"2","title":"two","amount":1e2}',
    ]);
    const exported = await (
      await fetch(new URL('/records?model=Order', hub.server.url), {
        headers: { authorization: `Bearer ${hub.server.secretKey}`, ...HEADERS },
      })
    ).text();
    expect((await send(exported, 'json')).body).toMatchObject({ unchanged: 2, updated: 0 });
    const deleted = exported.replace('"last_action":"ADDED"', '"last_action":"DELETED"');
    expect((await send(deleted, 'json', { dry_run: 'true' })).body).toMatchObject({ deleted: 1, unchanged: 1 });
    expect((await send(deleted, 'json')).body).toMatchObject({ deleted: 1, unchanged: 1 });
    expect((await send(deleted, 'json')).body).toMatchObject({ deleted: 0, unchanged: 2 });
  });

  it('adds only what is missing with keep_existing', async () => {
    await send(lines({ id: 'a', title: 'mine', amount: 1 }), 'ndjson');
    const file = lines({ id: 'a', title: 'theirs', amount: 1 }, { id: 'b', title: 'new', amount: 1 });
    const { body } = await send(file, 'ndjson', { keep_existing: 'true' });
    expect(body).toMatchObject({ added: 1, updated: 0, kept: 1 });
    expect(await stored()).toEqual(['{"id":"a","title":"mine","amount":1}', '{"id":"b","title":"new","amount":1}']);
  });

  it('asks which connection a file of several is about', async () => {
    const row = (id: string, connection: string) => ({
      ...{ id, title: id, amount: 1, _id: id, _connection: connection, _variant: 'base', _last_changed: '2026-01-01' },
      _deleted: false,
    });
    const file = lines(row('1', 'first'), row('2', 'second'));
    expect((await send(file, 'ndjson')).body.error.payload.problems[0]).toMatchObject({
      line: 2,
      column: '_connection',
      message: 'is second, and earlier rows are of first: choose the rows of one connection',
    });
    expect((await send(file, 'ndjson', { from_connection: 'second' })).body).toMatchObject({ added: 1, skipped: 1 });
    expect(await stored()).toEqual(['{"id":"2","title":"2","amount":1}']);
  });

  it('sends the webhook of the model’s sync when it is asked to', async () => {
    hub.provider.on('POST /hook', { status: 200 });
    await hub.call('PATCH', '/environment/settings', {
      body: { webhook: { primary_url: `${hub.provider.address}/hook` } },
    });
    const received = () => hub.provider.requestsTo('/hook').map(({ body }) => JSON.parse(body.toString()));
    await send(lines({ id: 'quiet', title: 'x', amount: 1 }), 'ndjson');
    const { body } = await send(lines({ id: 'a', title: 'x', amount: 1 }), 'ndjson', { send_webhook: 'true' });
    expect(body.webhook_of).toBe('orders');
    await waitFor(() => received().length > 0, { what: 'the webhook' });
    expect(received()).toMatchObject([
      { type: 'sync', syncName: 'orders', model: 'Order', responseResults: { added: 1, updated: 0, deleted: 0 } },
    ]);
    const none = await send(lines({ id: 'a' }), 'ndjson', { model: 'Other', send_webhook: 'true' });
    expect(none.body.error.code).toBe('invalid_query_params');
  });

  it('refuses a body of unknown type, an unknown connection, and decodes a compressed one', async () => {
    expect((await send('x', 'ndjson', {}, { 'content-type': 'text/plain' })).body.error.code).toBe(
      'invalid_content_type',
    );
    expect((await send('x', 'ndjson', {}, { 'connection-id': 'nobody' })).body.error.code).toBe('unknown_connection');
    const packed = gzipSync(lines({ id: 'a', title: 'x', amount: 1 }));
    const sent = await send(packed, 'ndjson', { dry_run: 'true' }, { 'content-encoding': 'gzip' });
    expect(sent.body).toMatchObject({ added: 1 });
  });

  it('leaves no file behind', async () => {
    await send(lines({ id: 'a', title: 'x', amount: 1 }), 'ndjson');
    await send('broken', 'ndjson');
    expect(await readdir(join(hub.server.home, 'imports'))).toEqual([]);
  });
});
