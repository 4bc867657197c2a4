import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { StoredConnectionTests } from './stored-connection-tests.ts';

export interface BackgroundRefreshOptions {
  clock: Clock;
  logger: Logger;
  connections: ConnectionsService;
  tests: Pick<StoredConnectionTests, 'check'>;
  /** While it is locked no credentials are renewed; the next round does it. */
  vault: Pick<Vault, 'isLocked'>;
}

/** Time between two rounds; a round ends after this time (auth-and-connect.md 4.7). */
const INTERVAL_MS = 10 * 60_000;
/** Connections that were not fetched during this time are checked. */
const UNUSED_MS = 24 * 3_600_000;
const PAGE = 100;

/**
 * Renews unused credentials, and tests those that cannot be renewed. The first round begins at the start; after the
 * computer slept, the next round is due. Without a network, failures do not count against a connection.
 */
export class BackgroundRefresh {
  readonly #options: BackgroundRefreshOptions;
  readonly #rounds: PeriodicSweep;

  constructor(options: BackgroundRefreshOptions) {
    this.#options = options;
    this.#rounds = new PeriodicSweep({
      clock: options.clock,
      logger: options.logger,
      intervalMs: INTERVAL_MS,
      sweep: (isStopped) => this.run(isStopped),
      complaint: 'unused credentials could not be checked',
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Waits for the current connection, at most `graceMs`; the next round does the others. */
  async stop(graceMs: number): Promise<void> {
    await Promise.race([this.#rounds.stop(), this.#options.clock.sleep(graceMs)]);
  }

  /** Runs one round; resolves to the number of checked connections. */
  async run(isStopped = (): boolean => false): Promise<number> {
    const { clock, connections, tests, vault } = this.#options;
    const startedAt = clock.now();
    let count = 0;
    let afterId = 0;
    for (;;) {
      const page = await connections.listUnused({ fetchedBefore: startedAt - UNUSED_MS, afterId, limit: PAGE });
      for (const connection of page) {
        if (isStopped() || vault.isLocked || clock.now() - startedAt > INTERVAL_MS) return count;
        await tests.check(connection).catch(ignoreIfGone);
        count += 1;
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return count;
      afterId = last.id;
    }
  }
}

/** The connection or its integration was deleted since it was listed. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof HomeportError) || error.code !== 'not_found') throw error;
}
