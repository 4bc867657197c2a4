import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface ApiKeyRow {
  id: number;
  environmentId: number;
  displayName: string;
  scopes: string[];
  lookupHash: string;
  /** Sealed; for display. */
  secret: string;
  /** JSON: the connections that the key may use; null means all of them. */
  allowed: string | null;
  /** Icon of the key's app in lists. */
  icon: string | null;
  colour: string | null;
  createdAt: number;
  lastUsedAt: number | null;
}

interface SqlRow {
  id: number;
  environment_id: number;
  display_name: string;
  scopes: string;
  lookup_hash: string;
  secret: string;
  allowed: string | null;
  icon: string | null;
  colour: string | null;
  created_at: number;
  last_used_at: number | null;
}

const COLUMNS =
  'id, environment_id, display_name, scopes, lookup_hash, secret, allowed, icon, colour, created_at, last_used_at';

/**
 * What `allowed` holds for a key with limits. The column of its scopes is empty, so that a version of the program without limits
 * allows it nothing.
 */
interface Limited {
  scopes: string[];
  rows: unknown;
}

function toApiKey(row: SqlRow): ApiKeyRow {
  const limited = row.allowed === null ? undefined : (JSON.parse(row.allowed) as Limited);
  return {
    id: row.id,
    environmentId: row.environment_id,
    displayName: row.display_name,
    scopes: limited?.scopes ?? (JSON.parse(row.scopes) as string[]),
    allowed: limited ? JSON.stringify(limited.rows) : null,
    icon: row.icon,
    colour: row.colour,
    lookupHash: row.lookup_hash,
    secret: row.secret,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

/** Values of the columns `scopes` and `allowed`. */
function accessOf({ allowed, scopes }: Pick<ApiKeyRow, 'allowed' | 'scopes'>): [string, string | null] {
  if (allowed === null) return [JSON.stringify(scopes), null];
  const limited: Limited = { scopes, rows: JSON.parse(allowed) as unknown };
  return ['[]', JSON.stringify(limited)];
}

export class ApiKeysStore {
  async findByHash(db: ReadHandle, lookupHash: string): Promise<ApiKeyRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM api_keys WHERE lookup_hash = ?`, [lookupHash]);
    return row && toApiKey(row);
  }

  async findByName(db: ReadHandle, environmentId: number, displayName: string): Promise<ApiKeyRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM api_keys WHERE environment_id = ? AND display_name = ?`, [
      environmentId,
      displayName,
    ]);
    return row && toApiKey(row);
  }

  /** Oldest first. */
  async list(db: ReadHandle, environmentId: number): Promise<ApiKeyRow[]> {
    const rows = await db.all<SqlRow>(`SELECT ${COLUMNS} FROM api_keys WHERE environment_id = ? ORDER BY id`, [
      environmentId,
    ]);
    return rows.map(toApiKey);
  }

  async count(db: ReadHandle, environmentId: number): Promise<number> {
    const row = await db.get<{ count: number }>('SELECT COUNT(*) AS count FROM api_keys WHERE environment_id = ?', [
      environmentId,
    ]);
    return row?.count ?? 0;
  }

  /**
   * The id is above `above` and those in the audit, because entries of a revoked key would count the calls of the new
   * one.
   */
  async insert(tx: Transaction, row: Omit<ApiKeyRow, 'id' | 'lastUsedAt'>, above: number): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO api_keys (id, environment_id, display_name, scopes, allowed, icon, colour, lookup_hash, secret, created_at)
       VALUES (MAX(?, (SELECT IFNULL(MAX(id), 0) FROM api_keys), (SELECT IFNULL(MAX(key_id), 0) FROM audit_entries)) + 1,
         ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        above,
        row.environmentId,
        row.displayName,
        ...accessOf(row),
        row.icon,
        row.colour,
        row.lookupHash,
        row.secret,
        row.createdAt,
      ],
    );
    return lastId;
  }

  async updateSecret(tx: Transaction, id: number, lookupHash: string, secret: string): Promise<void> {
    await tx.run('UPDATE api_keys SET lookup_hash = ?, secret = ? WHERE id = ?', [lookupHash, secret, id]);
  }

  async update(
    tx: Transaction,
    id: number,
    to: Pick<ApiKeyRow, 'displayName' | 'scopes' | 'allowed' | 'icon' | 'colour' | 'secret'>,
  ): Promise<void> {
    await tx.run(
      'UPDATE api_keys SET display_name = ?, scopes = ?, allowed = ?, icon = ?, colour = ?, secret = ? WHERE id = ?',
      [to.displayName, ...accessOf(to), to.icon, to.colour, to.secret, id],
    );
  }

  /** Resolves to whether the key existed. */
  async remove(tx: Transaction, environmentId: number, id: number): Promise<boolean> {
    const { changes } = await tx.run('DELETE FROM api_keys WHERE environment_id = ? AND id = ?', [environmentId, id]);
    return changes > 0;
  }

  async touch(tx: Transaction, id: number, now: number): Promise<void> {
    await tx.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', [now, id]);
  }
}
