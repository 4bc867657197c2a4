import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import { SyncsStore } from '../../stores/syncs-store.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { FunctionTriggers } from '../deployments/function-triggers.ts';
import type { OperationLog } from '../logs/operation.ts';
import type { RecordsService } from '../records/records-service.ts';
import { BASE_VARIANT, checkpointKeyOf, listDefinitions, removeErrors } from './scheduled-sync.ts';
import { SyncCommands } from './sync-commands.ts';
import { SyncCreation } from './sync-creation.ts';
import { SyncStatuses } from './sync-status.ts';
import { type SyncAddress, SyncTargets } from './sync-targets.ts';

export {
  BASE_VARIANT,
  checkpointKeyOf,
  type ScheduledSyncRef,
  SYNC_RUN,
  type SyncDefinition,
  type SyncOwner,
  type SyncRunPayload,
  toSyncDefinition,
  webhookCheckpointKeyOf,
} from './scheduled-sync.ts';
export type { CommandSelection, TriggerCommand } from './sync-commands.ts';
export type { PastRun, SyncStatus } from './sync-status.ts';
export type { SyncAddress, SyncSelection } from './sync-targets.ts';

/** State and frequency of every sync. It only enqueues runs; `syncs` executes them. */
export class SyncSchedulesService {
  /** Start, pause, trigger, cancel and change the frequency. */
  readonly commands: SyncCommands;
  /** Creates and removes syncs with connections and functions. */
  readonly creation: SyncCreation;
  readonly statuses: SyncStatuses;
  readonly variants: SyncVariants;

  readonly #options: SyncSchedulesOptions;

  constructor(options: SyncSchedulesOptions) {
    this.#options = options;
    const parts = { ...options, syncsStore: new SyncsStore() };
    const targets = new SyncTargets(parts);
    this.creation = new SyncCreation(parts);
    this.commands = new SyncCommands(parts, targets);
    this.statuses = new SyncStatuses(parts);
    this.variants = new SyncVariants(parts, targets, this.creation);
  }

  /** Schedules of all environments start no run until then (milliseconds since the epoch, or `Infinity`). */
  pauseAll(reason: PauseReason, until: number): void {
    this.#options.scheduler.pauseSchedules(reason, until);
    this.#options.onPauseChanged();
  }

  /** Ends the pause of a reason, or all pauses. */
  resumeAll(reason?: PauseReason): void {
    this.#options.scheduler.resumeSchedules(reason);
    this.#options.onPauseChanged();
  }

  /** Null while schedules run. */
  get pause(): { until: number; reasons: PauseReason[] } | null {
    const pause = this.#options.scheduler.schedulesPause;
    return pause ? { until: pause.until, reasons: pause.reasons as PauseReason[] } : null;
  }
}

export type PauseReason = 'person' | 'battery';

export interface SyncSchedulesOptions {
  database: Database;
  clock: Clock;
  ids: Ids;
  log: OperationLog;
  scheduler: Scheduler;
  records: RecordsService;
  integrations: { find(environmentId: number, uniqueKey: string): Promise<{ id: number } | undefined> };
  connections: {
    find(integration: { id: number }, connectionId: string): Promise<{ id: number } | undefined>;
    removeSyncErrors: ConnectionsService['removeSyncErrors'];
  };
  /** Lists the live and enabled syncs of an integration. */
  triggers: Pick<FunctionTriggers, 'listSyncs'>;
  /** Called after a person started or ended a pause of all schedules. */
  onPauseChanged(): void;
}

export interface SyncParts extends SyncSchedulesOptions {
  syncsStore: SyncsStore;
}

/** Limit for syncs with the same name on one connection. */
const MOST_VARIANTS = 100;

/** Further copies of a sync on one connection, each with its own schedule, checkpoint and records (1.11). */
class SyncVariants {
  readonly #parts: SyncParts;
  readonly #targets: SyncTargets;
  readonly #creation: SyncCreation;

  constructor(parts: SyncParts, targets: SyncTargets, creation: SyncCreation) {
    this.#parts = parts;
    this.#targets = targets;
    this.#creation = creation;
  }

  async create(address: SyncAddress): Promise<{ id: string; name: string; variant: string }> {
    const { name, variant, environmentId, connectionId } = address;
    checkVariant(variant);
    const context = await this.#targets.resolveIds(address);
    const definitions = await listDefinitions(this.#parts, environmentId, address.providerConfigKey);
    const definition = definitions.find((candidate) => candidate.name === name);
    return this.#parts.database.transaction(async (tx) => {
      const existing = await this.#parts.syncsStore.list(tx, { ...context, name });
      if (existing.length >= MOST_VARIANTS) {
        throw new HomeportError('resource_capped', `A connection has at most ${MOST_VARIANTS} variants of a sync.`);
      }
      if (existing.some((sync) => sync.variant === variant)) {
        throw new HomeportError('sync_variant_already_exists', 'The variant exists already.', { silent: true });
      }
      if (!definition) throw new HomeportError('unknown_sync', 'The integration has no such sync.', { silent: true });
      const [made] = await this.#creation.create(
        tx,
        [{ ...context, environmentId, connectionId }],
        definition,
        variant,
      );
      if (!made) throw new HomeportError('failed_sync_variant_creation', 'The variant could not be created.');
      return { id: made.id, name, variant };
    });
  }

  async remove(address: SyncAddress): Promise<void> {
    checkVariant(address.variant);
    const sync = await this.#targets.find(address);
    if (!sync) throw new HomeportError('not_found', 'The connection has no such variant.', { silent: true });
    const { database, scheduler, records, syncsStore: syncs } = this.#parts;
    const definitions = await listDefinitions(this.#parts, address.environmentId, address.providerConfigKey);
    const models = definitions.find((definition) => definition.name === sync.name)?.models ?? [];
    await database.transaction(async (tx) => {
      await scheduler.schedules.remove(tx, [sync.id]);
      await records.empty(
        tx,
        models.map((model) => ({ ...sync, model })),
      );
      await records.removeCheckpoints(tx, [{ connectionRowId: sync.connectionRowId, key: checkpointKeyOf(sync) }]);
      await syncs.remove(tx, [sync.id]);
      await removeErrors(this.#parts, tx, [sync]);
    });
  }
}

function checkVariant(variant: string): void {
  if (variant.toLowerCase() === BASE_VARIANT)
    throw new HomeportError('invalid_variant', `The variant name '${BASE_VARIANT}' is reserved.`);
}
