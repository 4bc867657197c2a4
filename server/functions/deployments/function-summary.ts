import { type CompileDiagnostic, isCompileError } from '../../../functions/compiler/compile-diagnostic.ts';
import type { FunctionSummaryRow, FunctionType, LastRunRow } from '../functions.store.ts';

/** A function for lists. */
export interface FunctionSummary {
  id: number;
  integrationKey: string;
  type: FunctionType;
  name: string;
  /** Path below the functions folder. */
  path: string;
  origin: FunctionSummaryRow['origin'];
  version: string | null;
  description: string | null;
  /** The author's text; null for types other than syncs. */
  frequency: string | null;
  models: string[];
  problems: CompileDiagnostic[];
  /** The current file does not compile. */
  hasCompileErrors: boolean;
  isEnabled: boolean;
  missingSince: number | null;
  lastRun: { operationId: string; at: number; state: string } | null;
  updatedAt: number;
}

/** One compilation. */
export interface FunctionCheck {
  at: number;
  durationMs: number;
}

const OPERATION_TYPES: Record<FunctionType, string> = {
  sync: 'sync',
  action: 'action',
  'on-event': 'events',
};

export function toSummaries(rows: FunctionSummaryRow[], runs: LastRunRow[]): FunctionSummary[] {
  const runsByFunction = new Map(
    runs.map((run) => [JSON.stringify([run.type, run.integrationKey, run.functionName]), run]),
  );
  return rows.map((row) => {
    const run = runsByFunction.get(JSON.stringify([OPERATION_TYPES[row.type], row.integrationKey, row.name]));
    const problems = row.problems === null ? [] : (JSON.parse(row.problems) as CompileDiagnostic[]);
    return {
      id: row.id,
      integrationKey: row.integrationKey,
      type: row.type,
      name: row.name,
      path: row.path,
      origin: row.origin,
      version: row.version,
      description: row.description || null,
      frequency: row.frequency,
      models: row.models === null ? [] : (JSON.parse(row.models) as string[]),
      problems,
      hasCompileErrors: problems.some(isCompileError),
      isEnabled: row.isEnabled === 1,
      missingSince: row.missingSince,
      lastRun: run ? { operationId: run.operationId, at: run.at, state: run.state } : null,
      updatedAt: row.deployedAt ?? row.createdAt,
    };
  });
}
