import type { OPERATION_TYPES } from '../../contract/dashboard/log-query.ts';

/** Types and vocabulary of the log (ui.md 6.11). An operation is one unit of work; messages belong to it. */

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
  /** Of the sync that runs. */
  variant?: string;
  jobId?: string;
  /** Who asked: `schedule`, `api`, `ui`, `function`, `webhook`, `mcp`. */
  trigger?: string;
  meta?: Record<string, unknown>;
  /** `waiting` for queued work; default `running`. */
  state?: 'waiting' | 'running';
  /** Name of the key or client that asked. */
  actor?: string;
  request?: LogRequest;
  /** Milliseconds since the epoch. */
  expiresAt?: number;
  /** Secret values of the connection: every occurrence is replaced before anything is stored. Never stored. */
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
  /** Of the request's bodies, when they are recorded. */
  recordingId?: string;
  /** Milliseconds since the epoch; default now. */
  at?: number;
}

/** One request to a provider whose answer has begun or failed to come. */
export interface SentTraffic {
  body: string | Uint8Array | undefined;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Headers of the answer; absent when none came. */
  answer: Record<string, string | string[] | undefined> | undefined;
  /** What must not be stored of it; the same list for the same connection. */
  secrets: readonly string[];
}

/** Hears the body of an answer while it is handed on, without slowing it down. */
export interface AnswerTap {
  /** What the message of the request names. */
  readonly id: string;
  take(chunk: Uint8Array): void;
  /** The body is over, or broke off. Without this call nothing is recorded. */
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
 * A started operation. Every call returns at once: entries are buffered and written in bulk, so that
 * logging costs the caller no disk access. A failure to store never reaches the caller.
 */
export interface Operation {
  readonly id: string;
  log(message: LogMessage): void;
  /** Undefined unless traffic is recorded (ui.md 6.16); else the bodies of the request are, once the tap ends. */
  record(sent: SentTraffic): AnswerTap | undefined;
  /** Secret values learned after the start (a refreshed token); they count for everything logged from now on. */
  redactSecrets(values: readonly string[]): void;
  /** A text as the log would store it: for callers that keep it elsewhere in clear. */
  redact(text: string): string;
  /** From `waiting` to `running`. */
  begin(): void;
  /** What the run took of the computer, said before it is finished; null for what was not measured. */
  measure(usage: RunUsage): void;
  /** The stack of what a function threw, in lines of its author's files; kept with the error that ends the operation. */
  failedIn(stack: string): void;
  /** Ends the operation once; later calls do nothing. */
  finish(state: FinalState, end?: OperationEnd): void;
}

/** What other services see of the log. */
export interface OperationLog {
  start<T extends OperationType>(start: OperationStart<T>): Operation;
  /** An operation that exists already (a caller passed its id); appends messages, never finishes it. */
  attach(id: string, secrets?: readonly string[]): Operation;
}
