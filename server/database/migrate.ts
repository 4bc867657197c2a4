import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Database, ReadHandle, Transaction } from './database.ts';
import type { Migration } from './migrations/migration.ts';

export interface MigrateOptions {
  database: Database;
  migrations: readonly Migration[];
  clock: Clock;
  logger: Logger;
  /** Called before the first of several pending migrations of a database that has data; an error stops the start. */
  backUp?(isBreaking: boolean): Promise<void>;
}

/** The database was written by a newer Homeport, with a schema that this program cannot use. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError';
}

const BOOKKEEPING = `CREATE TABLE IF NOT EXISTS migrations (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at INTEGER NOT NULL
) STRICT`;

export function migrationHash(migration: Migration): string {
  return createHash('sha256').update(migration.statements.join(';\n')).digest('hex');
}

interface AppliedRow {
  id: string;
  breaking: number;
}

/**
 * Brings the schema up to date: each migration in one transaction, recorded before its statements run. A new database gets
 * all of them in one transaction, in a quarter of the time: there are no data that the earlier ones could keep.
 */
export async function migrate(options: MigrateOptions): Promise<void> {
  const { database, migrations } = options;
  await database.maintenance(BOOKKEEPING);
  const applied = await database.reader.all<AppliedRow>('SELECT id, breaking FROM migrations ORDER BY id');
  refuseNewerSchema(applied, migrations, options.logger);

  const done = new Set(applied.map((row) => row.id));
  const missing = migrations.filter((migration) => !done.has(migration.id));
  if (applied.length > 0 && missing.length > 0) {
    await options.backUp?.(missing.some((migration) => migration.breaking));
  }
  const steps = applied.length === 0 ? [missing] : missing.map((migration) => [migration]);
  for (const step of steps) await database.transaction((tx) => apply(tx, step, options.clock));
}

function refuseNewerSchema(applied: AppliedRow[], migrations: readonly Migration[], logger: Logger): void {
  const known = new Set(migrations.map((migration) => migration.id));
  const unknown = applied.filter((row) => !known.has(row.id));
  const breaking = unknown.find((row) => row.breaking === 1);
  if (breaking) {
    throw new NewerSchemaError(
      `The data folder was used by a newer Homeport (schema ${breaking.id}). Install that version or a later one, or restore a backup.`,
    );
  }
  if (unknown.length > 0)
    logger.warn({ schema: unknown.map((row) => row.id) }, 'the data folder was used by a newer Homeport');
}

/** Whether a file has tables of Homeport, and the first migration in it that this program cannot work with. */
export async function findNewerSchema(
  db: ReadHandle,
  migrations: readonly Migration[],
): Promise<{ isHomeport: boolean; newer: string | undefined }> {
  const isHomeport = (await db.get("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'")) !== undefined;
  if (!isHomeport) return { isHomeport, newer: undefined };
  const applied = await db.all<AppliedRow>('SELECT id, breaking FROM migrations ORDER BY id');
  const known = new Set(migrations.map((migration) => migration.id));
  return { isHomeport, newer: applied.find((row) => row.breaking === 1 && !known.has(row.id))?.id };
}

async function apply(tx: Transaction, step: readonly Migration[], clock: Clock): Promise<void> {
  const rows = step.map((migration) => [migration.id, migrationHash(migration), migration.breaking ? 1 : 0]);
  await tx.run(
    `INSERT INTO migrations (id, hash, breaking, applied_at)
     SELECT value ->> 0, value ->> 1, value ->> 2, ? FROM json_each(?)`,
    [clock.now(), JSON.stringify(rows)],
  );
  await tx.exec(step.flatMap(({ statements }) => statements).join(';\n'));
}
