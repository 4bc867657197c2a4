import type { Migration } from './migration.ts';

/** Variables whose values the settings page shows without a reveal. They are sealed like the others. */
export const plainVariables: Migration = {
  id: '0032-plain-variables',
  breaking: false,
  statements: ['ALTER TABLE environment_variables ADD COLUMN is_plain INTEGER NOT NULL DEFAULT 0'],
};
