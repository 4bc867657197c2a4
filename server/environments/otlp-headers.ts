import type { Database, ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { EnvironmentsStore } from './environments.store.ts';

export interface OtlpHeader {
  name: string;
  value: string;
}

/** Headers for each environment's trace collector; they contain its credentials and are sealed. */
export function createOtlpHeaders(use: {
  database: Pick<Database, 'reader'>;
  vault: Vault;
  environmentsStore: EnvironmentsStore;
}) {
  const { database, vault, environmentsStore } = use;
  /** Throws `vault_locked` when headers are stored and the vault is locked. */
  async function list(environmentId: number, db: ReadHandle = database.reader): Promise<OtlpHeader[]> {
    const sealed = await environmentsStore.findOtlpHeaders(db, environmentId);
    return sealed === undefined ? [] : vault.openJson<OtlpHeader[]>(sealed, contextOf(environmentId));
  }

  async function store(tx: Transaction, environmentId: number, headers: readonly OtlpHeader[]): Promise<void> {
    const sealed = headers.length === 0 ? '' : vault.sealJson(headers, contextOf(environmentId));
    await environmentsStore.updateOtlpHeaders(tx, environmentId, sealed);
  }

  return { list, store };
}

/** Whether secrets for one address must not be sent to the other. */
export function isOriginMoved(before: string | null, after: string | null): boolean {
  return originOf(before) !== originOf(after);
}

const originOf = (address: string | null): string | undefined =>
  address === null ? undefined : URL.parse(address)?.origin;

function contextOf(environmentId: number): string {
  return `environment:${environmentId}:otlp-headers`;
}
