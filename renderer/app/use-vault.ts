import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef } from 'react';
import { metaQueryOptions } from '../api/hub/hub-queries.ts';
import { reportPresence, useChangeVault } from '../api/hub/vault-mutations.ts';
import { answersWhenLocked, environmentKey } from '../api/route-query.ts';

const REPORT_EVERY_MS = 20_000;
/** Events that only a person causes; a pointer may move without one. */
const ACTS = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const;

/** Reports the person's activity to the hub while the automatic lock is on. */
function usePresence(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return;
    let reportedAt = Number.NEGATIVE_INFINITY;
    const onAct = (event: Event): void => {
      if (!event.isTrusted || event.timeStamp - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = event.timeStamp;
      // A lost report is harmless: the next action reports again.
      reportPresence().catch(() => {
        reportedAt = Number.NEGATIVE_INFINITY;
      });
    };
    for (const act of ACTS) window.addEventListener(act, onAct, { capture: true, passive: true });
    return () => {
      for (const act of ACTS) window.removeEventListener(act, onAct, { capture: true });
    };
  }, [isAsked]);
}

/** Whether the vault is locked, and the functions to change that, for the whole page. */
export function useVault(): { isLocked: boolean; setLocked: (isLocked: boolean) => void } {
  const client = useQueryClient();
  const health = useQuery(metaQueryOptions()).data?.health;
  const state = health?.vault;
  usePresence(state === 'unlocked' && health?.autoLockMinutes != null);
  const { mutate } = useChangeVault();
  const last = useRef(state);
  useEffect(() => {
    const before = last.current;
    if (state === undefined) return;
    last.current = state;
    if (before === undefined || before === state) return;
    // The cache may hold secrets: a lock by any page or program empties it, and shown queries are refetched. What a
    // locked hub answers too stays until then, with the forms over it.
    client.removeQueries({ queryKey: environmentKey(), type: 'inactive' });
    void client.resetQueries({
      queryKey: environmentKey(),
      predicate: ({ queryKey }) => !answersWhenLocked(queryKey),
    });
    void client.invalidateQueries({
      queryKey: environmentKey(),
      predicate: ({ queryKey }) => answersWhenLocked(queryKey),
    });
  }, [client, state]);
  const setLocked = useCallback((isLocked: boolean): void => mutate(isLocked ? 'lock' : 'unlock'), [mutate]);
  return { isLocked: state === 'locked', setLocked };
}
