import { expect } from 'vitest';
import type { FunctionHub, HubResponse } from './function-hub.ts';
import { waitFor } from './wait-for.ts';
import { waitForSync } from './wait-for-sync.ts';

type Body = Record<string, unknown>;

export interface CalledDestination extends Body {
  id: string;
  state: string;
  waiting: number;
  error: { code: string; message: string } | null;
}

/** Record destinations of a hub, called as a program calls them (http-api.md 11.4). */
export interface DestinationCalls {
  create(body: Body): Promise<CalledDestination>;
  read(one: { id: string }): Promise<CalledDestination>;
  act(one: { id: string }, name: string, body?: Body): Promise<HubResponse>;
  /** Resolves when everything was delivered. */
  settled(one: { id: string }): Promise<CalledDestination>;
  failed(one: { id: string }): Promise<{ code: string; message: string }>;
  /** Deletes all of them. */
  clear(): Promise<void>;
  /** Runs a sync of `acme` to its end; the provider answers `GET /<sync>` with the body. */
  runSync(sync: string, body: unknown, connectionId?: string): Promise<void>;
}

export function destinationCalls(hub: FunctionHub): DestinationCalls {
  const read = async ({ id }: { id: string }): Promise<CalledDestination> =>
    (await hub.call('GET', `/records/destinations/${id}`)).body.data;
  return {
    read,
    async create(body) {
      const answer = await hub.call('POST', '/records/destinations', { body });
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return answer.body.data as CalledDestination;
    },
    act: (one, name, body) => hub.call('POST', `/records/destinations/${one.id}/${name}`, body ? { body } : {}),
    settled: (one) =>
      waitFor(
        async () => {
          const now = await read(one);
          return now.state === 'up_to_date' && now['checked_at'] !== null ? now : undefined;
        },
        { what: 'everything to be delivered' },
      ),
    failed: (one) => waitFor(async () => (await read(one)).error ?? undefined, { what: 'a failure' }),
    async clear() {
      const { body } = await hub.call('GET', '/records/destinations');
      for (const { id } of body.data) await hub.call('DELETE', `/records/destinations/${id}`);
    },
    async runSync(sync, body, connectionId = 'c1') {
      hub.provider.on(`GET /${sync}`, { body });
      const { nango } = hub.connection;
      const previous = (await nango.syncStatus('acme', [sync], connectionId)).syncs[0];
      await nango.triggerSync('acme', [sync], connectionId);
      await waitForSync(
        { ...hub.connection, connectionId },
        sync,
        ({ finishedAt }) => finishedAt !== undefined && finishedAt !== previous?.finishedAt,
      );
    },
  };
}
