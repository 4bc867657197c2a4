import type { Nango } from '@nangohq/node';
import type { PracticeConnection } from './import-practice-connection.ts';
import { waitFor } from './wait-for.ts';
import { WAIT_LIMIT_MS } from './wait-limit.ts';

/** The client's type, and another field of the API's response (http-api.md 10). */
export type SyncState = Awaited<ReturnType<Nango['syncStatus']>>['syncs'][number] & { latestExecutionStatus?: string };

export async function syncState(
  { nango, integration, connectionId }: PracticeConnection,
  sync: string,
): Promise<SyncState | undefined> {
  return (await nango.syncStatus(integration, [sync], connectionId)).syncs[0];
}

/** Waits for a state of one sync as a caller sees it. */
export function waitForSync(
  connection: PracticeConnection,
  sync: string,
  accept: (state: SyncState) => boolean,
  limitMs = WAIT_LIMIT_MS,
): Promise<SyncState> {
  let last: SyncState | undefined;
  const probe = async (): Promise<SyncState | undefined> => {
    last = await syncState(connection, sync);
    return last && accept(last) ? last : undefined;
  };
  return waitFor(probe, { limitMs, what: `the awaited state of ${sync}` }).catch((error: unknown) => {
    throw new Error(`${sync} stayed at ${JSON.stringify(last)}`, { cause: error });
  });
}

/** The latest run has succeeded; `status` would be PAUSED for a sync that only runs when triggered. */
export function hasSucceeded(state: SyncState): boolean {
  return state.latestExecutionStatus === 'SUCCESS' && state.finishedAt !== undefined;
}
