import type { Transaction } from '../database/database.ts';

/** Times of other tables that a clock which was ahead has written; schedules and jobs have their own rule. */
export class ClockStepsStore {
  /**
   * Nothing begins in the future: what does begins now, and lasts as long as it was meant to. `stepMs` is by how much the
   * clock was set back, 0 when that is not known.
   */
  async pullBack(tx: Transaction, { now, stepMs }: { now: number; stepMs: number }): Promise<void> {
    await tx.run(
      `UPDATE dashboard_sessions SET created_at = ?1, last_used_at = ?1, expires_at = ?1 + expires_at - created_at
       WHERE created_at > ?1`,
      [now],
    );
    await tx.run(
      `UPDATE connect_sessions SET created_at = ?1, expires_at = ?1 + expires_at - created_at WHERE created_at > ?1`,
      [now],
    );
    await tx.run(
      `UPDATE agent_sessions SET created_at = ?1, expires_at = ?1 + expires_at - created_at WHERE created_at > ?1`,
      [now],
    );
    await tx.run('UPDATE oauth_states SET created_at = ?1 WHERE created_at > ?1', [now]);
    // A lock has no time of its beginning. Those that were taken before the wrong time mostly end before it.
    if (stepMs > 0)
      await tx.run('UPDATE locks SET expires_at = expires_at - ?2 WHERE expires_at > ?1 + ?2', [now, stepMs]);
  }
}
