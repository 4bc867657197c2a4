import type { Migration } from './migration.ts';

/**
 * Sources of versions that went live, so that any two can be compared (ui.md 6.9). The current versions are the first.
 */
export const functionVersions: Migration = {
  id: '0035-function-versions',
  breaking: false,
  statements: [
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
    `INSERT INTO function_versions (function_id, version, origin, live_at, characters, source)
     SELECT f.id, COALESCE(f.version, '1'), f.origin, COALESCE(f.deployed_at, f.created_at), length(c.source), c.source
     FROM functions AS f JOIN function_code AS c ON c.function_id = f.id ORDER BY f.id`,
  ],
};
