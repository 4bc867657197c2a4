import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { keys } from '../query-keys.ts';
import { connectCache } from './connect-cache.ts';
import type { EventStream, StreamState } from './event-stream.ts';

/** A stream that opens when the test says so. */
function heldStream() {
  const listeners = new Set<() => void>();
  const stream = {
    state: 'connecting' as StreamState,
    on: () => () => {},
    onState: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const open = (): void => {
    stream.state = 'open';
    for (const listener of listeners) listener();
  };
  return { stream: stream as unknown as EventStream, open };
}

describe('the cache of a page whose stream opens', () => {
  it('asks for waiting calls again, also while the first answer is still on its way', async () => {
    const client = new QueryClient();
    const { stream, open } = heldStream();
    const disconnect = connectCache(stream, client, 'dev');
    const answers: Array<(rows: string[]) => void> = [];
    const observer = new QueryObserver(client, {
      queryKey: keys.approvals('dev'),
      queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
    });
    const unsubscribe = observer.subscribe(() => {});

    open();
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.(['asked before the stream was open']);
    answers[0]?.([]);

    await expect.poll(() => observer.getCurrentResult().data).toEqual(['asked before the stream was open']);
    unsubscribe();
    disconnect();
    client.clear();
  });
});
