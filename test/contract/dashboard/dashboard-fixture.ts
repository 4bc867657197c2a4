import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FunctionCompiler } from '../../../functions/compiler/function-compiler.ts';
import { createConnectSessionsService } from '../../../server/authorization/connect-sessions.service.ts';
import { createAuthEvents } from '../../../server/connections/auth-events.ts';
import { createConnectionsService } from '../../../server/connections/connections.service.ts';
import { createCredentialsService } from '../../../server/connections/credentials/credentials.service.ts';
import { parseFrequency } from '../../../server/contract/frequency.ts';
import { createDashboard, type Dashboard } from '../../../server/dashboard/api/dashboard.ts';
import type { DashboardFacts } from '../../../server/dashboard/api/dashboard-feed.ts';
import type { DashboardParts } from '../../../server/dashboard/api/dashboard-parts.ts';
import { createNotificationCentreService } from '../../../server/dashboard/notification-centre.service.ts';
import { createOverviewService } from '../../../server/dashboard/overview.service.ts';
import { createAutoLock } from '../../../server/data/auto-lock.ts';
import { createDataCareService } from '../../../server/data/data-care.service.ts';
import { createDeletionsService } from '../../../server/data/deletions.service.ts';
import { createKeyCare } from '../../../server/data/key-care.ts';
import { createAppPairings } from '../../../server/environments/app-pairings.ts';
import { createAuditService } from '../../../server/environments/audit.service.ts';
import { createDashboardLogin, type DashboardLogin } from '../../../server/environments/dashboard-login.ts';
import { createEnvironmentService, type Environment } from '../../../server/environments/environment.service.ts';
import { createDeploymentsService } from '../../../server/functions/deployments/deployments.service.ts';
import { createFunctionWriter } from '../../../server/functions/deployments/function-writer.ts';
import { FunctionsStore } from '../../../server/functions/functions.store.ts';
import { loadBuiltinCatalog } from '../../../server/integrations/catalog/builtin-catalog.ts';
import { Catalog } from '../../../server/integrations/catalog/catalog.ts';
import { createIntegrationsService } from '../../../server/integrations/integrations.service.ts';
import { CONNECTION_CREATED, createConnectionCreation } from '../../../server/lifecycle/connection-creation.ts';
import { followConnection } from '../../../server/lifecycle/follow-connection.job.ts';
import { createFunctionPruning } from '../../../server/lifecycle/function-pruning.ts';
import { createFunctionSyncs } from '../../../server/lifecycle/function-syncs.ts';
import { createLifecycleService } from '../../../server/lifecycle/lifecycle.service.ts';
import { createOnEventRunner } from '../../../server/lifecycle/on-event-runner.ts';
import type { ProviderSteps } from '../../../server/lifecycle/provider-steps-runner.ts';
import type { LimitsService } from '../../../server/limits/limits.service.ts';
import { createLogsService } from '../../../server/log/logs.service.ts';
import { createMcpService } from '../../../server/mcp/mcp.service.ts';
import { keySourcesOf } from '../../../server/offline-data.ts';
import { BackupFolder } from '../../../server/platform/database/backup-folder.ts';
import { Database } from '../../../server/platform/database/database.ts';
import { migrate } from '../../../server/platform/database/migrate.ts';
import { createAdmission } from '../../../server/platform/http/admission.ts';
import { createHttpApp } from '../../../server/platform/http/http-app.ts';
import { createListener } from '../../../server/platform/http/listener.ts';
import { RunningRequests } from '../../../server/platform/http/running-requests.ts';
import { systemClock as clock } from '../../../server/platform/lib/clock.ts';
import { EventHub } from '../../../server/platform/lib/event-hub.ts';
import { randomIds as ids } from '../../../server/platform/lib/ids.ts';
import { createLogger, silentLogger } from '../../../server/platform/lib/logger.ts';
import { OutboundHttp } from '../../../server/platform/lib/outbound-http.ts';
import { Scheduler } from '../../../server/platform/scheduler/scheduler.ts';
import { VaultStore } from '../../../server/platform/vault/vault.store.ts';
import { Vault } from '../../../server/platform/vault/vault.ts';
import { PRACTICE_CLIENT } from '../../../server/practice/authorization/practice-client.ts';
import { practiceEntries } from '../../../server/practice/practice-entries.ts';
import { createPracticeSimulation } from '../../../server/practice/practice-simulation.ts';
import { createSavedQueriesService } from '../../../server/queries/saved-queries.service.ts';
import { createRecordFiles } from '../../../server/records/record-files.ts';
import {
  createRecordHasher,
  createRecordSealer,
  createRecordsService,
} from '../../../server/records/records.service.ts';
import { MIGRATIONS } from '../../../server/schema/migration-list.ts';
import { createSyncSchedulesService } from '../../../server/syncs/sync-schedules.service.ts';
import { createNotificationsService } from '../../../server/webhooks-out/notifications.service.ts';
import { builtResources } from '../../support/built-resources.ts';
import { onlyPart } from '../../support/only-part.ts';
import { createTempHome } from '../../support/temp-home.ts';
import { trueTime } from '../../support/true-time.ts';

type Rooms = Awaited<ReturnType<typeof buildRooms>>;

/** The dashboard over real services and a real port, without running functions or calling providers. */
export interface DashboardFixture extends Rooms {
  url: string;
  /** As `DashboardClient.signIn` takes it. */
  signIn: DashboardLogin;
  dashboard: Dashboard;
  environment: Environment;
  /** Lines of the program's log. */
  logLines: string[];
  rendererFolder: string;
  close(): Promise<void>;
}

export async function startDashboard(): Promise<DashboardFixture> {
  const home = await createTempHome();
  const logLines: string[] = [];
  const rooms = await buildRooms(home.path, logLines);
  const { database, environments, logger } = rooms;
  const port = { value: 0 };
  const rendererFolder = join(home.path, 'renderer');
  const dashboard = createDashboard({
    ...rooms,
    answerLinks: onlyPart('answerLinks'),
    approvalsTargets: onlyPart('approvalsTargets'),
    destinations: onlyPart('destinations'),
    driftWatch: onlyPart('driftWatch'),
    describedFunctions: onlyPart('describedFunctions'),
    queries: onlyPart('queries'),
    imports: onlyPart('imports'),
    snapshots: onlyPart('snapshots'),
    savedQueries: createSavedQueriesService({ clock, database, ids }),
    deletions: createDeletionsService({ ...rooms, clock, ids }),
    practiceClient: PRACTICE_CLIENT,
    practiceSimulation: createPracticeSimulation(clock),
    clock,
    ids,
    rendererFolder,
    logosFolder: join(home.path, 'logos'),
    refreshCredentials: async () => {},
    about: {
      command: 'homeport',
      version: '1.2.3',
      functionsFolder: rooms.workspace,
      dataFolder: home.path,
      apiUrl: () => `http://127.0.0.1:${port.value}`,
      publicBase: () => `http://localhost:${port.value}`,
      localBase: () => `http://localhost:${port.value}`,
      health: () => ({
        vault: 'unlocked',
        vaultSource: 'variable',
        autoLockMinutes: null,
        running: 0,
        queued: 0,
        tunnelUrl: null,
        dataProblem: null,
        unstoredTokens: 0,
        pausedSchedules: rooms.schedules.pause && { until: null, reasons: rooms.schedules.pause.reasons },
      }),
    },
  });
  const admission = createAdmission({
    publicHost: () => undefined,
    clock,
    audit: rooms.audit,
    authenticate: (key) => environments.authenticate(key),
    findTags: async () => undefined,
    findSession: async () => undefined,
    authorizeDashboard: dashboard.authorize,
  });
  const app = createHttpApp({
    admission,
    ids,
    logger,
    routes: [],
    laterRoutes: dashboard.routes,
    pages: dashboard.pages,
    running: new RunningRequests(),
  });
  const listener = createListener(app);
  port.value = await listener.start(0);
  const environment = environments.list()[0];
  if (!environment) throw new Error('There is no environment.');
  return {
    ...rooms,
    signIn: rooms.dashboardLogin,
    dashboard,
    environment,
    logLines,
    rendererFolder,
    url: `http://127.0.0.1:${port.value}`,
    close: async () => {
      dashboard.stop();
      await listener.stop(1000);
      await rooms.records.stop();
      rooms.connectSessions.stop();
      await rooms.connections.credentials.stop();
      rooms.pairings.stop();
      await rooms.notificationCentre.stop();
      await rooms.audit.stop();
      await rooms.http.stop();
      await rooms.logs.stop();
      await database.close();
      await home.remove();
    },
  };
}

async function buildRooms(home: string, logLines: string[]) {
  const logger = createLogger({ level: 'info', write: (line) => void logLines.push(line) });
  const file = join(home, 'homeport.db');
  const workspace = join(home, 'functions');
  await mkdir(workspace);
  const database = await Database.open({ file });
  await migrate({ database, migrations: MIGRATIONS, clock, logger });
  const vault = await openVault(database, home);
  const catalog = await createCatalog();
  const scheduler = new Scheduler({ database, clock, logger });
  const feed = new EventHub<DashboardFacts>((error) => {
    throw error;
  });

  const environments = createEnvironmentService({
    database,
    vault,
    clock,
    ids,
    defaultLogLevel: undefined,
  });
  await environments.start();
  const dashboardLogin = createDashboardLogin({ database, vault, clock, ids, logger });
  const audit = createAuditService({ seenTime: trueTime, database, clock, logger, events: feed });
  const pairings = createAppPairings({ keys: environments.keys, clock, ids, events: feed });
  const logs = createLogsService({
    seenTime: trueTime,
    environments,
    database,
    clock,
    ids,
    logger,
    events: feed,
    sealingKey: vault.sealingKey('traffic'),
  });
  const backups = new BackupFolder({ home, clock });
  const dataCare = createDataCareService({
    seenTime: trueTime,
    database,
    environments,
    backups,
    home,
    clock,
    logger,
    isUnchecked: false,
    problem: undefined,
    isIdle: () => true,
    events: feed,
  });
  const keyCare = createKeyCare({
    database,
    vault,
    keySources: keySourcesOf({ home }),
    scheduler,
    backups,
    clock,
    logger,
    events: feed,
  });
  const autoLock = createAutoLock({ database, keyCare, clock, logger, events: feed });
  const integrations = createIntegrationsService({
    database,
    vault,
    clock,
    catalog,
  });
  const http = new OutboundHttp({ ownPort: () => undefined });
  const credentials = createCredentialsService({ http, clock, ids, environments });
  const connections = createConnectionsService({
    database,
    vault,
    clock,
    ids,
    logger,
    catalog,
    integrations,
    credentials,
    log: logs,
    journalFolder: join(home, 'journal'),
    events: { emit: () => {} },
    authEvents: { refreshFailed: async () => {} },
  });
  const connectSessions = createConnectSessionsService({
    database,
    vault,
    clock,
    ids,
    log: logs,
    environments,
    integrations,
    connections,
  });
  const functions = new FunctionsStore();
  const deployments = createDeploymentsService({
    database,
    clock,
    logger,
    log: logs,
    workspace,
    loadCompiler: async () =>
      new FunctionCompiler({
        workspace,
        parseFrequency,
        describe: () => Promise.reject(new Error('nothing is compiled here')),
      }),
    compilerVersion: async () => 'test',
    environmentId: () => environments.list()[0]?.id ?? 0,
    onFilesRead: () => {},
    onFilesChanged: () => {},
  });
  const records = createRecordsService({
    seenTime: trueTime,
    environments,
    database,
    clock,
    logger,
    sealer: createRecordSealer({ key: vault.sealingKey('records'), random: randomBytes }),
    hashOf: createRecordHasher(vault.subkey('record-hashes')),
  });
  const schedules = createSyncSchedulesService({
    database,
    clock,
    ids,
    scheduler,
    records,
    log: logs,
    integrations,
    connections,
    triggers: deployments.triggers,
    onPauseChanged: () => {},
  });
  const functionSyncs = createFunctionSyncs({
    database,
    integrations,
    connections,
    deployments,
    schedules,
  });
  // No test deploys an on-event function or uses a provider with steps, so neither is run.
  const onEvents = createOnEventRunner({ deployments, log: logs, runs: onlyPart('runs'), vault });
  const providerSteps = onlyPart<ProviderSteps>('providerSteps', {
    beforeDeletion: async () => {},
    hasStepAfter: () => false,
  });
  const authEvents = createAuthEvents({ notifications: { notifyAuth: async () => {} }, catalog, environments });
  const creation = createConnectionCreation({
    database,
    scheduler,
    environments,
    integrations,
    connections,
    functionSyncs,
    onEvents,
    providerSteps,
    authEvents,
  });
  scheduler.register(CONNECTION_CREATED, followConnection({ creation }));
  const lifecycle = createLifecycleService({
    authEvents,
    database,
    clock,
    log: logs,
    integrations,
    connections,
    credentials,
    functionSyncs,
    onEvents,
    providerSteps,
    creation,
    tests: onlyPart('tests', { check: async () => {} }),
    // No provider of these tests registers clients.
    registration: onlyPart('registration', { prepare: async () => {} }),
    runs: { endOnConnections: () => {} },
    erasures: { add: async () => {} },
  });
  const mcp = createMcpService({
    seenTime: trueTime,
    database,
    vault,
    clock,
    ids,
    environments,
    integrations,
    connections,
    deployments,
    // No tool is run here.
    actions: onlyPart('actions'),
    queries: onlyPart('queries'),
    limits: onlyPart<LimitsService>('limits'),
    withholdSecrets: (_context, work) => work(async (value) => value),
    log: logs,
    audit,
    logger: silentLogger,
    defaultPolicy: 'ask',
    catalog,
    events: feed,
  });
  // Nothing is delivered here: no job runs.
  const notifications = createNotificationsService({
    seenTime: trueTime,
    database,
    vault,
    clock,
    ids,
    http,
    scheduler,
    environments,
    logger,
    log: logs,
    events: feed,
    version: 'test',
  });
  const overview = createOverviewService({
    database,
    clock,
    logger,
    logs,
    notifications,
    destinations: { listFailing: async () => [] },
    snapshots: { listFailing: async () => [] },
  });
  const notificationCentre = createNotificationCentreService({
    seenTime: trueTime,
    database,
    clock,
    logger,
    environments,
    overview,
    logs,
    feed,
    events: feed,
    version: 'test',
    freeBytes: async () => Number.POSITIVE_INFINITY,
  });
  return {
    logger,
    http,
    database,
    workspace,
    catalog,
    feed,
    environments,
    dashboardLogin,
    audit,
    pairings,
    notificationCentre,
    dataCare,
    keyCare,
    autoLock,
    logs,
    integrations,
    connections,
    connectSessions,
    functions,
    deployments,
    records,
    recordFiles: createRecordFiles({ folder: join(home, 'exports'), ids }),
    schedules,
    functionSyncs,
    // Copies and removals are tested with a whole hub.
    environmentCopies: onlyPart<DashboardParts['environmentCopies']>('environmentCopies'),
    environmentRemoval: onlyPart<DashboardParts['environmentRemoval']>('environmentRemoval'),
    // No provider is called here.
    connectionTests: onlyPart<DashboardParts['connectionTests']>('connectionTests', { canCheckOnRequest: () => false }),
    functionPruning: createFunctionPruning({ database, deployments, integrations, records }),
    lifecycle,
    mcp,
    limits: onlyPart<LimitsService>('limits'),
    // Programs that sign in are tested with a whole hub.
    agentPrograms: onlyPart<DashboardParts['agentPrograms']>('agentPrograms'),
    agentSessions: onlyPart<DashboardParts['agentSessions']>('agentSessions'),
    sessionCalls: onlyPart<DashboardParts['sessionCalls']>('sessionCalls'),
    agentSignIn: onlyPart<DashboardParts['agentSignIn']>('agentSignIn'),
    // Runs of commands are tested with a whole hub.
    commandRuns: onlyPart<DashboardParts['commandRuns']>('commandRuns'),
    // No webhook arrives here.
    incoming: onlyPart<DashboardParts['incoming']>('incoming'),
    // Templates are tested with a whole hub; the catalogue counts them.
    functionWriter: createFunctionWriter({
      deployments,
      workspace,
      environmentId: () => environments.list()[0]?.id ?? 0,
    }),
    templateCopies: onlyPart<DashboardParts['templateCopies']>('templateCopies', {
      counter: async () => () => 0,
    }),
    // Files of entries are tested with a whole hub.
    providerEntries: onlyPart<DashboardParts['providerEntries']>('providerEntries'),
    transfer: onlyPart<DashboardParts['transfer']>('transfer'),
    notifications,
    overview,
    // Runs of the playground are tested with a whole hub.
    functionTests: onlyPart<DashboardParts['functionTests']>('functionTests'),
    playground: onlyPart<DashboardParts['playground']>('playground'),
    // Nothing is sent to a collector here.
    telemetry: onlyPart<DashboardParts['telemetry']>('telemetry'),
    vault,
  };
}

async function openVault(database: Database, home: string): Promise<Vault> {
  const rows = new VaultStore();
  return Vault.open({
    keychain: onlyPart('keychain', { read: async () => undefined, write: async () => {} }),
    keyFile: join(home, 'master.key'),
    override: randomBytes(32).toString('base64'),
    store: {
      load: () => rows.findWrappedKey(database.reader),
      save: (key) => database.transaction((tx) => rows.upsertWrappedKey(tx, key, clock.now())),
    },
  });
}

async function createCatalog(): Promise<Catalog> {
  const builtin = new Map([
    ...(await loadBuiltinCatalog((await builtResources()).catalog)),
    ...Object.entries(practiceEntries('http://127.0.0.1:1')),
  ]);
  return new Catalog({
    builtin,
    isInUse: () => false,
    hasIntegrations: () => false,
  });
}
