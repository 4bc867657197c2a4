import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import sqlite3 from 'sqlite3';
import type { Readable, SqlParams } from './database.ts';

/**
 * Reads from a database file and leaves the folder as it was: nothing is made, migrated or checkpointed. The caller
 * holds the folder's lock. Resolves to undefined when the file does not exist.
 */
export async function readWithoutTrace<T>(file: string, read: (db: Readable) => Promise<T>): Promise<T | undefined> {
  if ((await sizeOf(file)) === undefined) return undefined;
  // Only an immutable file is read without its helper files; after an unclean stop the newest rows stand in the WAL.
  const option = (await sizeOf(`${file}-wal`)) ? 'mode=ro' : 'immutable=1';
  const db = await open(`${pathToFileURL(file).href}?${option}`);
  const all = <Row>(sql: string, params: SqlParams = []): Promise<Row[]> =>
    new Promise((resolve, reject) =>
      db.all<Row>(sql, params, (error, rows) => (error ? reject(error) : resolve(rows))),
    );
  try {
    return await read({ all, get: async <Row>(sql: string, params?: SqlParams) => (await all<Row>(sql, params))[0] });
  } finally {
    await new Promise<void>((resolve, reject) => db.close((error) => (error ? reject(error) : resolve())));
  }
}

function open(uri: string): Promise<sqlite3.Database> {
  return new Promise((resolve, reject) => {
    const db = new sqlite3.Database(uri, sqlite3.OPEN_READONLY | sqlite3.OPEN_URI, (error) =>
      error ? reject(error) : resolve(db),
    );
  });
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
