import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../platform/lib/clock.ts';
import { type Ids, randomIds } from '../platform/lib/ids.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import { type Logger, silentLogger } from '../platform/lib/logger.ts';
import { createPracticeSimulation } from './practice-simulation.ts';

export type PracticeProvider = ReturnType<typeof createPracticeProvider>;

/**
 * The practice tracker with its own listener on the loopback address. `callbackAddresses` are accepted as redirect
 * addresses in addition to the callback on any port of this computer, and read at every authorization.
 */
export function createPracticeProvider({
  clock,
  ids = randomIds,
  logger = silentLogger,
  callbackAddresses = () => [],
}: {
  clock: Clock;
  ids?: Ids;
  logger?: Logger;
  callbackAddresses?: () => string[];
}) {
  const simulation = createPracticeSimulation(clock);
  // Loaded at its first request, because most starts of the hub never need it.
  const loadApp = loadOnce(async (): Promise<RequestListener> => {
    const { createPracticeApp } = await import('./practice-app.ts');
    return createPracticeApp({ clock, ids, seed: 'practice', logger, callbackAddresses, simulation });
  });
  const server = createServer((request, response) => {
    loadApp().then(
      (handle) => handle(request, response),
      (error: unknown) => {
        logger.error({ err: error }, 'the practice provider could not be loaded');
        response.destroy();
      },
    );
  });

  return {
    /** A failure of the API for some minutes, at a person's wish. */
    simulation,

    /** Listens on `port`, or on a free one. `address` is the base of every path, without a slash at the end. */
    start(port = 0): Promise<{ address: string }> {
      return new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, '127.0.0.1', () => {
          server.off('error', reject);
          resolve({ address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
        });
      });
    },

    /** Closes open connections at once, so that they do not delay the hub's stop. */
    async stop(): Promise<void> {
      simulation.end();
      if (!server.listening) return;
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
}
