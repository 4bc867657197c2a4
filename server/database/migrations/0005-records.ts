import type { Migration } from './migration.ts';

/**
 * The record cache. Rows are small and stored in the order of their external ids. Payloads are in a separate table, so
 * that marking an unchanged record as seen does not rewrite it. All times are microseconds since the epoch.
 */
export const records: Migration = {
  id: '0005-records',
  breaking: false,
  statements: [
    `CREATE TABLE record_streams (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      connection_row_id INTEGER NOT NULL,
      model TEXT NOT NULL,
      variant TEXT NOT NULL,
      live_count INTEGER NOT NULL DEFAULT 0,
      pruned_until INTEGER NOT NULL DEFAULT 0,
      retired INTEGER NOT NULL DEFAULT 0
    )`,
    `CREATE UNIQUE INDEX record_streams_current ON record_streams (connection_row_id, model, variant) WHERE retired = 0`,
    `CREATE INDEX record_streams_retired ON record_streams (id) WHERE retired = 1`,
    `CREATE TABLE records (
      stream_id INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      hash TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      deleted_at INTEGER,
      pruned_at INTEGER,
      seen_job_id INTEGER NOT NULL,
      payload_id INTEGER NOT NULL,
      PRIMARY KEY (stream_id, external_id)
    ) WITHOUT ROWID`,
    `CREATE INDEX records_by_change ON records (stream_id, updated_at)`,
    `CREATE TABLE record_payloads (id INTEGER PRIMARY KEY, sealed BLOB NOT NULL)`,
    `CREATE TABLE record_clock (
      only INTEGER PRIMARY KEY CHECK (only = 1),
      last_stamp INTEGER NOT NULL,
      last_payload_id INTEGER NOT NULL
    )`,
    `INSERT INTO record_clock (only, last_stamp, last_payload_id) VALUES (1, 0, 0)`,
  ],
};
