import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** The target of an input; requests through the proxy have an empty function name. */
export interface PlaygroundInputTarget {
  integrationId: number;
  kind: string;
  functionName: string;
}

export interface PlaygroundInputRow extends PlaygroundInputTarget {
  id: string;
  name: string;
  /** Sealed JSON. */
  request: string;
  /** Milliseconds since the epoch. */
  savedAt: number;
}

const COLUMNS =
  'id, integration_id AS integrationId, kind, function_name AS functionName, name, request, saved_at AS savedAt';

/** Inputs of the playground that a person saved. */
export class PlaygroundInputsStore {
  /** By name. */
  list(db: ReadHandle, of: PlaygroundInputTarget): Promise<PlaygroundInputRow[]> {
    return db.all<PlaygroundInputRow>(
      `SELECT ${COLUMNS} FROM playground_inputs WHERE integration_id = ? AND kind = ? AND function_name = ?
       ORDER BY name COLLATE NOCASE, seq`,
      [of.integrationId, of.kind, of.functionName],
    );
  }

  /** Requests to all integrations of an environment, by integration and name. */
  listRequests(db: ReadHandle, environmentId: number): Promise<Array<PlaygroundInputRow & { integrationKey: string }>> {
    return db.all(
      `SELECT p.id, p.integration_id AS integrationId, p.kind, p.function_name AS functionName, p.name, p.request,
         p.saved_at AS savedAt, i.unique_key AS integrationKey
       FROM playground_inputs p JOIN integrations i ON i.id = p.integration_id
       WHERE i.environment_id = ? AND i.deleted_at IS NULL AND p.kind = 'proxy'
       ORDER BY i.unique_key COLLATE NOCASE, p.name COLLATE NOCASE, p.seq`,
      [environmentId],
    );
  }

  async insert(tx: Transaction, row: PlaygroundInputRow): Promise<void> {
    await tx.run(
      `INSERT INTO playground_inputs (id, integration_id, kind, function_name, name, request, saved_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [row.id, row.integrationId, row.kind, row.functionName, row.name, row.request, row.savedAt],
    );
  }

  /** Removes an input of one of the environment's integrations; resolves to the number removed. */
  async remove(tx: Transaction, environmentId: number, id: string): Promise<number> {
    const { changes } = await tx.run(
      `DELETE FROM playground_inputs
       WHERE id = ? AND integration_id IN (SELECT id FROM integrations WHERE environment_id = ?)`,
      [id, environmentId],
    );
    return changes;
  }

  async removeOfIntegration(tx: Transaction, integrationId: number): Promise<void> {
    await tx.run('DELETE FROM playground_inputs WHERE integration_id = ?', [integrationId]);
  }
}
