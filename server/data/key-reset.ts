import type { ApiKeys } from '../environments/api-keys.ts';
import { EnvironmentsStore } from '../environments/environments.store.ts';
import { OperationsStore } from '../log/operations.store.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { StoredKey } from '../platform/vault/master-key.ts';
import { VaultStore } from '../platform/vault/vault.store.ts';
import { type ReadableCounts, type SealedCounts, SealedDataStore } from './sealed-data.store.ts';

interface KeyResetOptions {
  database: Database;
  /** The new data key, wrapped with the new master key. */
  wrappedKey: StoredKey;
  /** Seals with the new data key. */
  apiKeys: Pick<ApiKeys, 'createDefault'>;
  clock: Clock;
  ids: Ids;
}

export interface KeyReset {
  kept: ReadableCounts;
  lost: SealedCounts;
  /** The new secret key of each environment; afterwards only the dashboard shows them in clear. */
  keys: Array<{ environment: string; secretKey: string }>;
}

const LOST =
  'The master key was lost, and the credentials of all connections with it. Enter the app credentials of integrations that need them, then connect the accounts again.';

/**
 * Gives a data folder with a lost master key a new one, in one transaction: removes what was sealed with the old key,
 * keeps what is not sealed, and marks connections that must be connected again.
 */
export async function resetKey({ database, wrappedKey, apiKeys, clock, ids }: KeyResetOptions): Promise<KeyReset> {
  const environmentRows = new EnvironmentsStore();
  const sealedData = new SealedDataStore();
  return database.transaction(
    async (tx) => {
      const now = clock.now();
      const [kept, lost] = [await sealedData.countReadable(tx), await sealedData.countSealed(tx)];
      await new VaultStore().upsertWrappedKey(tx, wrappedKey, now);
      await sealedData.remove(tx);
      const keys: KeyReset['keys'] = [];
      for (const { id: environmentId, name } of await environmentRows.list(tx)) {
        const logId = ids.uuid();
        await logLoss(tx, { environmentId, logId, now });
        await sealedData.markWithoutCredentials(tx, { environmentId, logId, now });
        keys.push({ environment: name, secretKey: (await apiKeys.createDefault(tx, environmentId)).secret });
      }
      return { kept, lost, keys };
    },
    { durable: true },
  );
}

/** The operation to which the marks of the connections refer. */
async function logLoss(
  tx: Transaction,
  { environmentId, logId, now }: { environmentId: number; logId: string; now: number },
): Promise<void> {
  await new OperationsStore().upsert(tx, [
    {
      id: logId,
      environmentId,
      type: 'auth',
      action: 'connection_test',
      state: 'failed',
      message: 'The master key was reset',
      integrationKey: null,
      providerName: null,
      connectionId: null,
      endUserId: null,
      endUserName: null,
      functionName: null,
      jobId: null,
      trigger: null,
      actor: null,
      sessionId: null,
      httpCalls: 0,
      recordsChanged: 0,
      recordsAdded: 0,
      recordsUpdated: 0,
      recordsDeleted: 0,
      variant: null,
      createdAt: now,
      updatedAt: now,
      startedAt: now,
      endedAt: now,
      expiresAt: null,
      durationMs: 0,
      cpuMs: null,
      memoryBytes: null,
      error: { name: 'lost_master_key', message: LOST },
      details: null,
    },
  ]);
}
