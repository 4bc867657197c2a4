import type { z } from 'zod';
import type { HostMethodTable } from './host-methods.ts';
import type { rawDefinition } from './raw-definition.ts';

/**
 * The protocol between a running function and its host. All messages are plain data: they go from the isolate to the
 * worker process and from there to the server. JSON values that may be large are sent as JSON text, so that the server
 * never parses what it only passes on; bytes are sent as Uint8Array. `host-methods.ts` lists the calls of a function.
 */

export type ScriptType = 'sync' | 'action' | 'webhook' | 'on-event';
export type HostLogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** Facts about itself and its run that a function can read without a call to the host (functions.md 3.2). */
export interface GuestContext {
  scriptType: ScriptType;
  connectionId: string;
  providerConfigKey: string;
  provider: string;
  environmentId: number;
  environmentName: string;
  accountId: number;
  /** Numeric id of the connection. */
  nangoConnectionId: number;
  /** Operation in the log to which this run writes. */
  activityLogId: string;
  isCLI: boolean;
  logLevel: HostLogLevel;
  /** The stored definition: `sync_name`, `version`, `models`, `models_json_schema`, … */
  syncConfig: Record<string, unknown>;
  /** Declared model names; batch calls for another model fail. */
  models: string[];
  /**
   * Pagination defaults of the provider's catalogue entry (providers.md 7); null when the entry has none, missing when
   * there is no entry.
   */
  paginateDefaults?: Record<string, unknown> | null;
  /** The run is the `undo` of an action, whose input is the call to take back. */
  isUndo?: boolean;
  // Syncs and webhook handlers only.
  syncId?: string;
  syncJobId?: number;
  variant?: string;
  /** ISO time of the start of the last successful run. */
  lastSyncDate?: string;
  trackDeletes?: boolean;
  emptyCache?: boolean;
  /**
   * Only in a replay by the rules of the mock classes: members that were not recorded and therefore throw (functions.md
   * 8.3).
   */
  unrecorded?: string[];
  /** Paths of a replayed recording that have one page, as `get /v1/items`. */
  singlePages?: string[];
}

/** Calls of the guest to its host. Each method takes one argument object and resolves to one value. */
export type HostMethods = {
  [M in keyof HostMethodTable]: {
    args: z.output<HostMethodTable[M]['args']>;
    result: z.output<HostMethodTable[M]['result']>;
  };
};
export type HostMethod = keyof HostMethods;

/** A host: one function per method. The signal aborts when the run ends. */
export type HostTable = {
  [M in HostMethod]: (args: HostMethods[M]['args'], signal: AbortSignal) => Promise<HostMethods[M]['result']>;
};

/** Methods that a dry run handles in this way. */
export type DryRunMethod<Way extends HostMethodTable[HostMethod]['dryRun']> = {
  [M in HostMethod]: HostMethodTable[M]['dryRun'] extends Way ? M : never;
}[HostMethod];

/** Members of the context object that a recorded run replays. */
export type RecordedMember = {
  [M in HostMethod]: HostMethodTable[M] extends { recorded: infer R } ? keyof R : never;
}[HostMethod];

/** One request to a provider (functions.md 4.1), after the guest has resolved the caller's configuration. */
export type GuestHttpRequest = HostMethods['http.request']['args'];
export type GuestHttpBody = NonNullable<GuestHttpRequest['body']>;
export type GuestHttpResponse = Omit<HostMethods['http.request']['result'], 'config'>;

export interface GuestHttpConfig {
  method: string;
  url: string;
  headers: Record<string, string>;
}

/** An error in wire form. The receiver creates an `Error` with these own properties. */
export interface WireError {
  name: string;
  message: string;
  /** Only lines of the function's own file. */
  stack?: string;
  code?: string;
  status?: number;
  /** `ActionError.type`. */
  type?: string;
  payload?: unknown;
  /** Present when the provider answered (functions.md 4.4). */
  response?: GuestHttpResponse;
  config?: GuestHttpConfig;
  isAxiosError?: boolean;
  /** JSON text of a thrown value that is not an Error. */
  thrown?: string;
}

/** One record from the function: `json` is its JSON text with `id` as a string and without `_nango_metadata`. */
export type WireRecord = HostMethods['records.save']['args']['records'][number];
export type RecordsSaved = HostMethods['records.save']['result'];
export type SyncRef = HostMethods['sync.trigger']['args']['sync'];

/** A log line of the function. Lines are sent in batches, and the function never waits for them. */
export interface GuestLogEntry {
  level: Exclude<HostLogLevel, 'off'>;
  message: string;
  /** JSON text of the payload, already limited (functions.md 3.9). */
  meta?: string;
  /** Milliseconds since the epoch, by the isolate's clock. */
  at: number;
  /** The source: the author's `nango.log` (default), or the runtime itself. */
  source?: 'user' | 'internal';
}

/**
 * How a run ended. `output` is the JSON text of the returned value (`null` for undefined); `memoryBytes` is 0 unless it
 * was measured.
 */
export type RunOutcome =
  | { ok: true; output: string; cpuMs: number; memoryBytes: number }
  | { ok: false; failure: RunFailure; cpuMs: number; memoryBytes: number };

export type RunFailure =
  /** The function threw an error, or its bundle cannot be loaded. */
  | { kind: 'thrown'; error: WireError }
  /** Output over the transport limit. Output between 2 MB (functions.md 6.3) and that limit is reported as `thrown`. */
  | { kind: 'output_too_large'; bytes: number }
  | { kind: 'timeout' }
  /** The run waited for its whole time limit without getting a slot. */
  | { kind: 'not_started' }
  | { kind: 'memory' }
  | { kind: 'aborted' }
  | { kind: 'worker_lost'; detail: string };

/** A position in the author's files: path relative to the workspace, line and column counted from 1. */
export interface SourcePosition {
  file: string;
  line: number;
  column: number;
}

/** Definition that `describe` reads from a bundle. */
export type RawDefinition = z.output<typeof rawDefinition>;
