import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import express from 'express';
import sqlite3 from 'sqlite3';
import { benchRecord } from '../bench-record.ts';

/** An Express route over sqlite3: reads 100 sealed rows, opens each (AES-256-GCM), returns them as JSON. */
const [folder = '', count = '0'] = process.argv.slice(2);
const key = randomBytes(32);
const database = new sqlite3.Database(join(folder, 'sealed.db'));
const all = promisify(database.all.bind(database)) as (
  sql: string,
  params: unknown[],
) => Promise<Array<{ id: number; sealed: Buffer }>>;
const exec = promisify(database.exec.bind(database));

await exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE records (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL)',
);
await fill(Number(count));

const app = express();
app.disable('x-powered-by');
app.get('/records', async (request, response) => {
  const rows = await all('SELECT id, sealed FROM records WHERE id > ? ORDER BY id LIMIT 100', [
    Number(request.query['after'] ?? 0),
  ]);
  response.json({
    records: rows.map((row) => JSON.parse(open(row.sealed))),
    next_cursor: String(rows.at(-1)?.id ?? ''),
  });
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on ${(server.address() as AddressInfo).port}\n`);
});

async function fill(rows: number): Promise<void> {
  await exec('BEGIN');
  const insert = database.prepare('INSERT INTO records (id, sealed) VALUES (?, ?)');
  for (let i = 0; i < rows; i++) insert.run([i + 1, seal(JSON.stringify(benchRecord(i)))]);
  await promisify(insert.finalize.bind(insert))();
  await exec('COMMIT');
}

function seal(text: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

function open(bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
}
