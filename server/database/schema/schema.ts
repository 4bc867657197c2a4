import { connectionTables } from './connection-tables.ts';
import { dashboardTables } from './dashboard-tables.ts';
import { environmentTables } from './environment-tables.ts';
import { functionTables } from './function-tables.ts';
import { integrationTables } from './integration-tables.ts';
import { jobTables } from './job-tables.ts';
import { logTables } from './log-tables.ts';
import { mcpTables } from './mcp-tables.ts';
import { syncTables } from './sync-tables.ts';
import { webhookInTables } from './webhook-in-tables.ts';
import { webhookOutTables } from './webhook-out-tables.ts';

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
  ...webhookInTables,
  ...webhookOutTables,
  ...logTables,
  ...mcpTables,
  ...dashboardTables,
  ...late,
];
