import type { ParamTemplate } from '../../../catalog/proxy-schema.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { TokenContext } from '../token-context.ts';
import { fillText, paramScope } from './fill-params.ts';

/** Parameters of the catalogue with the connection's values in place. Throws when one of them is missing. */
export function requireParams(
  context: TokenContext,
  params: Record<string, ParamTemplate> | undefined,
): Record<string, string> {
  const scope = paramScope(context, {});
  const filled = Object.entries(params ?? {}).map(([name, source]): [string, string] => {
    const value = fillText(typeof source === 'string' ? source : JSON.stringify(source), scope);
    if (value !== undefined) return [name, value];
    throw new HomeportError(
      'missing_connection_config',
      `The parameter ${name} needs a value that the connection does not have. Enter it and connect again.`,
    );
  });
  return Object.fromEntries(filled);
}
