import type { Database, Transaction } from '../platform/database/database.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { EnvironmentsStore } from './environments.store.ts';

/** The token for each environment's address of questions (agents.md 12); sealed. */
export function createApprovalsToken(use: {
  database: Pick<Database, 'reader'>;
  vault: Vault;
  environmentsStore: EnvironmentsStore;
}) {
  const { database, environmentsStore, vault } = use;
  return {
    /** Also while the vault is locked. */
    async exists(environmentId: number): Promise<boolean> {
      return (await environmentsStore.findApprovalsToken(database.reader, environmentId)) !== undefined;
    },

    /** Throws `vault_locked` when a token is stored and the vault is locked. */
    async find(environmentId: number): Promise<string | undefined> {
      const sealed = await environmentsStore.findApprovalsToken(database.reader, environmentId);
      return sealed === undefined ? undefined : vault.openJson<string>(sealed, contextOf(environmentId));
    },

    async store(tx: Transaction, environmentId: number, token: string | null): Promise<void> {
      const sealed = token === null ? '' : vault.sealJson(token, contextOf(environmentId));
      await environmentsStore.updateApprovalsToken(tx, environmentId, sealed);
    },
  };
}

const contextOf = (environmentId: number): string => `environment:${environmentId}:approvals-token`;
