import type { StoredError } from '../platform/database/stored-error.ts';
import type { StoredMessage } from './messages.store.ts';
import type { LogError, MessageLevel, OperationState } from './operation.ts';
import type { OperationListRow, OperationRow } from './operations.store.ts';

/** An operation for lists (ui.md 6.11). Times are in milliseconds since the epoch. */
export interface LoggedOperation {
  id: string;
  environmentId: number;
  operation: { type: string; action: string };
  state: OperationState;
  level: 'info' | 'error';
  message: string | null;
  /** The integration's key. */
  integrationName: string | null;
  providerName: string | null;
  /** The connection id. */
  connectionName: string | null;
  endUserId: string | null;
  endUserName: string | null;
  /** The function. */
  syncConfigName: string | null;
  /** Variant of the sync; null for operations that are not runs of a sync. */
  variant: string | null;
  jobId: string | null;
  trigger: string | null;
  actor: string | null;
  /** The agent session that it belongs to. */
  sessionId: string | null;
  httpCalls: number;
  recordsChanged: number;
  recordsAdded: number | null;
  recordsUpdated: number | null;
  recordsDeleted: number | null;
  createdAt: number;
  updatedAt: number;
  startedAt: number | null;
  endedAt: number | null;
  expiresAt: number | null;
  durationMs: number | null;
  cpuMs: number | null;
  memoryBytes: number | null;
  /** Without its payload. */
  error: StoredError | null;
}

/** One operation, with the error's payload. */
export interface LoggedOperationDetail extends LoggedOperation {
  meta: unknown;
  request: unknown;
  response: unknown;
}

export interface LoggedMessage {
  id: number;
  operationId: string;
  createdAt: number;
  level: MessageLevel;
  type: 'log' | 'http';
  source: 'internal' | 'user';
  context: string | null;
  message: string;
  durationMs: number | null;
  meta: unknown;
  error: LogError | null;
  request: unknown;
  response: unknown;
  retry: unknown;
  persistResults: unknown;
  /** Id of its recording, which may have been removed. */
  recordingId: string | null;
}

/** The members that may change after the start of an operation. */
export function changingFieldsOf(row: OperationListRow) {
  return {
    state: row.state as OperationState,
    level: row.state === 'failed' || row.state === 'timeout' ? ('error' as const) : ('info' as const),
    message: row.message,
    httpCalls: row.httpCalls,
    recordsChanged: row.recordsChanged,
    recordsAdded: row.recordsAdded,
    recordsUpdated: row.recordsUpdated,
    recordsDeleted: row.recordsDeleted,
    updatedAt: row.updatedAt,
    startedAt: row.startedAt,
    endedAt: row.endedAt,
    durationMs: row.durationMs,
    cpuMs: row.cpuMs,
    memoryBytes: row.memoryBytes,
    error: row.error && withoutPayload(row.error),
  };
}

export function toLoggedOperation(row: OperationListRow): LoggedOperation {
  return {
    id: row.id,
    environmentId: row.environmentId,
    operation: { type: row.type, action: row.action },
    integrationName: row.integrationKey,
    providerName: row.providerName,
    connectionName: row.connectionId,
    endUserId: row.endUserId,
    endUserName: row.endUserName,
    syncConfigName: row.functionName,
    variant: row.variant,
    jobId: row.jobId,
    trigger: row.trigger,
    actor: row.actor,
    sessionId: row.sessionId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    ...changingFieldsOf(row),
  };
}

function withoutPayload({ payload: _payload, ...error }: StoredError): StoredError {
  return error;
}

export function toLoggedDetail(row: OperationRow): LoggedOperationDetail {
  const { meta = null, request = null, response = null } = row.details ?? {};
  return { ...toLoggedOperation(row), error: row.error, meta, request, response };
}

export function toLoggedMessage(row: StoredMessage): LoggedMessage {
  const {
    meta = null,
    error = null,
    request = null,
    response = null,
    retry = null,
    persistResults = null,
    recordingId = null,
  } = row.details ?? {};
  return {
    id: row.id,
    operationId: row.operationId,
    createdAt: row.createdAt,
    level: row.level as MessageLevel,
    type: row.type as LoggedMessage['type'],
    source: row.source as LoggedMessage['source'],
    context: row.context,
    message: row.message,
    durationMs: row.durationMs,
    meta,
    error,
    request,
    response,
    retry,
    persistResults,
    recordingId,
  };
}
