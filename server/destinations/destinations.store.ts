import type { ReadHandle, Transaction } from '../platform/database/database.ts';

export type DestinationKind = 'postgres' | 'ndjson' | 'http';

export interface DestinationRow {
  seq: number;
  id: string;
  environmentId: number;
  name: string;
  kind: DestinationKind;
  /** JSON text. */
  settings: string;
  /** Sealed. */
  secret: string;
  jobId: number | null;
  isPaused: boolean;
  /** Microseconds; grows with every replay. */
  generation: number;
  /** Microseconds; a replay that the target does not know yet. */
  replayFrom: number | null;
  /** JSON text: what a target without a memory of its own needs to go on. */
  position: string;
  failures: number;
  errorCode: string | null;
  error: string | null;
  failedAt: number | null;
  nextAt: number | null;
  delivered: number;
  deliveredAt: number | null;
  checkedAt: number | null;
  createdAt: number;
  updatedAt: number;
}

interface StoredRow extends Omit<DestinationRow, 'isPaused'> {
  isPaused: number;
}

/** A stream of records as its destination knows it. */
export interface DeliveredStream {
  streamId: number;
  integrationKey: string;
  model: string;
  connectionId: string;
  variant: string;
  /** Microseconds: every change up to it was delivered. */
  cursor: number;
}

/** Progress of one stream of the environment; `waiting` counts the changes after the cursor. */
export interface StreamProgress extends DeliveredStream {
  delivered: number;
  waiting: number;
  /** Microseconds: the oldest change that waits. */
  oldestAt: number | null;
}

const COLUMNS = `seq, id, environment_id AS environmentId, name, kind, settings, secret, job_id AS jobId,
  is_paused AS isPaused, generation, replay_from AS replayFrom, position, failures, error_code AS errorCode, error,
  failed_at AS failedAt, next_at AS nextAt, delivered, delivered_at AS deliveredAt, checked_at AS checkedAt,
  created_at AS createdAt, updated_at AS updatedAt`;

const toRow = (row: StoredRow): DestinationRow => ({ ...row, isPaused: row.isPaused === 1 });

/** Record destinations, and how far each stream was delivered. */
export class DestinationsStore {
  /** In the order of their creation. */
  async list(db: ReadHandle, environmentId: number): Promise<DestinationRow[]> {
    const rows = await db.all<StoredRow>(
      `SELECT ${COLUMNS} FROM record_destinations WHERE environment_id = ? ORDER BY seq`,
      [environmentId],
    );
    return rows.map(toRow);
  }

  async find(db: ReadHandle, id: string): Promise<DestinationRow | undefined> {
    const row = await db.get<StoredRow>(`SELECT ${COLUMNS} FROM record_destinations WHERE id = ?`, [id]);
    return row && toRow(row);
  }

  /** Those that should have a job, with its id. */
  async listActive(db: ReadHandle): Promise<Array<{ id: string; jobId: number | null; hasJob: 0 | 1 }>> {
    return db.all(
      `SELECT d.id, d.job_id AS jobId, EXISTS (SELECT 1 FROM jobs AS j WHERE j.id = d.job_id) AS hasJob
       FROM record_destinations AS d WHERE d.is_paused = 0`,
    );
  }

  async insert(
    tx: Transaction,
    row: Pick<
      DestinationRow,
      'id' | 'environmentId' | 'name' | 'kind' | 'settings' | 'secret' | 'generation' | 'createdAt'
    >,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO record_destinations
         (id, environment_id, name, kind, settings, secret, generation, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)`,
      [row.id, row.environmentId, row.name, row.kind, row.settings, row.secret, row.generation, row.createdAt],
    );
  }

  async updateSettings(
    tx: Transaction,
    row: Pick<DestinationRow, 'seq' | 'name' | 'settings' | 'secret'>,
    now: number,
  ): Promise<void> {
    await tx.run('UPDATE record_destinations SET name = ?, settings = ?, secret = ?, updated_at = ? WHERE seq = ?', [
      row.name,
      row.settings,
      row.secret,
      now,
      row.seq,
    ]);
  }

  async setJob(tx: Transaction, seq: number, job: { jobId: number | null; nextAt: number | null }): Promise<void> {
    await tx.run('UPDATE record_destinations SET job_id = ?, next_at = ? WHERE seq = ?', [job.jobId, job.nextAt, seq]);
  }

  async setPosition(tx: Transaction, seq: number, position: string): Promise<void> {
    await tx.run('UPDATE record_destinations SET position = ? WHERE seq = ?', [position, seq]);
  }

  async setPaused(tx: Transaction, seq: number, isPaused: boolean, now: number): Promise<void> {
    await tx.run(
      `UPDATE record_destinations SET is_paused = ?, failures = 0, error_code = NULL, error = NULL, failed_at = NULL,
         updated_at = ? WHERE seq = ?`,
      [isPaused ? 1 : 0, now, seq],
    );
  }

  /** Delivers again from a stamp on: cursors that are further go back to just before it. */
  async startReplay(tx: Transaction, seq: number, replay: { from: number; generation: number }): Promise<void> {
    await tx.run(
      `UPDATE record_destinations SET generation = MAX(generation + 1, ?2), failures = 0,
         replay_from = MIN(COALESCE(replay_from, ?3), ?3) WHERE seq = ?1`,
      [seq, replay.generation, replay.from],
    );
    await tx.run(
      'UPDATE record_destination_streams SET cursor = MIN(cursor, MAX(?2 - 1, 0)) WHERE destination_seq = ?1',
      [seq, replay.from],
    );
  }

  async endReplay(tx: Transaction, seq: number, generation: number): Promise<void> {
    await tx.run('UPDATE record_destinations SET replay_from = NULL WHERE seq = ? AND generation = ?', [
      seq,
      generation,
    ]);
  }

  async noteSuccess(tx: Transaction, seq: number, now: number): Promise<void> {
    await tx.run(
      `UPDATE record_destinations SET failures = 0, error_code = NULL, error = NULL, failed_at = NULL, checked_at = ?
       WHERE seq = ?`,
      [now, seq],
    );
  }

  async noteFailure(
    tx: Transaction,
    seq: number,
    failure: { code: string; message: string; at: number },
  ): Promise<void> {
    await tx.run(
      `UPDATE record_destinations SET failures = failures + 1, error_code = ?, error = ?, failed_at = ?, checked_at = ?3
       WHERE seq = ?`,
      [failure.code, failure.message, failure.at, seq],
    );
  }

  async noteDelivered(
    tx: Transaction,
    seq: number,
    { count, position, now }: { count: number; position: string; now: number },
  ): Promise<void> {
    await tx.run(
      'UPDATE record_destinations SET delivered = delivered + ?, delivered_at = ?, position = ? WHERE seq = ?',
      [count, now, position, seq],
    );
  }

  async remove(tx: Transaction, seq: number): Promise<void> {
    await tx.run('DELETE FROM record_destinations WHERE seq = ?', [seq]);
  }

  async listDelivered(db: ReadHandle, seq: number): Promise<DeliveredStream[]> {
    return db.all(
      `SELECT stream_id AS streamId, integration_key AS integrationKey, model, connection_id AS connectionId, variant, cursor
       FROM record_destination_streams WHERE destination_seq = ? ORDER BY stream_id`,
      [seq],
    );
  }

  /** Sets cursors; `delivered` is added. */
  async upsertStreams(
    tx: Transaction,
    seq: number,
    streams: ReadonlyArray<DeliveredStream & { delivered: number }>,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO record_destination_streams
         (destination_seq, stream_id, integration_key, model, connection_id, variant, cursor, delivered)
       SELECT ?1, value ->> 'streamId', value ->> 'integrationKey', value ->> 'model', value ->> 'connectionId',
         value ->> 'variant', value ->> 'cursor', value ->> 'delivered' FROM json_each(?2) WHERE true
       ON CONFLICT (destination_seq, stream_id) DO UPDATE SET integration_key = excluded.integration_key,
         model = excluded.model, connection_id = excluded.connection_id, variant = excluded.variant,
         cursor = excluded.cursor, delivered = delivered + excluded.delivered`,
      [seq, JSON.stringify(streams)],
    );
  }

  async removeStreams(tx: Transaction, seq: number, streamIds: readonly number[]): Promise<void> {
    await tx.run(
      `DELETE FROM record_destination_streams
       WHERE destination_seq = ? AND stream_id IN (SELECT value FROM json_each(?))`,
      [seq, JSON.stringify(streamIds)],
    );
  }

  /** The live streams of the environment that have changes after their cursor. */
  async listPending(db: ReadHandle, { seq, environmentId }: DestinationRow): Promise<number[]> {
    const rows = await db.all<{ id: number }>(
      `SELECT s.id FROM record_streams AS s JOIN connections AS c ON c.id = s.connection_row_id
       LEFT JOIN record_destination_streams AS d ON d.destination_seq = ?1 AND d.stream_id = s.id
       WHERE c.environment_id = ?2 AND s.retired = 0 AND c.deleted_at IS NULL AND EXISTS (
         SELECT 1 FROM records AS r WHERE r.stream_id = s.id AND r.updated_at > COALESCE(d.cursor, 0))`,
      [seq, environmentId],
    );
    return rows.map(({ id }) => id);
  }

  /** Progress of every live stream of the environment, with the number of changes that wait. */
  async listProgress(db: ReadHandle, { seq, environmentId }: DestinationRow): Promise<StreamProgress[]> {
    return db.all(
      `SELECT s.id AS streamId, i.unique_key AS integrationKey, s.model, c.connection_id AS connectionId, s.variant,
         COALESCE(d.cursor, 0) AS cursor, COALESCE(d.delivered, 0) AS delivered,
         (SELECT count(*) FROM records AS r WHERE r.stream_id = s.id AND r.updated_at > COALESCE(d.cursor, 0)) AS waiting,
         (SELECT min(r.updated_at) FROM records AS r
          WHERE r.stream_id = s.id AND r.updated_at > COALESCE(d.cursor, 0)) AS oldestAt
       FROM record_streams AS s JOIN connections AS c ON c.id = s.connection_row_id
       JOIN integrations AS i ON i.id = c.integration_id
       LEFT JOIN record_destination_streams AS d ON d.destination_seq = ?1 AND d.stream_id = s.id
       WHERE c.environment_id = ?2 AND s.retired = 0 AND c.deleted_at IS NULL AND i.deleted_at IS NULL
       ORDER BY i.unique_key, s.model, c.connection_id, s.variant`,
      [seq, environmentId],
    );
  }

  /** The newest stamp that the hub has given to a change. */
  async findLastStamp(db: ReadHandle): Promise<number> {
    const row = await db.get<{ last: number }>('SELECT last_stamp AS last FROM record_clock');
    return row?.last ?? 0;
  }

  /** Replaces the key in the choices when an integration gets another key. */
  async renameIntegration(
    tx: Transaction,
    { environmentId, from, to }: { environmentId: number; from: string; to: string },
  ): Promise<void> {
    await tx.run(
      `UPDATE record_destinations SET settings = json_set(settings, '$.integrations',
         (SELECT json_group_array(CASE value WHEN ?2 THEN ?3 ELSE value END) FROM json_each(settings, '$.integrations')))
       WHERE environment_id = ?1 AND EXISTS (
         SELECT 1 FROM json_each(settings, '$.integrations') WHERE value = ?2)`,
      [environmentId, from, to],
    );
  }

  /** Destinations whose last deliveries failed in a row. */
  async listFailing(db: ReadHandle, environmentId: number, leastFailures: number): Promise<DestinationRow[]> {
    const rows = await db.all<StoredRow>(
      `SELECT ${COLUMNS} FROM record_destinations
       WHERE environment_id = ? AND is_paused = 0 AND failures >= ? ORDER BY failed_at DESC`,
      [environmentId, leastFailures],
    );
    return rows.map(toRow);
  }
}
