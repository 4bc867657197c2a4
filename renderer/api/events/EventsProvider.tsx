import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { isSessionLost } from '../../lib/api-error.ts';
import { metaQueryOptions } from '../hub/hub-queries.ts';
import { keys } from '../query-keys.ts';
import { environmentKey } from '../route-query.ts';
import type { connectCache } from './connect-cache.ts';
import { EventStream, type StreamState } from './event-stream.ts';

const EventsContext = createContext<EventStream | undefined>(undefined);

/** Keeps one event stream open per environment and updates the query cache from it. */
export function EventsProvider({ env, children }: { env: string; children: ReactNode }) {
  const client = useQueryClient();
  const [stream, setStream] = useState<EventStream>();
  const isSignedOut = isSessionLost(useQuery(metaQueryOptions()).error);
  useEffect(() => {
    if (isSignedOut) return;
    // Where the last stream of this environment ended; before that, what the first request of the page said.
    const seen = client.getQueryData<string>(keys.lastEvent(env));
    const next = new EventStream(env, seen ?? client.getQueryData(metaQueryOptions().queryKey)?.lastEventIds[env]);
    // Loaded with the first event; if that fails, the program was updated.
    let cache: Promise<ReturnType<typeof connectCache>> | undefined;
    const offEvents = next.onEvery((name, event) => {
      cache ??= import('./connect-cache.ts').then((module) => module.connectCache(client, env));
      cache.then(
        ({ apply }) => apply(name, event),
        () => client.invalidateQueries({ queryKey: environmentKey(env) }),
      );
    });
    const offState = next.onState(() => {
      if (next.state === 'refused') void client.invalidateQueries(metaQueryOptions());
    });
    next.start();
    setStream(next);
    return () => {
      offState();
      offEvents();
      cache?.then(
        ({ stop }) => stop(),
        () => undefined,
      );
      next.stop();
      client.setQueryData(keys.lastEvent(env), next.lastId);
    };
  }, [env, client, isSignedOut]);
  return <EventsContext value={stream}>{children}</EventsContext>;
}

/** The event stream of the shown environment; undefined until it is created. */
export const useEventStream = (): EventStream | undefined => useContext(EventsContext);

export function useStreamState(): StreamState {
  const stream = useEventStream();
  const subscribe = useCallback((changed: () => void) => stream?.onState(changed) ?? (() => {}), [stream]);
  return useSyncExternalStore(subscribe, () => stream?.state ?? 'connecting');
}
