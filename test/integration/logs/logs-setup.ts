import { createSecretKey, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Database } from '../../../server/database/database.ts';
import { environments } from '../../../server/database/migrations/0001-environments.ts';
import { logs as migration } from '../../../server/database/migrations/0006-logs.ts';
import { dataCare } from '../../../server/database/migrations/0020-data-care.ts';
import { logTriggers } from '../../../server/database/migrations/0033-log-triggers.ts';
import { operationCounts } from '../../../server/database/migrations/0040-operation-counts.ts';
import { proxyCounts } from '../../../server/database/migrations/0042-proxy-counts.ts';
import { runCounts } from '../../../server/database/migrations/0044-run-counts.ts';
import { activityCounts } from '../../../server/database/migrations/0045-activity-counts.ts';
import { trafficRecordings } from '../../../server/database/migrations/0048-traffic-recordings.ts';
import type { Clock } from '../../../server/lib/clock.ts';
import { EventHub } from '../../../server/lib/event-hub.ts';
import { randomIds } from '../../../server/lib/ids.ts';
import { silentLogger } from '../../../server/lib/logger.ts';
import { type LogEvents, LogsService, type LogsServiceOptions } from '../../../server/services/logs/logs-service.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { createTempHome } from '../../support/temp-home.ts';

export interface LogsSetup<C extends Clock = FakeClock> {
  logs: LogsService;
  database: Database;
  clock: C;
  events: EventHub<LogEvents>;
  folder: string;
  /** Another service over the same file, as after a restart. */
  createService(overrides?: Partial<LogsServiceOptions>): LogsService;
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
  overrides: Partial<LogsServiceOptions> & { clock?: C } = {},
): Promise<LogsSetup<C>> {
  const home = await createTempHome();
  const database = await Database.open({ file: join(home.path, 'homeport.db') });
  await database.transaction(async (tx) => {
    const [logSizes = ''] = dataCare.statements;
    const counts = operationCounts.statements.filter((statement) => !statement.startsWith('ALTER TABLE connections'));
    const [, environmentsTable = ''] = environments.statements;
    const statements = [environmentsTable, ...migration.statements, logSizes, ...logTriggers.statements, ...counts];
    statements.push(...proxyCounts.statements, ...runCounts.statements, ...activityCounts.statements);
    statements.push(...trafficRecordings.statements, ...CONNECTION_TABLES);
    for (const statement of statements) await tx.run(statement);
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
  const createService = (more: Partial<LogsServiceOptions> = {}): LogsService =>
    new LogsService({
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
