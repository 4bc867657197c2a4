import type { Migration } from './migration.ts';

/** Long texts are found by their beginning. */
const indexedValue = (item: string): string =>
  `iif(${item}.type = 'text', substr(${item}.value, 1, 200), ${item}.value)`;

const IS_SCALAR = "type IN ('text', 'integer', 'real', 'true', 'false')";

/** Rows for one live connection, or for all of a table that `from` adds. */
const insertOf = (row: string, from = ''): string =>
  `INSERT INTO connection_values (integration_id, source, key, value, connection_row_id)
   SELECT ${row}.integration_id, 'config', field.key, ${indexedValue('field')}, ${row}.id
   FROM ${from}json_each(${row}.connection_config) AS field
   WHERE field.${IS_SCALAR} AND ${row}.deleted_at IS NULL
   UNION
   SELECT ${row}.integration_id, 'metadata', field.key, ${indexedValue('field')}, ${row}.id
   FROM ${from}json_each(${row}.metadata) AS field
   WHERE field.${IS_SCALAR} AND ${row}.deleted_at IS NULL
   UNION
   SELECT ${row}.integration_id, 'metadata', field.key, ${indexedValue('item')}, ${row}.id
   FROM ${from}json_each(${row}.metadata) AS field, json_each(iif(field.type = 'array', field.value, '[]')) AS item
   WHERE item.${IS_SCALAR} AND ${row}.deleted_at IS NULL`;

/**
 * Values in configuration and metadata of live connections, so that a webhook finds its connections without reading the
 * others. Triggers update them in the transaction that writes a connection, also when an older program writes it.
 */
export const connectionValues: Migration = {
  id: '0024-connection-values',
  breaking: false,
  statements: [
    `CREATE TABLE connection_values (
      integration_id INTEGER NOT NULL,
      source TEXT NOT NULL,
      key TEXT NOT NULL,
      value ANY NOT NULL,
      connection_row_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      PRIMARY KEY (integration_id, source, key, value, connection_row_id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX connection_values_row ON connection_values (connection_row_id)',
    `CREATE TRIGGER connection_values_insert AFTER INSERT ON connections BEGIN
      ${insertOf('new')};
    END`,
    `CREATE TRIGGER connection_values_update AFTER UPDATE OF connection_config, metadata, deleted_at ON connections
    WHEN new.connection_config IS NOT old.connection_config OR new.metadata IS NOT old.metadata
      OR new.deleted_at IS NOT old.deleted_at
    BEGIN
      DELETE FROM connection_values WHERE connection_row_id = new.id;
      ${insertOf('new')};
    END`,
    insertOf('c', 'connections AS c, '),
  ],
};
