import type { QueryClient } from '@tanstack/react-query';
import { type TakeBack, undoneText } from '../../lib/take-back.ts';
import { keys } from '../query-keys.ts';
import { request } from '../request.ts';
import type { FunctionRef } from './functions-queries.ts';

/** The order to switch functions; at most 100 of them. */
export const switchFunctions = (env: string, isEnabled: boolean, targets: readonly FunctionRef[]) =>
  request('POST /api/v1/functions/bulk', {
    query: { env },
    body: { isEnabled, targets: targets.map(({ integrationKey, type, name }) => ({ integrationKey, type, name })) },
  });

/** The way back from switching functions on or off: exactly those that it changed are switched back. */
export function functionTakeBack(
  client: QueryClient,
  env: string,
  { isEnabled, changed }: { isEnabled: boolean; changed: readonly FunctionRef[] },
): TakeBack | undefined {
  if (changed.length === 0) return undefined;
  const undo = async (): Promise<string> => {
    const answer = await switchFunctions(env, !isEnabled, changed);
    void client.invalidateQueries({ queryKey: keys.functions(env) });
    const count = answer.changed.filter(Boolean).length;
    return undoneText(isEnabled ? 'Disabled again' : 'Enabled again', count, changed.length);
  };
  return { undo };
}
