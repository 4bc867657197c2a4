import type { Migration } from './migration.ts';

/**
 * The time at which credentials end that nothing can renew (design.md 7.53); -1 where only the sealed credentials tell
 * it. Notifications are about causes (design.md 7.52), so those about a single connection end.
 */
export const truthOfStatus: Migration = {
  id: '0050-truth-of-status',
  breaking: false,
  statements: [
    'ALTER TABLE connections ADD COLUMN credentials_end_at INTEGER',
    `UPDATE connections SET credentials_end_at = CASE credentials_type WHEN 'OAUTH2' THEN -1 ELSE credentials_expire_at END
       WHERE credentials_expire_at IS NOT NULL AND deleted_at IS NULL
         AND COALESCE(credentials_type, '') NOT IN ('APP', 'OAUTH2_CC', 'JWT', 'BILL', 'TWO_STEP', 'SIGNATURE', 'AWS_SIGV4')`,
    'ALTER TABLE notifications ADD COLUMN told_size INTEGER NOT NULL DEFAULT 1',
    "UPDATE notifications SET over_at = at WHERE over_at IS NULL AND kind IN ('sync', 'sign-in', 'webhook')",
  ],
};
