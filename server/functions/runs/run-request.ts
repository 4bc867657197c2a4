import type { GuestLogEntry, HostMethods, HostTable, ScriptType } from '../../../functions/runtime/bridge.ts';
import type { StoredConnection } from '../../connections/connection.ts';
import type { Environment } from '../../environments/environment.service.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { LimitSubject } from '../../limits/limits.service.ts';
import type { Operation } from '../../log/operation.ts';
import { HomeportError, isHubFault } from '../../platform/lib/homeport-error.ts';
import { refusedByProvider } from '../../platform/sandbox/refused-request.ts';
import type { CheckpointSession, RecordSession } from '../../records/records.service.ts';
import type { RunnableFunction } from '../deployments/deployed-function.ts';
import type { MemoryHost } from '../dry-run/memory-host.ts';
import type { Recorder } from '../dry-run/recorder.ts';
import type { WriteNotes } from './write-notes.ts';

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

/** Stands between a run and its host. */
export interface HostGuard {
  /** Of what a provider answers. */
  clean(answer: HostMethods['http.request']['result']): HostMethods['http.request']['result'];
  methods(table: HostTable, run: RunRequest): HostTable;
}

/** Replacements for stored data. */
export interface DryParts {
  memory: MemoryHost;
  /** Replaces the connection's own metadata. */
  metadata?: Record<string, unknown>;
  /** Limits of what the run may do. */
  guard?: HostGuard;
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
  /** Notes what the run changes at providers, and what it keeps for its undo. */
  writes?: WriteNotes | undefined;
  /** Runs `undo` of an action in place of `exec`. */
  isUndo?: boolean;
  /** Records the requests of the run and their responses, for a fixture. */
  recorder?: Recorder;
  /** Whose limits count what the function says it has cost. */
  subjects?: readonly LimitSubject[] | undefined;
  /** Number of runs that wait for this one, each for the next. Default 0. */
  depth?: number;
  /** Called for each call to the host that failed by a fault of the hub, also in actions that the run calls. */
  onHubFault?: ((error: unknown) => void) | undefined;
}

/** Calls of other functions. The services for them are above `runs`, so the composition root connects them. */
export interface FunctionCallHost {
  triggerAction(call: {
    environment: RunRequest['environment'];
    integrationKey: string;
    connectionId: string;
    actionName: string;
    input?: string;
    signal: AbortSignal;
    /** Number of runs that wait for this call, each for the next. */
    depth: number;
    subjects: RunRequest['subjects'];
    writes: RunRequest['writes'];
    onHubFault: RunRequest['onHubFault'];
  }): Promise<{ output: string }>;
  triggerSyncs(call: {
    environmentId: number;
    integrationKey: string;
    connectionId: string;
    syncs: Array<{ name: string; variant: string }>;
    reset: boolean;
    emptyCache: boolean;
  }): Promise<void>;
  startSyncs(call: {
    environmentId: number;
    integrationKey: string;
    connectionId?: string;
    syncs: Array<{ name: string; variant: string }>;
  }): Promise<void>;
  /** The body with which the HTTP API answers a failure. */
  errorBody(error: HomeportError): Record<string, unknown>;
}

/** Stops actions that call themselves endlessly, which would fill the memory with waiting runs. */
const MAX_NESTED_CALLS = 8;

export type FunctionCalls = ReturnType<typeof createFunctionCalls>;

/** Calls from a running function to other functions (functions.md 3.5). */
export function createFunctionCalls({ calls, run }: { calls: () => FunctionCallHost; run: RunRequest }) {
  return {
    async triggerAction(args: HostMethods['action.trigger']['args'], signal: AbortSignal): Promise<{ output: string }> {
      const depth = (run.depth ?? 0) + 1;
      try {
        if (depth > MAX_NESTED_CALLS)
          throw new HomeportError('action_failure', `Actions may call each other ${MAX_NESTED_CALLS} levels deep.`);
        const { output } = await calls().triggerAction({
          environment: run.environment,
          integrationKey: args.providerConfigKey,
          connectionId: args.connectionId,
          actionName: args.actionName,
          ...(args.input === undefined ? {} : { input: args.input }),
          signal,
          depth,
          subjects: run.subjects,
          writes: run.writes,
          onHubFault: run.onHubFault,
        });
        return { output };
      } catch (error) {
        if (isHubFault(error)) run.onHubFault?.(error);
        throw refusedByHub(error, (refused) => calls().errorBody(refused));
      }
    },
    async triggerSync(args: HostMethods['sync.trigger']['args']): Promise<null> {
      await calls().triggerSyncs({
        environmentId: run.environment.id,
        integrationKey: args.providerConfigKey,
        connectionId: args.connectionId,
        syncs: [args.sync],
        reset: args.reset,
        emptyCache: args.emptyCache,
      });
      return null;
    },
    async startSyncs(args: HostMethods['sync.start']['args']): Promise<null> {
      await calls().startSyncs({
        environmentId: run.environment.id,
        integrationKey: args.providerConfigKey,
        syncs: args.syncs,
        ...(args.connectionId === undefined ? {} : { connectionId: args.connectionId }),
      });
      return null;
    },
  };
}

/** The error that a function would get if it called the hub's API over HTTP (functions.md 3.5). */
function refusedByHub(error: unknown, bodyOf: (error: HomeportError) => Record<string, unknown>): unknown {
  if (!(error instanceof HomeportError)) return error;
  const response = {
    status: error.status,
    statusText: '',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(bodyOf(error)),
  };
  return refusedByProvider(response, { method: 'POST', url: '/action/trigger', headers: {} });
}
