/** A finished run, as the `sync` webhook tells it (webhooks.md 1.3). Times in milliseconds since the epoch. */
export type SyncEvent = SyncSucceeded | SyncFailed;

interface SyncEventBase {
  environmentId: number;
  connectionId: string;
  providerConfigKey: string;
  providerName: string;
  syncName: string;
  syncVariant: string;
  /** `INITIAL` when there was no last sync date before the run. */
  syncType: 'INITIAL' | 'INCREMENTAL' | 'WEBHOOK';
  /** Absent when the run touched no checkpoint. */
  checkpoints?: { from: Record<string, unknown> | null; to: Record<string, unknown> | null };
}

export interface SyncSucceeded extends SyncEventBase {
  success: true;
  /** One event per model, without variant. */
  model: string;
  responseResults: { added: number; updated: number; deleted: number };
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
  additionalProperties?: Record<string, unknown>;
}
