// @module-tag slow
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DestinationCalls, destinationCalls } from '../../support/destination-calls.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type Postgres, startPostgres } from '../../support/start-postgres.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A sync whose model has these members. */
const sync = (name: string, models: Record<string, string>): string => `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: { ${Object.entries(models)
    .map(([model, members]) => `${JSON.stringify(model)}: z.object({ ${members} })`)
    .join(', ')} },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/${name}' });
    for (const [model, records] of Object.entries(data)) await nango.batchSave(records as never, model as never);
  },
});
`;

const LONG = 'A_member_whose_name_is_much_longer_than_what_fits_in_a_name_of_PostgreSQL';
const NUMBERS = 'id: z.string(), whole: z.number().meta({ type: "integer" }), exact: z.number(), any: z.any()';
const NAMES = `id: z.string(), _id: z.string(), _KEY: z.string(), _record: z.number(), ctid: z.string(),
  Title: z.string(), title: z.string(), 'a"b; DROP TABLE x': z.string(), 'näme': z.string(), 'with space': z.string(),
  ${LONG}_one: z.string(), ${LONG}_two: z.string(), '${'ü'.repeat(40)}': z.string(), select: z.string()`;

let hub: FunctionHub;
let postgres: Postgres;
let calls: DestinationCalls;
let count = 0;
let schema: string;

beforeAll(async () => {
  [hub, postgres] = await Promise.all([
    startFunctionHub({
      'syncs/numbers.ts': sync('numbers', { Amount: NUMBERS }),
      'syncs/names.ts': sync('names', { Named: NAMES, [`${LONG}_Model_one`]: 'id: z.string()' }),
      'syncs/shapes.ts': sync('shapes', { Shape: 'id: z.string(), size: z.string(), gone: z.string().optional()' }),
    }),
    startPostgres(),
  ]);
  calls = destinationCalls(hub);
});
afterAll(async () => {
  await Promise.all([hub?.stop(), postgres?.stop()]);
});
beforeEach(async () => {
  count += 1;
  schema = `s${count}`;
  await hub.renewConnection();
});
afterEach(() => calls.clear());

const GONE = { last_action: 'DELETED' };
const sorted = (value: Record<string, unknown>) => Object.fromEntries(Object.entries(value).sort());
const create = (more: Record<string, unknown> = {}) =>
  calls.create({ name: `To ${schema}`, kind: 'postgres', connection_string: postgres.url, schema, ...more });
const rows = (sql: string) => postgres.query(sql.replaceAll('@', `"${schema}".`));

async function importLines(model: string, lines: string, connectionId = 'c1'): Promise<void> {
  const answer = await fetch(`${hub.server.url}/records/import?model=${model}&format=ndjson`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${hub.server.secretKey}`,
      'connection-id': connectionId,
      'provider-config-key': 'acme',
    },
    body: lines,
  });
  expect(answer.status, await answer.text()).toBe(200);
}

describe('numbers in PostgreSQL', () => {
  it('keep every digit, beyond 2^53 and beyond 2^63 too', async () => {
    const exact = '12345678901234567890123456789.000000000000000000010';
    await importLines(
      'Amount',
      [
        `{"id":"1","whole":9007199254740993,"exact":${exact},"any":[9007199254740993,{"a":0.10}]}`,
        '{"id":"2","whole":-9223372036854775808,"exact":-0.0,"any":1E400}',
        `{"id":"3","whole":9223372036854775808,"exact":1e-300,"any":${'9'.repeat(1200)}}`,
        '{"id":"4","whole":9223372036854775807,"exact":9007199254740993,"any":null}',
      ].join('\n'),
    );
    await calls.settled(await create());
    const found = await rows(
      'SELECT _id, whole::text, exact::text, "any"::text, _record::text FROM @"acme_Amount" ORDER BY _id',
    );
    expect(found).toEqual([
      { _id: '1', whole: '9007199254740993', exact, any: '[9007199254740993, {"a": 0.10}]', _record: null },
      { _id: '2', whole: '-9223372036854775808', exact: '0.0', any: `1${'0'.repeat(400)}`, _record: null },
      {
        ...{ _id: '3', whole: null, exact: `0.${'0'.repeat(299)}1`, any: `"${'9'.repeat(1200)}"` },
        _record: '{"whole": 9223372036854775808}',
      },
      {
        ...{ _id: '4', whole: '9223372036854775807', exact: '9007199254740993', any: null, _record: null },
      },
    ]);
  });
});

describe('names in PostgreSQL', () => {
  it('that are long, odd, or those of the hub, lose no value', async () => {
    const record = {
      ...{ id: '1', _id: 'own id', _KEY: 'own key', _record: 7, ctid: 'own ctid', Title: 'upper', title: 'lower' },
      ...{ 'a"b; DROP TABLE x': 'quoted', näme: 'umlaut', 'with space': 'space', select: 'word' },
      ...{ [`${LONG}_one`]: 'one', [`${LONG}_two`]: 'two', ['ü'.repeat(40)]: 'many bytes' },
    };
    await calls.runSync('names', { Named: [record], [`${LONG}_Model_one`]: [{ id: 'm1' }] });
    await calls.settled(await create());
    const [row = {}] = await rows('SELECT * FROM @"acme_Named"');
    const names = Object.keys(row);
    expect(Math.max(...names.map((name) => Buffer.byteLength(name)))).toBeLessThanOrEqual(63);
    // Members with a name of the hub's columns are in `_record`.
    const held = [row, row['_record'] as object].flatMap((one) => Object.values(one)).map(String);
    for (const value of Object.values(record)) expect(held).toContain(String(value));
    expect(row).toMatchObject({
      _id: '1',
      Title: 'upper',
      'a"b; DROP TABLE x': 'quoted',
    });
    const tables = await rows(`SELECT table_name, model FROM @"_homeport_tables" ORDER BY model`);
    const long = tables.find(({ model }) => String(model).startsWith('A_member'));
    expect(await rows(`SELECT _id FROM @"${long?.['table_name']}"`)).toEqual([{ _id: 'm1' }]);
    // What was made is found again.
    await calls.runSync('names', { Named: [{ ...record, Title: 'changed' }] });
    await waitFor(async () => (await rows('SELECT "Title" FROM @"acme_Named"'))[0]?.['Title'] === 'changed', {
      what: 'the change',
    });
  });

  it('of two models that give one table name stay apart', async () => {
    await hub.call('POST', '/integrations', { body: { provider: 'acme', unique_key: 'acme_Two' } });
    const save = async (integration: string, model: string, id: string): Promise<void> => {
      await hub.call('POST', '/connections', {
        body: { provider_config_key: integration, connection_id: 'n1', credentials: { type: 'API_KEY', apiKey: 'k' } },
      });
      const answer = await hub.call('POST', `/records/import?model=${model}&format=json`, {
        headers: { 'connection-id': 'n1', 'provider-config-key': integration, 'content-type': 'application/json' },
        body: [{ id }],
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    };
    await save('acme', 'Two_Three', 'first');
    await save('acme_Two', 'Three', 'second');
    await calls.settled(await create());
    const tables = await rows(`SELECT table_name, integration FROM @"_homeport_tables" ORDER BY integration`);
    expect(new Set(tables.map(({ table_name }) => table_name)).size).toBe(2);
    for (const [index, id] of ['first', 'second'].entries())
      expect(await rows(`SELECT _id FROM @"${tables[index]?.['table_name']}"`)).toEqual([{ _id: id }]);
    await hub.call('DELETE', '/integrations/acme_Two');
  });
});

describe('a member whose type changes by a deploy', () => {
  it('gets a further column; the earlier one stays with what it has', async () => {
    await calls.runSync('shapes', {
      Shape: [
        { id: '1', size: 'small', gone: 'kept' },
        { id: '2', size: 'large' },
      ],
    });
    const one = await create();
    await calls.settled(one);
    await hub.deploy({
      'syncs/shapes.ts': sync('shapes', { Shape: 'id: z.string(), size: z.number(), fresh: z.boolean()' }),
    });
    await waitFor(
      async () => {
        await calls.runSync('shapes', { Shape: [{ id: '1', size: 12, fresh: true }] });
        await calls.settled(one);
        const columns = await rows(
          `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = '${schema}' AND table_name = 'acme_Shape'`,
        );
        return columns.some(({ name }) => name === 'size__numeric');
      },
      { what: 'the further column' },
    );
    expect(await rows('SELECT _id, size, size__numeric, gone, fresh, _record FROM @"acme_Shape" ORDER BY _id')).toEqual(
      [
        { _id: '1', size: null, size__numeric: '12', gone: null, fresh: true, _record: null },
        { _id: '2', size: 'large', size__numeric: null, gone: null, fresh: null, _record: null },
      ],
    );
  });
});

describe('a user of PostgreSQL with few rights', () => {
  const as = (user: string) => postgres.url.replace('hub@', `${user}@`);

  it('is told which right is missing, and goes on when it has it', async () => {
    await postgres.query(`CREATE ROLE poor LOGIN; REVOKE CREATE ON DATABASE data FROM PUBLIC`);
    await importLines('Amount', '{"id":"1","whole":1,"exact":1,"any":1}');
    const tried = await hub.call('POST', '/records/destinations/test', {
      body: { name: 'x', kind: 'postgres', connection_string: as('poor'), schema },
    });
    expect(tried.body.data).toEqual({
      ok: false,
      message: expect.stringContaining('permission denied for database data'),
    });
    expect(tried.body.data.message).toContain(`GRANT CREATE ON DATABASE "data" TO "poor"`);
    const one = await create({ connection_string: as('poor') });
    expect((await calls.failed(one)).message).toContain(`GRANT CREATE ON DATABASE "data" TO "poor"`);
    await postgres.query(`CREATE SCHEMA ${schema}`);
    await calls.act(one, 'retry');
    await waitFor(async () => (await calls.read(one)).error?.message.includes(`ON SCHEMA "${schema}"`), {
      what: 'the other right that is missing',
    });
    await postgres.query(`GRANT CREATE, USAGE ON SCHEMA ${schema} TO poor`);
    await calls.act(one, 'retry');
    await calls.settled(one);
    expect(await rows('SELECT _id FROM @"acme_Amount"')).toEqual([{ _id: '1' }]);
  });
});

describe('a password that PostgreSQL asks for', () => {
  it('is named as what is wrong or missing, and never shown', async () => {
    await postgres.query("CREATE ROLE guarded LOGIN PASSWORD 'right'");
    await postgres.query('GRANT CREATE ON DATABASE data TO guarded');
    const [settings] = await postgres.query<{ file: string }>("SELECT current_setting('hba_file') AS file");
    const asks = `SELECT 'host all ' || who FROM (VALUES ('guarded all scram-sha-256'), ('all all trust')) AS x(who)`;
    await postgres.query(`COPY (${asks}) TO '${settings?.file}'`);
    await postgres.query('SELECT pg_reload_conf()');
    const test = async (password: string) => {
      const connection_string = postgres.url.replace('hub@', `guarded${password}@`);
      const body = { name: 'x', kind: 'postgres', connection_string, schema: 'guarded' };
      return (await hub.call('POST', '/records/destinations/test', { body })).body.data;
    };
    // The server reads the file when it gets to it.
    await waitFor(async () => !(await test('')).ok, { what: 'the password to be asked for' });
    expect((await test('')).message).toMatch(
      /wants a password, and the connection has none: postgres:\/\/guarded:password@…$/,
    );
    expect(await test(':wr0ng')).toEqual({
      ok: false,
      message: `PostgreSQL at 127.0.0.1:${postgres.port} refuses the user guarded: password authentication failed for user "guarded".`,
    });
    expect(await test(':right')).toMatchObject({ ok: true });
  });
});

describe('a backup of the hub that is restored', () => {
  /** Everything of the hub's database, as it is after a stop. */
  const copyDatabase = async (from: string, to: string): Promise<void> => {
    await mkdir(to, { recursive: true });
    for (const name of await readdir(to)) if (name.startsWith('homeport.db')) await rm(join(to, name));
    for (const name of await readdir(from))
      if (name.startsWith('homeport.db')) await copyFile(join(from, name), join(to, name));
  };
  let backup: string;
  beforeEach(async () => {
    backup = await mkdtemp(join(tmpdir(), 'homeport-backup-'));
    return () => rm(backup, { recursive: true, force: true });
  });
  const line = (id: string, whole: number): string => JSON.stringify({ id, whole, exact: 0, any: null });
  const inTable = async () =>
    Object.fromEntries(
      (await rows('SELECT _id, whole, _deleted FROM @"acme_Amount" ORDER BY _id')).map((row) => [
        row['_id'],
        row['_deleted'] === true ? 'deleted' : Number(row['whole']),
      ]),
    );

  it.each(['delete', 'mark'])('makes the tables the same as the hub again (%s)', async (deletions) => {
    await importLines('Amount', [line('same', 1), line('changed', 1), line('deleted', 1)].join('\n'));
    const one = await create({ deletions });
    await calls.settled(one);
    await hub.server.end();
    await copyDatabase(hub.server.home, backup);
    await hub.server.restart();
    await importLines('Amount', [line('changed', 2), line('new', 1)].join('\n'));
    await importLines('Amount', JSON.stringify({ ...JSON.parse(line('deleted', 1)), _nango_metadata: GONE }));
    await calls.settled(one);
    const isMark = deletions === 'mark';
    expect(await inTable()).toEqual({ same: 1, changed: 2, new: 1, ...(isMark ? { deleted: 'deleted' } : {}) });
    await hub.server.end();
    await copyDatabase(backup, hub.server.home);
    await hub.server.restart();
    const expected = { same: 1, changed: 1, deleted: 1, ...(isMark ? { new: 'deleted' } : {}) };
    await waitFor(async () => JSON.stringify(await inTable()) === JSON.stringify(sorted(expected)), {
      what: `the state of the backup, not ${JSON.stringify(await inTable())}`,
    });
    await importLines('Amount', line('later', 1));
    await calls.settled(one);
    expect(await inTable()).toEqual({ ...expected, later: 1 });
  });

  it('is noticed also when changes came before the database could be reached again', async () => {
    await importLines('Amount', [line('1', 1), line('2', 1)].join('\n'));
    const one = await create();
    await calls.settled(one);
    await hub.server.end();
    await copyDatabase(hub.server.home, backup);
    await hub.server.restart();
    await importLines('Amount', [line('2', 2), line('lost', 1)].join('\n'));
    await calls.settled(one);
    await hub.server.end();
    await copyDatabase(backup, hub.server.home);
    await postgres.crash();
    await hub.server.restart();
    await importLines('Amount', line('later', 1));
    await calls.failed(one);
    await postgres.start();
    await calls.act(one, 'retry');
    await calls.settled(one);
    expect(await inTable()).toEqual({ 1: 1, 2: 1, later: 1 });
  });

  it('and a copy of it that still runs do not write to one database in turns', async () => {
    await importLines('Amount', line('1', 1));
    const one = await create();
    await calls.settled(one);
    /** As the other copy does. */
    const takeTurn = () =>
      rows(`UPDATE @"_homeport" SET mark = 'of the other'; UPDATE @"_homeport_streams" SET cursor = cursor + 1`);
    await takeTurn();
    await importLines('Amount', line('2', 1));
    await calls.settled(one);
    await takeTurn();
    await importLines('Amount', line('3', 1));
    expect(await calls.failed(one)).toMatchObject({
      code: 'destination_taken',
      message: expect.stringContaining('Another copy of this hub'),
    });
    await calls.act(one, 'replay', {});
    await calls.settled(one);
    expect(await inTable()).toEqual({ 1: 1, 2: 1, 3: 1 });
  });
});

describe('an older backup of the database that is restored', () => {
  it('gets what it lacks, and only that', async () => {
    await importLines('Amount', '{"id":"1","whole":1,"exact":1,"any":null}');
    const one = await create();
    await calls.settled(one);
    await rows(
      `CREATE TABLE @old AS SELECT * FROM @"acme_Amount"; CREATE TABLE @olds AS SELECT * FROM @"_homeport_streams"`,
    );
    await importLines('Amount', '{"id":"2","whole":2,"exact":1,"any":null}');
    await calls.settled(one);
    await rows(`DELETE FROM @"acme_Amount"; INSERT INTO @"acme_Amount" SELECT * FROM @old;
      UPDATE @"acme_Amount" SET whole = 5; UPDATE @"_homeport" SET mark = 'older';
      UPDATE @"_homeport_streams" AS s SET cursor = o.cursor FROM @olds AS o WHERE o.stream = s.stream`);
    await importLines('Amount', '{"id":"3","whole":3,"exact":1,"any":null}');
    await waitFor(async () => (await rows('SELECT _id FROM @"acme_Amount"')).length === 3, { what: 'the rest' });
    expect(await rows('SELECT _id, whole FROM @"acme_Amount" ORDER BY _id')).toEqual([
      { _id: '1', whole: '5' },
      { _id: '2', whole: '2' },
      { _id: '3', whole: '3' },
    ]);
  });
});

describe('a person whose connection is deleted', () => {
  it.each(['delete', 'mark'])('is named nowhere in the database (%s)', async (deletions) => {
    await hub.addConnection('p1', { tags: { name: 'Ada' }, end_user: { id: 'ada-7', email: 'ada@example.com' } });
    await importLines('Amount', '{"id":"1","whole":1,"exact":1,"any":null}', 'p1');
    const one = await create({ deletions });
    await calls.settled(one);
    expect(await rows('SELECT _end_user FROM @"acme_Amount"')).toEqual([{ _end_user: 'ada-7' }]);
    await hub.call('DELETE', '/connections/p1?provider_config_key=acme');
    await calls.act(one, 'retry');
    const left = deletions === 'delete' ? [] : [{ _end_user: null, _tags: {}, _deleted: true }];
    await waitFor(
      async () =>
        JSON.stringify(await rows('SELECT _end_user, _tags, _deleted FROM @"acme_Amount"')) === JSON.stringify(left),
      { what: 'the removal' },
    );
    expect(await rows(`SELECT stream FROM @"_homeport_streams" WHERE connection = 'p1'`)).toEqual([]);
  });
});
