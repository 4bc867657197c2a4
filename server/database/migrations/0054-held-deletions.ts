import type { Migration } from './migration.ts';

/** Deletions of the dashboard that wait for ten seconds, so that a person can undo them (ui.md 5.11). */
export const heldDeletions: Migration = {
  id: '0054-held-deletions',
  breaking: false,
  statements: [
    `CREATE TABLE held_deletions (
       id INTEGER PRIMARY KEY,
       deletion_id TEXT NOT NULL,
       environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
       kind TEXT NOT NULL,
       object_id TEXT NOT NULL,
       names TEXT NOT NULL,
       due_at INTEGER NOT NULL,
       is_begun INTEGER NOT NULL DEFAULT 0
     ) STRICT`,
    'CREATE UNIQUE INDEX held_deletions_by_object ON held_deletions (kind, object_id)',
    'CREATE INDEX held_deletions_by_deletion ON held_deletions (deletion_id)',
  ],
};
