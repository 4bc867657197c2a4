import type { z } from 'zod';
import type { HostMethodTable } from './host-methods.ts';
import type { rawDefinition } from './raw-definition.ts';

/**
 * The protocol between a running function and its host. Everything here is plain data: it crosses from the
 * isolate to the worker process and from there to the server. JSON values cross as JSON text wherever they
 * may be large, so that the server never parses what it only passes on; bytes cross as Uint8Array. What a function may
 * ask stands in `host-methods.ts`.
 */

export type ScriptType = 'sync' | 'action' | 'webhook' | 'on-event';
export type HostLogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** What a function can read about itself and its run without asking the host (functions.md 3.2). */
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
  /** Operation of the log that this run writes to. */
  activityLogId: string;
  isCLI: boolean;
  logLevel: HostLogLevel;
  /** The stored definition: `sync_name`, `version`, `models`, `models_json_schema`, … */
  syncConfig: Record<string, unknown>;
  /** Declared model names; batch calls for another model fail. */
  models: string[];
  /** Pagination defaults of the provider's catalogue entry, if any (providers.md 7); absent = there is no such entry. */
  paginateDefaults?: Record<string, unknown> | null;
  // Syncs and webhook handlers only
  syncId?: string;
  syncJobId?: number;
  variant?: string;
  /** ISO time; start of the last successful run. */
  lastSyncDate?: string;
  trackDeletes?: boolean;
  emptyCache?: boolean;
  /** Replay by the rules of the mock classes only: members that were not recorded, and throw (functions.md 8.3). */
  unrecorded?: string[];
}

/** What the guest may ask of its host. Each method takes one argument object and resolves to one value. */
export type HostMethods = {
  [M in keyof HostMethodTable]: {
    args: z.output<HostMethodTable[M]['args']>;
    result: z.output<HostMethodTable[M]['answer']>;
  };
};
export type HostMethod = keyof HostMethods;

/** A host: one function per method; the signal aborts when the run ends. */
export type HostTable = {
  [M in HostMethod]: (args: HostMethods[M]['args'], signal: AbortSignal) => Promise<HostMethods[M]['result']>;
};

/** Methods that a dry run treats this way. */
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

/** An error on its way across the border; the other side rebuilds an `Error` with these own properties. */
export interface WireError {
  name: string;
  message: string;
  /** Lines of the function's own file only. */
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
  /** A thrown value that is not an Error, as JSON text. */
  thrown?: string;
}

/** One record on its way in: `json` is the record's JSON text with `id` made a string and `_nango_metadata` removed. */
export type WireRecord = HostMethods['records.save']['args']['records'][number];
export type RecordsSaved = HostMethods['records.save']['result'];
export type SyncRef = HostMethods['sync.trigger']['args']['sync'];

/** A log line of the function; sent one way, in batches, never awaited by the function. */
export interface GuestLogEntry {
  level: Exclude<HostLogLevel, 'off'>;
  message: string;
  /** JSON text of the payload, already limited (functions.md 3.9). */
  meta?: string;
  /** Milliseconds since the epoch, taken in the isolate. */
  at: number;
  /** The source: the author's `nango.log` (default), or the runtime itself. */
  source?: 'user' | 'internal';
}

/**
 * How a run ended. `output` is the JSON text of the returned value (`null` for undefined), `memoryBytes` 0 unless it was
 * to be measured.
 */
export type RunOutcome =
  | { ok: true; output: string; cpuMs: number; memoryBytes: number }
  | { ok: false; failure: RunFailure; cpuMs: number; memoryBytes: number };

export type RunFailure =
  /** The function threw, or its bundle cannot be loaded. */
  | { kind: 'thrown'; error: WireError }
  /** Output over 2 MB (functions.md 6.3) arrives as `thrown`; over the transport limit as this. */
  | { kind: 'output_too_large'; bytes: number }
  | { kind: 'timeout' }
  /** No slot became free in the time the run could wait. */
  | { kind: 'not_started' }
  | { kind: 'memory' }
  | { kind: 'aborted' }
  | { kind: 'worker_lost'; detail: string };

/** A position in the author's files: path relative to the workspace, line and column from 1. */
export interface SourcePosition {
  file: string;
  line: number;
  column: number;
}

/** What `describe` reads out of a bundle. */
export type RawDefinition = z.output<typeof rawDefinition>;
