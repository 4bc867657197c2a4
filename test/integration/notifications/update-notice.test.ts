import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createNotificationCentreService,
  type NotificationCentreEvents,
  type NotificationCentreService,
} from '../../../server/dashboard/notification-centre.service.ts';
import type { NotificationSources } from '../../../server/dashboard/notification-sources.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { EventHub } from '../../../server/platform/lib/event-hub.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome, type TempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

let home: TempHome;
let database: Database;
let clock: FakeClock;
beforeEach(async () => {
  home = await createTempHome();
  clock = new FakeClock();
  database = await Database.open({ file: join(home.path, 'homeport.db') });
  await migrate({ database, migrations: MIGRATIONS, clock, logger: silentLogger });
});
afterEach(async () => {
  await database.close();
  await home.remove();
});

const HUB = 0;

function create(version: string): NotificationCentreService {
  const events = new EventHub<NotificationSources & NotificationCentreEvents>((error) => {
    throw error;
  });
  return createNotificationCentreService({
    seenTime: trueTime,
    database,
    clock,
    logger: silentLogger,
    environments: {
      find: () => undefined,
      workspaceEnvironment: { id: 1 } as never,
      keys: { onRevoked: () => {} } as never,
      list: () => [],
    },
    overview: {
      countFailures: async () => 0,
      listDeliveryGroups: async () => [],
      listDestinationGroups: async () => [],
      listSignInGroups: async () => [],
      listSyncGroups: async () => [],
    },
    logs: { findOperation: async () => undefined },
    feed: events,
    events,
    version,
    freeBytes: async () => 1e12,
  });
}

/** The notification centre as a hub of this version starts it. */
function start(version: string): NotificationCentreService {
  const centre = create(version);
  centre.start();
  return centre;
}

describe('the notification of an update', () => {
  it('is over when the hub starts as that version, and stays while it is another one', async () => {
    const isOver = async (centre: NotificationCentreService) => {
      // Ends the check that is running.
      await centre.stop();
      return (await centre.list(HUB)).notifications.map(({ overAt }) => overAt !== null);
    };
    const first = start('1.0.0');
    await first.notifyUpdate('1.1.0');
    expect(await isOver(first)).toEqual([false]);

    expect(await isOver(start('1.0.0'))).toEqual([false]);
    expect(await isOver(start('1.1.0'))).toEqual([true]);
  });

  // Not started here and below: a first sweep could meet the error that is meant for the end.
  it('can still end after its end could not be stored', async () => {
    const centre = create('1.0.0');
    await centre.notifyUpdate('1.1.0');
    vi.spyOn(database, 'transaction').mockRejectedValueOnce(new Error('The disk is full.'));

    await expect(centre.notifyUpdate(null)).rejects.toThrow('The disk is full.');
    await centre.notifyUpdate(null);
    await centre.stop();

    expect((await centre.list(HUB)).notifications.map(({ overAt }) => overAt !== null)).toEqual([true]);
  });

  it('ends after the open notifications could not be read once', async () => {
    const first = start('1.0.0');
    await first.notifyUpdate('1.1.0');
    await first.stop();
    const centre = create('1.0.0');
    vi.spyOn(database.reader, 'all').mockRejectedValueOnce(new Error('The disk does not answer.'));

    await expect(centre.notifyUpdate(null)).rejects.toThrow('The disk does not answer.');
    await centre.notifyUpdate(null);
    await centre.stop();

    expect((await centre.list(HUB)).notifications.map(({ overAt }) => overAt !== null)).toEqual([true]);
  });
});
