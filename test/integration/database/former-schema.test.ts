import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MessagesStore } from '../../../server/log/messages.store.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { readDatabaseFile } from '../../../server/platform/database/database-file.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import type { Migration } from '../../../server/platform/database/migration.ts';
import { openDatabase } from '../../../server/platform/database/open-database.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { normalSql } from '../../support/normal-sql.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

/**
 * The database of a hub of commit 65663c64, the last with the former steps: it ran an action, a sync and a proxied
 * request. Tables that this left empty have a row of their own.
 */
const STORED = new URL('data-65663c64.db.gz', import.meta.url);

type Row = Record<string, unknown>;
type Rows = Record<string, Row[]>;

/** Names that the change of the schema replaced: of tables, and of columns by the new name of their table. */
const RENAMED_TABLES: Record<string, string> = { ui_sessions: 'dashboard_sessions' };
const RENAMED_COLUMNS: Record<string, Record<string, string>> = {
  schedules: { group_key: 'job_group', lane: 'job_partition' },
  jobs: { group_key: 'job_group', lane: 'job_partition' },
  job_reports: { group_key: 'job_group' },
  action_calls: { answer: 'response' },
  webhook_attempts: { answer: 'response' },
  traffic_recordings: { answer: 'response' },
};

let home: TempHome;
let file: string;
beforeEach(async () => {
  home = await createTempHome();
  file = join(home.path, 'homeport.db');
  await writeFile(file, gunzipSync(await readFile(STORED)));
});
afterEach(() => home.remove());

async function open(migrations: readonly Migration[] = MIGRATIONS): Promise<void> {
  const backups = new BackupFolder({ home: home.path, clock: systemClock });
  const options = {
    home: home.path,
    backups,
    migrations,
    clock: systemClock,
    logger: silentLogger,
  };
  const { database } = await openDatabase(options);
  await database.close();
}

async function change(sql: string): Promise<void> {
  const database = await Database.open({ file });
  await database.maintenance(sql);
  await database.close();
}

async function readAll(path = file): Promise<Rows> {
  const rows = await readDatabaseFile(path, async (db) => {
    const tables = await db.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'",
    );
    const all: Rows = {};
    for (const { name } of tables) all[name] = await db.all<Row>(`SELECT * FROM ${name}`);
    return all;
  });
  return rows ?? {};
}

async function schemaOf(path: string): Promise<string[]> {
  const rows = await readDatabaseFile(path, (db) =>
    db.all<{ sql: string }>('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name'),
  );
  return (rows ?? []).map(({ sql }) => normalSql(sql));
}

const stepsOf = (path: string) =>
  readDatabaseFile(path, (db) => db.all('SELECT id, hash, breaking FROM migrations ORDER BY id'));

const withNewNames = (rows: Rows): Rows =>
  Object.fromEntries(
    Object.entries(rows).map(([table, of]) => {
      const name = RENAMED_TABLES[table] ?? table;
      const columns = RENAMED_COLUMNS[name] ?? {};
      const renamed = of.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, value]) => [columns[column] ?? column, value])),
      );
      return [name, renamed];
    }),
  );

describe('a data folder of the former steps', () => {
  it('has rows in every table', async () => {
    const rows = await readAll();

    expect(Object.keys(rows).length).toBeGreaterThan(50);
    expect(Object.keys(rows).filter((table) => rows[table]?.length === 0)).toEqual([]);
  });

  it('opens with all its data, and with the schema of a new one', async () => {
    const before = await readAll();

    await open();

    // Later steps add tables and columns.
    expect(await readAll()).toMatchObject(withNewNames(before));
    const fresh = join(home.path, 'fresh.db');
    const database = await Database.open({ file: fresh });
    await migrate({
      database,
      migrations: MIGRATIONS,
      clock: systemClock,
      logger: silentLogger,
    });
    await database.close();
    expect(await schemaOf(file)).toEqual(await schemaOf(fresh));
    expect(await stepsOf(file)).toEqual(await stepsOf(fresh));
    const problems = await readDatabaseFile(file, (db) => db.all('PRAGMA foreign_key_check'));
    expect(problems).toEqual([]);
  });

  it('finds its log by text as before', async () => {
    await open();

    const found = await readDatabaseFile(file, (db) =>
      db.all("SELECT rowid FROM log_messages_search WHERE log_messages_search MATCH 'hello'"),
    );

    expect(found?.length).toBeGreaterThan(0);
  });

  it('has its requests to providers as they were logged', async () => {
    await open();

    const request = await readDatabaseFile(file, async (db) => {
      const stored = await db.get<{ id: string }>("SELECT id FROM log_operations WHERE type = 'proxy'");
      const filter = { environmentId: 1, operationId: stored?.id ?? '', type: 'http' };
      const found = await new MessagesStore().list(db, filter, { offset: 0, limit: 1, isExactCount: false });
      return found?.messages[0]?.details;
    });

    expect(request).toMatchObject({
      request: { method: 'GET', url: 'http://127.0.0.1:46621/things', headers: { authorization: 'REDACTED' } },
      response: { code: 404, headers: { 'content-length': '35', connection: 'keep-alive' } },
    });
  });

  it('is copied to the backups first', async () => {
    const before = await readAll();

    await open();

    const [backup] = await new BackupFolder({ home: home.path, clock: systemClock }).list();
    expect(backup?.reason).toBe('before-update');
    expect(await readAll(join(home.path, 'backups', backup?.name ?? ''))).toEqual(before);
  });

  it('stays as it is when the change ends in the middle', async () => {
    const before = [await readAll(), await schemaOf(file), await stepsOf(file)];
    const [step, ...later] = MIGRATIONS;
    if (!step?.replaces) throw new Error('The first migration replaces the former steps.');
    const statements = [...step.replaces.statements, 'NOT SQL'];

    await expect(open([{ ...step, replaces: { ...step.replaces, statements } }, ...later])).rejects.toThrow('syntax');

    expect([await readAll(), await schemaOf(file), await stepsOf(file)]).toEqual(before);
    await open();
  });
});

describe('a data folder that lacks some of the former steps', () => {
  it('is refused with what to do, and stays as it is', async () => {
    await change("DELETE FROM migrations WHERE id > '0050'");
    const before = await readFile(file);

    await expect(open()).rejects.toMatchObject({
      name: 'UnusableSchemaError',
      age: 'older',
      message: expect.stringMatching(
        /older Homeport \(schema 0049-connection-uses\).* Start it once with the version before this one/,
      ),
    });

    expect(await readFile(file)).toEqual(before);
    expect(await new BackupFolder({ home: home.path, clock: systemClock }).list()).toEqual([]);
  });

  it('is refused when one in the middle is missing', async () => {
    await change("DELETE FROM migrations WHERE id = '0031-notifications'");

    await expect(open()).rejects.toMatchObject({ age: 'older' });
  });

  it('is refused as newer when it has a breaking step that is not known', async () => {
    await change("INSERT INTO migrations VALUES ('0099-later', 'h', 1, 0)");

    await expect(open()).rejects.toMatchObject({ age: 'newer', message: expect.stringContaining('0099-later') });
  });
});
