import type { CompileDiagnostic } from '../compile-diagnostic.ts';
import type { FileFacts } from '../source-facts.ts';
import { asObject, namedProperties } from '../syntax.ts';

/** Reports `retryOn` without `retries`, which has no effect. Checks every bundled file. */
export function checkRetries({ file, nangoCalls }: FileFacts): CompileDiagnostic[] {
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
