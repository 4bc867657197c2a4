import { join } from 'node:path';
import { promisify } from 'node:util';
import sqlite3 from 'sqlite3';
import { BENCH_BATCH, benchRecord } from '../bench-record.ts';

/** The sqlite3 package alone: row-by-row prepared upserts, unsealed, in transactions of the same size. */
const [folder = '', count = '0'] = process.argv.slice(2);
const total = Number(count);
const database = new sqlite3.Database(join(folder, `raw-${process.pid}.db`));
const exec = promisify(database.exec.bind(database));

await exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE records (id TEXT PRIMARY KEY, json TEXT NOT NULL)',
);
const statement = database.prepare(
  'INSERT INTO records (id, json) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json',
);

const startedAt = performance.now();
for (let offset = 0; offset < total; offset += BENCH_BATCH) {
  await exec('BEGIN');
  await upsertBatch(offset, Math.min(total, offset + BENCH_BATCH));
  await exec('COMMIT');
}
const seconds = (performance.now() - startedAt) / 1000;
statement.finalize();
database.close();
process.stdout.write(`result ${total / seconds}\n`);

function upsertBatch(from: number, to: number): Promise<void> {
  return new Promise((resolve, reject) => {
    for (let i = from; i < to; i++) {
      const record = benchRecord(i);
      const isLast = i === to - 1;
      statement.run([record.id, JSON.stringify(record)], (error: Error | null) => {
        if (error) reject(error);
        else if (isLast) resolve();
      });
    }
  });
}
