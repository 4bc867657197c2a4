import { useCallback, useSyncExternalStore } from 'react';
import { useEventStream } from './EventsProvider.tsx';
import type { StreamState } from './event-stream.ts';

export function useStreamState(): StreamState {
  const stream = useEventStream();
  const subscribe = useCallback((changed: () => void) => stream?.onState(changed) ?? (() => {}), [stream]);
  return useSyncExternalStore(subscribe, () => stream?.state ?? 'connecting');
}
