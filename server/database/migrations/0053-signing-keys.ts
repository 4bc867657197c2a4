import type { Migration } from './migration.ts';

/** The signing key before the last rotation, sealed: it stays valid for five minutes (design.md 7.61). */
export const signingKeys: Migration = {
  id: '0053-signing-keys',
  breaking: false,
  statements: [
    "ALTER TABLE environments ADD COLUMN previous_signing_key TEXT NOT NULL DEFAULT ''",
    'ALTER TABLE environments ADD COLUMN signing_key_rotated_at INTEGER',
  ],
};
