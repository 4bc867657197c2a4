import type { Migration } from './migration.ts';

/** What a person saved under a name to run again in the playground; the request is sealed JSON (ui.md 6.12). */
export const playgroundInputs: Migration = {
  id: '0041-playground-inputs',
  breaking: false,
  statements: [
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
  ],
};
