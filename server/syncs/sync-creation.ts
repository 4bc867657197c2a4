import { parseFrequency, parseFrequencyOverride } from '../contract/frequency.ts';
import type { Transaction } from '../platform/database/database.ts';
import type { ScheduleSpec } from '../platform/scheduler/schedules.ts';
import {
  BASE_VARIANT,
  checkpointKeyOf,
  removeErrors,
  SYNC_RUN,
  type SyncDefinition,
  type SyncOwner,
  webhookCheckpointKeyOf,
} from './scheduled-sync.ts';
import type { SyncParts } from './sync-schedules.service.ts';
import type { NewSync, SyncFilter } from './syncs.store.ts';

export type SyncCreation = ReturnType<typeof createSyncCreation>;

/** Creates and removes syncs with connections and functions (syncs-and-records.md 1.4, 1.12). */
export function createSyncCreation({
  syncsStore,
  scheduler,
  records,
  connections,
  clock,
  ids,
  log,
}: Pick<SyncParts, 'syncsStore' | 'scheduler' | 'records' | 'connections' | 'clock' | 'ids' | 'log'>) {
  /**
   * After a sync went live: creates it where it is missing, and updates its frequency where the connection has no own
   * one.
   */
  async function functionDeployed(
    tx: Transaction,
    integrationId: number,
    definition: SyncDefinition,
    owners: SyncOwner[],
  ): Promise<void> {
    await scheduleUnscheduled(tx, { integrationId, name: definition.name }, definition);
    await createMissing(tx, owners, definition);
    const parsed = parseFrequency(definition.frequency);
    if (!parsed.ok) return;
    const syncs = await syncsStore.list(tx, { integrationId, name: definition.name });
    const withDefault = syncs.filter((sync) => sync.frequency === null).map((sync) => sync.id);
    await scheduler.schedules.setFrequency(tx, withDefault, parsed.intervalMs);
  }

  /** Creates one sync for each connection. */
  async function create(
    tx: Transaction,
    owners: SyncOwner[],
    definition: SyncDefinition,
    variant: string,
  ): Promise<NewSync[]> {
    return insert(
      tx,
      owners.map((owner) => ({ owner, definition, variant })),
    );
  }

  async function insert(
    tx: Transaction,
    wanted: Array<{ owner: SyncOwner; definition: SyncDefinition; variant: string }>,
  ): Promise<NewSync[]> {
    if (wanted.length === 0) return [];
    const frequencies = new Map<SyncDefinition, number | undefined>();
    for (const { definition, owner } of wanted)
      if (!frequencies.has(definition)) frequencies.set(definition, frequencyMs(definition, owner));
    const made = wanted.map(({ owner, definition, variant }) => ({
      sync: { ...owner, id: ids.uuid(), name: definition.name, variant },
      definition,
    }));
    const rows = made.map(({ sync }) => sync);
    await syncsStore.insertMany(tx, rows, clock.now());
    // Without a valid frequency the sync exists, and can be triggered after a deploy with a valid one.
    const specs = made.flatMap(({ sync, definition }) => {
      const frequencyMs = frequencies.get(definition);
      return frequencyMs === undefined ? [] : [toSchedule(sync, definition.autoStart, frequencyMs)];
    });
    if (specs.length > 0) await scheduler.schedules.create(tx, specs);
    return rows;
  }

  async function createMissing(tx: Transaction, owners: SyncOwner[], definition: SyncDefinition): Promise<void> {
    const [first] = owners;
    if (!first) return;
    const filter = {
      integrationId: first.integrationId,
      name: definition.name,
      variant: BASE_VARIANT,
      ...(owners.length === 1 ? { connectionRowId: first.connectionRowId } : {}),
    };
    const existing = [...(await syncsStore.list(tx, filter)), ...(await syncsStore.listDeleted(tx, filter))];
    const known = new Set(existing.map((sync) => sync.connectionRowId));
    const missing = owners.filter((owner) => !known.has(owner.connectionRowId));
    await create(tx, missing, definition, BASE_VARIANT);
  }

  /** Schedules syncs whose frequency was invalid when they were created. */
  async function scheduleUnscheduled(tx: Transaction, filter: SyncFilter, definition: SyncDefinition): Promise<void> {
    const waiting = await syncsStore.listUnscheduled(tx, filter);
    if (waiting.length === 0) return;
    const defaultMs = frequencyMs(definition, waiting[0]);
    const specs = waiting.flatMap((sync) => {
      const own = sync.frequency === null ? undefined : parseFrequencyOverride(sync.frequency);
      const frequencyMs = own?.ok ? own.intervalMs : defaultMs;
      return frequencyMs === undefined ? [] : [toSchedule(sync, definition.autoStart, frequencyMs)];
    });
    if (specs.length > 0) await scheduler.schedules.create(tx, specs);
  }

  /** The function's frequency. An invalid one is logged, so that it does not make the connection or the deploy fail. */
  function frequencyMs(definition: SyncDefinition, owner: SyncOwner | undefined): number | undefined {
    const parsed = parseFrequency(definition.frequency);
    if (parsed.ok) return parsed.intervalMs;
    if (owner) {
      const { environmentId, connectionId } = owner;
      const operation = log.start({
        environmentId,
        connectionId,
        type: 'sync',
        action: 'init',
        functionName: definition.name,
      });
      operation.finish('failed', { error: { message: parsed.message, type: parsed.code } });
    }
    return undefined;
  }

  return {
    functionDeployed,
    create,
    /** For a connection that has had no syncs yet. */
    async createForNew(tx: Transaction, owner: SyncOwner, definitions: SyncDefinition[]): Promise<void> {
      await insert(
        tx,
        definitions.map((definition) => ({ owner, definition, variant: BASE_VARIANT })),
      );
    },
    /** For a new or re-authorized connection: existing syncs are kept unchanged. */
    async createForConnection(tx: Transaction, owner: SyncOwner, definitions: SyncDefinition[]): Promise<void> {
      const { integrationId, connectionRowId } = owner;
      const filter = { integrationId, connectionRowId };
      if (definitions.length === 0) return;
      const existing = await syncsStore.listStates(tx, filter);
      const waiting = new Set(existing.flatMap((sync) => (sync.isUsed && !sync.isScheduled ? [sync.name] : [])));
      const known = new Set(existing.flatMap(({ name, variant }) => (variant === BASE_VARIANT ? [name] : [])));
      for (const definition of definitions)
        if (waiting.has(definition.name))
          await scheduleUnscheduled(tx, { ...filter, name: definition.name }, definition);
      const missing = definitions.filter(({ name }) => !known.has(name));
      await insert(
        tx,
        missing.map((definition) => ({ owner, definition, variant: BASE_VARIANT })),
      );
    },
    /** After the function was removed permanently: ends schedules, marks records as deleted, removes the syncs. */
    async functionRemoved(
      tx: Transaction,
      integrationId: number,
      definition: Pick<SyncDefinition, 'name' | 'models'>,
    ): Promise<void> {
      const filter = { integrationId, name: definition.name };
      const gone = [...(await syncsStore.list(tx, filter)), ...(await syncsStore.listDeleted(tx, filter))];
      const ids = gone.map((sync) => sync.id);
      await scheduler.schedules.remove(tx, ids);
      for (const sync of gone) for (const model of definition.models) await records.deleteAll(tx, { ...sync, model });
      await records.removeCheckpoints(
        tx,
        gone.flatMap((sync) =>
          [checkpointKeyOf(sync), webhookCheckpointKeyOf(sync)].map((key) => ({
            connectionRowId: sync.connectionRowId,
            key,
          })),
        ),
      );
      await syncsStore.remove(tx, ids);
      await removeErrors(connections, tx, gone);
    },
    /**
     * After the function was switched off, or its file went missing: ends runs and keeps everything else of its syncs
     * (design.md 7.30, 7.46).
     */
    async functionSuspended(tx: Transaction, integrationId: number, name: string): Promise<void> {
      const found = await syncsStore.list(tx, { integrationId, name });
      const ids = found.map((sync) => sync.id);
      await syncsStore.suspend(tx, ids, clock.now());
      await scheduler.schedules.pause(tx, ids);
      // Also runs that were requested while the schedule was paused.
      await scheduler.schedules.cancelRuns(tx, ids);
      await removeErrors(connections, tx, found);
    },
    /** After the function was switched on or its file is back: its syncs continue, and newer connections get theirs. */
    async functionResumed(
      tx: Transaction,
      integrationId: number,
      definition: SyncDefinition,
      owners: SyncOwner[],
    ): Promise<void> {
      const { started, unknown } = await syncsStore.resume(tx, { integrationId, name: definition.name });
      // For syncs that an earlier version of the program switched off, the previous state is unknown.
      await scheduler.schedules.start(tx, definition.autoStart ? [...started, ...unknown] : started);
      await functionDeployed(tx, integrationId, definition, owners);
    },
    /** Removes everything of these connections: syncs, schedules, records, checkpoints. Cancels running syncs. */
    async removeConnections(tx: Transaction, connectionRowIds: number[]): Promise<void> {
      const ids = await syncsStore.removeOfConnections(tx, connectionRowIds);
      await scheduler.schedules.remove(tx, ids);
      await records.removeConnections(tx, connectionRowIds);
    },
  };
}

/**
 * The schedule of a sync. Runs of one connection form a group, so that one connection cannot take every slot.
 * Integrations are partitions, which take turns.
 */
export function toSchedule(
  sync: Pick<NewSync, 'id' | 'connectionRowId' | 'integrationId'>,
  isStarted: boolean,
  frequencyMs: number,
): ScheduleSpec {
  return {
    id: sync.id,
    kind: SYNC_RUN,
    group: String(sync.connectionRowId),
    partition: String(sync.integrationId),
    payload: { syncId: sync.id, emptyCache: false, trigger: 'schedule' },
    isStarted,
    frequencyMs,
  };
}
