import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type SessionMaker = 'key' | 'person' | 'program';
export type EndReason = 'terminated' | 'expired';

export interface AgentSessionRow {
  id: string;
  environmentId: number;
  madeBy: SessionMaker;
  /** Null for a session that no key made, or whose key was revoked. */
  apiKeyId: number | null;
  name: string | null;
  tokenHash: string;
  /** JSON of what the session may do. */
  scopeText: string;
  /** Sealed tags of connections that are made for the session. */
  tags: string | null;
  /** JSON of the last program that called: name and version. */
  clientText: string | null;
  calls: number;
  createdAt: number;
  expiresAt: number;
  lastUsedAt: number | null;
  endedAt: number | null;
  endedReason: EndReason | null;
  /** Whether text by strangers makes its writes ask. */
  untrustedContent: 'ask' | 'ignore';
}

export type NewAgentSession = Omit<AgentSessionRow, 'clientText' | 'calls' | 'lastUsedAt' | 'endedAt' | 'endedReason'>;

/** A connection that a tenant may select. */
export interface TenantConnection {
  id: number;
  integrationKey: string;
  connectionId: string;
  tags: Record<string, string>;
}

/** A connection that a session uses. */
export interface SessionConnection extends TenantConnection {
  integrationId: number;
}

interface SqlRow {
  id: string;
  environment_id: number;
  made_by: SessionMaker;
  api_key_id: number | null;
  name: string | null;
  token_hash: string;
  scope: string;
  tags: string | null;
  client: string | null;
  calls: number;
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  ended_at: number | null;
  ended_reason: EndReason | null;
  untrusted_content: 'ask' | 'ignore';
}

const COLUMNS = `id, environment_id, made_by, api_key_id, name, token_hash, scope, tags, client, calls, created_at,
  expires_at, last_used_at, ended_at, ended_reason, untrusted_content`;

const toSession = (row: SqlRow): AgentSessionRow => ({
  id: row.id,
  environmentId: row.environment_id,
  madeBy: row.made_by,
  apiKeyId: row.api_key_id,
  name: row.name,
  tokenHash: row.token_hash,
  scopeText: row.scope,
  tags: row.tags,
  clientText: row.client,
  calls: row.calls,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
  endedAt: row.ended_at,
  endedReason: row.ended_reason,
  untrustedContent: row.untrusted_content,
});

/** Sessions of agents; their tokens are not stored. */
export class AgentSessionsStore {
  async find(db: ReadHandle, environmentId: number, id: string): Promise<AgentSessionRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM agent_sessions WHERE environment_id = ? AND id = ?`, [
      environmentId,
      id,
    ]);
    return row && toSession(row);
  }

  async findById(db: ReadHandle, id: string): Promise<AgentSessionRow | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM agent_sessions WHERE id = ?`, [id]);
    return row && toSession(row);
  }

  /** Newest first; with a key only those that it made. */
  async list(
    db: ReadHandle,
    {
      apiKeyId,
      environmentId,
      limit,
      offset,
    }: {
      environmentId: number;
      apiKeyId: number | undefined;
      limit: number;
      offset: number;
    },
  ): Promise<AgentSessionRow[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM agent_sessions WHERE environment_id = ? AND COALESCE(?2, api_key_id, -1) = COALESCE(api_key_id, -1)
       ORDER BY created_at DESC, id LIMIT ?3 OFFSET ?4`,
      [environmentId, apiKeyId ?? null, limit, offset],
    );
    return rows.map(toSession);
  }

  async insert(tx: Transaction, row: NewAgentSession): Promise<void> {
    await tx.run(
      `INSERT INTO agent_sessions (id, environment_id, made_by, api_key_id, name, token_hash, scope, tags, created_at, expires_at,
         untrusted_content)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        row.id,
        row.environmentId,
        row.madeBy,
        row.apiKeyId,
        row.name,
        row.tokenHash,
        row.scopeText,
        row.tags,
        row.createdAt,
        row.expiresAt,
        row.untrustedContent,
      ],
    );
  }

  async updateScope(tx: Transaction, id: string, scopeText: string): Promise<void> {
    await tx.run('UPDATE agent_sessions SET scope = ? WHERE id = ?', [scopeText, id]);
  }

  async updateUntrustedContent(tx: Transaction, id: string, mode: 'ask' | 'ignore'): Promise<void> {
    await tx.run('UPDATE agent_sessions SET untrusted_content = ? WHERE id = ?', [mode, id]);
  }

  /** Counts calls, and notes who called last. */
  async touch(
    tx: Transaction,
    { calls, client, id, usedAt }: { id: string; calls: number; client: string | undefined; usedAt: number },
  ): Promise<void> {
    await tx.run(
      'UPDATE agent_sessions SET calls = calls + ?, last_used_at = ?, client = COALESCE(?, client) WHERE id = ?',
      [calls, usedAt, client ?? null, id],
    );
  }

  /** Ends a session once; the tags of a person are no longer needed. */
  async end(tx: Transaction, id: string, reason: EndReason, endedAt: number): Promise<void> {
    await tx.run(
      'UPDATE agent_sessions SET ended_at = ?, ended_reason = ?, tags = NULL WHERE id = ? AND ended_at IS NULL',
      [endedAt, reason, id],
    );
  }

  /** Ends those whose key is gone, and resolves to them. */
  async endOfRevokedKeys(tx: Transaction, endedAt: number): Promise<Array<{ environmentId: number; id: string }>> {
    return tx.all(
      `UPDATE agent_sessions SET ended_at = ?, ended_reason = 'terminated', tags = NULL
       WHERE made_by = 'key' AND api_key_id IS NULL AND ended_at IS NULL AND expires_at > ?1
       RETURNING environment_id AS environmentId, id`,
      [endedAt],
    );
  }

  async countLive(db: ReadHandle, environmentId: number, now: number): Promise<number> {
    const row = await db.get<{ count: number }>(
      'SELECT count(*) AS count FROM agent_sessions WHERE environment_id = ? AND ended_at IS NULL AND expires_at > ?',
      [environmentId, now],
    );
    return row?.count ?? 0;
  }

  /** Sessions with tags, which may name a person. */
  async listTagged(db: ReadHandle, environmentId: number): Promise<Array<{ id: string; tags: string }>> {
    return db.all('SELECT id, tags FROM agent_sessions WHERE environment_id = ? AND tags IS NOT NULL', [environmentId]);
  }

  async removeTags(tx: Transaction, ids: readonly string[]): Promise<void> {
    await tx.run('UPDATE agent_sessions SET tags = NULL WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  /** Tags of sessions that are over are not needed any more. */
  async removeTagsOfExpired(tx: Transaction, now: number): Promise<void> {
    await tx.run('UPDATE agent_sessions SET tags = NULL WHERE tags IS NOT NULL AND expires_at <= ?', [now]);
  }

  /** Removes sessions that were over before a time. */
  async removeOlderThan(tx: Transaction, before: number): Promise<void> {
    await tx.run('DELETE FROM agent_sessions WHERE COALESCE(ended_at, expires_at) < ?', [before]);
  }

  /** Live connections that have all tags of one of the selectors, oldest first. */
  async listTenant(
    db: ReadHandle,
    environmentId: number,
    selectors: ReadonlyArray<Record<string, string>>,
  ): Promise<TenantConnection[]> {
    const rows = await db.all<{ id: number; unique_key: string; connection_id: string; tags: string }>(
      `SELECT c.id, i.unique_key, c.connection_id, c.tags
       FROM connections c JOIN integrations i ON i.id = c.integration_id
       WHERE c.environment_id = ? AND c.deleted_at IS NULL AND EXISTS (
         SELECT 1 FROM json_each(?) AS selector WHERE NOT EXISTS (
           SELECT 1 FROM json_each(selector.value) AS wanted WHERE NOT EXISTS (
             SELECT 1 FROM json_each(c.tags) AS own WHERE own.key = wanted.key AND own.value = wanted.value)))
       ORDER BY c.id`,
      [environmentId, JSON.stringify(selectors)],
    );
    return rows.map(toTenantConnection);
  }

  /** Live connections with these row ids. */
  async listConnections(db: ReadHandle, environmentId: number, ids: readonly number[]): Promise<SessionConnection[]> {
    const rows = await db.all<{ id: number; unique_key: string; connection_id: string; tags: string; owner: number }>(
      `SELECT c.id, i.unique_key, c.connection_id, c.tags, i.id AS owner
       FROM json_each(?2) AS wanted JOIN connections c ON c.id = wanted.value
       JOIN integrations i ON i.id = c.integration_id
       WHERE c.environment_id = ?1 AND c.deleted_at IS NULL`,
      [environmentId, JSON.stringify([...new Set(ids)])],
    );
    return rows.map((row) => ({ ...toTenantConnection(row), integrationId: row.owner }));
  }

  /** Those of the named connections that exist. */
  async listPinned(
    db: ReadHandle,
    environmentId: number,
    pins: ReadonlyArray<{ integrationKey: string; connectionId: string }>,
  ): Promise<TenantConnection[]> {
    const rows = await db.all<{ id: number; unique_key: string; connection_id: string; tags: string }>(
      `SELECT c.id, i.unique_key, c.connection_id, c.tags
       FROM connections c JOIN integrations i ON i.id = c.integration_id
       JOIN json_each(?2) AS pin ON i.unique_key = pin.value ->> 'integrationKey'
         AND c.connection_id = pin.value ->> 'connectionId'
       WHERE c.environment_id = ?1 AND c.deleted_at IS NULL ORDER BY c.id`,
      [environmentId, JSON.stringify(pins)],
    );
    return rows.map(toTenantConnection);
  }
}

const toTenantConnection = (row: {
  id: number;
  unique_key: string;
  connection_id: string;
  tags: string;
}): TenantConnection => ({
  id: row.id,
  integrationKey: row.unique_key,
  connectionId: row.connection_id,
  tags: JSON.parse(row.tags) as Record<string, string>,
});
