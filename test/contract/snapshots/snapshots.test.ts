import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FunctionHub, startFunctionHub } from '../../support/function-hub.ts';
import { runCli } from '../../support/run-cli.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { waitFor } from '../../support/wait-for.ts';
import { waitForSync } from '../../support/wait-for-sync.ts';
import { DashboardClient } from '../dashboard/dashboard-client.ts';
import { ApiCaller } from '../http/api-caller.ts';

const sync = (fields: string) => `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'Written by a test', version: '1.0.0', frequency: 'every day', autoStart: false,
  models: { Ticket: z.object({ id: z.string(), ${fields} }), 'AUX': z.object({ id: z.string() }) },
  exec: async (nango) => {
    const { data } = await nango.get({ endpoint: '/tickets' });
    await nango.batchSave(data.tickets, 'Ticket');
    if (data.gone) await nango.batchDelete(data.gone, 'Ticket');
  },
});
`;

const ISSUES = `import { createSync } from 'homeport';
import * as z from 'zod';
export default createSync({
  description: 'As the practice provider has them', version: '1.0.0', frequency: 'every day', autoStart: false,
  models: { Issue: z.object({ id: z.string(), state: z.string(), author: z.object({ name: z.string() }) }) },
  exec: async (nango) => {
    await nango.batchSave(['1', '2'].map((id) => ({ id, state: 'open', author: { name: 'Kim' } })), 'Issue');
  },
});
`;

let hub: FunctionHub;
let page: DashboardClient;
let api: ApiCaller;
let target: TempHome;
const folder = () => join(target.path, 'lake');

beforeAll(async () => {
  target = await createTempHome();
  hub = await startFunctionHub({ 'syncs/tickets.ts': sync('votes: z.number().int(), opened: z.iso.datetime()') });
  page = await DashboardClient.signIn({ url: hub.server.url, signIn: hub.server });
  api = new ApiCaller(hub.server);
});
afterAll(async () => {
  await hub?.stop();
  await target?.remove();
});

async function run(tickets: object[], gone?: object[]): Promise<void> {
  hub.provider.on('GET /tickets', { body: { tickets, gone } });
  const { nango } = hub.connection;
  const previous = (await nango.syncStatus('acme', ['tickets'], 'c1')).syncs[0];
  await nango.triggerSync('acme', ['tickets'], 'c1');
  await waitForSync(
    hub.connection,
    'tickets',
    ({ finishedAt }) => finishedAt !== undefined && finishedAt !== previous?.finishedAt,
  );
}

/** As a person with DuckDB reads the files. */
async function ask(sql: string): Promise<unknown[]> {
  const connection = await DuckDBConnection.create();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}
const tickets = () => `'${folder()}/acme/Ticket.parquet'`;
const ticket = (id: string, votes: number) => ({ id, votes, opened: '2026-01-02T03:04:05Z' });
const write = () => page.call('POST /api/v1/snapshots/run');
const settings = (more: object = {}) => ({ folder: folder(), every: 'week' as const, hasHistory: false, ...more });

describe('snapshots', () => {
  it('are off until a folder is chosen', async () => {
    expect(await page.call('GET /api/v1/snapshots')).toMatchObject({ settings: null, files: [] });
    expect(await page.refusal('POST /api/v1/snapshots/run')).toEqual({ status: 404, code: 'not_found' });
    for (const wrong of ['lake', hub.server.home, join(hub.server.home, 'lake')])
      expect(await page.refusal('PUT /api/v1/snapshots', { body: settings({ folder: wrong }) }), wrong).toMatchObject({
        status: 400,
      });
  });

  it('write a file for each model, with types, deleted records and empty models', async () => {
    await run([ticket('1', 5), ticket('2', 7)]);
    await run([], [{ id: '2' }]);
    await page.call('PUT /api/v1/snapshots', { body: settings() });
    const state = await write();
    expect(state.problem).toBeNull();
    expect(state.files.map(({ file, rows, view }) => ({ file, rows, view }))).toEqual([
      { file: 'acme/_AUX.parquet', rows: 0, view: 'acme.AUX' },
      { file: 'acme/Ticket.parquet', rows: 2, view: 'acme.Ticket' },
    ]);
    expect(await ask(`SELECT id, votes, _deleted, _connection FROM ${tickets()} ORDER BY id`)).toEqual([
      { id: '1', votes: '5', _deleted: false, _connection: 'c1' },
      { id: '2', votes: '7', _deleted: true, _connection: 'c1' },
    ]);
    expect(await ask(`SELECT column_type FROM (DESCRIBE SELECT opened FROM ${tickets()})`)).toEqual([
      { column_type: 'TIMESTAMP WITH TIME ZONE' },
    ]);
    expect(await ask(`SELECT count(*) AS n FROM '${folder()}/acme/_AUX.parquet'`)).toEqual([{ n: '0' }]);
    expect((await readdir(join(folder(), 'acme'))).sort()).toEqual(['Ticket.parquet', '_AUX.parquet']);
  });

  it('leave the file of a model alone that did not change, and write it anew when it is gone', async () => {
    const file = (name: string) => stat(join(folder(), `acme/${name}.parquet`));
    const [ticketFile, other] = [await file('Ticket'), await file('_AUX')];
    await write();
    expect((await file('Ticket')).ino).toBe(ticketFile.ino);
    await run([ticket('1', 6)]);
    const state = await write();
    expect((await file('Ticket')).mtimeMs).toBeGreaterThan(ticketFile.mtimeMs);
    expect((await file('_AUX')).ino).toBe(other.ino);
    expect(state.files.map(({ rows }) => rows)).toEqual([0, 2]);
    await rm(join(folder(), 'acme/_AUX.parquet'));
    await write();
    expect((await file('_AUX')).size).toBe(other.size);
  });

  it('follow a schema that changes, and remove the file of a model that is gone', async () => {
    await hub.deploy({
      'syncs/tickets.ts': sync('title: z.string()').replace("'AUX': z.object({ id: z.string() })", ''),
    });
    await waitFor(
      async () =>
        !(await page.call('GET /api/v1/record-views')).data.some(({ views }) =>
          views.some(({ name }) => name === 'AUX'),
        ),
      { what: 'the new models' },
    );
    await run([{ id: '3', title: 'New' }]);
    await write();
    expect(await ask(`SELECT id, title FROM ${tickets()} ORDER BY id`)).toEqual([
      { id: '1', title: null },
      { id: '2', title: null },
      { id: '3', title: 'New' },
    ]);
    expect(await readdir(join(folder(), 'acme'))).toEqual(['Ticket.parquet']);
  });

  it('keep the old file while a run fails, tell it, and mend it with the next one', async () => {
    const before = await readFile(join(folder(), 'acme/Ticket.parquet'));
    // Only a model that changed is written.
    await run([{ id: '3', title: 'Newer' }]);
    // A folder in the place of the draft: what a full disk or another program does.
    await mkdir(join(folder(), 'acme/Ticket.parquet.part'));
    const failed = await write();
    expect(failed.problem).not.toBeNull();
    expect(await readFile(join(folder(), 'acme/Ticket.parquet'))).toEqual(before);
    await waitFor(
      async () =>
        (await page.call('GET /api/v1/notifications')).data.some(({ isOver, kind }) => kind === 'snapshot' && !isOver),
      { what: 'the notification' },
    );
    expect((await page.call('GET /api/v1/overview/attention')).data).toContainEqual(
      expect.objectContaining({ kind: 'destination', name: 'the Parquet files', reason: failed.problem }),
    );
    await rm(join(folder(), 'acme/Ticket.parquet.part'), { recursive: true, force: true });
    // What a kill in the middle of a run leaves.
    await writeFile(join(folder(), 'acme/Ticket.parquet.part'), 'half');
    expect((await write()).problem).toBeNull();
    expect(await readdir(join(folder(), 'acme'))).toEqual(['Ticket.parquet']);
    await waitFor(
      async () =>
        !(await page.call('GET /api/v1/notifications')).data.some(({ isOver, kind }) => kind === 'snapshot' && !isOver),
      { what: 'the end of the notification' },
    );
  });

  it('are written after each sync', async () => {
    await page.call('PUT /api/v1/snapshots', { body: settings({ every: 'sync' }) });
    await waitFor(async () => (await page.call('GET /api/v1/snapshots')).nextAt === null, { what: 'the first run' });
    await run([{ id: '4', title: 'After' }]);
    await waitFor(
      async () =>
        (await ask(`SELECT count(*) AS n FROM ${tickets()} WHERE id = '4'`)).some(
          (row) => (row as { n: string }).n === '1',
        ),
      { what: 'the record in the file' },
    );
  });

  it('have the kept versions when they are asked for, and stay when they are switched off', async () => {
    await page.call('PUT /api/v1/functions/:integrationKey/sync/:name/history', {
      params: { integrationKey: 'acme', name: 'tickets' },
      query: { env: 'dev' },
      body: { model: 'Ticket', isOn: true },
    });
    await run([{ id: '4', title: 'Changed' }]);
    await page.call('PUT /api/v1/snapshots', { body: settings({ hasHistory: true }) });
    await write();
    expect(
      await ask(
        `SELECT title, valid_to IS NULL AS is_now FROM '${folder()}/acme/Ticket_history.parquet' WHERE id = '4' ORDER BY valid_from`,
      ),
    ).toEqual([
      { title: 'After', is_now: false },
      { title: 'Changed', is_now: true },
    ]);
    expect(await page.call('DELETE /api/v1/snapshots')).toMatchObject({ settings: null });
    expect((await readdir(join(folder(), 'acme'))).length).toBe(2);
  });
});

describe('homeport', () => {
  const cli = (...args: string[]) => runCli(args, { cwd: hub.server.home, home: hub.server.home });

  it('snapshots: on, run, off, with a warning once', async () => {
    const path = join(target.path, 'cli');
    const on = await cli('snapshots', 'on', path, '--every', 'day');
    expect(on.status, on.errors).toBe(0);
    expect(on.errors + on.output).toContain('not encrypted');
    const again = await cli('snapshots', 'on', path, '--every', 'sync');
    expect(again.errors + again.output).not.toContain('not encrypted');
    expect((await cli('snapshots', 'run')).output).toContain('acme/Ticket.parquet');
    expect((await cli('snapshots')).output).toContain('acme.Ticket');
    expect((await cli('snapshots', 'off')).status).toBe(0);
    expect((await cli('snapshots', 'run')).status).not.toBe(0);
  });

  it('export --parquet writes files that the DuckDB statements of the documentation read', async () => {
    await hub.deploy({ 'syncs/issues.ts': ISSUES });
    await hub.connection.nango.triggerSync('acme', ['issues'], 'c1');
    await waitForSync(hub.connection, 'issues', ({ finishedAt }) => finishedAt !== undefined && finishedAt !== null);
    const path = join(target.path, 'documented');
    expect((await cli('export', '--parquet', path)).status).toBe(0);
    const text = await readFile(join(import.meta.dirname, '../../../server/docs/snapshots.md'), 'utf8');
    const [, block = ''] = /```sql\n([^`]*)```/.exec(text) ?? [];
    const statements = block
      .replaceAll("'lake/", `'${path}/`)
      .replaceAll('/practice/', '/acme/')
      .split(';')
      .filter((one) => one.trim() !== '');
    expect(statements).toHaveLength(3);
    const connection = await DuckDBConnection.create();
    const answers: unknown[][] = [];
    for (const sql of [...statements, 'SELECT author_name FROM issues'])
      answers.push((await connection.runAndReadAll(sql)).getRowObjectsJson());
    connection.closeSync();
    expect(answers[0]).toEqual([{ state: 'open', issues: '2' }]);
    expect(answers[2]).toHaveLength(2);
    expect(answers[3]).toEqual([{ author_name: 'Kim' }, { author_name: 'Kim' }]);
  });

  it('export --parquet writes the same files once', async () => {
    const path = join(target.path, 'once');
    const { errors, status } = await cli('export', '--parquet', path);
    expect(status, errors).toBe(0);
    expect(await ask(`SELECT count(*) AS n FROM '${path}/acme/Ticket.parquet'`)).toEqual([{ n: '4' }]);
    expect((await api.send('GET /records/views')).status).toBe(200);
  });
});
