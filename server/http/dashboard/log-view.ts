import type { MessageRow, OperationDetail, OperationRow } from '../../contract/dashboard/dashboard-logs.ts';
import { isJsonObject } from '../../lib/json-object.ts';
import type { LoggedMessage, LoggedOperation, LoggedOperationDetail } from '../../services/logs/logged-entries.ts';
import { isoDate, isoDateOrNull } from '../present/dates.ts';

const DAY_MS = 86_400_000;

export function viewOperation(row: LoggedOperation): OperationRow {
  return {
    id: row.id,
    operation: row.operation,
    state: row.state,
    message: row.message ?? `${row.operation.type} ${row.operation.action}`.replaceAll('_', ' '),
    integrationName: row.integrationName,
    providerName: row.providerName,
    connectionName: row.connectionName,
    endUserName: row.endUserName,
    syncConfigName: row.syncConfigName,
    trigger: row.trigger,
    error: row.error,
    createdAt: isoDate(row.createdAt),
    startedAt: isoDateOrNull(row.startedAt),
    endedAt: isoDateOrNull(row.endedAt),
    durationMs: row.durationMs,
  };
}

export function viewOperationDetail(
  row: LoggedOperationDetail,
  settings: { retentionDays: number | null; recordedLevel: OperationDetail['recordedLevel'] },
): OperationDetail {
  const { recordedLevel, retentionDays } = settings;
  const expiresAt = row.expiresAt ?? (retentionDays === null ? null : row.createdAt + retentionDays * DAY_MS);
  const meta = { ...objectOrNull(row.meta), ...named('request', row.request), ...named('response', row.response) };
  return {
    ...viewOperation(row),
    meta: Object.keys(meta).length > 0 ? meta : null,
    expiresAt: isoDateOrNull(expiresAt),
    recordedLevel,
  };
}

/** Request, response and retry were written by the log in these shapes. */
export function viewMessage(row: LoggedMessage): MessageRow {
  return {
    id: String(row.id),
    createdAt: isoDate(row.createdAt),
    level: row.level,
    type: row.type,
    source: row.source,
    context: row.context as MessageRow['context'],
    message: row.message,
    durationMs: row.durationMs,
    error: row.error,
    request: row.request as MessageRow['request'],
    response: row.response as MessageRow['response'],
    retry: row.retry as MessageRow['retry'],
    meta: objectOrNull(row.meta),
  };
}

function objectOrNull(value: unknown): Record<string, unknown> | null {
  return isJsonObject(value) ? value : null;
}

function named(name: string, value: unknown): Record<string, unknown> {
  return value === null || value === undefined ? {} : { [name]: value };
}
