import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate, migrationHash } from '../../../server/platform/database/migrate.ts';
import type { Migration } from '../../../server/platform/database/migration.ts';
import { systemClock } from '../../../server/platform/lib/clock.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { normalSql } from '../../support/normal-sql.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const GOLDEN = new URL('../../golden/schema.sql', import.meta.url);
/** `UPDATE_GOLDEN=1` writes the file again; the change is then reviewed as a diff. */
const isUpdate = process.env['UPDATE_GOLDEN'] === '1';

let home: TempHome;
let file: string;
let database: Database;

beforeEach(async () => {
  home = await createTempHome();
  file = join(home.path, 'homeport.db');
  database = await Database.open({ file });
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const apply = (migrations: readonly Migration[]): Promise<void> =>
  migrate({ database, migrations, clock: systemClock, logger: silentLogger });

async function dump(): Promise<string> {
  const rows = await database.reader.all<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name",
  );
  const hashes = MIGRATIONS.map((migration) => `-- ${migration.id} ${migrationHash(migration)}`);
  return `${[...hashes, ...rows.map((row) => `${normalSql(row.sql)};`)].join('\n')}\n`;
}

describe('the schema', () => {
  it('is the golden one, and no released migration changed', async () => {
    await apply(MIGRATIONS);
    const actual = await dump();

    if (isUpdate) await writeFile(GOLDEN, actual);

    expect(actual).toBe(await readFile(GOLDEN, 'utf8'));
  });

  it('is the same whether it grew step by step or at once', async () => {
    for (let count = 1; count <= MIGRATIONS.length; count += 1) await apply(MIGRATIONS.slice(0, count));

    expect(await dump()).toBe(await readFile(GOLDEN, 'utf8'));
  });

  it('stays as it is when a migration fails in the middle', async () => {
    await apply(MIGRATIONS);
    const before = await dump();
    const failing: Migration = {
      id: '9999-failing',
      breaking: false,
      statements: ['CREATE TABLE half (id INTEGER)', 'NOT SQL'],
    };

    await expect(apply([...MIGRATIONS, failing])).rejects.toThrow('syntax error');

    expect(await dump()).toBe(before);
    await apply(MIGRATIONS);
  });

  it('is not begun when a migration of a new database fails', async () => {
    const failing: Migration = { id: '9999-failing', breaking: false, statements: ['NOT SQL'] };

    await expect(apply([...MIGRATIONS, failing])).rejects.toThrow('syntax error');

    expect(await database.reader.all("SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")).toEqual([
      { name: 'migrations' },
    ]);
    expect(await database.reader.all('SELECT id FROM migrations')).toEqual([]);
    await apply(MIGRATIONS);
    expect(await dump()).toBe(await readFile(GOLDEN, 'utf8'));
  });

  it('asks for a backup once, before the first of several pending migrations, and not for an empty database', async () => {
    const asked: Array<{ isBreaking: boolean; hasLater: boolean }> = [];
    const backUp = async (isBreaking: boolean): Promise<void> => {
      const later = await database.reader.get("SELECT 1 FROM sqlite_schema WHERE name = 'later'");
      asked.push({ isBreaking, hasLater: later !== undefined });
    };
    const applyWithBackup = (migrations: readonly Migration[]): Promise<void> =>
      migrate({ database, migrations, clock: systemClock, logger: silentLogger, backUp });
    const later: Migration = { id: '9998-later', breaking: false, statements: ['CREATE TABLE later (id INTEGER)'] };
    const breaking: Migration = { id: '9999-breaking', breaking: true, statements: ['CREATE TABLE b (id INTEGER)'] };

    await applyWithBackup(MIGRATIONS);
    await applyWithBackup(MIGRATIONS);
    await applyWithBackup([...MIGRATIONS, later, breaking]);

    expect(asked).toEqual([{ isBreaking: true, hasLater: false }]);
  });

  it('stays as it is when the backup before a breaking migration fails', async () => {
    await apply(MIGRATIONS);
    const breaking: Migration = { id: '9999-breaking', breaking: true, statements: ['CREATE TABLE b (id INTEGER)'] };
    const backUp = (): Promise<void> => Promise.reject(new Error('no space'));

    const migrating = migrate({
      database,
      migrations: [...MIGRATIONS, breaking],
      clock: systemClock,
      logger: silentLogger,
      backUp,
    });

    await expect(migrating).rejects.toThrow('no space');
    expect(await dump()).toBe(await readFile(GOLDEN, 'utf8'));
  });

  it('is refused when a newer breaking migration was applied, and taken when it was compatible', async () => {
    const compatible: Migration = {
      id: '9998-compatible',
      breaking: false,
      statements: ['CREATE TABLE a (id INTEGER)'],
    };
    const breaking: Migration = { id: '9999-breaking', breaking: true, statements: ['CREATE TABLE b (id INTEGER)'] };
    await apply([...MIGRATIONS, compatible]);
    await apply(MIGRATIONS);
    await apply([...MIGRATIONS, compatible, breaking]);

    await expect(apply(MIGRATIONS)).rejects.toMatchObject({ name: 'UnusableSchemaError', age: 'newer' });
  });
});
