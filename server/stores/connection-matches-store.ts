import type { Readable, SqlValue } from '../database/database.ts';
import { parseJson } from '../lib/parse-json.ts';

/** A live connection that a provider's webhook may concern. */
export interface ConnectionMatchRow {
  id: number;
  connectionId: string;
  metadata: Record<string, unknown> | null;
  webhookUrlOverride: string | null;
}

/** The `key` is one flat name, even with a dot. */
export interface ConnectionMatchFilter {
  in: 'connectionId' | 'metadata' | 'config';
  key: string;
  /** Not empty. */
  text: string;
}

type SqlRow = Omit<ConnectionMatchRow, 'metadata'> & { metadata: string | null };

const SELECT = `SELECT id, connection_id AS connectionId, metadata, webhook_url_override AS webhookUrlOverride
  FROM connections WHERE integration_id = ? AND deleted_at IS NULL`;

/**
 * Finds connections by a value in them (webhooks.md 2.2). Stored texts are what `JSON.stringify` wrote, so a value is
 * compared in its JSON spelling, and rows without that spelling anywhere are passed over before any JSON is read.
 * Sealed parts of a configuration cannot be matched.
 */
export class ConnectionMatchesStore {
  listAll(db: Readable, integrationId: number): Promise<ConnectionMatchRow[]> {
    return this.#read(db, `${SELECT} ORDER BY id`, [integrationId]);
  }

  list(db: Readable, integrationId: number, filter: ConnectionMatchFilter): Promise<ConnectionMatchRow[]> {
    if (filter.in === 'connectionId') {
      return this.#read(db, `${SELECT} AND connection_id = ?`, [integrationId, filter.text]);
    }
    const path = `$.${JSON.stringify(filter.key)}`;
    const quoted = JSON.stringify(filter.text);
    const spellings = JSON.stringify(spellingsOf(filter.text));
    const part = quoted.slice(1, -1);
    if (filter.in === 'config') {
      return this.#read(
        db,
        `${SELECT} AND instr(connection_config, ?) > 0
           AND connection_config -> ? IN (SELECT value FROM json_each(?)) ORDER BY id`,
        [integrationId, part, path, spellings],
      );
    }
    return this.#read(
      db,
      `${SELECT} AND instr(metadata, ?) > 0
         AND (metadata -> ? IN (SELECT value FROM json_each(?))
           OR (json_type(metadata, ?) = 'array' AND EXISTS (
             SELECT 1 FROM json_each(metadata, ?) AS item
             WHERE metadata -> item.fullkey IN (SELECT value FROM json_each(?))))) ORDER BY id`,
      [integrationId, part, path, spellings, path, path, spellings],
    );
  }

  async #read(db: Readable, sql: string, params: SqlValue[]): Promise<ConnectionMatchRow[]> {
    const rows = await db.all<SqlRow>(sql, params);
    return rows.map((row) => ({
      ...row,
      metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    }));
  }
}

/** How a stored value that reads as the text may be spelled: as a string; as a number or a truth value, if it is one. */
function spellingsOf(text: string): string[] {
  const plain = parseJson(text);
  const isPlain = (typeof plain === 'number' || typeof plain === 'boolean') && String(plain) === text;
  return [JSON.stringify(text), ...(isPlain ? [text] : [])];
}
