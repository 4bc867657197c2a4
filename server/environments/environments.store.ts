import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export interface EnvironmentRow {
  id: number;
  uuid: string;
  name: string;
  /** JSON object of settings that are not secret. */
  settings: string;
}

/** Keys that sign webhooks, sealed. */
export interface SigningKeyRow {
  sealed: string;
  /** The key before the last rotation; empty when there was none, or an older program made the rotation. */
  previous: string;
  rotatedAt: number | null;
}

/** As it is stored: the value is sealed. */
export interface VariableRow {
  name: string;
  value: string;
  isPlain: boolean;
}

export class EnvironmentsStore {
  /** Deleted environments are left out, although some of their rows may still exist. */
  async list(db: ReadHandle): Promise<EnvironmentRow[]> {
    return db.all(
      `SELECT id, uuid, name, settings FROM environments
       WHERE id NOT IN (SELECT id FROM deleted_environments) ORDER BY id`,
    );
  }

  async hasName(db: ReadHandle, name: string): Promise<boolean> {
    return (await db.get('SELECT 1 FROM environments WHERE name = ?', [name])) !== undefined;
  }

  /** Inserts an environment with an id that no environment had before, deleted ones included. */
  async insert(tx: Transaction, row: { uuid: string; name: string; settings: string; now: number }): Promise<number> {
    const { lastId } = await tx.run(
      `INSERT INTO environments (id, uuid, name, settings, webhook_signing_key, created_at, updated_at)
       SELECT COALESCE(max(id), 0) + 1, ?, ?, ?, '', ?, ?
       FROM (SELECT id FROM environments UNION ALL SELECT id FROM deleted_environments)`,
      [row.uuid, row.name, row.settings, row.now, row.now],
    );
    return lastId;
  }

  /** Makes the environment unreachable: its keys are removed and its name is free. Its contents are removed later. */
  async markDeleted(tx: Transaction, id: number, now: number): Promise<void> {
    await tx.run(
      `INSERT INTO deleted_environments (id, last_connection_id, last_integration_id, deleted_at)
       VALUES (?, (SELECT COALESCE(max(id), 0) FROM connections), (SELECT COALESCE(max(id), 0) FROM integrations), ?)`,
      [id, now],
    );
    await tx.run("UPDATE environments SET name = 'deleted:' || uuid WHERE id = ?", [id]);
    await tx.run('DELETE FROM api_keys WHERE environment_id = ?', [id]);
  }

  async updateName(tx: Transaction, id: number, name: string, now: number): Promise<void> {
    await tx.run('UPDATE environments SET name = ?, updated_at = ? WHERE id = ?', [name, now, id]);
  }

  /** Sealed; undefined when the environment has no signing key of its own. */
  async findSigningKey(db: ReadHandle, id: number): Promise<SigningKeyRow | undefined> {
    return db.get(
      `SELECT webhook_signing_key AS sealed, previous_signing_key AS previous, signing_key_rotated_at AS rotatedAt
       FROM environments WHERE id = ? AND webhook_signing_key <> ''`,
      [id],
    );
  }

  async updateSigningKey(tx: Transaction, id: number, row: SigningKeyRow): Promise<void> {
    await tx.run(
      `UPDATE environments SET webhook_signing_key = ?1, previous_signing_key = ?2, signing_key_rotated_at = ?3,
         updated_at = ?3 WHERE id = ?4`,
      [row.sealed, row.previous, row.rotatedAt, id],
    );
  }

  /** Sealed; undefined when the environment has none. */
  async findOtlpHeaders(db: ReadHandle, id: number): Promise<string | undefined> {
    const row = await db.get<{ sealed: string }>(
      "SELECT otlp_headers AS sealed FROM environments WHERE id = ? AND otlp_headers <> ''",
      [id],
    );
    return row?.sealed;
  }

  /** An empty text removes the headers. */
  async updateOtlpHeaders(tx: Transaction, id: number, sealed: string): Promise<void> {
    await tx.run('UPDATE environments SET otlp_headers = ? WHERE id = ?', [sealed, id]);
  }

  /** Sealed; undefined when the environment has none. */
  async findApprovalsToken(db: ReadHandle, id: number): Promise<string | undefined> {
    const row = await db.get<{ sealed: string }>(
      "SELECT approvals_token AS sealed FROM environments WHERE id = ? AND approvals_token <> ''",
      [id],
    );
    return row?.sealed;
  }

  /** An empty text removes the token. */
  async updateApprovalsToken(tx: Transaction, id: number, sealed: string): Promise<void> {
    await tx.run('UPDATE environments SET approvals_token = ? WHERE id = ?', [sealed, id]);
  }

  async updateSettings(tx: Transaction, id: number, settings: string, now: number): Promise<void> {
    await tx.run('UPDATE environments SET settings = ?, updated_at = ? WHERE id = ?', [settings, now, id]);
  }

  /** Sealed values, in the order that the user gave them. */
  async listVariables(db: ReadHandle, environmentId: number): Promise<VariableRow[]> {
    const rows = await db.all<{ name: string; value: string; isPlain: number }>(
      `SELECT name, value, is_plain AS isPlain FROM environment_variables WHERE environment_id = ? ORDER BY position`,
      [environmentId],
    );
    return rows.map((row) => ({ ...row, isPlain: row.isPlain === 1 }));
  }

  async replaceVariables(tx: Transaction, environmentId: number, variables: VariableRow[]): Promise<void> {
    await tx.run('DELETE FROM environment_variables WHERE environment_id = ?', [environmentId]);
    await tx.run(
      `INSERT INTO environment_variables (environment_id, name, position, value, is_plain)
       SELECT ?, value ->> 'name', key, value ->> 'value', value ->> 'isPlain' FROM json_each(?)`,
      [environmentId, JSON.stringify(variables)],
    );
  }
}
