import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../platform/lib/clock.ts';
import { type Ids, randomIds } from '../platform/lib/ids.ts';
import { loadOnce } from '../platform/lib/load-once.ts';
import { type Logger, silentLogger } from '../platform/lib/logger.ts';
import { PracticeSimulation } from './practice-simulation.ts';

export interface PracticeProviderOptions {
  clock: Clock;
  ids?: Ids;
  /** Determines the data. The default is the same on every computer. */
  seed?: string;
  logger?: Logger;
  /**
   * Redirect addresses to accept in addition to the callback on any port of this computer. Read at every authorization.
   */
  callbackAddresses?: () => string[];
}

/** The practice tracker with its own listener on the loopback address. */
export class PracticeProvider {
  /** A failure of the API for some minutes, at a person's wish. */
  readonly simulation: PracticeSimulation;
  readonly #server: Server;

  constructor(options: PracticeProviderOptions) {
    const { clock, ids = randomIds, seed = 'practice', logger = silentLogger, callbackAddresses = () => [] } = options;
    const simulation = new PracticeSimulation(clock);
    this.simulation = simulation;
    // Loaded at its first request, because most starts of the hub never need it.
    const loadApp = loadOnce(async (): Promise<RequestListener> => {
      const { createPracticeApp } = await import('./practice-app.ts');
      return createPracticeApp({ clock, ids, seed, logger, callbackAddresses, simulation });
    });
    this.#server = createServer((request, response) => {
      loadApp().then(
        (handle) => handle(request, response),
        (error: unknown) => {
          logger.error({ err: error }, 'the practice provider could not be loaded');
          response.destroy();
        },
      );
    });
  }

  /** Listens on `port`, or on a free one. `address` is the base of every path, without a slash at the end. */
  start(port = 0): Promise<{ address: string }> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        resolve({ address: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` });
      });
    });
  }

  /** Closes open connections at once, so that they do not delay the hub's stop. */
  async stop(): Promise<void> {
    this.simulation.end();
    if (!this.#server.listening) return;
    await new Promise((resolve) => {
      this.#server.close(resolve);
      this.#server.closeAllConnections();
    });
  }
}
