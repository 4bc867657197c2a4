import type { Migration } from './migration.ts';

/** Functions that were deployed are stored together with those of the workspace. */
export const functionOrigins: Migration = {
  id: '0013-function-origins',
  breaking: false,
  statements: [
    `ALTER TABLE functions ADD COLUMN origin TEXT NOT NULL DEFAULT 'workspace'
      CHECK (origin IN ('workspace', 'repo', 'standalone'))`,
  ],
};
