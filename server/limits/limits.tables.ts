/** Limits of calls and what was used of them. Released: a later change is a step in `server/schema`. */
export const limitTables: readonly string[] = [
  // `subject` is the id of a key, a session or a run, or the name of a program; `limits` is JSON of those that differ
  // from the defaults, NULL for none. An id of a key may be given again, so its row goes with it.
  `CREATE TABLE call_limits (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('sessions', 'key', 'program', 'session', 'run')),
      subject TEXT NOT NULL,
      limits TEXT,
      calls INTEGER NOT NULL DEFAULT 0,
      writes INTEGER NOT NULL DEFAULT 0,
      cost REAL NOT NULL DEFAULT 0,
      PRIMARY KEY (environment_id, kind, subject)
    ) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER call_limits_of_key AFTER DELETE ON api_keys BEGIN
      DELETE FROM call_limits
      WHERE environment_id = old.environment_id AND kind = 'key' AND subject = CAST(old.id AS TEXT);
    END`,
  `CREATE TRIGGER call_limits_of_session AFTER DELETE ON agent_sessions BEGIN
      DELETE FROM call_limits WHERE environment_id = old.environment_id AND kind = 'session' AND subject = old.id;
    END`,
];
