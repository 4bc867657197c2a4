import type { Migration } from './migration.ts';

/**
 * Ended runs of the playground, so that the history survives a restart; `run` is sealed JSON (ui.md 6.12). The runs of
 * a connection go with it, whatever removes it.
 */
export const playgroundRuns: Migration = {
  id: '0055-playground-runs',
  breaking: false,
  statements: [
    `CREATE TABLE playground_runs (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      connection_id INTEGER NOT NULL REFERENCES connections (id) ON DELETE CASCADE,
      run TEXT NOT NULL,
      ended_at INTEGER NOT NULL
    ) STRICT`,
    'CREATE INDEX playground_runs_of_environment ON playground_runs (environment_id, seq)',
    'CREATE INDEX playground_runs_of_connection ON playground_runs (connection_id)',
    `CREATE TRIGGER playground_runs_of_deleted AFTER UPDATE OF deleted_at ON connections WHEN NEW.deleted_at IS NOT NULL BEGIN
      DELETE FROM playground_runs WHERE connection_id = NEW.id;
    END`,
  ],
};
