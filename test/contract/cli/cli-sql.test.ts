import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completeSql } from '../../../server/cli/sql/sql-prompt.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli, runCliInTerminal } from '../../support/run-cli.ts';
import { syncSource } from '../../support/server-workspace.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub({
    'syncs/items.ts': syncSource(`
      await nango.batchSave([{ id: '1', text: 'one' }, { id: '2', text: 'two, "quoted"' }], 'Item');`),
  });
  await hub.connection.nango.triggerSync('acme', ['items'], 'c1');
  await waitForSync(hub.connection, 'items', ({ finishedAt }) => finishedAt !== undefined);
});
afterAll(() => hub?.stop());

const sql = (args: string[], input = ''): Promise<CliRun> =>
  runCli(['sql', ...args], { cwd: hub.server.home, home: hub.server.home, input });

const ALL = 'SELECT id, text FROM acme.Item ORDER BY id';

describe('homeport sql', () => {
  it('prints a table', async () => {
    const run = await sql([ALL]);
    expect(run.status, run.errors).toBe(0);
    expect(run.output).toMatch(/^id +text\n1 +one\n2 +two, "quoted"\n$/);
    expect(run.errors).toMatch(/^2 rows, \d+ ms\n$/);
  });

  it('prints CSV, NDJSON and JSON, and takes the statement from the input', async () => {
    expect((await sql(['--format', 'csv'], ALL)).output).toBe('id,text\r\n1,one\r\n2,"two, ""quoted"""\r\n');
    expect((await sql([ALL, '--format', 'ndjson'])).output).toBe(
      '{"id":"1","text":"one"}\n{"id":"2","text":"two, \\"quoted\\""}\n',
    );
    expect((await sql([ALL, '--json'])).json()).toMatchObject({ row_count: 2, rows: [{ id: '1' }, { id: '2' }] });
  });

  it('fills placeholders', async () => {
    const one = await sql(['SELECT text FROM acme.Item WHERE id = $id', '-p', 'id=2', '--format', 'csv']);
    // A number is a number: the engine compares it with a text as such.
    expect(one.output).toContain('two');
    expect((await sql(['SELECT ? AS a, ? AS b', '-p', 'x=1', '-p', 'y', '--format', 'ndjson'])).output).toBe(
      '{"a":"x=1","b":"y"}\n',
    );
  });

  it('writes a file whose ending says the format, and keeps the old one when it fails', async () => {
    const file = join(hub.server.home, 'items.parquet');
    const run = await sql([ALL, '-o', file]);
    expect(run.errors).toContain('2 rows written to');
    expect((await readFile(file)).subarray(0, 4).toString()).toBe('PAR1');
    await writeFile(file, 'old');
    const failed = await sql(['SELECT nothing FROM acme.Item', '-o', file]);
    expect(failed.status).not.toBe(0);
    expect(await readFile(file, 'utf8')).toBe('old');
    expect(await sql([ALL, '-o', 'items.xyz'])).toMatchObject({
      status: 64,
      errors: expect.stringContaining('--format'),
    });
  });

  it('lists the views', async () => {
    expect((await sql(['--views'])).output).toMatch(/acme\.Item +id, text, _id, _connection/);
  });

  it.each([
    [['DROP TABLE acme.Item'], 'Only a statement that reads'],
    [['SELECT nothing FROM acme.Item'], 'nothing'],
    [['SELECT * FROM acme.Item', '-n', '1'], 'LIMIT'],
    [[''], 'There is no statement'],
  ])('explains %j', async (args, reason) => {
    const run = await sql(args);
    expect(run.status).toBeGreaterThan(0);
    expect(run.errors).toContain(reason);
  });
});

describe('completion', () => {
  const views = [
    {
      schema: 'acme',
      name: 'Item',
      columns: [
        { name: 'id', type: 'VARCHAR' },
        { name: 'my text', type: 'VARCHAR' },
      ],
    },
    { schema: 'my-crm', name: 'Order', columns: [{ name: 'total', type: 'DOUBLE' }] },
  ];
  it.each([
    ['SELECT * FROM ac', ['acme.Item']],
    ['SELECT * FROM ', ['acme.Item', '"my-crm"."Order"']],
    ['SELECT i', ['id']],
    ['SELECT * FROM acme.Item WHERE t', []],
    ['sel', ['SELECT']],
    ['FROM acme.Item SELECT "m', ['"my text"', '"my-crm"."Order"']],
  ])('of %j', (line, expected) => {
    expect(completeSql(line, views)[0]).toEqual(expected);
  });
});

it('asks on a terminal, goes on after a mistake, and remembers what was asked', async () => {
  const run = await runCliInTerminal(['sql'], {
    cwd: hub.server.home,
    home: hub.server.home,
    columns: 100,
    answers: ['SELEC 1;', 'SELECT text', 'FROM acme.Item WHERE id = 1;', '.exit'],
  });
  const output = stripVTControlCharacters(run.output);
  expect(output).toContain('near "SELEC"');
  expect(output).toMatch(/text\s+one\s+1 row,/);
  expect(run.status).toBe(0);
  expect(await readFile(join(hub.server.home, 'sql-history'), 'utf8')).toContain('FROM acme.Item WHERE id = 1;');
});
