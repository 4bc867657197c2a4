import type { ErrorCode } from '../../contract/error-codes.ts';

/**
 * Work on a function whose result the caller fetches later (http-api.md 14). Times are in milliseconds since the epoch.
 */
export interface FunctionTask {
  id: string;
  environmentId: number;
  kind: 'dry-run' | 'deployment';
  integrationKey: string;
  type: 'action' | 'sync';
  functionName?: string;
  status: 'waiting' | 'running' | 'success' | 'failed';
  createdAt: number;
  updatedAt: number;
  startedAt?: number;
  completedAt?: number;
  /** Log lines of the function. */
  output?: string;
  result?: unknown;
  deployed?: Array<{ name: string; version: string }>;
  error?: TaskError;
}

export interface TaskError {
  code: ErrorCode;
  message: string;
  payload?: unknown;
}

/** The result of the work. */
export type TaskOutcome = Pick<FunctionTask, 'output' | 'result' | 'deployed' | 'error'>;
