import type { CatalogLookup } from '../../catalog/catalog.ts';
import type { EnvironmentPart } from '../../contract/dashboard/dashboard-environment.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OutboundHttp } from '../../lib/outbound-http.ts';
import { PeriodicSweep } from '../../lib/periodic-sweep.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';
import type { Vault } from '../../vault/vault.ts';
import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { CredentialsService } from '../credentials/credentials-service.ts';
import type { DeploymentsService } from '../deployments/deployments-service.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { SettingsChanges } from '../environment/environment-settings.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { LogsService } from '../logs/logs-service.ts';
import type { NotificationsService } from '../notifications/notifications-service.ts';
import type { ProxyService } from '../proxy/proxy-service.ts';
import type { RecordsService } from '../records/records-service.ts';
import type { RunsService } from '../runs/runs-service.ts';
import type { SyncSchedulesService } from '../sync-schedules/sync-schedules-service.ts';
import { ClientRegistration } from './client-registration.ts';
import { ConnectionCreation } from './connection-creation.ts';
import { ConnectionTests } from './connection-tests.ts';
import { EnvironmentRemoval } from './environment-removal.ts';
import { FlatImports } from './flat-imports.ts';
import { FunctionPruning } from './function-pruning.ts';
import { FunctionSyncs } from './function-syncs.ts';
import { LifecycleService } from './lifecycle-service.ts';
import { OnEventRunner } from './on-event-runner.ts';
import { ProviderSteps } from './provider-steps-runner.ts';
import { StoredConnectionTests } from './stored-connection-tests.ts';

export interface LifecycleDeps {
  database: Database;
  scheduler: Scheduler;
  clock: Clock;
  logger: Logger;
  log: LogsService;
  http: Pick<OutboundHttp, 'request'>;
  catalog: CatalogLookup;
  environments: EnvironmentService;
  notifications: NotificationsService;
  integrations: IntegrationsService;
  credentials: CredentialsService;
  connections: ConnectionsService;
  authEvents: AuthEvents;
  deployments: DeploymentsService;
  records: RecordsService;
  schedules: SyncSchedulesService;
  proxy: ProxyService;
  runs: RunsService;
  vault: Vault;
  /** Origin of callback addresses, without a trailing slash. */
  publicBase(): string;
}

/** Creates the services for the creation and removal of connections, integrations, functions and environments. */
export function createLifecycle(deps: LifecycleDeps) {
  const { database, scheduler, clock, logger, log, catalog, environments, integrations, connections } = deps;
  const { authEvents, credentials, deployments, notifications, proxy, records, runs, schedules } = deps;
  const onEvents = new OnEventRunner({ deployments, runs, log });
  const functionSyncs = new FunctionSyncs({ database, integrations, connections, deployments, schedules });
  const providerSteps = new ProviderSteps({ catalog, connections, integrations, proxy, http: deps.http, log, clock });
  const tests = new ConnectionTests({ proxy, integrations, providerSteps });
  const connectionTests = new StoredConnectionTests({ log, catalog, integrations, connections, tests });
  const registration = new ClientRegistration({
    integrations,
    credentials,
    clock,
    logger,
    publicBase: deps.publicBase,
  });
  const creation = new ConnectionCreation({
    database,
    scheduler,
    environments,
    integrations,
    connections,
    authEvents,
    onEvents,
    providerSteps,
    functionSyncs,
  });
  const lifecycle = new LifecycleService({
    database,
    clock,
    log,
    integrations,
    connections,
    credentials,
    creation,
    tests,
    onEvents,
    providerSteps,
    functionSyncs,
    registration,
    runs,
  });
  const environmentRemoval = new EnvironmentRemoval({
    database,
    environments,
    functionSyncs,
    runs,
    logs: log,
    logger,
  });
  return {
    lifecycle,
    creation,
    tests,
    connectionTests,
    registration,
    onEvents,
    functionSyncs,
    functionPruning: new FunctionPruning({ database, deployments, integrations, records }),
    upkeep: new BackgroundRefresh({ clock, logger, connections, tests: connectionTests, vault: deps.vault }),
    environmentRemoval,
    environmentCopies: new EnvironmentCopies({
      environments,
      integrations,
      notifications,
      removal: environmentRemoval,
    }),
    flatImports: new FlatImports({ catalog, integrations, connections, lifecycle }),
  };
}

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

interface EnvironmentCopiesOptions {
  environments: Pick<EnvironmentService, 'create' | 'listVariables' | 'otlpHeaders'>;
  integrations: Pick<IntegrationsService, 'copy'>;
  notifications: { destinations: Pick<NotificationsService['destinations'], 'copyAll'> };
  removal: { remove(id: number): Promise<void> };
}

/** Creates environments as copies of another one. */
export class EnvironmentCopies {
  readonly #options: EnvironmentCopiesOptions;

  constructor(options: EnvironmentCopiesOptions) {
    this.#options = options;
  }

  /** Creates an environment with its own key and the chosen parts of `source`: all of them or, when one fails, none. */
  async copy(source: Environment, name: string, parts: readonly EnvironmentPart[]): Promise<Environment> {
    const { environments, integrations, notifications, removal } = this.#options;
    const variables = parts.includes('variables') ? await environments.listVariables(source.id) : [];
    const otlpHeaders = parts.includes('settings') ? await environments.otlpHeaders.list(source.id) : [];
    const copy = await environments.create(name, settingsOf(source, parts), { variables, otlpHeaders });
    try {
      if (parts.includes('webhooks')) await notifications.destinations.copyAll(source.id, copy.id);
      if (parts.includes('integrations')) await integrations.copy(source.id, copy.id);
      return copy;
    } catch (error) {
      await removal.remove(copy.id);
      throw error;
    }
  }
}

/**
 * The public address belongs to the hub and stays with the environment that set it; colour and position belong to its
 * name.
 */
function settingsOf({ settings }: Environment, parts: readonly EnvironmentPart[]): SettingsChanges {
  const { colour: _colour, isProduction: _isProduction, position: _position, publicUrl: _publicUrl, ...own } = settings;
  const { connectUi, webhook, ...rest } = own;
  return {
    ...(parts.includes('settings') ? rest : {}),
    ...(parts.includes('webhooks') ? { webhook } : {}),
    ...(parts.includes('connect_ui') ? { connectUi } : {}),
  };
}
