import { once } from 'node:events';
import type { ApiRequest } from './route.ts';

/** Writes a piece of a long answer, and waits until a slow client has read it, or has disconnected. */
export async function writePiece(response: ApiRequest['response'], piece: string | Uint8Array): Promise<void> {
  if (response.write(piece) || response.destroyed) return;
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    // Removes the other listener; otherwise one listener per wait would pile up.
    over.abort();
  }
}

/** Aborted when the client has gone, or has its answer. */
export function untilGone(response: ApiRequest['response']): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return gone.signal;
}
