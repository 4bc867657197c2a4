import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Who read text by strangers: an agent session, or a client with an API key. */
export type UntrustedReader = { sessionId: string } | { apiKeyId: number };

/** The first call of one tool of one connection that returned such text. */
export interface UntrustedRead {
  tool: string;
  integrationKey: string;
  connectionId: string;
  /** Of the first call. */
  readAt: number;
}

interface SqlRow {
  tool: string;
  integration_key: string;
  connection_id: string;
  read_at: number;
}

const toRead = ({ connection_id, integration_key, read_at, tool }: SqlRow): UntrustedRead => ({
  tool,
  integrationKey: integration_key,
  connectionId: connection_id,
  readAt: read_at,
});

/** What agents read that strangers wrote (agents.md 10). */
export class UntrustedReadsStore {
  /** Oldest first. */
  async list(db: ReadHandle, reader: UntrustedReader): Promise<UntrustedRead[]> {
    const [sessionId, apiKeyId] = valuesOf(reader);
    const rows = await db.all<SqlRow>(
      `SELECT tool, integration_key, connection_id, read_at FROM untrusted_reads
      WHERE session_id IS ? AND api_key_id IS ? ORDER BY read_at, id`,
      [sessionId, apiKeyId],
    );
    return rows.map(toRead);
  }

  /** By session, oldest first. */
  async listOfSessions(db: ReadHandle, sessionIds: readonly string[]): Promise<Map<string, UntrustedRead[]>> {
    const rows = await db.all<SqlRow & { session_id: string }>(
      `SELECT session_id, tool, integration_key, connection_id, read_at FROM untrusted_reads
      WHERE session_id IN (SELECT value FROM json_each(?)) ORDER BY read_at, id`,
      [JSON.stringify(sessionIds)],
    );
    const bySession = Map.groupBy(rows, ({ session_id }) => session_id);
    return new Map([...bySession].map(([id, own]) => [id, own.map(toRead)]));
  }

  /** Keeps the first call of each tool and connection. */
  async insert(tx: Transaction, reader: UntrustedReader, read: UntrustedRead): Promise<void> {
    const [sessionId, apiKeyId] = valuesOf(reader);
    const { connectionId, integrationKey, readAt, tool } = read;
    await tx.run(
      `INSERT INTO untrusted_reads (session_id, api_key_id, tool, integration_key, connection_id, read_at)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
        SELECT 1 FROM untrusted_reads WHERE session_id IS ?1 AND api_key_id IS ?2 AND tool = ?3
          AND integration_key = ?4 AND connection_id = ?5)`,
      [sessionId, apiKeyId, tool, integrationKey, connectionId, readAt],
    );
  }

  /** Forgets what clients with an API key read before a time. */
  async removeOfKeys(tx: Transaction, before: number): Promise<void> {
    await tx.run('DELETE FROM untrusted_reads WHERE api_key_id IS NOT NULL AND read_at < ?', [before]);
  }
}

function valuesOf(reader: UntrustedReader): [string | null, number | null] {
  return 'sessionId' in reader ? [reader.sessionId, null] : [null, reader.apiKeyId];
}
