import { awaitedMembers } from '../../runtime/host-methods.ts';
import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';
import { asObject, namedProperties } from '../syntax.ts';
import { checkImports } from './import-check.ts';
import { checkNamedExports } from './named-export-check.ts';
import { checkOrder } from './order-checks.ts';

/** `log` is not a host method, because log lines are sent separately. */
const AWAITED = new Set([...awaitedMembers(), 'log']);

/** Runs every check of a file's text (functions.md 2.3). Checks for entry files run only on an entry file. */
export function checkSource(facts: FileFacts, isEntry: boolean): CompileDiagnostic[] {
  const { file } = facts;
  return [
    ...file.syntaxErrors,
    ...checkImports(file),
    ...checkAwaits(facts),
    ...checkRetries(facts),
    ...(isEntry ? [...checkNamedExports(file), ...checkOrder(facts)] : []),
    ...consoleWarning(facts),
  ];
}

/** Reports calls whose promise is not awaited: the run would end before they do. Checks every bundled file. */
function checkAwaits({ file, nangoCalls }: FileFacts): CompileDiagnostic[] {
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

/** Reports `retryOn` without `retries`, which has no effect. Checks every bundled file. */
function checkRetries({ file, nangoCalls }: FileFacts): CompileDiagnostic[] {
  return nangoCalls.flatMap(({ call }) => {
    const options = asObject(call.arguments[0]);
    if (!options) return [];
    const properties = namedProperties(options);
    const retryOn = properties.get('retryOn');
    if (!retryOn || properties.has('retries')) return [];
    return [
      file.diagnostic(
        'retryon_need_retries',
        'retryOn needs retries: say how many extra attempts to make.',
        retryOn.start,
      ),
    ];
  });
}

function consoleWarning({ file, consoleOffset }: FileFacts): CompileDiagnostic[] {
  if (consoleOffset === undefined) return [];
  const message = 'The output of console is discarded when the hub runs the function. Use nango.log() instead.';
  return [file.diagnostic('console_used', message, consoleOffset, 'warning')];
}
