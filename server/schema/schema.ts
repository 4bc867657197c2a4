import { connectionTables } from '../connections/connections.tables.ts';
import { dashboardTables } from '../dashboard/dashboard.tables.ts';
import { environmentTables } from '../environments/environments.tables.ts';
import { functionTables } from '../functions/functions.tables.ts';
import { integrationTables } from '../integrations/integrations.tables.ts';
import { logTables } from '../log/log.tables.ts';
import { mcpTables } from '../mcp/mcp.tables.ts';
import { jobTables } from '../platform/scheduler/jobs.tables.ts';
import { recordTables } from '../records/records.tables.ts';
import { syncTables } from '../syncs/syncs.tables.ts';
import { webhookInTables } from '../webhooks-in/webhooks-in.tables.ts';
import { webhookOutTables } from '../webhooks-out/webhooks-out.tables.ts';

/** Rows that may still be written by work that was in progress when the environment was deleted. */
const LATE = ['action_calls', 'connections', 'locks', 'log_operations', 'log_sizes'] as const;
const late = LATE.map(
  (table) => `CREATE TRIGGER ${table}_of_deleted BEFORE INSERT ON ${table}
    WHEN EXISTS (SELECT 1 FROM deleted_environments WHERE id = new.environment_id)
    BEGIN
      SELECT RAISE(IGNORE);
    END`,
);

/** Every table, with its indexes and triggers, as a new data folder gets them. */
export const SCHEMA: readonly string[] = [
  ...environmentTables,
  ...integrationTables,
  ...connectionTables,
  ...functionTables,
  ...jobTables,
  ...syncTables,
  ...recordTables,
  ...webhookInTables,
  ...webhookOutTables,
  ...logTables,
  ...mcpTables,
  ...dashboardTables,
  ...late,
];
