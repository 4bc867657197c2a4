import type { AllowedConnections } from '../../environments/allowed-connections.contract.ts';
import type { QueryColumn, QueryFormat, QueryParams, QueryView } from '../queries.contract.ts';

/** Messages between the hub and the process of the query engine. */

/** What one process may see: it never holds data outside of it. */
export interface QueryScope {
  environmentId: number;
  /** Null: every connection of the environment. */
  allowed: AllowedConnections;
}

export interface EngineSettings extends QueryScope {
  /** Path of the database file; it is opened for reading only. */
  database: string;
  /** The key of sealed records. */
  recordKey: Buffer;
  /** Where sealed copies of tables with at least so many rows are; null: none are read or written. */
  copies: { folder: string; leastRows: number } | null;
  memoryMb: number;
  threads: number;
}

export interface MarkedView extends QueryView {
  /** Changes with the rows and columns of the view; undefined where that is not known. */
  mark: string | undefined;
}

export interface QueryRequest {
  sql: string;
  params: QueryParams;
  /** JSON is made of NDJSON. */
  format: Exclude<QueryFormat, 'json'>;
  /** More rows than these are an error, so that no answer is cut without a word. */
  mostRows: number;
  /** Milliseconds for the statement, without the time for loading records. */
  timeoutMs: number;
  /** Rows come as they are computed, without a limit of time and rows; they are counted before. */
  isStreamed?: boolean | undefined;
  /** Refuses the views of the hub itself. */
  isOverRecordsOnly?: boolean | undefined;
}

export type QueryErrorCode = 'query_refused' | 'query_failed' | 'query_too_large';

export type ToEngine =
  | { kind: 'open'; settings: EngineSettings }
  | { kind: 'query'; id: number; request: QueryRequest }
  /** Asks for the next piece of the answer. */
  | { kind: 'next'; id: number }
  | { kind: 'views'; id: number }
  | { kind: 'cancel'; id: number };

export type FromEngine =
  | { kind: 'answer'; id: number; columns: QueryColumn[]; rowCount: number; durationMs: number; integrations: string[] }
  /** A part of the answer's bytes; null when it is complete. */
  | { kind: 'piece'; id: number; bytes: Buffer | null }
  | { kind: 'views'; id: number; views: MarkedView[] }
  /** For the hub's log. */
  | { kind: 'warning'; id: 0; message: string }
  /** `isLast`: the process ends, and the next query needs a new one. */
  | { kind: 'error'; id: number; code: QueryErrorCode | null; message: string; isLast?: true };
