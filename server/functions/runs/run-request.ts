import type { GuestLogEntry, ScriptType } from '../../../functions/runtime/bridge.ts';
import type { StoredConnection } from '../../connections/connection.ts';
import type { Environment } from '../../environments/environment.service.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { Operation } from '../../log/operation.ts';
import type { CheckpointSession, RecordSession } from '../../records/records.service.ts';
import type { RunnableFunction } from '../deployments/deployed-function.ts';
import type { MemoryHost } from '../dry-run/memory-host.ts';
import type { Recorder } from '../dry-run/recorder.ts';

/** Members for syncs and webhook handlers. */
export interface SyncRunParts {
  syncId: string;
  /** Generation of the run. */
  syncJobId: number;
  variant: string;
  /** ISO time. */
  lastSyncDate?: string;
  trackDeletes: boolean;
  emptyCache: boolean;
  records: RecordSession;
}

/** Replacements for stored data. */
export interface DryParts {
  memory: MemoryHost;
  /** Replaces the connection's own metadata. */
  metadata?: Record<string, unknown>;
  onLog(entries: GuestLogEntry[]): void;
}

/** One execution of a function. */
export interface RunRequest {
  environment: Environment;
  integration: Integration;
  connection: StoredConnection;
  deployed: RunnableFunction;
  scriptType: ScriptType;
  operation: Operation;
  timeoutMs: number;
  /** A run that waits longer for a slot fails. Default: no limit. */
  startWithinMs?: number;
  /** JSON text of an action's input or a webhook's payload. */
  input?: string;
  signal?: AbortSignal;
  /** Default: the function's checkpoint on this connection. */
  checkpoint?: CheckpointSession;
  sync?: SyncRunParts;
  /** Keeps all changes in memory instead of storing them (functions.md 8.2). */
  dry?: DryParts;
  /** Records the requests of the run and their responses, for a fixture. */
  recorder?: Recorder;
  /** Number of runs that wait for this one, each for the next. Default 0. */
  depth?: number;
}
