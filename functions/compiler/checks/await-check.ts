import { awaitedMembers } from '../../runtime/host-methods.ts';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';

/** `log` is not a host method, because log lines are sent separately. */
const AWAITED = new Set([...awaitedMembers(), 'log']);

/** Reports calls whose promise is not awaited: the run would end before they do. Checks every bundled file. */
export function checkAwaits({ file, nangoCalls }: FileFacts): CompileDiagnostic[] {
  return nangoCalls
    .filter(({ method, isHandled }) => AWAITED.has(method) && !isHandled)
    .map(({ method, call }) =>
      file.diagnostic(
        'method_need_await',
        `nango.${method}() must be awaited: write "await nango.${method}(...)".`,
        call.start,
      ),
    );
}
