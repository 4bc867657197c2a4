/** Functions, their code, asynchronous calls of actions, and the playground. */
export const functionTables: readonly string[] = [
  // Of the workspace and deployed ones. One whose file is missing is kept.
  `CREATE TABLE functions (
      id INTEGER PRIMARY KEY,
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      integration_key TEXT NOT NULL,
      type TEXT NOT NULL,
      name TEXT NOT NULL,
      path TEXT NOT NULL,
      version TEXT,
      definition TEXT,
      bundle_hash TEXT,
      inputs TEXT NOT NULL,
      problems TEXT,
      is_enabled INTEGER NOT NULL,
      deployed_at INTEGER,
      created_at INTEGER NOT NULL,
      origin TEXT NOT NULL DEFAULT 'workspace' CHECK (origin IN ('workspace', 'repo', 'standalone')),
      missing_since INTEGER,
      UNIQUE (environment_id, integration_key, type, name)
    ) STRICT`,
  // Apart from `functions`, so that a list of functions does not read it.
  `CREATE TABLE function_code (
      function_id INTEGER PRIMARY KEY REFERENCES functions (id) ON DELETE CASCADE,
      source TEXT NOT NULL,
      bundle TEXT NOT NULL
    ) STRICT`,
  // Sources of versions that went live, so that any two can be compared (ui.md 6.9).
  `CREATE TABLE function_versions (
      id INTEGER PRIMARY KEY,
      function_id INTEGER NOT NULL REFERENCES functions (id) ON DELETE CASCADE,
      version TEXT NOT NULL,
      origin TEXT NOT NULL,
      live_at INTEGER NOT NULL,
      characters INTEGER NOT NULL,
      source TEXT NOT NULL
    ) STRICT`,
  'CREATE INDEX function_versions_function ON function_versions (function_id, id)',
  // Asynchronous action calls and their responses.
  `CREATE TABLE action_calls (
      id TEXT PRIMARY KEY,
      environment_id INTEGER NOT NULL,
      request TEXT NOT NULL,
      response TEXT,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX action_calls_by_age ON action_calls (created_at)',
  'CREATE INDEX action_calls_by_environment ON action_calls (environment_id)',
  // What a person saved under a name to run again; the request is sealed JSON (ui.md 6.12).
  `CREATE TABLE playground_inputs (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      integration_id INTEGER NOT NULL REFERENCES integrations (id) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      function_name TEXT NOT NULL,
      name TEXT NOT NULL,
      request TEXT NOT NULL,
      saved_at INTEGER NOT NULL,
      UNIQUE (integration_id, kind, function_name, name)
    ) STRICT`,
  // Ended runs, so that the history survives a restart; `run` is sealed JSON (ui.md 6.12). The runs of a connection
  // go with it, whatever removes it.
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
];

/**
 * Integrations whose recordings are made again once a week (functions.md 8.3). Released: a later change is a step in
 * `server/schema`.
 */
export const driftWatchTables: readonly string[] = [
  `CREATE TABLE drift_watches (
      integration_id INTEGER PRIMARY KEY REFERENCES integrations (id) ON DELETE CASCADE,
      connection_id TEXT NOT NULL,
      next_at INTEGER NOT NULL,
      last_at INTEGER,
      result TEXT,
      problem TEXT
    ) STRICT`,
];
