import type { CheckpointRange, ModelCounts } from '../records/records-service.ts';

/** A finished run, as the `sync` webhook tells it (webhooks.md 1.3). Times in milliseconds since the epoch. */
export type SyncEvent = SyncSucceeded | SyncFailed;

interface SyncEventBase {
  environmentId: number;
  connectionRowId: number;
  connectionId: string;
  providerConfigKey: string;
  syncName: string;
  syncVariant: string;
  /** `INITIAL` when there was no last sync date before the run. */
  syncType: 'INITIAL' | 'INCREMENTAL' | 'WEBHOOK';
  /** Absent when the run touched no checkpoint. */
  checkpoints?: CheckpointRange;
  /** Operation of the log. */
  logId: string;
}

export interface SyncSucceeded extends SyncEventBase {
  success: true;
  /** One event per model, without variant. */
  model: string;
  responseResults: ModelCounts;
  /** Start of the run. */
  modifiedAfter: number;
}

export interface SyncFailed extends SyncEventBase {
  success: false;
  /** All models joined by a comma; empty when the run was cancelled or ran out of time. */
  model: string;
  error: SyncRunError;
  startedAt: number;
  failedAt: number;
}

export interface SyncRunError {
  message: string;
  /** Error code of the catalogue. */
  type?: string;
  payload?: unknown;
  additionalProperties?: unknown;
}
