import { createSecretKey, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { environmentTables } from '../../../server/environments/environments.tables.ts';
import { logTables, logWordTables } from '../../../server/log/log.tables.ts';
import { createLogsService, type LogEvents, type LogsService } from '../../../server/log/logs.service.ts';
import { Database } from '../../../server/platform/database/database.ts';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import { EventHub } from '../../../server/platform/lib/event-hub.ts';
import { randomIds } from '../../../server/platform/lib/ids.ts';
import { silentLogger } from '../../../server/platform/lib/logger.ts';
import { agentSessions } from '../../../server/schema/0057-agent-sessions.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

export interface LogsSetup<C extends Clock = FakeClock> {
  logs: LogsService;
  database: Database;
  clock: C;
  events: EventHub<LogEvents>;
  folder: string;
  /** Another service over the same file, as after a restart. */
  createService(overrides?: Partial<Parameters<typeof createLogsService>[0]>): LogsService;
  close(): Promise<void>;
}

/** Limits of a new environment: 15 days, any number of bytes. */
export const UNLIMITED = { logRetentionDays: () => 15, maxLogBytes: () => null };

/** As much of the tables of connections as the log reads. */
const CONNECTION_TABLES = [
  'CREATE TABLE integrations (id INTEGER PRIMARY KEY, environment_id, unique_key, deleted_at)',
  'CREATE TABLE connections (integration_id, connection_id, end_user, tags, deleted_at)',
];

/** The environments that tests write to. */
const ENVIRONMENTS = [1, 2];

/** The log over a real database file that contains only its tables. */
export async function setUpLogs<C extends Clock = FakeClock>(
  overrides: Partial<Parameters<typeof createLogsService>[0]> & { clock?: C } = {},
): Promise<LogsSetup<C>> {
  const home = await createTempHome();
  const database = await Database.open({ file: join(home.path, 'homeport.db') });
  await database.transaction(async (tx) => {
    const tables = [
      ...environmentTables,
      ...logTables,
      ...logWordTables,
      ...agentSessions.statements,
      ...CONNECTION_TABLES,
    ];
    for (const statement of tables) await tx.run(statement);
    for (const id of ENVIRONMENTS) {
      await tx.run(
        `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
         VALUES (?, ?, ?, '{}', '', 0, 0)`,
        [id, `uuid-${id}`, `environment-${id}`],
      );
    }
  });
  const clock = overrides.clock ?? (new FakeClock() as Clock as C);
  const events = new EventHub<LogEvents>((error) => {
    throw error;
  });
  const sealingKey = createSecretKey(randomBytes(32));
  const createService = (more: Partial<Parameters<typeof createLogsService>[0]> = {}): LogsService =>
    createLogsService({
      seenTime: trueTime,
      database,
      clock,
      ids: randomIds,
      logger: silentLogger,
      events,
      environments: UNLIMITED,
      sealingKey: () => sealingKey,
      ...overrides,
      ...more,
    });
  const logs = createService();
  const close = async (): Promise<void> => {
    await logs.stop();
    await database.close();
    await home.remove();
  };
  return { logs, database, clock, events, folder: home.path, createService, close };
}
