import type { ReadHandle, Transaction } from '../database/database.ts';

export type McpPolicy = 'allow' | 'ask' | 'deny';

/** A tool of a connection, as one client sees it. */
export interface McpToolKey {
  apiKeyId: number;
  connectionRowId: number;
  tool: string;
}

/** A decision with the display names of its parts. */
export interface NamedMcpDecision {
  apiKeyId: number;
  clientName: string;
  integrationKey: string;
  connectionId: string;
  tool: string;
  policy: McpPolicy;
  decidedAt: number;
}

interface SqlRow {
  api_key_id: number;
  display_name: string;
  unique_key: string;
  connection_id: string;
  tool: string;
  policy: McpPolicy;
  decided_at: number;
}

/** Decisions of people about the calls of MCP clients. */
export class McpDecisionsStore {
  async find(db: ReadHandle, { apiKeyId, connectionRowId, tool }: McpToolKey): Promise<McpPolicy | undefined> {
    const row = await db.get<{ policy: McpPolicy }>(
      'SELECT policy FROM mcp_decisions WHERE api_key_id = ? AND connection_row_id = ? AND tool = ?',
      [apiKeyId, connectionRowId, tool],
    );
    return row?.policy;
  }

  /** Decisions for existing connections, newest first. */
  async list(db: ReadHandle, environmentId: number): Promise<NamedMcpDecision[]> {
    const rows = await db.all<SqlRow>(
      `SELECT d.api_key_id, k.display_name, i.unique_key, c.connection_id, d.tool, d.policy, d.decided_at
      FROM mcp_decisions d
      JOIN api_keys k ON k.id = d.api_key_id
      JOIN connections c ON c.id = d.connection_row_id
      JOIN integrations i ON i.id = c.integration_id
      WHERE k.environment_id = ? AND c.deleted_at IS NULL
      ORDER BY d.decided_at DESC, d.api_key_id, d.connection_row_id, d.tool`,
      [environmentId],
    );
    return rows.map((row) => ({
      apiKeyId: row.api_key_id,
      clientName: row.display_name,
      integrationKey: row.unique_key,
      connectionId: row.connection_id,
      tool: row.tool,
      policy: row.policy,
      decidedAt: row.decided_at,
    }));
  }

  async upsert(tx: Transaction, keys: readonly McpToolKey[], policy: McpPolicy, decidedAt: number): Promise<void> {
    await tx.run(
      `INSERT INTO mcp_decisions (api_key_id, connection_row_id, tool, policy, decided_at)
      SELECT value ->> 'apiKeyId', value ->> 'connectionRowId', value ->> 'tool', ?, ? FROM json_each(?) WHERE true
      ON CONFLICT (api_key_id, connection_row_id, tool)
      DO UPDATE SET policy = excluded.policy, decided_at = excluded.decided_at`,
      [policy, decidedAt, JSON.stringify(keys)],
    );
  }

  async remove(tx: Transaction, { apiKeyId, connectionRowId, tool }: McpToolKey): Promise<void> {
    await tx.run('DELETE FROM mcp_decisions WHERE api_key_id = ? AND connection_row_id = ? AND tool = ?', [
      apiKeyId,
      connectionRowId,
      tool,
    ]);
  }
}
