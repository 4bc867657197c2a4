import type { Migration } from './migration.ts';

/** Minutes without activity after which the vault is locked; NULL: never (ui.md 6.16). */
export const vaultAutoLock: Migration = {
  id: '0039-vault-auto-lock',
  breaking: false,
  statements: ['ALTER TABLE vault ADD COLUMN auto_lock_minutes INTEGER'],
};
