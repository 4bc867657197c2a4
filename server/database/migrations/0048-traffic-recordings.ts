import type { Migration } from './migration.ts';

/** Default limit of a new hub (ui.md 6.16). */
const MAX_BYTES = 200_000_000;

/**
 * Bodies of requests to providers and of their responses, sealed (ui.md 6.11). Triggers update the sum of their bytes,
 * whatever removes rows: the removal of an operation, the size limit, or a person.
 */
export const trafficRecordings: Migration = {
  id: '0048-traffic-recordings',
  breaking: false,
  statements: [
    `CREATE TABLE traffic_recordings (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      operation_seq INTEGER NOT NULL REFERENCES log_operations (seq) ON DELETE CASCADE,
      size_bytes INTEGER NOT NULL,
      facts TEXT NOT NULL,
      request BLOB,
      answer BLOB
    ) STRICT`,
    'CREATE INDEX traffic_recordings_of_operation ON traffic_recordings (operation_seq)',
    `CREATE TABLE traffic_recording_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      is_on INTEGER NOT NULL,
      most_bytes INTEGER NOT NULL,
      used_bytes INTEGER NOT NULL
    ) STRICT`,
    `INSERT INTO traffic_recording_state (id, is_on, most_bytes, used_bytes) VALUES (1, 0, ${MAX_BYTES}, 0)`,
    `CREATE TRIGGER traffic_recordings_insert AFTER INSERT ON traffic_recordings BEGIN
      UPDATE traffic_recording_state SET used_bytes = used_bytes + NEW.size_bytes;
    END`,
    `CREATE TRIGGER traffic_recordings_delete AFTER DELETE ON traffic_recordings BEGIN
      UPDATE traffic_recording_state SET used_bytes = used_bytes - OLD.size_bytes;
    END`,
  ],
};
