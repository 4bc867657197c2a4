import { parseFrequency, parseFrequencyOverride } from '../contract/frequency.ts';
import type { Operation, OperationAction } from '../log/operation.ts';
import type { Transaction } from '../platform/database/database.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { ScheduleRow } from '../platform/scheduler/schedules.store.ts';
import { checkpointKeyOf, listDefinitions, SYNC_RUN } from './scheduled-sync.ts';
import { toSchedule } from './sync-creation.ts';
import type { SyncParts } from './sync-schedules.service.ts';
import { noneFound, type SyncAddress, type SyncSelection, type SyncTargets } from './sync-targets.ts';
import type { SyncRow } from './syncs.store.ts';

export interface CommandSelection extends SyncSelection {
  /** What gives the command: `api`, `ui`, `function`, `mcp`. */
  trigger: string;
}

export interface TriggerCommand extends CommandSelection {
  /** Cancels a running run; clears the last sync date and the checkpoints. */
  reset?: boolean;
  /** With `reset`: permanently removes the records before the run. */
  emptyCache?: boolean;
}

export interface CheckpointChange {
  /** Null removes the checkpoint. */
  checkpoint: Record<string, unknown> | null;
  /** The checkpoint that the caller read; undefined replaces any. */
  replaces?: Record<string, unknown> | null | undefined;
}

/** Syncs changed per transaction of a command, which then takes about 20 ms. */
const SLICE = 500;
/** Number of next runs that a preview of a frequency lists. */
const SHOWN_RUNS = 3;

/** Commands for existing syncs (syncs-and-records.md 1.5 to 1.7). */
export function createSyncCommands({
  database,
  syncsStore,
  scheduler,
  clock,
  records,
  triggers,
  log,
  targets,
}: Pick<SyncParts, 'database' | 'syncsStore' | 'scheduler' | 'clock' | 'records' | 'triggers' | 'log'> & {
  targets: SyncTargets;
}) {
  async function setState(selection: CommandSelection, action: 'pause' | 'unpause'): Promise<string[]> {
    const { schedules } = scheduler;
    const changed: string[] = [];
    await command(selection, action, async (tx, syncs) => {
      const ids = idsOf(syncs);
      changed.push(...(await (action === 'pause' ? schedules.pause(tx, ids) : schedules.start(tx, ids))));
    });
    return changed;
  }

  async function get(address: SyncAddress): Promise<SyncRow> {
    const sync = await targets.find(address);
    if (!sync) throw new HomeportError('unknown_sync', 'The connection has no such sync.', { silent: true });
    return sync;
  }

  async function reset(tx: Transaction, syncs: SyncRow[]): Promise<void> {
    await scheduler.schedules.cancelRuns(tx, idsOf(syncs));
    await syncsStore.forgetLastSyncDates(tx, idsOf(syncs));
    await records.removeCheckpoints(
      tx,
      syncs.map((sync) => ({ connectionRowId: sync.connectionRowId, key: checkpointKeyOf(sync) })),
    );
  }

  async function defaultInterval(address: SyncAddress): Promise<{ ms: number; text: string }> {
    const definitions = await listDefinitions(triggers, address.environmentId, address.providerConfigKey);
    const definition = definitions.find((candidate) => candidate.name === address.name);
    if (!definition) throw new HomeportError('unknown_sync', 'The integration has no such sync.', { silent: true });
    const parsed = parseFrequency(definition.frequency);
    if (!parsed.ok) throw new HomeportError(parsed.code, parsed.message);
    return { ms: parsed.intervalMs, text: definition.frequency };
  }

  /** Works in one transaction per slice of the syncs, so that other writers get their turn; logs one operation. */
  async function command(
    selection: CommandSelection,
    action: OperationAction<'sync'>,
    work: (tx: Transaction, syncs: SyncRow[], operation: Operation) => Promise<void>,
  ): Promise<void> {
    const operation = log.start({
      environmentId: selection.environmentId,
      type: 'sync',
      action,
      integrationKey: selection.providerConfigKey,
      trigger: selection.trigger,
      ...(selection.connectionId === undefined ? {} : { connectionId: selection.connectionId }),
      ...(selection.syncs.length === 1 && selection.syncs[0] ? { functionName: selection.syncs[0].name } : {}),
      ...(selection.everyVariantOf === undefined ? {} : { functionName: selection.everyVariantOf }),
    });
    try {
      const { syncs, missing } = await targets.select(selection);
      let reached = 0;
      for (let at = 0; at < syncs.length; at += SLICE)
        await database.transaction(async (tx) => {
          // Of a function that was switched off since they were selected, a command would be forgotten.
          const slice = syncs.slice(at, at + SLICE);
          const used = new Set((await syncsStore.listUsed(tx, idsOf(slice))).map(({ id }) => id));
          const present = slice.filter(({ id }) => used.has(id));
          reached += present.length;
          await work(tx, present, operation);
        });
      if (missing) throw missing;
      const isNamed = selection.connectionId !== undefined && selection.syncs.length > 0;
      if (reached < syncs.length && (isNamed || reached === 0)) throw noneFound();
      operation.finish('success');
    } catch (error) {
      operation.finish('failed', { error: { message: error instanceof Error ? error.message : String(error) } });
      throw error;
    }
  }

  return {
    /** Starts paused schedules. Resolves to the ids of the syncs that were paused. */
    async start(selection: CommandSelection): Promise<string[]> {
      return setState(selection, 'unpause');
    },
    /** Pauses schedules and ends their runs. Resolves to the ids of the syncs that were not paused. */
    async pause(selection: CommandSelection): Promise<string[]> {
      return setState(selection, 'pause');
    },
    /**
     * Starts or pauses exactly these syncs, to undo the opposite command; those that are gone, switched off or changed
     * again meanwhile are left as they are. Resolves to the ids of the changed ones.
     */
    async setBack(environmentId: number, action: 'pause' | 'unpause', ids: string[]): Promise<string[]> {
      const rows = await syncsStore.listByIds(database.reader, { environmentId, ids });
      const changed: string[] = [];
      for (const [, [first, ...others]] of Map.groupBy(rows, ({ connectionRowId }) => connectionRowId)) {
        if (!first) continue;
        const syncs = [first, ...others].map(({ name, variant }) => ({ name, variant }));
        const { integrationKey: providerConfigKey, connectionId } = first;
        const selection = { environmentId, providerConfigKey, connectionId, syncs, trigger: 'ui' };
        changed.push(...(await setState(selection, action)));
      }
      return changed;
    },
    /** Ends the current runs; the schedules stay active. */
    async cancel(selection: CommandSelection): Promise<void> {
      const { schedules } = scheduler;
      await command(selection, 'cancel', (tx, syncs) => schedules.cancelRuns(tx, idsOf(syncs)));
    },
    /**
     * Starts one run of each sync now, also when its schedule is paused. While a run is queued or running, only a reset
     * starts another one.
     */
    async trigger(selection: TriggerCommand): Promise<void> {
      const { schedules } = scheduler;
      const { reset: isReset = false, trigger } = selection;
      await command(selection, isReset ? 'request_run_full' : 'request_run', async (tx, syncs, operation) => {
        if (isReset) await reset(tx, syncs);
        const live = isReset ? new Set<string>() : await schedules.listLive(tx, idsOf(syncs));
        const emptyCache = isReset && selection.emptyCache === true;
        const runs = syncs
          .filter(({ id }) => !live.has(id))
          .map((sync) => ({
            scheduleId: sync.id,
            group: String(sync.connectionRowId),
            partition: String(sync.integrationId),
            payload: { syncId: sync.id, emptyCache, trigger },
          }));
        await schedules.runNow(tx, SYNC_RUN, runs);
        const message = 'The sync is queued or running already; the request was dropped.';
        for (const { id, name, variant } of syncs)
          if (live.has(id))
            tx.afterCommit(() => operation.log({ level: 'info', message, meta: { sync: name, variant } }));
      });
    },
    /**
     * Sets the connection's own frequency; null means the function's. Resolves to the new interval as text. Throws
     * `unknown_sync` and `invalid_body`.
     */
    async setFrequency(address: SyncAddress, frequency: string | null): Promise<string> {
      const sync = await get(address);
      const interval = frequency === null ? await defaultInterval(address) : readOverride(frequency);
      await database.transaction(async (tx) => {
        await syncsStore.setFrequency(tx, sync.id, frequency);
        if (await scheduler.schedules.find(tx, sync.id))
          await scheduler.schedules.setFrequency(tx, [sync.id], interval.ms);
        else await scheduler.schedules.create(tx, [toSchedule(sync, false, interval.ms)]);
      });
      return interval.text;
    },
    /**
     * The next three times at which an active schedule would run with another frequency, in milliseconds since the epoch.
     * Throws `unknown_sync` and `invalid_query_params`.
     */
    async listNextRuns(address: SyncAddress, frequency: string): Promise<number[]> {
      const sync = await get(address);
      const { ms } = readOverride(frequency, 'invalid_query_params');
      const schedule = await scheduler.schedules.find(database.reader, sync.id);
      const now = clock.now();
      const first = schedule ? nextSlot(schedule, ms, now) : now;
      return Array.from({ length: SHOWN_RUNS }, (_, index) => first + index * ms);
    },
    /**
     * Sets where the next run continues; null means from the beginning. Throws `unknown_sync`, `conflict` while a run is
     * queued or running, because that would overwrite the checkpoint, and `checkpoint_conflict` when the stored one is
     * not the one to replace.
     */
    async setCheckpoint(address: SyncAddress, { checkpoint, replaces }: CheckpointChange): Promise<void> {
      const sync = await get(address);
      const session = records.openCheckpoint({
        connectionRowId: sync.connectionRowId,
        key: checkpointKeyOf(sync),
        assertWanted: async (tx) => {
          if ((await scheduler.schedules.listLive(tx, [sync.id])).has(sync.id))
            throw new HomeportError(
              'conflict',
              'A run is in progress and would overwrite the checkpoint. Cancel the run first.',
            );
        },
      });
      if (replaces !== undefined) await session.expect(replaces);
      if (checkpoint) await session.save(checkpoint);
      else await session.clear();
    },
  };
}

function idsOf(syncs: SyncRow[]): string[] {
  return syncs.map(({ id }) => id);
}

/** The same rule as `SchedulesStore.setFrequency`: a due slot stays due, the following ones are on the same grid. */
function nextSlot({ startsAt, frequencyMs, nextExecutionAt }: ScheduleRow, newMs: number, now: number): number {
  if (nextExecutionAt <= now || frequencyMs === newMs) return nextExecutionAt;
  return startsAt + Math.ceil((now + 1 - startsAt) / newMs) * newMs;
}

function readOverride(
  frequency: string,
  code: 'invalid_body' | 'invalid_query_params' = 'invalid_body',
): { ms: number; text: string } {
  const parsed = parseFrequencyOverride(frequency);
  if (!parsed.ok) throw new HomeportError(code, parsed.message);
  return { ms: parsed.intervalMs, text: parsed.normalised };
}
