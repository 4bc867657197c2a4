import type { Database, ReadHandle, Transaction } from '../platform/database/database.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { EnvironmentsStore } from './environments.store.ts';

export interface Variable {
  name: string;
  value: string;
  /** The settings page shows the value at once. Absent in a change: unchanged; for a new variable: false. */
  isPlain?: boolean | undefined;
}

/** The variables of environments, sealed in the database and open in memory while the vault is. */
export function createVariables({
  database,
  vault,
  environmentsStore,
}: {
  database: Database;
  vault: Vault;
  environmentsStore: EnvironmentsStore;
}) {
  /** This process is the only writer and updates them. */
  const byId = new Map<number, Variable[]>();
  vault.onLock(() => byId.clear());

  async function list(environmentId: number): Promise<Variable[]> {
    const known = byId.get(environmentId);
    if (known) return known;
    const variables = await read(database.reader, environmentId);
    // A change that was stored meanwhile is newer than what was read here.
    const newer = byId.get(environmentId);
    if (newer) return newer;
    byId.set(environmentId, variables);
    return variables;
  }

  async function read(db: ReadHandle, environmentId: number): Promise<Array<Variable & { isPlain: boolean }>> {
    return (await environmentsStore.listVariables(db, environmentId)).map(({ name, value, isPlain }) => ({
      name,
      value: vault.open(value, variableContext(environmentId, name)),
      isPlain,
    }));
  }

  /** Works also while the vault is locked. */
  async function listNames(environmentId: number): Promise<string[]> {
    const rows = await environmentsStore.listVariables(database.reader, environmentId);
    return rows.map(({ name }) => name);
  }

  /** Variables keep their `isPlain` when a change does not say it. */
  async function decide(
    tx: Transaction,
    environmentId: number,
    wanted: Variable[] | ((stored: Variable[]) => Variable[]),
  ): Promise<Variable[]> {
    const stored = await read(tx, environmentId);
    const known = new Map(stored.map(({ name, isPlain }) => [name, isPlain]));
    const variables = typeof wanted === 'function' ? wanted(stored) : wanted;
    return variables.map(({ name, value, isPlain }) => ({ name, value, isPlain: isPlain ?? known.get(name) ?? false }));
  }

  async function store(tx: Transaction, environmentId: number, variables: Variable[]): Promise<void> {
    const sealed = variables.map(({ name, value, isPlain = false }) => ({
      name,
      value: vault.seal(value, variableContext(environmentId, name)),
      isPlain,
    }));
    await environmentsStore.replaceVariables(tx, environmentId, sealed);
  }

  return {
    list,
    listNames,
    decide,
    store,
    /** Call it after the commit of what `store` wrote. */
    remember: (environmentId: number, variables: Variable[]): unknown => byId.set(environmentId, variables),
    forget: (environmentId: number): unknown => byId.delete(environmentId),
  };
}

function variableContext(environmentId: number, name: string): string {
  return `environment:${environmentId}:variable:${name}`;
}
