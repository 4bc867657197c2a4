import type { ReadHandle, Transaction } from '../../platform/database/database.ts';

export interface AgentClient {
  id: string;
  name: string;
  redirectUris: readonly string[];
}

type TokenKind = 'code' | 'access' | 'refresh';

/** What the holder of a code has to prove. */
export interface CodeBinding {
  redirectUri: string;
  codeChallenge: string;
}

export interface AgentTokenRow {
  tokenHash: string;
  sessionId: string;
  clientId: string;
  kind: TokenKind;
  binding: CodeBinding | null;
  expiresAt: number;
  usedAt: number | null;
}

interface ClientRow {
  id: string;
  name: string;
  redirect_uris: string;
}

interface TokenRow {
  token_hash: string;
  session_id: string;
  client_id: string;
  kind: TokenKind;
  binding: string | null;
  expires_at: number;
  used_at: number | null;
}

/** Programs that sign in, and their tokens, which are not stored themselves. */
export class AgentSignInStore {
  /** One that got a token, or was registered after that time. */
  async findClient(db: ReadHandle, id: string, usedOrMadeAfter: number): Promise<AgentClient | undefined> {
    const row = await db.get<ClientRow>(
      `SELECT id, name, redirect_uris FROM agent_clients WHERE id = ? AND (used_at > created_at OR created_at > ?)`,
      [id, usedOrMadeAfter],
    );
    return row && { id: row.id, name: row.name, redirectUris: JSON.parse(row.redirect_uris) as string[] };
  }

  async insertClient(tx: Transaction, { id, name, redirectUris }: AgentClient, now: number): Promise<void> {
    await tx.run('INSERT INTO agent_clients (id, name, redirect_uris, created_at, used_at) VALUES (?, ?, ?, ?, ?)', [
      ...[id, name, JSON.stringify(redirectUris)],
      ...[now, now],
    ]);
  }

  async touchClient(tx: Transaction, id: string, now: number): Promise<void> {
    // Also when the clock was set back since the registration.
    await tx.run('UPDATE agent_clients SET used_at = MAX(?, created_at + 1) WHERE id = ?', [now, id]);
  }

  /**
   * Removes clients that never got a token and are old; then down to `most`: first those that never got a token, so that
   * registrations by the thousand remove no program that a person let in; of equals the one that was not used for the
   * longest time.
   */
  async removeUnusedClients(
    tx: Transaction,
    { most, usedOrMadeAfter }: { most: number; usedOrMadeAfter: number },
  ): Promise<void> {
    await tx.run('DELETE FROM agent_clients WHERE used_at = created_at AND created_at <= ?', [usedOrMadeAfter]);
    await tx.run(
      `DELETE FROM agent_clients WHERE id IN (
         SELECT id FROM agent_clients ORDER BY used_at > created_at DESC, used_at DESC, id LIMIT -1 OFFSET ?
       )`,
      [most],
    );
  }

  async findToken(db: ReadHandle, tokenHash: string): Promise<AgentTokenRow | undefined> {
    const row = await db.get<TokenRow>(
      `SELECT token_hash, session_id, client_id, kind, binding, expires_at, used_at FROM agent_tokens WHERE token_hash = ?`,
      [tokenHash],
    );
    return (
      row && {
        tokenHash: row.token_hash,
        sessionId: row.session_id,
        clientId: row.client_id,
        kind: row.kind,
        binding: row.binding === null ? null : (JSON.parse(row.binding) as CodeBinding),
        expiresAt: row.expires_at,
        usedAt: row.used_at,
      }
    );
  }

  async insertToken(tx: Transaction, row: Omit<AgentTokenRow, 'usedAt'>): Promise<void> {
    await tx.run(
      'INSERT INTO agent_tokens (token_hash, session_id, client_id, kind, binding, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
      [
        ...[row.tokenHash, row.sessionId, row.clientId, row.kind],
        ...[row.binding === null ? null : JSON.stringify(row.binding), row.expiresAt],
      ],
    );
  }

  /** Whether this call used it: of two at the same time, one did. */
  async useToken(tx: Transaction, tokenHash: string, now: number): Promise<boolean> {
    const { changes } = await tx.run('UPDATE agent_tokens SET used_at = ? WHERE token_hash = ? AND used_at IS NULL', [
      now,
      tokenHash,
    ]);
    return changes === 1;
  }

  /** Tokens of access that are over are of no use; used codes and refresh tokens stay as long as their session. */
  async removeExpiredAccess(tx: Transaction, now: number): Promise<void> {
    await tx.run(`DELETE FROM agent_tokens WHERE kind = 'access' AND expires_at <= ?`, [now]);
  }

  async removeOfSession(tx: Transaction, sessionId: string): Promise<void> {
    await tx.run('DELETE FROM agent_tokens WHERE session_id = ?', [sessionId]);
  }
}
