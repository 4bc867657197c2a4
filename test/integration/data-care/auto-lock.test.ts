import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAutoLock } from '../../../server/data/auto-lock.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';

const MINUTE_MS = 60_000;

let home: TempHome;
let database: Database;
let clock: FakeClock;

beforeEach(async () => {
  home = await createTempHome();
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  clock = new FakeClock();
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

describe('AutoLock', () => {
  it('reports an unexpected failure to lock, tries again and stops cleanly', async () => {
    let attempts = 0;
    const errors: string[] = [];
    const autoLock = createAutoLock({
      database,
      keyCare: {
        lock: async () => {
          attempts += 1;
          throw new Error('the database cannot be read');
        },
      },
      clock,
      logger: { ...silentLogger, error: (_fields, message) => void errors.push(message) },
      events: { emit: () => {} },
    });
    await autoLock.start();
    await autoLock.change(5);

    await clock.advance(10 * MINUTE_MS);
    await autoLock.stop();

    expect(attempts).toBe(2);
    expect(errors).toEqual(Array(2).fill('the vault could not be locked automatically'));
  });
});
