import type { GuestLogEntry, ScriptType } from '../../../functions/runtime/bridge.ts';
import type { MemoryHost } from '../../dry-run/memory-host.ts';
import type { Recorder } from '../../dry-run/recorder.ts';
import type { StoredConnection } from '../connections/connection.ts';
import type { RunnableFunction } from '../deployments/deployed-function.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { Operation } from '../logs/operation.ts';
import type { CheckpointSession, RecordSession } from '../records/records-service.ts';

/** What only syncs and webhook handlers have. */
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

/** What replaces the store. */
export interface DryParts {
  memory: MemoryHost;
  /** Stands in for the connection's own. */
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
  /** A run that waits longer for a slot fails. Default: it waits as long as it takes. */
  startWithinMs?: number;
  /** JSON text of an action's input or a webhook's payload. */
  input?: string;
  signal?: AbortSignal;
  /** Default: the function's own on this connection. */
  checkpoint?: CheckpointSession;
  sync?: SyncRunParts;
  /** Stores nothing: what the run would store stays in memory (functions.md 8.2). */
  dry?: DryParts;
  /** Writes down what the run asked and was answered, for a fixture. */
  recorder?: Recorder;
  /** How many runs wait for this one, each for the next. Default 0. */
  depth?: number;
}
