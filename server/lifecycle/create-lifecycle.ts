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
import { createClientRegistration } from './client-registration.ts';
import { createConnectionCreation } from './connection-creation.ts';
import { createConnectionTests } from './connection-tests.ts';
import { createEnvironmentCopies, createEnvironmentRemoval, type EnvironmentEvents } from './environment-lifecycle.ts';
import { createErasureRequests } from './erasure-requests.ts';
import { createFlatImports } from './flat-imports.ts';
import { createFunctionPruning } from './function-pruning.ts';
import { createFunctionSyncs } from './function-syncs.ts';
import { createLifecycleService } from './lifecycle.service.ts';
import { createOnEventRunner } from './on-event-runner.ts';
import { createProviderSteps } from './provider-steps-runner.ts';
import { createBackgroundRefresh, createStoredConnectionTests } from './stored-connection-tests.ts';

/** Creates the services for the creation and removal of connections, integrations, functions and environments. */
export function createLifecycle({
  database,
  scheduler,
  clock,
  ids,
  logger,
  log,
  http,
  catalog,
  environments,
  notifications,
  integrations,
  credentials,
  connections,
  authEvents,
  deployments,
  records,
  schedules,
  proxy,
  runs,
  vault,
  events,
  publicBase,
}: {
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
}) {
  const onEvents = createOnEventRunner({ deployments, runs, log, vault });
  const functionSyncs = createFunctionSyncs({ database, integrations, connections, deployments, schedules });
  const providerSteps = createProviderSteps({ catalog, connections, integrations, proxy, http, log, clock });
  const tests = createConnectionTests({ proxy, integrations, providerSteps });
  const connectionTests = createStoredConnectionTests({ log, catalog, integrations, connections, tests });
  const registration = createClientRegistration({
    integrations,
    credentials,
    clock,
    logger,
    publicBase,
  });
  const creation = createConnectionCreation({
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
  const lifecycle = createLifecycleService({
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
    erasures: createErasureRequests({ clock, ids, scheduler }),
  });
  const environmentRemoval = createEnvironmentRemoval({
    database,
    events,
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
    functionPruning: createFunctionPruning({ database, deployments, integrations, records }),
    backgroundRefresh: createBackgroundRefresh({
      clock,
      logger,
      connections,
      tests: connectionTests,
      vault,
    }),
    environmentRemoval,
    environmentCopies: createEnvironmentCopies({
      environments,
      integrations,
      notifications,
      removal: environmentRemoval,
    }),
    flatImports: createFlatImports({ catalog, integrations, connections, lifecycle }),
  };
}
