import type { Migration } from './migration.ts';

/**
 * Earlier versions of records, for the models whose history is kept. A version names a payload and does not copy it;
 * every payload belongs to one version at most. Stamps and `history_since` in microseconds since the epoch.
 */
export const recordHistory: Migration = {
  id: '0017-record-history',
  breaking: false,
  statements: [
    `CREATE TABLE record_histories (
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      model TEXT NOT NULL,
      most_versions INTEGER NOT NULL CHECK (most_versions > 0),
      most_days INTEGER NOT NULL CHECK (most_days > 0),
      PRIMARY KEY (integration_id, model)
    ) STRICT, WITHOUT ROWID`,
    'ALTER TABLE record_streams ADD COLUMN history_since INTEGER NOT NULL DEFAULT 0',
    'CREATE INDEX record_streams_history ON record_streams (history_since) WHERE history_since <> 0',
    `CREATE TABLE record_versions (
      stream_id INTEGER NOT NULL,
      external_id TEXT NOT NULL,
      stamp INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      is_deleted INTEGER NOT NULL,
      payload_id INTEGER NOT NULL,
      job_id INTEGER,
      operation_id TEXT,
      is_cut INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (stream_id, external_id, stamp)
    ) STRICT, WITHOUT ROWID`,
  ],
};
