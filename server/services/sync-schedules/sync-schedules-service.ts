import { SyncsStore } from '../../stores/syncs-store.ts';
import { SyncCommands } from './sync-commands.ts';
import { SyncCreation } from './sync-creation.ts';
import type { SyncSchedulesOptions } from './sync-schedules-options.ts';
import { SyncStatuses } from './sync-status.ts';
import { SyncTargets } from './sync-targets.ts';
import { SyncVariants } from './sync-variants.ts';

export {
  BASE_VARIANT,
  checkpointKeyOf,
  SYNC_RUN,
  type SyncDefinition,
  type SyncOwner,
  type SyncRef,
  type SyncRunPayload,
  webhookCheckpointKeyOf,
} from './scheduled-sync.ts';
export type { CommandSelection, TriggerCommand } from './sync-commands.ts';
export type { SyncSchedulesOptions } from './sync-schedules-options.ts';
export type { SyncStatus } from './sync-status.ts';
export type { SyncAddress, SyncSelection } from './sync-targets.ts';

/** State and pace of every sync. It only enqueues; `syncs` runs them. */
export class SyncSchedulesService {
  /** Start, pause, trigger, cancel, frequency. */
  readonly commands: SyncCommands;
  /** What connections and functions do to syncs when they come and go. */
  readonly creation: SyncCreation;
  readonly statuses: SyncStatuses;
  readonly variants: SyncVariants;

  constructor(options: SyncSchedulesOptions) {
    const parts = { ...options, syncs: new SyncsStore() };
    const targets = new SyncTargets(parts);
    this.creation = new SyncCreation(parts);
    this.commands = new SyncCommands(parts, targets);
    this.statuses = new SyncStatuses(parts);
    this.variants = new SyncVariants(parts, targets, this.creation);
  }
}
