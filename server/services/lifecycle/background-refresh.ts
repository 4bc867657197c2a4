import type { ProviderEntry } from '../../catalog/entry-schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { Vault } from '../../vault/vault.ts';
import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { OperationLog } from '../logs/operation.ts';
import type { ConnectionTests } from './connection-tests.ts';

export interface BackgroundRefreshOptions {
  clock: Clock;
  logger: Logger;
  log: OperationLog;
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  connections: ConnectionsService;
  tests: ConnectionTests;
  /** While it is locked nothing is renewed: the next round does it. */
  vault: Pick<Vault, 'isLocked'>;
}

/** Between two rounds; a round that takes longer ends there (auth-and-connect.md 4.7). */
const INTERVAL_MS = 10 * 60_000;
/** Connections that were not fetched during this time are checked. */
const UNUSED_MS = 24 * 3_600_000;
const PAGE = 100;

/**
 * Keeps unused credentials fresh, and tests those that cannot be renewed. The first round begins with the start; after
 * the computer's sleep the next one is due. Without a network no failure counts against a connection.
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
      complaint: 'unused credentials could not be looked after',
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Waits a while for the connection in work; the others are left to the next round. */
  async stop(graceMs: number): Promise<void> {
    await Promise.race([this.#rounds.stop(), this.#options.clock.sleep(graceMs)]);
  }

  /** One round; resolves to the number of connections that were checked. */
  async run(isStopped = (): boolean => false): Promise<number> {
    const { clock, connections, vault } = this.#options;
    const startedAt = clock.now();
    let count = 0;
    let afterId = 0;
    for (;;) {
      const page = await connections.listUnused({ fetchedBefore: startedAt - UNUSED_MS, afterId, limit: PAGE });
      for (const connection of page) {
        if (isStopped() || vault.isLocked || clock.now() - startedAt > INTERVAL_MS) return count;
        await this.#lookAfter(connection).catch(ignoreIfGone);
        count += 1;
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return count;
      afterId = last.id;
    }
  }

  async #lookAfter(connection: StoredConnection): Promise<void> {
    const outcome = await this.#options.connections.credentials.tryFetch(connection, {
      isOptional: true,
      isUpkeep: true,
    });
    const { catalog, integrations } = this.#options;
    const entry = catalog.find(connection.provider);
    const integration = await integrations.find(connection.environmentId, connection.integrationKey);
    if (!outcome.ok || !entry || !integration) return;
    const { credentials, config } = outcome;
    const tested = { entry, integration, credentials, connectionConfig: config, metadata: connection.metadata ?? {} };
    await this.#test(outcome.connection, tested);
  }

  async #test(connection: StoredConnection, tested: Parameters<ConnectionTests['probe']>[0]): Promise<void> {
    const { connections, log, tests } = this.#options;
    const result = await tests.probe(tested, 'import');
    if (result === 'accepted') await connections.credentials.noteSuccess(connection);
    if (typeof result === 'string') return;
    const operation = log.start({
      environmentId: connection.environmentId,
      type: 'auth',
      action: 'connection_test',
      message: `Test the credentials of ${connection.connectionId}`,
      integrationKey: connection.integrationKey,
      providerName: connection.provider,
      connectionId: connection.connectionId,
    });
    const failure = new HomeportError('connection_test_failed', result.refusal);
    await connections.credentials.noteFailure(connection, failure, operation);
    operation.finish('failed', { error: { message: failure.message, type: failure.code } });
  }
}

/** Deleted since it was listed, or its integration was: nothing is left to look after. */
function ignoreIfGone(error: unknown): void {
  if (!(error instanceof HomeportError) || error.code !== 'not_found') throw error;
}
