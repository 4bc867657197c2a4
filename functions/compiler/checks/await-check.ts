import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';

const ASYNC_METHODS = new Set([
  'batchDelete',
  'batchSave',
  'batchSend',
  'delete',
  'deleteRecordsFromPreviousExecutions',
  'get',
  'getConnection',
  'getEnvironmentVariables',
  'getFieldMapping',
  'getMetadata',
  'log',
  'patch',
  'post',
  'proxy',
  'put',
  'setFieldMapping',
  'setMergingStrategy',
  'setMetadata',
  'trackDeletesEnd',
  'trackDeletesStart',
  'triggerAction',
]);

/** Calls whose promise nobody waits for: the run would end before they do. Runs on every bundled file. */
export function checkAwaits({ file, nangoCalls }: FileFacts): CompileDiagnostic[] {
  return nangoCalls
    .filter(({ method, isHandled }) => ASYNC_METHODS.has(method) && !isHandled)
    .map(({ method, call }) =>
      file.diagnostic(
        'method_need_await',
        `nango.${method}() must be awaited: write "await nango.${method}(...)".`,
        call.start,
      ),
    );
}
