import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts, NangoCall } from '../source-facts.ts';
import { checkTrackDeletesOrder } from './track-deletes-order.ts';

const BATCH_METHODS = new Set(['batchSave', 'batchUpdate', 'batchDelete']);
const REQUEST_METHODS = new Set(['proxy', 'get', 'post', 'put', 'patch', 'delete']);

/** Checks the order of calls inside `exec` by their lines in the source. Entry file only (functions.md 2.3). */
export function checkOrder(facts: FileFacts): CompileDiagnostic[] {
  const calls = facts.nangoCalls.filter(({ isInsideExec }) => isInsideExec);
  const batches = calls.filter(({ method }) => BATCH_METHODS.has(method));
  return [
    ...checkMergingStrategy(facts, calls, batches),
    ...checkDeleteRecords(facts, calls, batches),
    ...checkTrackDeletesOrder(facts, calls, batches),
  ];
}

function checkMergingStrategy({ file }: FileFacts, calls: NangoCall[], batches: NangoCall[]): CompileDiagnostic[] {
  const firstBatch = firstLine(batches);
  const firstRequest = firstLine(calls.filter(({ method }) => REQUEST_METHODS.has(method)));
  return calls
    .filter(({ method, line }) => method === 'setMergingStrategy' && line > Math.min(firstBatch, firstRequest))
    .map(({ call }) => file.diagnostic('set_merging_strategy_order', MERGING_STRATEGY_ORDER, call.start));
}

const MERGING_STRATEGY_ORDER = 'nango.setMergingStrategy() must be above the first request and the first batch call.';

function checkDeleteRecords({ file }: FileFacts, calls: NangoCall[], batches: NangoCall[]): CompileDiagnostic[] {
  const [first, ...more] = calls.filter(({ method }) => method === 'deleteRecordsFromPreviousExecutions');
  if (!first) return [];
  const late = batches.filter(({ line }) => line > first.line);
  return [
    ...more.map(({ call }) =>
      file.diagnostic(
        'delete_records_order',
        'nango.deleteRecordsFromPreviousExecutions() may be called only once.',
        call.start,
      ),
    ),
    ...late.map(({ method, call }) =>
      file.diagnostic(
        'delete_records_order',
        `nango.${method}() must be above nango.deleteRecordsFromPreviousExecutions().`,
        call.start,
      ),
    ),
  ];
}

function firstLine(calls: NangoCall[]): number {
  return Math.min(...calls.map(({ line }) => line));
}
