import type { Migration } from './migration.ts';

const insertOf = (slotMs: number, keptMs: number): string =>
  `INSERT INTO proxy_counts (environment_id, slot_ms, slot, integration_key, status_class, calls)
   SELECT environment_id, ${slotMs}, created_at / ${slotMs} * ${slotMs}, integration_key,
     ifnull(CAST(details ->> '$.meta.status' AS INTEGER) / 100, 0), count(*)
   FROM log_operations
   WHERE type = 'proxy' AND integration_key IS NOT NULL AND state IN ('success', 'failed', 'timeout')
     AND environment_id IN (SELECT id FROM environments)
     AND created_at >= (SELECT max(created_at) FROM log_operations) - ${keptMs}
   GROUP BY 1, 2, 3, 4, 5`;

/**
 * Proxied requests by integration and by class of the response's status (0: no response), for the charts of the overview
 * (ui.md 6.2): each minute of the last hours, and each quarter of an hour of the last 90 days. A quarter divides the
 * day of every time zone.
 */
export const proxyCounts: Migration = {
  id: '0042-proxy-counts',
  breaking: false,
  statements: [
    `CREATE TABLE proxy_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      status_class INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot, integration_key, status_class)
    ) STRICT, WITHOUT ROWID`,
    insertOf(60_000, 10_800_000),
    insertOf(900_000, 7_862_400_000),
  ],
};
