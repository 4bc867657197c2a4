import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { describeError } from '../api/api-error.ts';
import { useChangeVault } from '../api/hub/hub-mutations.ts';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { keys } from '../api/query-keys.ts';
import { notifyDone, notifyError } from '../components/notify.ts';

/** Whether the vault is locked, and how to change that, for the whole page. */
export function useVault(): { isLocked: boolean; setLocked: (isLocked: boolean) => void } {
  const client = useQueryClient();
  const state = useQuery(metaQueryOptions()).data?.health.vault;
  const { mutate } = useChangeVault();
  const last = useRef(state);
  useEffect(() => {
    const before = last.current;
    if (state === undefined) return;
    last.current = state;
    if (before === undefined || before === state) return;
    // What was fetched may hold secrets: a lock by any page or program empties this one, and what is shown is fetched again.
    void client.resetQueries({ queryKey: keys.environments });
  }, [client, state]);
  const setLocked = useCallback(
    (isLocked: boolean): void =>
      mutate(isLocked ? 'lock' : 'unlock', {
        onSuccess: () => notifyDone(isLocked ? 'Vault locked' : 'Vault unlocked'),
        onError: (error) => notifyError(describeError(error)),
      }),
    [mutate],
  );
  return { isLocked: state === 'locked', setLocked };
}
