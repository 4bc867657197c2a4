import type { ReadHandle, SqlValue } from '../platform/database/database.ts';
import { parseJson } from '../platform/lib/parse-json.ts';

/** A live connection that a provider's webhook may concern. */
export interface ConnectionMatchRow {
  id: number;
  connectionId: string;
  metadata: Record<string, unknown> | null;
  webhookUrlOverride: string | null;
}

/** `key` is one flat name, even when it contains a dot. */
export interface ConnectionMatchFilter {
  in: 'connectionId' | 'metadata' | 'config';
  key: string;
  /** Not empty. */
  text: string;
}

type SqlRow = Omit<ConnectionMatchRow, 'metadata'> & { metadata: string | null };

const COLUMNS = 'id, connection_id AS connectionId, metadata, webhook_url_override AS webhookUrlOverride';
const OF_INTEGRATION = `SELECT ${COLUMNS} FROM connections WHERE integration_id = ? AND deleted_at IS NULL`;

/**
 * Selects candidates: connections with a value, or the beginning of a long value, among the wanted ones (migration
 * 0024).
 */
const CANDIDATES = `SELECT ${COLUMNS} FROM connections
  WHERE id IN (SELECT connection_row_id FROM connection_values WHERE integration_id = ? AND source = ? AND key = ?
    AND value IN (SELECT iif(type = 'text', substr(value, 1, 200), value) FROM json_each(?)))`;

/**
 * Finds connections by a value in them (webhooks.md 2.2). The index of values only narrows the search: then the stored
 * JSON text is compared, as `JSON.stringify` wrote it. Sealed parts of a configuration cannot be matched.
 */
export class ConnectionMatchesStore {
  listAll(db: ReadHandle, integrationId: number): Promise<ConnectionMatchRow[]> {
    return this.#read(db, `${OF_INTEGRATION} ORDER BY id`, [integrationId]);
  }

  list(db: ReadHandle, integrationId: number, filter: ConnectionMatchFilter): Promise<ConnectionMatchRow[]> {
    if (filter.in === 'connectionId') {
      return this.#read(db, `${OF_INTEGRATION} AND connection_id = ?`, [integrationId, filter.text]);
    }
    const path = `$.${JSON.stringify(filter.key)}`;
    const spellings = spellingsOf(filter.text);
    const candidates = [integrationId, filter.in, filter.key, `[${spellings.join()}]`];
    const wanted = JSON.stringify(spellings);
    if (filter.in === 'config') {
      return this.#read(
        db,
        `${CANDIDATES} AND connection_config -> ? IN (SELECT value FROM json_each(?)) ORDER BY id`,
        [...candidates, path, wanted],
      );
    }
    return this.#read(
      db,
      `${CANDIDATES} AND (metadata -> ? IN (SELECT value FROM json_each(?))
         OR (json_type(metadata, ?) = 'array' AND EXISTS (
           SELECT 1 FROM json_each(metadata, ?) AS item
           WHERE metadata -> item.fullkey IN (SELECT value FROM json_each(?))))) ORDER BY id`,
      [...candidates, path, wanted, path, path, wanted],
    );
  }

  async #read(db: ReadHandle, sql: string, params: SqlValue[]): Promise<ConnectionMatchRow[]> {
    const rows = await db.all<SqlRow>(sql, params);
    return rows.map((row) => ({
      ...row,
      metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    }));
  }
}

/**
 * The JSON spellings of a stored value that reads as the text: a string, and a number or boolean if the text is one.
 */
function spellingsOf(text: string): string[] {
  const plain = parseJson(text);
  const isPlain = (typeof plain === 'number' || typeof plain === 'boolean') && String(plain) === text;
  return [JSON.stringify(text), ...(isPlain ? [text] : [])];
}
