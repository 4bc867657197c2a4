/** Default limit of a new hub (ui.md 6.16). */
const DEFAULT_RECORDED_BYTES = 200_000_000;

/** The log, what is counted beside it, and recorded bodies. */
export const logTables: readonly string[] = [
  // The index for the list contains all filters.
  `CREATE TABLE log_operations (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      environment_id INTEGER NOT NULL,
      type TEXT NOT NULL,
      action TEXT NOT NULL,
      state TEXT NOT NULL,
      message TEXT,
      integration_key TEXT,
      provider_name TEXT,
      connection_id TEXT,
      end_user_id TEXT,
      end_user_name TEXT,
      function_name TEXT,
      job_id TEXT,
      triggered_by TEXT,
      actor TEXT,
      http_calls INTEGER NOT NULL,
      records_changed INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      started_at INTEGER,
      ended_at INTEGER,
      expires_at INTEGER,
      duration_ms INTEGER,
      error TEXT,
      details TEXT,
      cpu_ms REAL,
      memory_bytes INTEGER,
      variant TEXT,
      records_added INTEGER,
      records_updated INTEGER,
      records_deleted INTEGER
    ) STRICT`,
  `CREATE INDEX log_operations_unfinished
      ON log_operations (created_at)
      WHERE state IN ('waiting', 'running')`,
  `CREATE INDEX log_operations_list
      ON log_operations (environment_id, created_at, state, type, action, integration_key, connection_id, function_name, duration_ms, triggered_by)`,
  `CREATE INDEX log_operations_tool_calls
      ON log_operations (environment_id, created_at)
      WHERE triggered_by = 'mcp'`,
  // Full-text tables keep no copy of the text (`content=''`); the stores fill them beside each bulk insert.
  `CREATE VIRTUAL TABLE log_operations_search USING fts5 (
      text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    )`,
  // The id of a message contains its operation: `seq << 20 | position`. So the messages of one operation are stored
  // together, and a match of the full-text index identifies its operation without a look-up.
  `CREATE TABLE log_messages (
      id INTEGER PRIMARY KEY,
      created_at INTEGER NOT NULL,
      level TEXT NOT NULL,
      type TEXT NOT NULL,
      source TEXT NOT NULL,
      context TEXT,
      duration_ms INTEGER,
      message TEXT NOT NULL,
      details TEXT
    ) STRICT`,
  `CREATE VIRTUAL TABLE log_messages_search USING fts5 (
      text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2'
    )`,
  // Size of the log by slots of ten minutes (`slot` is the start in milliseconds), so that a limit in bytes becomes
  // a time before which all entries are removed.
  `CREATE TABLE log_sizes (
      environment_id INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot)
    ) STRICT, WITHOUT ROWID`,
  // How many calls an integration had in each hour: lists show it (ui.md 6.3, 6.7) without counting the log.
  `CREATE TABLE call_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      hour INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      calls INTEGER NOT NULL,
      failed INTEGER NOT NULL,
      PRIMARY KEY (environment_id, hour, integration_key)
    ) STRICT, WITHOUT ROWID`,
  // How the runs of a function ended and how long they took, by slot first, because every reader selects a period.
  `CREATE TABLE run_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      type TEXT NOT NULL,
      function_name TEXT NOT NULL,
      has_failed INTEGER NOT NULL,
      duration_ms INTEGER NOT NULL,
      runs INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot, integration_key, type, function_name, has_failed, duration_ms)
    ) STRICT, WITHOUT ROWID`,
  // Proxied requests by class of the response's status (0: no response), for the charts of the overview (ui.md 6.2):
  // each minute of the last hours, and each quarter of an hour of the last 90 days. A quarter divides the day of
  // every time zone.
  `CREATE TABLE proxy_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      integration_key TEXT NOT NULL,
      status_class INTEGER NOT NULL,
      calls INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot, integration_key, status_class)
    ) STRICT, WITHOUT ROWID`,
  // Which records runs added, updated and deleted.
  `CREATE TABLE record_counts (
      environment_id INTEGER NOT NULL REFERENCES environments (id) ON DELETE CASCADE,
      slot_ms INTEGER NOT NULL,
      slot INTEGER NOT NULL,
      added INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      PRIMARY KEY (environment_id, slot_ms, slot)
    ) STRICT, WITHOUT ROWID`,
  // Bodies of requests to providers and of their responses, sealed (ui.md 6.11).
  `CREATE TABLE traffic_recordings (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      operation_seq INTEGER NOT NULL REFERENCES log_operations (seq) ON DELETE CASCADE,
      size_bytes INTEGER NOT NULL,
      facts TEXT NOT NULL,
      request BLOB,
      response BLOB
    ) STRICT`,
  'CREATE INDEX traffic_recordings_of_operation ON traffic_recordings (operation_seq)',
  // Triggers update the sum of the bytes, whatever removes rows: the removal of an operation, the size limit, or a
  // person.
  `CREATE TABLE traffic_recording_state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      is_on INTEGER NOT NULL,
      most_bytes INTEGER NOT NULL,
      used_bytes INTEGER NOT NULL
    ) STRICT`,
  `INSERT INTO traffic_recording_state (id, is_on, most_bytes, used_bytes) VALUES (1, 0, ${DEFAULT_RECORDED_BYTES}, 0)`,
  `CREATE TRIGGER traffic_recordings_insert AFTER INSERT ON traffic_recordings BEGIN
      UPDATE traffic_recording_state SET used_bytes = used_bytes + NEW.size_bytes;
    END`,
  `CREATE TRIGGER traffic_recordings_delete AFTER DELETE ON traffic_recordings BEGIN
      UPDATE traffic_recording_state SET used_bytes = used_bytes - OLD.size_bytes;
    END`,
];

/** Read the word lists of the full-text indexes, and store nothing. */
export const logWordTables: readonly string[] = [
  "CREATE VIRTUAL TABLE log_operations_words USING fts5vocab('log_operations_search', 'instance')",
  "CREATE VIRTUAL TABLE log_messages_words USING fts5vocab('log_messages_search', 'instance')",
];
