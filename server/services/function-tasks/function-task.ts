import type { ErrorCode } from '../../contract/error-codes.ts';

/** Work on a function that its caller asks about later (http-api.md 14). Times in milliseconds since the epoch. */
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
  /** What the function wrote to its log, one line each. */
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

/** What the work came to. */
export type TaskOutcome = Pick<FunctionTask, 'output' | 'result' | 'deployed' | 'error'>;
