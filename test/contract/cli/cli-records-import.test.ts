// @module-tag slow
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { csvLine, csvOfObjects } from '../../../renderer/lib/csv.ts';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { type CliRun, runCli } from '../../support/run-cli.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';

const RECORDS = [
  { id: '1', title: 'one, "quoted"\nof two lines', amount: 1.5, at: '2026-01-31T10:00:00Z', tags: ['a'], note: null },
  { id: '2', title: '', amount: null, tags: [], action: 'none' },
  { id: '3', title: '=1+1', amount: -5, big: '9007199254740993', tags: [{ a: 1 }], cursor: 'x' },
];
const SYNC = `import { createSync } from 'homeport';
import * as z from 'zod';

export default createSync({
  description: 'Written by a test',
  version: '1.0.0',
  frequency: 'every day',
  autoStart: false,
  models: {
    Item: z.object({
      id: z.string(),
      title: z.string(),
      amount: z.number().nullable(),
      at: z.iso.datetime().optional(),
      tags: z.array(z.unknown()),
      note: z.string().nullable().optional(),
      action: z.string().optional(),
      big: z.string().optional(),
      cursor: z.string().optional(),
    }),
  },
  exec: async (nango) => {
    await nango.batchSave(${JSON.stringify(RECORDS)}, 'Item');
  },
});
`;

let hub: FunctionHub;
beforeAll(async () => {
  hub = await startFunctionHub({ 'syncs/items.ts': SYNC });
});
afterAll(() => hub?.stop());

const cli = (args: string[]): Promise<CliRun> => runCli(args, { cwd: hub.server.home, home: hub.server.home });
const importing = (file: string, options: string[] = [], connection = 'c2'): Promise<CliRun> =>
  cli(['records', 'import', file, 'Item', connection, ...options]);
const save = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(hub.server.home, name);
  await writeFile(path, content);
  return path;
};

async function readItems(connection: string) {
  const { body } = await hub.call('GET', '/records?model=Item', {
    headers: { 'connection-id': connection, 'provider-config-key': 'acme' },
  });
  return body.records.map(({ _nango_metadata, ...record }: Record<string, unknown>) => record);
}

describe('homeport records import', () => {
  beforeEach(async () => {
    await hub.renewConnection();
    await hub.call('DELETE', '/connections/c2?provider_config_key=acme');
    await hub.addConnection('c2');
  });

  it('shows what an import changes, asks, and imports', { tags: ['main-path'] }, async () => {
    const file = await save('seed.ndjson', RECORDS.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const tried = await importing(file, ['--dry-run']);
    expect(tried.output).toMatch(/ROWS +NEW +CHANGED +DELETED +UNCHANGED +SKIPPED +INVALID\n3 +3 +0 +0 +0 +0 +0\n/);
    expect(tried.errors).toContain('Checked against the model of the sync items.');
    expect(tried.errors).toContain('Nothing was stored. No webhook is sent.');
    expect(await readItems('c2')).toEqual([]);

    const asked = await importing(file);
    expect(asked.status).not.toBe(0);
    expect(asked.errors).toContain('Import 3 changes of Item into c2?');
    expect(await readItems('c2')).toEqual([]);

    const done = await importing(file, ['--auto-confirm']);
    expect(done.status, done.errors).toBe(0);
    expect(done.output).toContain('3 added, 0 changed, 0 deleted, 0 as before');
    expect(await readItems('c2')).toEqual(RECORDS);
    expect((await importing(file)).output).toContain('Nothing to do: c2 already has these records.');
  });

  it('names line and column of what does not fit', async () => {
    const run = await importing(await save('bad.csv', 'id,title,amount,tags\n1,a,x,[]\n,b,1,[]\n'), ['--auto-confirm']);
    expect(run.status).toBe(1);
    expect(run.errors).toContain('line 2, amount: must be number');
    expect(run.errors).toContain('line 3, id: is missing');
    expect(run.errors).toContain('2 rows cannot be imported. Nothing was stored.');
    expect((await importing('nowhere.csv')).status).not.toBe(0);
    expect((await importing(await save('bad.txt', 'x'))).errors).toContain('Add --format');
  });

  it('reads what Homeport writes: the same records again change nothing, and elsewhere they are the same', async () => {
    await hub.connection.nango.triggerSync('acme', ['items'], 'c1');
    await waitForSync(hub.connection, 'items', ({ finishedAt }) => finishedAt !== undefined);
    const sql = async (name: string) => {
      await cli(['sql', "SELECT * FROM acme.Item WHERE _connection = 'c1'", '-o', join(hub.server.home, name)]);
      return join(hub.server.home, name);
    };
    const query = await cli(['records', 'query', 'Item', 'c1', '--all']);
    const exported = await exportRows();
    const files = {
      query: await save('query.ndjson', query.output),
      packed: await save('packed.ndjson.gz', gzipSync(query.output)),
      json: await save('query.json', (await cli(['records', 'query', 'Item', 'c1', '--json'])).output),
      sqlCsv: await sql('sql.csv'),
      sqlLines: await sql('sql.ndjson'),
      sqlParquet: await sql('sql.parquet'),
      dashboardLines: await save('dash.ndjson', exported.map((row) => `${JSON.stringify(row)}\n`).join('')),
      dashboardJson: await save('dash.json', JSON.stringify(exported)),
      dashboardCsv: await save('dash.csv', csvOf(exported)),
    };
    for (const [name, file] of Object.entries(files)) {
      const again = await importing(file, ['--dry-run', '--json'], 'c1');
      expect(again.json(), name).toMatchObject({ rows: 3, unchanged: 3, added: 0, updated: 0 });
      await hub.call('DELETE', '/connections/c2?provider_config_key=acme');
      await hub.addConnection('c2');
      const moved = await importing(file, ['--auto-confirm', '--json']);
      expect(moved.json(), name).toMatchObject({ added: 3 });
      const found = await readItems('c2');
      // In a table every member has a cell, and a view writes times with milliseconds.
      if (/^sql|Csv$/.test(name)) expect(found.map(inWords), name).toEqual(RECORDS.map(inWords));
      else expect(found, name).toEqual(RECORDS);
    }
  });
});

const inWords = (record: Record<string, unknown>): unknown =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, name === 'at' ? Date.parse(String(value)) : value]),
  );

/** As the export of the dashboard sends them. */
async function exportRows(): Promise<Array<Record<string, unknown>>> {
  const rows: Array<Record<string, unknown>> = [];
  const { body } = await hub.call('GET', '/records?model=Item', {
    headers: { 'connection-id': 'c1', 'provider-config-key': 'acme' },
  });
  for (const { _nango_metadata: at, ...payload } of body.records)
    rows.push({
      id: payload.id,
      action: at.last_action,
      firstSeenAt: at.first_seen_at,
      modifiedAt: at.last_modified_at,
      deletedAt: at.deleted_at,
      cursor: at.cursor,
      payload,
    });
  return rows;
}

/** As the dashboard writes a CSV file. */
function csvOf(rows: ReadonlyArray<Record<string, unknown>>): string {
  const flat = rows.map(({ payload, ...row }) => ({ row, members: Object.entries(payload as object) }));
  const names = Object.keys({ ...Object.fromEntries(flat[0]?.members ?? []), ...flat[0]?.row });
  const lines = flat.map(({ row, members }) =>
    csvOfObjects(
      names,
      { ...Object.fromEntries(members), ...row },
      members.filter(([name]) => name !== 'id' && name in row),
    ),
  );
  return [csvLine([...names, 'more']), ...lines].join('');
}
