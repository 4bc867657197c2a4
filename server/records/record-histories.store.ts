import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** Limits of the history of a model. */
export interface HistoryBounds {
  /** Limit for each record. */
  mostVersions: number;
  /** Days after a version was replaced. */
  mostDays: number;
}

/** A stream with a history, and its limits. */
export interface HistoryStream extends HistoryBounds {
  streamId: number;
}

/** Models with a history. Each stream is marked as well, so that a write need not read this table. */
export class RecordHistoriesStore {
  async find(db: ReadHandle, integrationId: number, model: string): Promise<HistoryBounds | undefined> {
    return db.get(
      `SELECT most_versions AS mostVersions, most_days AS mostDays FROM record_histories
       WHERE integration_id = ? AND model = ?`,
      [integrationId, model],
    );
  }

  async upsert(tx: Transaction, integrationId: number, model: string, bounds: HistoryBounds): Promise<void> {
    await tx.run(
      `INSERT INTO record_histories (integration_id, model, most_versions, most_days) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET most_versions = excluded.most_versions, most_days = excluded.most_days`,
      [integrationId, model, bounds.mostVersions, bounds.mostDays],
    );
  }

  async remove(tx: Transaction, integrationId: number, model: string): Promise<void> {
    await tx.run('DELETE FROM record_histories WHERE integration_id = ? AND model = ?', [integrationId, model]);
  }

  async listStreams(db: ReadHandle): Promise<HistoryStream[]> {
    return db.all(
      `SELECT s.id AS streamId, h.most_versions AS mostVersions, h.most_days AS mostDays
       FROM record_streams AS s JOIN connections AS c ON c.id = s.connection_row_id
       JOIN record_histories AS h ON h.integration_id = c.integration_id AND h.model = s.model
       WHERE s.history_since > 0 AND s.retired = 0`,
    );
  }
}
