import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts';
import { MIGRATIONS } from '../../schema/migration-list.ts';
import { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { silentLogger } from '../lib/logger.ts';
import { BELIEVED_AFTER_MS, MAX_STEP_MS, SeenTime } from './seen-time.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

let home: TempHome;
let database: Database;
let clock: FakeClock;
let seenTime: SeenTime;

beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
  seenTime = await begin();
});
afterEach(async () => {
  await seenTime.stop();
  await database.close();
  await home.remove();
});

async function begin(): Promise<SeenTime> {
  const begun = new SeenTime({ database, clock, logger: silentLogger });
  await begun.start();
  return begun;
}

describe('seen time', () => {
  it('is believed while it passes, and after a sleep of some days', async () => {
    await clock.advance(40 * HOUR_MS);
    expect(seenTime.isDoubtful()).toBe(false);

    await clock.skip(MAX_STEP_MS);
    expect(seenTime.isDoubtful()).toBe(false);
  });

  it('is in doubt at once after a step of a year, until half a day has passed awake', async () => {
    await clock.skip(YEAR_MS);
    expect(seenTime.isDoubtful()).toBe(true);

    await clock.advance(BELIEVED_AFTER_MS - HOUR_MS);
    expect(seenTime.isDoubtful()).toBe(true);

    // Sleep proves nothing.
    await clock.skip(2 * HOUR_MS);
    expect(seenTime.isDoubtful()).toBe(true);

    await clock.advance(2 * HOUR_MS);
    expect(seenTime.isDoubtful()).toBe(false);
  });

  it('is believed when the clock comes back, and in doubt again at the next step', async () => {
    await clock.skip(YEAR_MS);
    await clock.skip(-YEAR_MS);
    expect(seenTime.isDoubtful()).toBe(false);

    await clock.skip(YEAR_MS);
    expect(seenTime.isDoubtful()).toBe(true);
  });

  it('follows a clock that goes back behind the last time', async () => {
    await clock.advance(HOUR_MS);
    await clock.skip(-YEAR_MS);
    expect(seenTime.isDoubtful()).toBe(false);

    await clock.skip(YEAR_MS);
    expect(seenTime.isDoubtful()).toBe(true);
  });

  it('remembers the last time and the doubt over a restart', async () => {
    await seenTime.stop();
    await clock.skip(YEAR_MS);
    seenTime = await begin();
    expect(seenTime.isDoubtful()).toBe(true);

    await clock.advance(BELIEVED_AFTER_MS / 2);
    await seenTime.stop();
    seenTime = await begin();
    expect(seenTime.isDoubtful()).toBe(true);

    await clock.advance(BELIEVED_AFTER_MS / 2 + HOUR_MS);
    expect(seenTime.isDoubtful()).toBe(false);
  });
});
