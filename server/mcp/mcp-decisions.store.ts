import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type McpPolicy = 'allow' | 'ask' | 'deny';

/** A tool of a connection, as one API key sees it. */
export interface McpToolKey {
  apiKeyId: number;
  connectionRowId: number;
  tool: string;
  /** Risk of the tool, version of its code and input: a permission does not cover another one (design.md 7.59). */
  fingerprint: string;
}

/** A stored decision. A permission covers one version of the tool. */
export interface StoredDecision {
  policy: McpPolicy;
  fingerprint: string;
  decidedAt: number;
}

/** What a person decided about a program of agent sessions for good, or for one session. */
export interface ProgramDecision extends StoredDecision {
  environmentId: number;
  /** Empty for a decision about one session. */
  program: string;
  /** Empty for a decision that also holds for later sessions. */
  sessionId: string;
  connectionRowId: number;
  tool: string;
}

/** A policy for connections or keys that may come later; an absent member means every one. */
export interface McpRule {
  environmentId: number;
  apiKeyId?: number | undefined;
  integrationKey?: string | undefined;
  connectionId?: string | undefined;
  tool: string;
  policy: McpPolicy;
  /** By integration: the version that a permission covers. */
  fingerprints: Record<string, string>;
  decidedAt: number;
}

/** A call, as decisions about it are looked up. */
export interface McpCallKey extends Omit<McpToolKey, 'apiKeyId'> {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
  /** The client, or the key that made the agent session; null for a session that no key made. */
  apiKeyId: number | null;
  /** The program of an agent session; null for a client with an API key. */
  program: string | null;
  /** The agent session; null for a client with an API key. */
  sessionId: string | null;
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

/** A decision about a program or an agent session, as people know it. One of `program` and `sessionId` is null. */
export interface NamedProgramDecision extends Omit<NamedMcpDecision, 'apiKeyId'> {
  program: string | null;
  sessionId: string | null;
}

/** Says which decision is meant. */
export type ProgramDecisionName = Omit<NamedProgramDecision, 'clientName' | 'policy' | 'decidedAt'>;

/** A rule with the display name of its client; an absent member means every one. */
export type NamedMcpRule = Omit<McpRule, 'apiKeyId' | 'environmentId' | 'fingerprints'> & { clientName?: string };

interface SqlRow {
  api_key_id: number;
  display_name: string;
  unique_key: string;
  connection_id: string;
  tool: string;
  policy: McpPolicy;
  decided_at: number;
}

/** Whom a decision is about. */
type DecisionSource = 'key' | 'rule' | 'program';

interface DecisionRow {
  source: DecisionSource;
  policy: McpPolicy;
  /** JSON by integration for a rule. */
  fingerprint: string;
  decided_at: number;
}

const fingerprintOf = (ofAll: string, integrationKey: string): string =>
  (JSON.parse(ofAll) as McpRule['fingerprints'])[integrationKey] ?? '';

/** Decisions of people about the calls of MCP clients. */
export class McpDecisionsStore {
  /**
   * The decisions about a call: for its API key, the latest rule that covers it, and the latest one for its session or
   * program.
   */
  async findAll(db: ReadHandle, key: McpCallKey): Promise<Partial<Record<DecisionSource, StoredDecision>>> {
    const rows = await db.all<DecisionRow>(
      `SELECT 'key' AS source, policy, fingerprint, decided_at FROM mcp_decisions
      WHERE api_key_id = ?1 AND connection_row_id = ?2 AND tool = ?3
      UNION ALL SELECT source, policy, fingerprint, decided_at FROM (
        SELECT 'rule' AS source, policy, fingerprints AS fingerprint, decided_at FROM mcp_rules
        WHERE environment_id = ?4 AND tool = ?3 AND (api_key_id IS NULL OR api_key_id = ?1)
          AND COALESCE(integration_key, ?5) = ?5 AND COALESCE(connection_id, ?6) = ?6
        ORDER BY id DESC LIMIT 1)
      UNION ALL SELECT source, policy, fingerprint, decided_at FROM (
        SELECT 'program' AS source, policy, fingerprint, decided_at FROM program_decisions
        WHERE environment_id = ?4 AND connection_row_id = ?2 AND tool = ?3
          AND ((program = ?7 AND session_id = '') OR (program = '' AND session_id = ?8))
        ORDER BY decided_at DESC, session_id DESC LIMIT 1)`,
      [
        key.apiKeyId,
        key.connectionRowId,
        key.tool,
        key.environmentId,
        key.integrationKey,
        key.connectionId,
        key.program,
        key.sessionId,
      ],
    );
    return Object.fromEntries(
      rows.map(({ decided_at, fingerprint, policy, source }) => [
        source,
        {
          policy,
          fingerprint: source === 'rule' ? fingerprintOf(fingerprint, key.integrationKey) : fingerprint,
          decidedAt: decided_at,
        },
      ]),
    );
  }

  async upsertOfProgram(tx: Transaction, one: ProgramDecision): Promise<void> {
    await tx.run(
      `INSERT INTO program_decisions
        (environment_id, program, session_id, connection_row_id, tool, policy, fingerprint, decided_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (environment_id, program, session_id, connection_row_id, tool)
      DO UPDATE SET policy = excluded.policy, fingerprint = excluded.fingerprint, decided_at = excluded.decided_at`,
      [
        one.environmentId,
        one.program,
        one.sessionId,
        one.connectionRowId,
        one.tool,
        one.policy,
        one.fingerprint,
        one.decidedAt,
      ],
    );
  }

  /** Decisions about programs and sessions, newest first. */
  async listOfPrograms(db: ReadHandle, environmentId: number): Promise<NamedProgramDecision[]> {
    const rows = await db.all<Omit<SqlRow, 'api_key_id'> & { program: string; session_id: string }>(
      `SELECT d.program, d.session_id, i.unique_key, c.connection_id, d.tool, d.policy, d.decided_at,
        COALESCE(NULLIF(d.program, ''), s.client ->> 'name', s.name, d.session_id) AS display_name
      FROM program_decisions d
      JOIN connections c ON c.id = d.connection_row_id
      JOIN integrations i ON i.id = c.integration_id
      LEFT JOIN agent_sessions s ON s.id = d.session_id
      WHERE d.environment_id = ? AND c.deleted_at IS NULL
      ORDER BY d.decided_at DESC, d.program, d.session_id, d.connection_row_id, d.tool`,
      [environmentId],
    );
    return rows.map((row) => ({
      clientName: row.display_name,
      program: row.program || null,
      sessionId: row.session_id || null,
      integrationKey: row.unique_key,
      connectionId: row.connection_id,
      tool: row.tool,
      policy: row.policy,
      decidedAt: row.decided_at,
    }));
  }

  /** Resolves to whether there was such a decision. */
  async removeOfProgram(tx: Transaction, environmentId: number, named: ProgramDecisionName): Promise<boolean> {
    const { connectionId, integrationKey, program, sessionId, tool } = named;
    const { changes } = await tx.run(
      `DELETE FROM program_decisions
      WHERE environment_id = ? AND program = ? AND session_id = ? AND tool = ? AND connection_row_id IN (
        SELECT c.id FROM connections c JOIN integrations i ON i.id = c.integration_id
        WHERE i.environment_id = ?1 AND i.unique_key = ? AND c.connection_id = ? AND c.deleted_at IS NULL)`,
      [environmentId, program ?? '', sessionId ?? '', tool, integrationKey, connectionId],
    );
    return changes > 0;
  }

  /** Removes older decisions about programs and sessions that a new rule for every client replaces. */
  async removeReplaced(tx: Transaction, rule: Omit<McpRule, 'fingerprints' | 'policy' | 'decidedAt'>): Promise<void> {
    await tx.run(
      `DELETE FROM program_decisions
      WHERE environment_id = ?1 AND tool = ?2 AND connection_row_id IN (
        SELECT c.id FROM connections c JOIN integrations i ON i.id = c.integration_id
        WHERE i.environment_id = ?1 AND COALESCE(?3, i.unique_key) = i.unique_key
          AND COALESCE(?4, c.connection_id) = c.connection_id)`,
      [rule.environmentId, rule.tool, rule.integrationKey ?? null, rule.connectionId ?? null],
    );
  }

  async removeOfSession(tx: Transaction, sessionId: string): Promise<void> {
    await tx.run("DELETE FROM program_decisions WHERE program = '' AND session_id = ?", [sessionId]);
  }

  /** Replaces the rule of the same selection. */
  async replaceRule(tx: Transaction, rule: McpRule): Promise<void> {
    const { apiKeyId = null, connectionId = null, environmentId, integrationKey = null, tool } = rule;
    const selection = [environmentId, tool, apiKeyId, integrationKey, connectionId];
    await tx.run(
      `DELETE FROM mcp_rules WHERE environment_id = ? AND tool = ? AND api_key_id IS ? AND integration_key IS ?
        AND connection_id IS ?`,
      selection,
    );
    await tx.run(
      `INSERT INTO mcp_rules
        (environment_id, tool, api_key_id, integration_key, connection_id, policy, fingerprints, decided_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [...selection, rule.policy, JSON.stringify(rule.fingerprints), rule.decidedAt],
    );
  }

  /** Newest first, which is the order in which they count. */
  async listRules(db: ReadHandle, environmentId: number): Promise<NamedMcpRule[]> {
    const rows = await db.all<{
      display_name: string | null;
      integration_key: string | null;
      connection_id: string | null;
      tool: string;
      policy: McpPolicy;
      decided_at: number;
    }>(
      `SELECT k.display_name, r.integration_key, r.connection_id, r.tool, r.policy, r.decided_at
      FROM mcp_rules r
      LEFT JOIN api_keys k ON k.id = r.api_key_id
      WHERE r.environment_id = ?
      ORDER BY r.id DESC`,
      [environmentId],
    );
    return rows.map((row) => ({
      ...(row.display_name === null ? {} : { clientName: row.display_name }),
      integrationKey: row.integration_key ?? undefined,
      connectionId: row.connection_id ?? undefined,
      tool: row.tool,
      policy: row.policy,
      decidedAt: row.decided_at,
    }));
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
      `INSERT INTO mcp_decisions (api_key_id, connection_row_id, tool, fingerprint, policy, decided_at)
      SELECT value ->> 'apiKeyId', value ->> 'connectionRowId', value ->> 'tool', value ->> 'fingerprint', ?, ?
      FROM json_each(?) WHERE true
      ON CONFLICT (api_key_id, connection_row_id, tool)
      DO UPDATE SET policy = excluded.policy, fingerprint = excluded.fingerprint, decided_at = excluded.decided_at`,
      [policy, decidedAt, JSON.stringify(keys)],
    );
  }

  async remove(tx: Transaction, { apiKeyId, connectionRowId, tool }: Omit<McpToolKey, 'fingerprint'>): Promise<void> {
    await tx.run('DELETE FROM mcp_decisions WHERE api_key_id = ? AND connection_row_id = ? AND tool = ?', [
      apiKeyId,
      connectionRowId,
      tool,
    ]);
  }
}
