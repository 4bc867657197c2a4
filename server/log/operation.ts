import type { OPERATION_TYPES } from './log-query.contract.ts';

/** Types of the log (ui.md 6.11). An operation is one unit of work; messages belong to it. */

export type OperationType = keyof typeof OPERATION_TYPES;
export type OperationAction<T extends OperationType = OperationType> = (typeof OPERATION_TYPES)[T][number];
export type OperationState = 'waiting' | 'running' | 'success' | 'failed' | 'timeout' | 'cancelled';
export type FinalState = Exclude<OperationState, 'waiting' | 'running'>;
export type MessageLevel = 'debug' | 'info' | 'warn' | 'error';

export interface OperationStart<T extends OperationType = OperationType> {
  environmentId: number;
  type: T;
  action: OperationAction<T>;
  /** One sentence; shown in lists. */
  message?: string;
  integrationKey?: string;
  providerName?: string;
  connectionId?: string;
  endUserId?: string;
  endUserName?: string;
  functionName?: string;
  /** Variant of the sync. */
  variant?: string;
  jobId?: string;
  /** The caller: `schedule`, `api`, `ui`, `function`, `webhook`, `mcp`. */
  trigger?: string;
  meta?: Record<string, unknown>;
  /** `waiting` for queued work; default `running`. */
  state?: 'waiting' | 'running';
  /** Name of the key or client that called. */
  actor?: string;
  /** The agent session that it belongs to. */
  sessionId?: string;
  request?: LogRequest;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
  /** Secret values of the connection: all occurrences are replaced before entries are stored. They are not stored. */
  secrets?: readonly string[];
}

export interface LogRequest {
  method: string;
  url: string;
  headers?: Record<string, string>;
}

export interface LogResponse {
  code: number;
  headers?: Record<string, string>;
}

export interface LogError {
  name?: string;
  message: string;
  /** Error code of the catalogue, or the provider's. */
  type?: string;
  payload?: unknown;
}

export interface LogMessage {
  level: MessageLevel;
  message: string;
  /** `http` for one request to a provider, else `log`. Default `log`. */
  type?: 'log' | 'http';
  /** `user` for lines written by a function. Default `internal`. */
  source?: 'internal' | 'user';
  context?: 'script' | 'proxy' | 'webhook' | 'auth';
  durationMs?: number;
  meta?: Record<string, unknown>;
  error?: LogError;
  /** Already redacted. */
  request?: LogRequest;
  response?: LogResponse;
  retry?: { attempt: number; max: number; waitedMs: number };
  persistResults?: Record<string, unknown>;
  /** Id of the recording of the request's bodies. */
  recordingId?: string;
  /** Milliseconds since the epoch; default now. */
  at?: number;
}

/** One request to a provider, after its response began or failed to arrive. */
export interface SentTraffic {
  body: string | Uint8Array | undefined;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Headers of the response; absent when none came. */
  response: Record<string, string | string[] | undefined> | undefined;
  /** Secrets that must not be stored; the same array for the same connection. */
  secrets: readonly string[];
}

/** Receives the body of a response while it is passed on, without delaying it. */
export interface ResponseTap {
  /** Id that the request's message refers to. */
  readonly id: string;
  take(chunk: Uint8Array): void;
  /** The body has ended or broken off. Without this call nothing is recorded. */
  end(isBroken?: boolean): void;
}

export interface OperationEnd {
  message?: string;
  error?: LogError;
  meta?: Record<string, unknown>;
  request?: LogRequest;
  response?: LogResponse;
}

export interface RunUsage {
  /** Processor time. */
  cpuMs: number | null;
  /** Heap of its isolate when it ended. */
  memoryBytes: number | null;
}

/**
 * A started operation. Every call returns at once: entries are buffered and written in bulk, so that logging costs the
 * caller no disk access. Failures to store are not reported to the caller.
 */
export interface Operation {
  readonly id: string;
  log(message: LogMessage): void;
  /**
   * Undefined unless traffic is recorded (ui.md 6.16). Otherwise the bodies of the request are recorded when the tap
   * ends.
   */
  record(sent: SentTraffic): ResponseTap | undefined;
  /**
   * Adds secret values that became known after the start (a refreshed token); they apply to everything logged from now
   * on.
   */
  redactSecrets(values: readonly string[]): void;
  /** A text as the log would store it, for callers that store it unsealed elsewhere. */
  redact(text: string): string;
  /** Changes the state from `waiting` to `running`. */
  begin(): void;
  /** Notes what the run used; call it before `finish`. Null for values that were not measured. */
  measure(usage: RunUsage): void;
  /** Notes the stack of an error thrown by a function; it is stored with the error that ends the operation. */
  noteStack(stack: string): void;
  /** Ends the operation once; later calls do nothing. */
  finish(state: FinalState, end?: OperationEnd): void;
}

/** The part of the log that other services use. */
export interface OperationLog {
  start<T extends OperationType>(start: OperationStart<T>): Operation;
  /** Writes messages to an existing operation (a caller passed its id); it cannot finish the operation. */
  attach(id: string, secrets?: readonly string[]): Operation;
}
