import type { Untyped } from './untyped.ts';

/** A sync by name, or one of its variants (`name::variant` in a text). */
export type SyncReference = string | { name: string; variant: string };

/** What `triggerSync` does before the run. */
export interface TriggerSyncOptions {
  /** Delete checkpoints and the last sync date. A running run is cancelled. */
  reset?: boolean;
  /** Delete the stored records of the sync's models. */
  emptyCache?: boolean;
}

/** Calls of other functions of the hub. */
export interface TriggerMethods {
  /**
   * Runs an action of this integration on this connection and resolves to its output. A failure rejects with an
   * `HttpError` whose `response.data.error` is the action's error.
   */
  triggerAction<TInput = unknown, TOutput = Untyped>(actionName: string, input?: TInput): Promise<TOutput>;
  /** Runs an action on any connection. */
  triggerAction<TInput = unknown, TOutput = Untyped>(
    providerConfigKey: string,
    connectionId: string,
    actionName: string,
    input?: TInput,
  ): Promise<TOutput>;
  /** Queues a run of a sync. The mode names are the older form of the options (`true` = `full_refresh`). */
  triggerSync(
    providerConfigKey: string,
    connectionId: string,
    sync: SyncReference,
    options?: TriggerSyncOptions | 'incremental' | 'full_refresh' | 'full_refresh_and_clear_cache' | boolean,
  ): Promise<void>;
  /** Starts the schedules of syncs, on one connection or on all of the integration. */
  startSync(providerConfigKey: string, syncs: SyncReference[], connectionId?: string): Promise<void>;
}
