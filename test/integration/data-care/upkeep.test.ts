import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDataCareService, type DataCareService } from '../../../server/data/data-care.service.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';
import { waitFor } from '../../support/wait-for.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let home: TempHome;
let database: Database;
let clock: FakeClock;
let backups: BackupFolder;
let isIdle: boolean;
let changes: number;
let care: DataCareService;

beforeEach(async () => {
  home = await createTempHome();
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  clock = new FakeClock();
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  backups = new BackupFolder({ home: home.path, clock });
  isIdle = true;
  changes = 0;
  care = createCare();
});
afterEach(async () => {
  await care.stop();
  await database.close();
  await home.remove();
});

function createCare(): DataCareService {
  return createDataCareService({
    seenTime: trueTime,
    database,
    environments: { list: () => [] },
    backups,
    home: home.path,
    clock,
    logger: silentLogger,
    isUnchecked: false,
    problem: undefined,
    isIdle: () => isIdle,
    events: { emit: () => (changes += 1) },
  });
}

/** Moves the time and waits for the work that became due: the next is due a quarter of an hour later. */
async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await waitFor(async () => clock.pendingTimers > 0, { what: 'the end of the upkeep' });
}
const count = async (): Promise<number> => (await backups.list()).length;

describe('DataCareService', () => {
  it('makes the first backup ten minutes after a start and one every day, despite restarts in between', async () => {
    care.start();
    await pass(9 * MINUTE_MS);
    expect(await count()).toBe(0);

    await pass(MINUTE_MS);
    expect(await count()).toBe(1);
    for (let hour = 0; hour < 23; hour += 1) await pass(HOUR_MS);
    expect(await count()).toBe(1);
    for (let quarter = 0; quarter < 6; quarter += 1) await pass(15 * MINUTE_MS);

    expect((await backups.list()).map(({ reason }) => reason)).toEqual(['daily', 'daily']);
  });

  it('makes the backup of a day although a clock that was ahead made one of the day after', async () => {
    clock.step(2 * 24 * HOUR_MS);
    await backups.write('daily');
    clock.step(-2 * 24 * HOUR_MS);
    care.start();

    await pass(10 * MINUTE_MS);
    expect(await count()).toBe(2);

    await pass(15 * MINUTE_MS);
    expect(await count()).toBe(2);
  });

  it('waits for an idle moment, at most a quarter of a day', async () => {
    care.start();
    await pass(10 * MINUTE_MS);
    isIdle = false;
    for (let hour = 0; hour < 29; hour += 1) await pass(HOUR_MS);
    expect(await count()).toBe(1);

    for (let hour = 0; hour < 2; hour += 1) await pass(HOUR_MS);

    expect(await count()).toBe(2);
  });

  it('reports when the daily backup fails, and withdraws the report once one was made', async () => {
    const failing = new BackupFolder({ home: join(home.path, 'missing'), clock });
    const write = backups.write.bind(backups);
    backups.write = failing.write.bind(failing);
    care.start();
    await pass(10 * MINUTE_MS);
    expect(care.problem).toContain('The daily backup failed: ');

    backups.write = write;
    await pass(15 * MINUTE_MS);

    expect([care.problem, changes, await count()]).toEqual([undefined, 2, 1]);
  });

  it('gives free space back to the disk', async () => {
    await database.transaction(async (tx) => {
      await tx.run('CREATE TABLE heap (id INTEGER PRIMARY KEY, body BLOB)');
      await tx.run(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
         INSERT INTO heap SELECT i, randomblob(4000) FROM n`,
      );
    });
    await database.transaction((tx) => tx.run('DELETE FROM heap'));
    const before = await care.measureDisk();
    expect(before.free).toBeGreaterThan(40_000_000);

    care.start();
    await pass(10 * MINUTE_MS);
    await database.maintenance('PRAGMA wal_checkpoint(TRUNCATE)');

    const after = await care.measureDisk();
    expect(after.free).toBeLessThan(10_000_000);
    expect(after.database).toBeLessThan(before.database / 2);
  });

  it('rewrites a file of an earlier version once, after its backup, so that it can give space back', async () => {
    await database.maintenance('PRAGMA auto_vacuum=NONE; VACUUM');
    const mode = async (): Promise<unknown> => (await database.reader.get('PRAGMA auto_vacuum')) ?? {};
    await database.close();
    database = await Database.open({ file: join(home.path, 'homeport.db') });
    expect(await mode()).toEqual({ auto_vacuum: 0 });
    care = createCare();

    care.start();
    await pass(10 * MINUTE_MS);
    await care.stop();

    expect(await count()).toBe(1);
    await database.close();
    database = await Database.open({ file: join(home.path, 'homeport.db') });
    expect(await mode()).toEqual({ auto_vacuum: 2 });
  });

  it('makes no further backup by itself once the database is known to be damaged', async () => {
    await backups.write('daily');
    await clock.advance(25 * HOUR_MS);
    await database.maintenance('PRAGMA wal_checkpoint(TRUNCATE)');
    const handle = await open(join(home.path, 'homeport.db'), 'r+');
    for (let page = 1; page < 30; page += 1) await handle.write(Buffer.alloc(64, 0xab), 0, 64, page * 4096);
    await handle.close();

    expect(await care.verify(undefined)).not.toEqual([]);
    care.start();
    await pass(10 * MINUTE_MS);

    expect(care.problem).toContain('homeport restore');
    expect(await count()).toBe(1);
  });
});
