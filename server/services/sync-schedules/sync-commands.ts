import { parseFrequency, parseFrequencyOverride } from '../../contract/frequency.ts';
import type { Transaction } from '../../database/database.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { SyncRow } from '../../stores/syncs-store.ts';
import type { OperationAction } from '../logs/operation.ts';
import { checkpointKeyOf, listDefinitions, SYNC_RUN } from './scheduled-sync.ts';
import { toSchedule } from './sync-creation.ts';
import type { SyncParts } from './sync-schedules-service.ts';
import type { SyncAddress, SyncSelection, SyncTargets } from './sync-targets.ts';

export interface CommandSelection extends SyncSelection {
  /** Who asks: `api`, `ui`, `function`, `mcp`. */
  trigger: string;
}

export interface TriggerCommand extends CommandSelection {
  /** Cancels a running run, forgets last sync date and checkpoints. */
  reset?: boolean;
  /** With `reset`: hard-deletes the records before the run. */
  emptyCache?: boolean;
}

/** What callers do with syncs that exist (syncs-and-records.md 1.5 to 1.7). */
export class SyncCommands {
  readonly #parts: SyncParts;
  readonly #targets: SyncTargets;

  constructor(parts: SyncParts, targets: SyncTargets) {
    this.#parts = parts;
    this.#targets = targets;
  }

  async start(selection: CommandSelection): Promise<void> {
    await this.#command(selection, 'unpause', (tx, sync) => this.#parts.scheduler.schedules.start(tx, [sync.id]));
  }

  async pause(selection: CommandSelection): Promise<void> {
    await this.#command(selection, 'pause', (tx, sync) => this.#parts.scheduler.schedules.pause(tx, [sync.id]));
  }

  /** Ends the current run; the schedule goes on. */
  async cancel(selection: CommandSelection): Promise<void> {
    await this.#command(selection, 'cancel', (tx, sync) => this.#parts.scheduler.schedules.cancelRuns(tx, [sync.id]));
  }

  /** One run now, whatever the schedule's state. While one is queued or running, only a reset starts another. */
  async trigger(command: TriggerCommand): Promise<void> {
    const { schedules } = this.#parts.scheduler;
    await this.#command(command, command.reset ? 'request_run_full' : 'request_run', async (tx, sync) => {
      if (command.reset) await this.#reset(tx, sync);
      else if (await schedules.hasLiveRun(tx, sync.id))
        return 'The sync is queued or running already; the request was dropped.';
      const emptyCache = command.reset === true && command.emptyCache === true;
      await schedules.runNow(tx, sync.id, {
        kind: SYNC_RUN,
        group: String(sync.connectionRowId),
        lane: String(sync.integrationId),
        payload: { syncId: sync.id, emptyCache, trigger: command.trigger },
      });
      return undefined;
    });
  }

  /** The connection's own frequency, or `null` for the function's; answers the interval as the caller reads it. */
  async setFrequency(address: SyncAddress, frequency: string | null): Promise<string> {
    const { database, syncsStore: syncs, scheduler } = this.#parts;
    const sync = await this.#targets.find(address);
    if (!sync) throw new HomeportError('unknown_sync', 'The connection has no such sync.', { silent: true });
    const interval = frequency === null ? await this.#defaultInterval(address) : readOverride(frequency);
    await database.transaction(async (tx) => {
      await syncs.setFrequency(tx, sync.id, frequency);
      if (await scheduler.schedules.find(tx, sync.id))
        await scheduler.schedules.setFrequency(tx, [sync.id], interval.ms);
      else await scheduler.schedules.create(tx, [toSchedule(sync, false, interval.ms)]);
    });
    return interval.text;
  }

  async #reset(tx: Transaction, sync: SyncRow): Promise<void> {
    const { scheduler, syncsStore: syncs, records } = this.#parts;
    await scheduler.schedules.cancelRuns(tx, [sync.id]);
    await syncs.setLastSyncDate(tx, sync.id, null);
    await records.removeCheckpoints(tx, sync.connectionRowId, checkpointKeyOf(sync));
  }

  async #defaultInterval(address: SyncAddress): Promise<{ ms: number; text: string }> {
    const definitions = await listDefinitions(this.#parts, address.environmentId, address.providerConfigKey);
    const definition = definitions.find((candidate) => candidate.name === address.name);
    if (!definition) throw new HomeportError('unknown_sync', 'The integration has no such sync.', { silent: true });
    const parsed = parseFrequency(definition.frequency);
    if (!parsed.ok) throw new HomeportError(parsed.code, parsed.message);
    return { ms: parsed.intervalMs, text: definition.frequency };
  }

  /** One transaction per sync; one operation of the log for the whole command. A text that `work` returns is logged. */
  async #command(
    selection: CommandSelection,
    action: OperationAction<'sync'>,
    work: (tx: Transaction, sync: SyncRow) => Promise<unknown>,
  ): Promise<void> {
    const { log, database } = this.#parts;
    const operation = log.start({
      environmentId: selection.environmentId,
      type: 'sync',
      action,
      integrationKey: selection.providerConfigKey,
      trigger: selection.trigger,
      ...(selection.connectionId === undefined ? {} : { connectionId: selection.connectionId }),
      ...(selection.syncs.length === 1 && selection.syncs[0] ? { functionName: selection.syncs[0].name } : {}),
    });
    try {
      await this.#targets.forEach(selection, async (sync) => {
        const remark = await database.transaction((tx) => work(tx, sync));
        if (typeof remark === 'string')
          operation.log({ level: 'info', message: remark, meta: { sync: sync.name, variant: sync.variant } });
      });
      operation.finish('success');
    } catch (error) {
      operation.finish('failed', { error: { message: error instanceof Error ? error.message : String(error) } });
      throw error;
    }
  }
}

function readOverride(frequency: string): { ms: number; text: string } {
  const parsed = parseFrequencyOverride(frequency);
  if (!parsed.ok) throw new HomeportError('invalid_body', parsed.message);
  return { ms: parsed.intervalMs, text: parsed.normalised };
}
