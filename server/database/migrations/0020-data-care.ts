import type { Migration } from './migration.ts';

/**
 * Size of the logs by slots of ten minutes (`slot` is the start in milliseconds), so that a limit in bytes becomes a
 * time before which all entries are removed. Rows that were deleted earlier are emptied as a deletion empties them now.
 */
export const dataCare: Migration = {
  id: '0020-data-care',
  breaking: false,
  statements: [
    `CREATE TABLE log_sizes (
      environment_id INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO log_sizes (environment_id, slot, bytes)
     SELECT environment_id, created_at / 600000 * 600000, sum(400 + coalesce(octet_length(details), 0))
     FROM log_operations GROUP BY 1, 2`,
    `INSERT INTO log_sizes (environment_id, slot, bytes)
     SELECT o.environment_id, m.created_at / 600000 * 600000,
       sum(400 + octet_length(m.message) + coalesce(octet_length(m.details), 0))
     FROM log_messages m JOIN log_operations o ON o.seq = m.id >> 20 GROUP BY 1, 2
     ON CONFLICT (environment_id, slot) DO UPDATE SET bytes = bytes + excluded.bytes`,
    'CREATE INDEX connections_deleted ON connections (environment_id, deleted_at) WHERE deleted_at IS NOT NULL',
    `UPDATE connections SET credentials = '', credentials_type = NULL, credentials_expire_at = NULL,
       connection_config = '{}', sealed_config = NULL, metadata = NULL, tags = '{}', end_user = NULL,
       webhook_url_override = NULL WHERE deleted_at IS NOT NULL`,
    `DELETE FROM connection_errors
     WHERE connection_row_id IN (SELECT id FROM connections WHERE deleted_at IS NOT NULL)`,
    `UPDATE integrations SET credentials = NULL, custom = NULL, display_name = NULL, forward_webhooks = 0
     WHERE deleted_at IS NOT NULL`,
  ],
};
