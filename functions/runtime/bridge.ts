/**
 * The protocol between a running function and its host. Everything here is plain data: it crosses from the
 * isolate to the worker process and from there to the server. JSON values cross as JSON text wherever they
 * may be large, so that the server never parses what it only passes on; bytes cross as Uint8Array.
 */

export type ScriptType = 'sync' | 'action' | 'webhook' | 'on-event';
export type FunctionLogLevel = 'debug' | 'info' | 'warn' | 'error' | 'off';

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
  logLevel: FunctionLogLevel;
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

/** One request to a provider (functions.md 4.1), after the guest has resolved the caller's configuration. */
export interface GuestHttpRequest {
  method: string;
  endpoint: string;
  baseUrlOverride?: string;
  providerConfigKey?: string;
  connectionId?: string;
  headers?: Record<string, string>;
  /** Query: text appended as is, or pairs set one by one (arrays already joined, undefined already dropped). */
  params?: string | Record<string, string>;
  /** Body, already encoded by the guest: text (JSON, form, plain), bytes, or multipart parts. */
  body?: GuestHttpBody;
  retries?: number;
  retryOn?: number[];
  retryHeader?: { at?: string | string[]; after?: string | string[] };
  decompress?: boolean;
  forwardHeadersOnRedirect?: boolean;
  /** How the guest wants the body back: `bytes` for arraybuffer, else text. */
  expect: 'text' | 'bytes';
}

export type GuestHttpBody =
  | { kind: 'json'; text: string }
  | { kind: 'form'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'bytes'; bytes: Uint8Array }
  | {
      kind: 'multipart';
      parts: Array<{ name: string; text?: string; bytes?: Uint8Array; filename?: string; contentType?: string }>;
    };

export interface GuestHttpResponse {
  status: number;
  statusText: string;
  /** Lower-case names; repeated headers joined by ", " (set-cookie stays a list). */
  headers: Record<string, string | string[]>;
  /** Text or bytes, as `expect` asked. */
  body: string | Uint8Array;
}

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
export interface WireRecord {
  id: string;
  json: string;
}

export interface SyncRef {
  name: string;
  variant: string;
}

/** What the guest may ask of its host. Each method takes one argument object and resolves to one value. */
export interface HostMethods {
  'http.request': { args: GuestHttpRequest; result: GuestHttpResponse & { config: GuestHttpConfig } };
  'http.uncontrolledFetch': {
    args: { url: string; method: string; headers: Record<string, string>; body: string | null };
    result: GuestHttpResponse & { url: string };
  };
  'connection.get': {
    args: {
      providerConfigKey?: string;
      connectionId?: string;
      refreshToken?: boolean;
      forceRefresh?: boolean;
      refreshGithubAppJwtToken?: boolean;
    };
    result: Record<string, unknown>;
  };
  'metadata.set': { args: { metadata: Record<string, unknown> }; result: Record<string, unknown> };
  'metadata.update': { args: { metadata: Record<string, unknown> }; result: Record<string, unknown> };
  'integration.get': { args: { include: string[] }; result: Record<string, unknown> };
  'environment.variables': { args: Record<string, never>; result: Array<{ name: string; value: string }> };
  /** `output` is JSON text. A failure rejects with `response.body` holding the HTTP error body of functions.md 6.4. */
  'action.trigger': {
    args: { providerConfigKey: string; connectionId: string; actionName: string; input?: string };
    result: { output: string };
  };
  'sync.trigger': {
    args: { providerConfigKey: string; connectionId: string; sync: SyncRef; reset: boolean; emptyCache: boolean };
    result: null;
  };
  'sync.start': { args: { providerConfigKey: string; syncs: SyncRef[]; connectionId?: string }; result: null };
  'records.save': { args: { model: string; records: WireRecord[] }; result: RecordsSaved };
  'records.update': { args: { model: string; records: WireRecord[] }; result: RecordsSaved };
  'records.delete': { args: { model: string; ids: string[] }; result: RecordsSaved };
  /** JSON text by id; absent ids are absent. At most 100 ids. */
  'records.getByIds': { args: { model: string; ids: string[] }; result: { records: WireRecord[] } };
  'records.list': {
    args: { model: string; cursor?: string; limit: number };
    result: { records: WireRecord[]; nextCursor: string | null };
  };
  'records.setMergingStrategy': {
    args: { model: string; strategy: 'override' | 'ignore_if_modified_after' };
    result: null;
  };
  'records.trackDeletesStart': { args: { model: string }; result: null };
  'records.trackDeletesEnd': { args: { model: string }; result: { deletedKeys: string[] } };
  'records.deleteFromPreviousExecutions': { args: { model: string }; result: { deletedKeys: string[] } };
  'checkpoint.get': { args: Record<string, never>; result: Record<string, unknown> | null };
  'checkpoint.save': { args: { checkpoint: Record<string, unknown> }; result: null };
  'checkpoint.clear': { args: Record<string, never>; result: null };
  'lock.acquire': { args: { key: string; ttlMs: number }; result: boolean };
  'lock.release': { args: { key: string }; result: boolean };
  'lock.releaseAll': { args: Record<string, never>; result: null };
}

export interface RecordsSaved {
  added: number;
  updated: number;
  deleted: number;
  unchanged: number;
  /** Ids that stood more than once in the batch; the first occurrence was kept. */
  duplicates: string[];
}

export type HostMethod = keyof HostMethods;

/** A log line of the function; sent one way, in batches, never awaited by the function. */
export interface GuestLogEntry {
  level: Exclude<FunctionLogLevel, 'off'>;
  message: string;
  /** JSON text of the payload, already limited (functions.md 3.9). */
  meta?: string;
  /** Milliseconds since the epoch, taken in the isolate. */
  at: number;
  /** Who speaks: the author's `nango.log` (default), or the runtime itself. */
  source?: 'user' | 'internal';
}

/** How a run ended. `output` is the JSON text of the returned value (`null` for undefined). */
export type RunOutcome =
  | { ok: true; output: string; cpuMs: number; memoryBytes: number }
  | { ok: false; failure: RunFailure; cpuMs: number; memoryBytes: number };

export type RunFailure =
  /** The function threw, or its bundle cannot be loaded. */
  | { kind: 'thrown'; error: WireError }
  /** Output over 2 MB (functions.md 6.3) arrives as `thrown`; over the transport limit as this. */
  | { kind: 'output_too_large'; bytes: number }
  | { kind: 'timeout' }
  /** No place became free in the time the run could wait. */
  | { kind: 'not_started' }
  | { kind: 'memory' }
  | { kind: 'aborted' }
  | { kind: 'worker_lost'; detail: string };

/** A place in the author's files: path relative to the workspace, line and column from 1. */
export interface SourcePlace {
  file: string;
  line: number;
  column: number;
}

/**
 * What `describe` reads out of a bundle's default export without running `exec`:
 * the definition with its schemas already turned into JSON schemas (functions.md 1.9).
 */
export interface RawDefinition {
  type: 'sync' | 'action' | 'onEvent' | 'function';
  /** Every JSON-representable property of the definition (description, frequency, endpoints, scopes, version, …). */
  props: Record<string, unknown>;
  /** Sync: JSON schema per model, in declaration order. */
  models?: Array<{ name: string; schema: Record<string, unknown> }>;
  metadata?: Record<string, unknown> | null;
  input?: Record<string, unknown> | null;
  output?: Record<string, unknown> | null;
  hasOnWebhook: boolean;
}
