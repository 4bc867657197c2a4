import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Handle } from './handle.ts';
import { WriteQueue } from './write-queue.ts';

let folder: string;
let handle: Handle;
/** Statements that fail, each once. */
let failing: string[];
let queue: WriteQueue;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-queue-'));
  handle = await Handle.open(join(folder, 'test.db'), sqlite3.OPEN_READWRITE | sqlite3.OPEN_CREATE);
  await handle.exec('CREATE TABLE things (name TEXT)');
  failing = [];
  const fail = async (sql: string): Promise<void> => {
    const at = failing.findIndex((one) => sql.includes(one));
    const [statement] = at < 0 ? [] : failing.splice(at, 1);
    if (statement === undefined) return;
    await handle.exec(sql.slice(0, sql.indexOf(statement)));
    throw new Error('SQLITE_IOERR: disk I/O error');
  };
  queue = new WriteQueue(
    { exec: (sql) => fail(sql).then(() => handle.exec(sql)), run: (sql) => fail(sql).then(() => handle.run(sql)) },
    (callback) => callback(),
  );
});
afterEach(async () => {
  await queue.idle();
  await handle.close();
  await rm(folder, { recursive: true });
});

async function write(name: string, error?: Error): Promise<void> {
  const queued = queue.add({ isDurable: false, isShared: true });
  await queued.begun.promise;
  await handle.run('INSERT INTO things VALUES (?)', [name]);
  queued.worked.resolve(error && { error });
  await queued.ended.promise;
}

const names = async (): Promise<string[]> =>
  (await handle.all<{ name: string }>('SELECT name FROM things')).map(({ name }) => name);

describe('a transaction that did not end', () => {
  it('because its rollback failed is rolled back before the next one', async () => {
    failing = ['ROLLBACK'];
    await write('failed', new Error('no'));

    await write('next');

    expect(await names()).toEqual(['next']);
  });

  it('because its commit and its rollback failed is rolled back before the next one', async () => {
    failing = ['COMMIT', 'ROLLBACK'];
    await expect(write('failed')).rejects.toThrow('disk I/O error');

    await write('next');

    expect(await names()).toEqual(['next']);
  });

  it('because only a part of its begin was done is rolled back before the next one', async () => {
    failing = ['SAVEPOINT'];
    await expect(write('failed')).rejects.toThrow('disk I/O error');

    await write('next');

    expect(await names()).toEqual(['next']);
  });

  it('is rolled back before work outside of transactions', async () => {
    failing = ['ROLLBACK'];
    await write('failed', new Error('no'));

    await queue.alone(() => handle.exec('VACUUM'));

    expect(await names()).toEqual([]);
  });
});
