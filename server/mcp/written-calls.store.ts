import type { ReadHandle, Transaction } from '../platform/database/database.ts';

/** `none`: there is nothing that takes it back. `running` is left behind when the hub stops during an undo. */
export type UndoState = 'none' | 'possible' | 'running' | 'undone' | 'failed';

/** A call of an agent that changed something. */
export interface WrittenCall {
  /** The operation of its run in the log. */
  id: string;
  sessionId: string;
  integrationKey: string;
  connectionId: string;
  /** A later connection with the same id is not meant. */
  connectionRowId: number;
  tool: string;
  bundleHash: string;
  /** Sealed; null after its time, and when the connection was deleted. */
  details: string | null;
  undoState: UndoState;
  /** Why the undo failed, or why there is none. */
  undoError: string | null;
  undoneAt: number | null;
  madeAt: number;
}

interface SqlRow {
  id: string;
  session_id: string;
  integration_key: string;
  connection_id: string;
  connection_row_id: number;
  tool: string;
  bundle_hash: string;
  details: string | null;
  undo_state: UndoState;
  undo_error: string | null;
  undone_at: number | null;
  made_at: number;
}

const COLUMNS = `id, session_id, integration_key, connection_id, connection_row_id, tool,
  bundle_hash, details, undo_state, undo_error, undone_at, made_at`;

const toCall = (row: SqlRow): WrittenCall => ({
  id: row.id,
  sessionId: row.session_id,
  integrationKey: row.integration_key,
  connectionId: row.connection_id,
  connectionRowId: row.connection_row_id,
  tool: row.tool,
  bundleHash: row.bundle_hash,
  details: row.details,
  undoState: row.undo_state,
  undoError: row.undo_error,
  undoneAt: row.undone_at,
  madeAt: row.made_at,
});

/** What agents changed, and what of it was taken back (agents.md 11). */
export class WrittenCallsStore {
  async find(db: ReadHandle, sessionId: string, id: string): Promise<WrittenCall | undefined> {
    const row = await db.get<SqlRow>(`SELECT ${COLUMNS} FROM written_calls WHERE session_id = ? AND id = ?`, [
      sessionId,
      id,
    ]);
    return row && toCall(row);
  }

  /** Of a session, newest first. */
  async list(db: ReadHandle, sessionId: string, limit: number): Promise<WrittenCall[]> {
    const rows = await db.all<SqlRow>(
      `SELECT ${COLUMNS} FROM written_calls WHERE session_id = ? ORDER BY made_at DESC, id LIMIT ?`,
      [sessionId, limit],
    );
    return rows.map(toCall);
  }

  /** Without the details when the connection was deleted meanwhile. */
  async insert(tx: Transaction, one: WrittenCall): Promise<void> {
    await tx.run(
      `INSERT INTO written_calls (${COLUMNS}) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7,
        CASE WHEN EXISTS (SELECT 1 FROM connections WHERE id = ?5 AND deleted_at IS NULL) THEN ?8 END, ?9, ?10, ?11, ?12`,
      [
        one.id,
        one.sessionId,
        one.integrationKey,
        one.connectionId,
        one.connectionRowId,
        one.tool,
        one.bundleHash,
        one.details,
        one.undoState,
        one.undoError,
        one.undoneAt,
        one.madeAt,
      ],
    );
  }

  /** True for the one caller that may take it back now. */
  async beginUndo(tx: Transaction, id: string): Promise<boolean> {
    const { changes } = await tx.run(
      "UPDATE written_calls SET undo_state = 'running', undo_error = NULL WHERE id = ? AND undo_state = 'possible'",
      [id],
    );
    return changes === 1;
  }

  async endUndo(
    tx: Transaction,
    id: string,
    { error, state, undoneAt }: { state: UndoState; error: string | null; undoneAt: number | null },
  ): Promise<void> {
    await tx.run('UPDATE written_calls SET undo_state = ?, undo_error = ?, undone_at = ? WHERE id = ?', [
      state,
      error,
      undoneAt,
      id,
    ]);
  }

  /** Those that ran when the hub stopped. */
  async endInterrupted(tx: Transaction, error: string): Promise<void> {
    await tx.run("UPDATE written_calls SET undo_state = 'failed', undo_error = ? WHERE undo_state = 'running'", [
      error,
    ]);
  }

  /** Also of those that a clock which was ahead has made. */
  async removeDetails(tx: Transaction, now: number, keptMs: number): Promise<void> {
    await tx.run(
      'UPDATE written_calls SET details = NULL, undo_error = NULL WHERE details IS NOT NULL AND abs(made_at - ?) >= ?',
      [now, keptMs],
    );
  }
}
