import type { AuthEvents } from '../connections/auth-events.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { CredentialsService } from '../connections/credentials/credentials.service.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { RunsService } from '../functions/runs/runs.service.ts';
import type { CatalogLookup } from '../integrations/catalog/catalog.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import type { EventSink } from '../platform/lib/event-hub.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ProxyService } from '../proxy/proxy.service.ts';
import type { RecordsService } from '../records/records.service.ts';
import type { SyncSchedulesService } from '../syncs/sync-schedules.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';
import { ClientRegistration } from './client-registration.ts';
import { ConnectionCreation } from './connection-creation.ts';
import { ConnectionTests } from './connection-tests.ts';
import { EnvironmentCopies, type EnvironmentEvents, EnvironmentRemoval } from './environment-lifecycle.ts';
import { ErasureRequests } from './erasure-requests.ts';
import { FlatImports } from './flat-imports.ts';
import { FunctionPruning } from './function-pruning.ts';
import { FunctionSyncs } from './function-syncs.ts';
import { LifecycleService } from './lifecycle.service.ts';
import { OnEventRunner } from './on-event-runner.ts';
import { ProviderSteps } from './provider-steps-runner.ts';
import { BackgroundRefresh, StoredConnectionTests } from './stored-connection-tests.ts';

export interface LifecycleDeps {
  database: Database;
  scheduler: Scheduler;
  clock: Clock;
  ids: Ids;
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
  events: EventSink<EnvironmentEvents>;
  /** Origin of callback addresses, without a trailing slash. */
  publicBase(): string;
}

/** Creates the services for the creation and removal of connections, integrations, functions and environments. */
export function createLifecycle(deps: LifecycleDeps) {
  const { database, scheduler, clock, logger, log, catalog, environments, integrations, connections } = deps;
  const { authEvents, credentials, deployments, notifications, proxy, records, runs, schedules } = deps;
  const onEvents = new OnEventRunner({ deployments, runs, log, vault: deps.vault });
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
    authEvents,
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
    erasures: new ErasureRequests({ clock, ids: deps.ids, scheduler }),
  });
  const environmentRemoval = new EnvironmentRemoval({
    database,
    events: deps.events,
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
    backgroundRefresh: new BackgroundRefresh({ clock, logger, connections, tests: connectionTests, vault: deps.vault }),
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
