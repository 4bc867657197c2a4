import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { Database } from '../../../server/platform/database/database.ts';
import {
  BackupDiskFullError,
  copyDatabase,
  DamagedDatabaseError,
  findDamage,
} from '../../../server/platform/database/database-file.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { importPracticeConnection } from '../../support/import-practice-connection.ts';
import { SERVER_ENTRY, serverEnvironment, startServer } from '../../support/start-server.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const PAGE = 4096;

let home: TempHome;
let file: string;
beforeEach(async () => {
  home = await createTempHome();
  file = join(home.path, 'homeport.db');
});
afterEach(() => home.remove());

async function fill(rows: number): Promise<Database> {
  const database = await Database.open({ file });
  await database.transaction(async (tx) => {
    await tx.run('CREATE TABLE pairs (id INTEGER PRIMARY KEY, a INTEGER NOT NULL, b INTEGER NOT NULL, rest BLOB)');
    await tx.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO pairs SELECT i, 0, 0, randomblob(500) FROM n`,
      [rows],
    );
  });
  return database;
}

/** Overwrites whole pages, except the first one, which makes the file a database. */
async function damage(path: string): Promise<void> {
  const handle = await open(path, 'r+');
  const { size } = await handle.stat();
  for (let at = PAGE; at + PAGE <= size; at += PAGE) await handle.write(Buffer.alloc(64, 0xab), 0, 64, at);
  await handle.close();
}

describe('copyDatabase', () => {
  it('copies one committed state while another handle writes, and holds no writer up', async () => {
    const database = await fill(20_000);
    let isOver = false;
    let writes = 0;
    const writing = (async () => {
      while (!isOver) {
        writes += 1;
        // Both or none: a copy of half a transaction would be visible.
        await database.transaction(async (tx) => {
          await tx.run('UPDATE pairs SET a = ?', [writes]);
          await tx.run('UPDATE pairs SET b = ?', [writes]);
        });
      }
    })();

    await copyDatabase(file, join(home.path, 'copy.db'));
    isOver = true;
    await writing;
    await database.close();

    expect(await findDamage(join(home.path, 'copy.db'), 'full')).toEqual([]);
    const copy = await Database.open({ file: join(home.path, 'copy.db') });
    expect(
      await copy.reader.get('SELECT count(*) AS n, sum(a <> b) AS torn, min(a) = max(a) AS same FROM pairs'),
    ).toEqual({ n: 20_000, torn: 0, same: 1 });
    expect(await copy.reader.get('PRAGMA auto_vacuum')).toEqual({ auto_vacuum: 2 });
    await copy.close();
    expect((await stat(join(home.path, 'copy.db'))).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing when the source is damaged', async () => {
    await (await fill(2_000)).close();
    await damage(file);

    await expect(copyDatabase(file, join(home.path, 'copy.db'))).rejects.toThrow(DamagedDatabaseError);

    expect((await readdir(home.path)).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

describe('BackupFolder', () => {
  it('keeps the newest seven of a reason, tidies up after a killed copy and leaves other files alone', async () => {
    await (await fill(10)).close();
    const clock = new FakeClock();
    const backups = new BackupFolder({ home: home.path, clock });
    const first = await backups.write('before-update');
    await writeFile(join(backups.path, 'mine.db'), 'kept');
    await writeFile(join(backups.path, 'homeport-20260101T000000000Z-daily.db.part'), 'half');
    for (let day = 0; day < 9; day += 1) {
      await clock.advance(86_400_000);
      await backups.write('daily');
    }

    const list = await backups.list();

    expect(list.map(({ reason }) => reason)).toEqual([...Array(7).fill('daily'), 'before-update']);
    expect(list.at(-1)).toEqual(first);
    expect(list[0]?.createdAt).toBe(clock.now());
    expect(list[0]?.sizeBytes).toBeGreaterThan(0);
    expect((await readdir(backups.path)).filter((name) => !list.some((one) => one.name === name))).toEqual(['mine.db']);
    expect(await backups.find(first.name)).toBe(join(backups.path, first.name));
    for (const name of ['mine.db', '../homeport.db', 'homeport-20260101T000000000Z-daily.db'])
      expect(await backups.find(name)).toBeUndefined();
    expect((await stat(backups.path)).mode & 0o777).toBe(0o700);
  });

  it('replaces none of the same moment, and keeps a new one when the clock was ahead before', async () => {
    await (await fill(1)).close();
    const clock = new FakeClock('2027-06-01T12:00:00.000Z');
    const backups = new BackupFolder({ home: home.path, clock });
    const first = await backups.write('manual');
    const second = await backups.write('manual');
    expect((await backups.list()).map(({ name }) => name)).toEqual([second.name, first.name]);

    for (let made = 2; made < 7; made += 1) await backups.write('manual');
    clock.step(-86_400_000);
    const right = await backups.write('manual');

    const names = (await backups.list()).map(({ name }) => name);
    expect(names).toHaveLength(7);
    expect(names).toContain(right.name);
  });

  it('writes nothing and removes nothing when the disk has too little space', async () => {
    await (await fill(10)).close();
    const backups = new BackupFolder({ home: home.path, clock: new FakeClock() });
    await backups.write('daily');
    // Larger than any disk of this computer, without using any space.
    await truncate(file, 2 ** 43);

    await expect(backups.write('daily')).rejects.toThrow(BackupDiskFullError);

    expect(await backups.list()).toHaveLength(1);
  });
});

describe('a start after an unclean end', () => {
  async function start(env: Record<string, string>): Promise<{ status: number | null; errors: string }> {
    const child = spawn(process.execPath, [SERVER_ENTRY], {
      env: serverEnvironment(home.path, env),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (chunk) => (errors += chunk));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, errors };
  }

  it('refuses a damaged database with its own exit status, names the way back and changes nothing', {
    tags: ['slow'],
  }, async () => {
    const env = { HOMEPORT_MASTER_KEY: Buffer.alloc(32, 3).toString('base64') };
    const server = await startServer({ home: home.path, env });
    await importPracticeConnection(server);
    await server.end();
    const backup = await new BackupFolder({ home: home.path, clock: { now: () => 0 } }).write('daily');
    await server.restart();
    await server.kill();
    await damage(file);
    const before = await Promise.all([file, `${file}-wal`].map((path) => readFile(path)));
    expect(before[1]?.length).toBeGreaterThan(0);

    const { status, errors } = await start(env);

    expect(status).toBe(65);
    expect(errors).toContain(`${file} is damaged:`);
    expect(errors).toContain(`homeport restore ${join(home.path, 'backups', backup.name)}`);
    expect(errors).not.toContain('    at ');
    expect(await Promise.all([file, `${file}-wal`].map((path) => readFile(path)))).toEqual(before);
  });

  it('starts on sound data, and says nothing', async () => {
    const server = await startServer({ home: home.path });
    await importPracticeConnection(server);
    await server.kill();

    await server.restart();

    expect(server.errorOutput()).not.toContain('damaged');
    await server.stop();
  });

  it('says the same of a file that is not a database', async () => {
    await writeFile(file, 'not a database, but a note of some length\n'.repeat(300));

    const { status, errors } = await start({});

    expect(status).toBe(65);
    expect(errors).toContain('There is no backup.');
    expect((await readFile(file, 'utf8')).startsWith('not a database')).toBe(true);
  });
});
