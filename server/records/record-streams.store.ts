import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** The records of one model and variant of one connection. A retired stream is invisible and waits to be purged. */
export interface StreamRow {
  id: number;
  connectionRowId: number;
  model: string;
  variant: string;
  liveCount: number;
  /** Every row up to this time (microseconds) is pruned. */
  prunedUntil: number;
  /**
   * All versions are kept from this time on (microseconds). 0: no versions are kept. -1: no versions are kept, and old
   * ones wait for removal.
   */
  historySince: number;
}

export interface EnvironmentStream extends StreamRow {
  environmentId: number;
}

export interface RecordPlaceRow {
  integrationKey: string;
  connectionId: string;
  model: string;
  variant: string;
}

const COLUMNS = `s.id, s.connection_row_id AS connectionRowId, s.model, s.variant, s.live_count AS liveCount,
  s.pruned_until AS prunedUntil, s.history_since AS historySince`;

export class RecordStreamsStore {
  async find(db: ReadHandle, connectionRowId: number, model: string, variant: string): Promise<StreamRow | undefined> {
    return db.get(
      `SELECT ${COLUMNS} FROM record_streams AS s
       WHERE s.connection_row_id = ? AND s.model = ? AND s.variant = ? AND s.retired = 0`,
      [connectionRowId, model, variant],
    );
  }

  /** A new stream keeps a history from the stamp `since` on, if its model has one. */
  async insert(
    tx: Transaction,
    stream: Pick<StreamRow, 'connectionRowId' | 'model' | 'variant'>,
    since: number,
  ): Promise<StreamRow> {
    const { connectionRowId, model, variant } = stream;
    const row = await tx.get<{ id: number; historySince: number }>(
      `INSERT INTO record_streams (connection_row_id, model, variant, history_since)
       SELECT ?1, ?2, ?3, IIF(EXISTS (SELECT 1 FROM record_histories AS h JOIN connections AS c
         ON c.integration_id = h.integration_id WHERE c.id = ?1 AND h.model = ?2), ?4, 0)
       RETURNING id, history_since AS historySince`,
      [connectionRowId, model, variant, since],
    );
    if (!row) throw new Error('The stream of records could not be created.');
    return { ...stream, ...row, liveCount: 0, prunedUntil: 0 };
  }

  /** The streams of these connections, of all variants. */
  async list(db: ReadHandle, connectionRowIds: number[]): Promise<StreamRow[]> {
    return db.all(
      `SELECT ${COLUMNS} FROM record_streams AS s
       WHERE s.connection_row_id IN (SELECT value FROM json_each(?)) AND s.retired = 0
       ORDER BY s.connection_row_id, s.model, s.variant`,
      [JSON.stringify(connectionRowIds)],
    );
  }

  /** The order of the joins is fixed: one look into the primary key of the records for each stream. */
  async findPlaces(
    db: ReadHandle,
    environmentId: number,
    externalId: string,
    limit: number,
  ): Promise<RecordPlaceRow[]> {
    return db.all(
      `SELECT i.unique_key AS integrationKey, c.connection_id AS connectionId, s.model, s.variant
       FROM record_streams AS s
       CROSS JOIN records AS r ON r.stream_id = s.id AND r.external_id = ?
       CROSS JOIN connections AS c ON c.id = s.connection_row_id
       JOIN integrations AS i ON i.id = c.integration_id
       WHERE s.retired = 0 AND c.environment_id = ? AND c.deleted_at IS NULL
       ORDER BY r.updated_at DESC LIMIT ?`,
      [externalId, environmentId, limit],
    );
  }

  async listOfEnvironments(db: ReadHandle): Promise<EnvironmentStream[]> {
    return db.all(
      `SELECT ${COLUMNS}, c.environment_id AS environmentId FROM record_streams AS s
       JOIN connections AS c ON c.id = s.connection_row_id WHERE s.retired = 0 ORDER BY s.id`,
    );
  }

  /**
   * The streams of `ids` without writes since `beforeMs` whose sync has not run since then. A run that failed before it
   * named its models counts for every model of its connection and variant.
   */
  async listForsaken(db: ReadHandle, ids: number[], beforeMs: number): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT s.id FROM record_streams AS s
       WHERE s.id IN (SELECT value FROM json_each(?1)) AND s.retired = 0
         AND COALESCE((SELECT MAX(r.updated_at) FROM records AS r WHERE r.stream_id = s.id), 0) < ?2 * 1000
         AND NOT EXISTS (SELECT 1 FROM syncs AS y JOIN sync_jobs AS j ON j.id = y.latest_job_id
           WHERE y.connection_row_id = s.connection_row_id AND y.variant = s.variant
             AND (j.updated_at >= ?2 OR j.status = 'RUNNING')
             AND (j.result = '{}' OR EXISTS (SELECT 1 FROM json_each(j.result) AS m WHERE m.key = s.model)))`,
      [JSON.stringify(ids), beforeMs],
    );
    return rows.map((row) => row.id);
  }

  async addToCount(tx: Transaction, id: number, difference: number): Promise<void> {
    await tx.run('UPDATE record_streams SET live_count = live_count + ? WHERE id = ?', [difference, id]);
  }

  async setPrunedUntil(tx: Transaction, id: number, stamp: number): Promise<void> {
    await tx.run('UPDATE record_streams SET pruned_until = ? WHERE id = ?', [stamp, id]);
  }

  /**
   * Starts the history at `since` for the streams of the model that have none, over all connections of the integration.
   */
  async startHistory(tx: Transaction, integrationId: number, model: string, since: number): Promise<void> {
    await tx.run(
      `UPDATE record_streams SET history_since = ? WHERE model = ? AND retired = 0 AND history_since <= 0
         AND connection_row_id IN (SELECT id FROM connections WHERE integration_id = ?)`,
      [since, model, integrationId],
    );
  }

  async endHistory(tx: Transaction, integrationId: number, model: string): Promise<void> {
    await tx.run(
      `UPDATE record_streams SET history_since = -1 WHERE model = ? AND retired = 0 AND history_since > 0
         AND connection_row_id IN (SELECT id FROM connections WHERE integration_id = ?)`,
      [model, integrationId],
    );
  }

  /** A stream whose versions must be removed although the stream stays. */
  async findHistoryLeft(db: ReadHandle): Promise<number | undefined> {
    const row = await db.get<{ id: number }>(
      'SELECT id FROM record_streams WHERE history_since = -1 AND retired = 0 LIMIT 1',
    );
    return row?.id;
  }

  async forgetHistory(tx: Transaction, id: number): Promise<void> {
    await tx.run('UPDATE record_streams SET history_since = 0 WHERE id = ? AND history_since = -1', [id]);
  }

  async retire(tx: Transaction, ids: number[]): Promise<void> {
    await tx.run('UPDATE record_streams SET retired = 1 WHERE id IN (SELECT value FROM json_each(?))', [
      JSON.stringify(ids),
    ]);
  }

  async findRetired(db: ReadHandle): Promise<number | undefined> {
    const row = await db.get<{ id: number }>('SELECT id FROM record_streams WHERE retired = 1 LIMIT 1');
    return row?.id;
  }

  async remove(tx: Transaction, id: number): Promise<void> {
    await tx.run('DELETE FROM record_streams WHERE id = ?', [id]);
  }
}
