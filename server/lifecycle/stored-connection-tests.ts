import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { StoredCredentials } from '../connections/credentials/credentials.service.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { PeriodicSweep } from '../platform/lib/periodic-sweep.ts';
import { secretsOf } from '../platform/lib/secrets.ts';
import { UnsealError } from '../platform/vault/seal.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { TestedFlow } from '../proxy/proxy.service.ts';
import { type ConnectionTests, UNREACHABLE } from './connection-tests.ts';

export interface StoredTestResult {
  /** `no_test`: the provider has no request that tests credentials. `not_tested`: the provider could not be reached. */
  outcome: 'accepted' | 'refused' | 'not_tested' | 'no_test';
  /** The reason; null when the credentials were accepted or there is no test. */
  message: string | null;
  /** Operation of the log; null when none was written. */
  operationId: string | null;
}

export type StoredConnectionTests = ReturnType<typeof createStoredConnectionTests>;

/** Asks providers whether the credentials of stored connections still work, and marks the connections accordingly. */
export function createStoredConnectionTests({
  log,
  catalog,
  integrations,
  connections,
  tests,
}: {
  log: OperationLog;
  catalog: { find(name: string): ProviderEntry | undefined };
  integrations: IntegrationsService;
  connections: Pick<ConnectionsService, 'credentials'>;
  tests: ConnectionTests;
}) {
  async function run(connection: StoredConnection, flow: TestedFlow, isAsked: boolean): Promise<StoredTestResult> {
    // The credentials are renewed only when any other use would renew them too.
    const fetched = await connections.credentials.tryFetch(connection, { isOptional: true, isUpkeep: true });
    if (!fetched.ok) {
      const { code, message } = fetched.failure;
      return { outcome: code === 'provider_unreachable' ? 'not_tested' : 'refused', message, operationId: null };
    }
    const entry = catalog.find(connection.provider);
    const integration = await integrations.find(connection.environmentId, connection.integrationKey);
    if (!entry || !integration || !tests.canTest(entry, flow)) return NO_TEST;
    const { credentials, config } = fetched;
    const start = () => startOperation(connection, credentials, isAsked);
    const asked = isAsked ? start() : undefined;
    const result = await tests
      .probe({ entry, integration, credentials, connectionConfig: config, metadata: connection.metadata ?? {} }, flow)
      .catch((error: unknown) => {
        asked?.finish('failed', { error: { message: 'The test could not be carried out.' } });
        throw error;
      });
    if (typeof result === 'object') {
      const operation = asked ?? start();
      const failure = new HomeportError('connection_test_failed', result.refusal);
      await connections.credentials.noteFailure(fetched.connection, failure, operation);
      operation.finish('failed', { error: { message: failure.message, type: failure.code } });
      return { outcome: 'refused', message: failure.message, operationId: operation.id };
    }
    const operationId = asked?.id ?? null;
    if (result === 'unreachable') {
      asked?.finish('failed', { error: { message: UNREACHABLE, type: 'provider_unreachable' } });
      return { outcome: 'not_tested', message: UNREACHABLE, operationId };
    }
    if (result === 'accepted') await connections.credentials.noteSuccess(fetched.connection);
    asked?.finish('success');
    return { outcome: result === 'accepted' ? 'accepted' : 'no_test', message: null, operationId };
  }

  function startOperation(connection: StoredConnection, credentials: StoredCredentials, isAsked: boolean): Operation {
    const { connectionId, environmentId, integrationKey, provider } = connection;
    return log.start({
      environmentId,
      type: 'auth',
      action: 'connection_test',
      message: `Test the credentials of ${connectionId}`,
      integrationKey,
      providerName: provider,
      connectionId,
      ...(isAsked && { trigger: 'ui' }),
      secrets: secretsOf(credentials),
    });
  }

  return {
    /** Whether a test at a person's request asks the provider anything. */
    canCheckOnRequest(provider: string): boolean {
      const entry = catalog.find(provider);
      return entry !== undefined && tests.canTest(entry, 'interactive');
    },
    /** A test at a person's request: for every mode that is tested during connecting; always logged. */
    checkOnRequest(connection: StoredConnection): Promise<StoredTestResult> {
      return run(connection, 'interactive', true);
    },
    /** A test by the hub, for the same modes as after an import; logged only when the provider refuses. */
    check(connection: StoredConnection): Promise<StoredTestResult> {
      return run(connection, 'import', false);
    },
  };
}

const NO_TEST: StoredTestResult = { outcome: 'no_test', message: null, operationId: null };

/** Time between two rounds; a round ends after this time (auth-and-connect.md 4.7). */
const INTERVAL_MS = 10 * 60_000;
/** Connections that were not fetched during this time are checked. */
const UNUSED_MS = 24 * 3_600_000;
const PAGE = 100;

/**
 * Renews unused credentials, and tests those that cannot be renewed. The first round begins at the start; after the
 * computer slept, the next round is due. Without a network, failures do not count against a connection.
 */
export function createBackgroundRefresh({
  clock,
  logger,
  connections,
  tests,
  vault,
}: {
  clock: Clock;
  logger: Logger;
  connections: ConnectionsService;
  tests: Pick<StoredConnectionTests, 'check'>;
  /** While it is locked, no credentials are renewed; the next round renews them. */
  vault: Pick<Vault, 'isLocked'>;
}) {
  const rounds = new PeriodicSweep({
    clock,
    logger,
    intervalMs: INTERVAL_MS,
    sweep: run,
    failureMessage: 'Unused credentials could not be checked; trying again in ten minutes.',
  });

  /** Runs one round; resolves to the number of checked connections. */
  async function run(isStopped = (): boolean => false): Promise<number> {
    const startedAt = clock.now();
    let count = 0;
    let afterId = 0;
    for (;;) {
      const page = await connections.listUnused({ fetchedBefore: startedAt - UNUSED_MS, afterId, limit: PAGE });
      for (const connection of page) {
        if (isStopped() || vault.isLocked || clock.now() - startedAt > INTERVAL_MS) return count;
        await check(connection);
        count += 1;
      }
      const last = page.at(-1);
      if (!last || page.length < PAGE) return count;
      afterId = last.id;
    }
  }

  /** Failures of a single connection do not end the round. Others do, because renewed credentials may not be stored. */
  async function check(connection: StoredConnection): Promise<void> {
    try {
      await tests.check(connection);
    } catch (error) {
      // The connection or its integration was deleted since it was listed.
      if (error instanceof HomeportError && error.code === 'not_found') return;
      if (!(error instanceof UnsealError)) throw error;
      logger.error(
        { err: error, connection: connection.connectionId },
        'The credentials of a connection cannot be opened. Connect the account again.',
      );
    }
  }

  return {
    run,
    start(): void {
      rounds.start();
    },
    /** Waits for the current connection, at most `graceMs`; the next round does the others. */
    async stop(graceMs: number): Promise<void> {
      await Promise.race([rounds.stop(), clock.sleep(graceMs)]);
    },
  };
}
