import { awaitedMembers } from '../../runtime/host-methods.ts';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';

/** `log` is no method of the host: its lines travel on their own. */
const AWAITED = new Set([...awaitedMembers(), 'log']);

/** Calls whose promise is not awaited: the run would end before they do. Runs on every bundled file. */
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
