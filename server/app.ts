import { randomBytes } from 'node:crypto';
import { type AppOptions, type Engines, type Ground, openGround, startEngines } from './app-ground.ts';
import { isCatalogPath } from './catalog/workspace-files.ts';
import type { Health } from './contract/dashboard/dashboard-environment.ts';
import { createDashboard } from './http/dashboard/dashboard.ts';
import type { DashboardFacts } from './http/dashboard/dashboard-feed.ts';
import { createHttpApp } from './http/http-app.ts';
import { integrationExtras } from './http/integration-extras.ts';
import { Listener } from './http/listener.ts';
import { errorBody } from './http/middleware/error-translator.ts';
import { presentFullConnection } from './http/present/connection.ts';
import { presentIntegration } from './http/present/integration.ts';
import type { Route } from './http/route.ts';
import { publicRoutes } from './http/route-table.ts';
import { createSignInLink } from './http/routes/control/create-sign-in-link.ts';
import { followConnection } from './jobs/follow-connection.ts';
import { runAction } from './jobs/run-action.ts';
import { runSync } from './jobs/run-sync.ts';
import { EventHub } from './lib/event-hub.ts';
import { prepareCompiling } from './prepare-compiling.ts';
import { CONTROL_HEADER, removeRunningFile, writeRunningFile } from './running-file.ts';
import { ActionsService } from './services/actions/actions-service.ts';
import { BackgroundActions, RUN_ACTION } from './services/actions/background-actions.ts';
import { ConnectSessionsService } from './services/connect-sessions/connect-sessions-service.ts';
import { ConnectionsService } from './services/connections/connections-service.ts';
import { DeploymentsService } from './services/deployments/deployments-service.ts';
import { FunctionTemplates } from './services/deployments/function-templates.ts';
import { isShippedExample } from './services/deployments/starter-workspace.ts';
import type { Environment, EnvironmentService } from './services/environment/environment-service.ts';
import { SignIn } from './services/environment/sign-in.ts';
import { IntegrationsService } from './services/integrations/integrations-service.ts';
import { FlatImports } from './services/lifecycle/flat-imports.ts';
import { FunctionSyncs } from './services/lifecycle/function-syncs.ts';
import { CONNECTION_CREATED, LifecycleService } from './services/lifecycle/lifecycle-service.ts';
import { OnEventRunner } from './services/lifecycle/on-event-runner.ts';
import { createVerifier } from './services/lifecycle/verify-import.ts';
import { DEFAULT_RETENTION_DAYS } from './services/logs/log-retention.ts';
import { LogsService } from './services/logs/logs-service.ts';
import { ProxyRequestError, ProxyService } from './services/proxy/proxy-service.ts';
import { createTargetResolver } from './services/proxy/resolve-target.ts';
import { createRecordHasher, createRecordSealer, RecordsService } from './services/records/records-service.ts';
import { logAttempt } from './services/runs/log-attempt.ts';
import { type RunRequest, RunsService } from './services/runs/runs-service.ts';
import {
  SYNC_RUN,
  type SyncDefinition,
  SyncSchedulesService,
} from './services/sync-schedules/sync-schedules-service.ts';
import { SyncExecutor } from './services/syncs/sync-executor.ts';
import { SYNC_START_WITHIN_MS, SYNC_TIMEOUT_MS } from './services/syncs/sync-limits.ts';
import { SyncsService } from './services/syncs/syncs-service.ts';
import { ActionCallsStore } from './stores/action-calls-store.ts';
import { ConnectSessionsStore } from './stores/connect-sessions-store.ts';
import { ConnectionsStore } from './stores/connections-store.ts';
import { FunctionsStore } from './stores/functions-store.ts';
import { IntegrationsStore } from './stores/integrations-store.ts';
import { MessagesStore } from './stores/messages-store.ts';
import { OperationsStore } from './stores/operations-store.ts';
import { UiSessionsStore } from './stores/ui-sessions-store.ts';

export interface RunningApp {
  /** Origin of the server, for example `http://127.0.0.1:3003`. */
  address: string;
  /** A link that signs a browser in to the dashboard once, within ten minutes. */
  signInUrl(): string;
  /** Things the user should know, in sentences: a key file instead of a keychain, … */
  warnings: string[];
  stop(): Promise<void>;
}

/** Sync runs at a time: enough to wait for many providers, few enough for one laptop. */
const SYNC_PLACES = { concurrency: 16, concurrencyPerConnection: 4 };
/** Open requests get this long to end when the server stops; the whole stop stays under 5 s (design.md 3). */
const STOP_GRACE_MS = 1500;

/** Builds every part from the configuration, starts them from the ground up, and answers once all are up. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  const ground = await openGround(options);
  const engines = await startEngines(ground);
  const rooms = buildRooms(ground, engines);
  registerJobs(engines, rooms);
  connectUpwards(rooms);

  await rooms.environments.start(ground.config);
  await rooms.logs.resume();
  await engines.reloadCatalog();
  await rooms.records.start();
  await rooms.syncs.start();
  await rooms.deployments.start();
  await engines.scheduler.start();
  const controlKey = ground.ids.hex(32);
  const signInUrl = (): string => `${addressOf(ground)}/app/#code=${rooms.signIn.issueLinkCode()}`;
  const { dashboard, listener } = buildDoors(ground, engines, rooms, { controlKey, signInUrl });
  ground.port.value = await listener.start(ground.config.port);
  const address = addressOf(ground);
  await writeRunningFile(ground.config.home, { address, controlKey });
  rooms.deployments.watch();
  return {
    address,
    signInUrl,
    warnings: warningsOf(ground),
    stop: async () => {
      dashboard.stop();
      await listener.stop(STOP_GRACE_MS);
      await engines.scheduler.stop(STOP_GRACE_MS);
      await rooms.deployments.stop();
      await engines.sandbox.stop();
      await rooms.syncs.stop();
      await rooms.records.stop();
      rooms.connectSessions.stop();
      await rooms.connections.stop();
      await rooms.logs.stop();
      await engines.http.stop();
      await engines.practice.stop();
      await ground.database.close();
      await removeRunningFile(ground.config.home);
      await ground.lock.release();
    },
  };
}

/** The services, lowest first; each takes what it uses. */
function buildRooms(ground: Ground, engines: Engines) {
  const { clock, config, database, environments, ids, logger, resources, vault } = ground;
  const { catalog, http, sandbox, scheduler } = engines;
  const connectionRows = new ConnectionsStore();
  const events = new EventHub<DashboardFacts>((error) => logger.error({ err: error }, 'a listener failed'));

  const signIn = new SignIn({ database, vault, clock, ids, sessions: new UiSessionsStore() });
  const logs = new LogsService({
    database,
    clock,
    ids,
    logger,
    events,
    operations: new OperationsStore(),
    messages: new MessagesStore(),
    retentionDays: (environmentId) =>
      environments.find(environmentId)?.settings.logRetentionDays ?? DEFAULT_RETENTION_DAYS,
  });
  const integrations = new IntegrationsService({
    database,
    vault,
    clock,
    catalog,
    integrations: new IntegrationsStore(),
    countConnections: async (id) => (await connectionRows.listOfIntegration(database.reader, id)).length,
  });
  const connections = new ConnectionsService({
    database,
    vault,
    clock,
    ids,
    logger,
    catalog,
    connections: connectionRows,
    onChanged: ({ environmentId, integrationKey, connectionId }, change) =>
      events.emit('connection', { environmentId, integrationKey, connectionId, change }),
  });
  const connectSessions = new ConnectSessionsService({
    database,
    vault,
    clock,
    ids,
    log: logs,
    environments,
    integrations,
    connections,
    sessions: new ConnectSessionsStore(),
  });
  const compiling = prepareCompiling({ config, resources, describe: (bundle) => sandbox.describe(bundle) });
  const templates = new FunctionTemplates({
    folder: resources.templates,
    loadCompiler: compiling.loadTemplateCompiler,
  });
  const deployments = new DeploymentsService({
    database,
    clock,
    logger,
    log: logs,
    functions: new FunctionsStore(),
    workspace: config.functionsFolder,
    ...compiling,
    isShipped: (path) => isShippedExample(config.functionsFolder, resources.templates, path),
    environmentId: () => firstOf(environments).id,
    onFilesChanged: (paths) => {
      if (!paths.some(isCatalogPath)) return;
      engines
        .reloadCatalog()
        .catch((error: unknown) => logger.error({ err: error }, 'the workspace catalogue could not be read'));
    },
  });
  const records = new RecordsService({
    database,
    clock,
    logger,
    sealer: createRecordSealer({ key: vault.subkey('records'), random: randomBytes }),
    hashOf: createRecordHasher(vault.subkey('record-hashes')),
  });
  const proxy = new ProxyService({
    catalog,
    http,
    clock,
    ids,
    resolveTarget: createTargetResolver({ integrations, connections }),
    allowedHosts: (environmentId) => environments.find(environmentId)?.settings.allowedHosts ?? [],
  });
  const runs = new RunsService({
    sandbox,
    proxy,
    http,
    records,
    environments,
    clock,
    catalog,
    integrations,
    connections,
    documents: {
      connection: (parts) => presentFullConnection({ ...parts, form: 'get' }),
      integration: (environmentId, uniqueKey, include) =>
        describeIntegration(ground, environments, integrations, { environmentId, uniqueKey, include }),
    },
    onRunningChanged: () => events.emit('health', healthOf(ground, engines, runs)),
    onRecordsChanged: (run, model) =>
      events.emit('records', { ...factsOf(run), model, variant: run.sync?.variant ?? 'base' }),
  });
  const actions = new ActionsService({ integrations, connections, deployments, runs, log: logs });
  const background = new BackgroundActions({
    database,
    vault,
    clock,
    ids,
    scheduler,
    environments,
    actions,
    calls: new ActionCallsStore(),
  });
  const onEvents = new OnEventRunner({ deployments, runs, log: logs });
  const listSyncs = (environmentId: number, key: string): Promise<SyncDefinition[]> =>
    functionSyncs.listEnabled(environmentId, key);
  const schedules = new SyncSchedulesService({
    database,
    clock,
    ids,
    scheduler,
    records,
    log: logs,
    findIntegration: (environmentId, key) => integrations.find(environmentId, key),
    findConnection: (integrationId, connectionId) => connections.find({ id: integrationId }, connectionId),
    listDefinitions: listSyncs,
    onSyncsGone: (tx, gone) =>
      connections.removeSyncErrors(
        tx,
        gone.map((sync) => ({ connectionRowId: sync.connectionRowId, syncId: sync.id })),
      ),
  });
  const functionSyncs: FunctionSyncs = new FunctionSyncs({
    database,
    integrations,
    connections,
    deployments,
    schedules,
  });
  const executor = new SyncExecutor({
    environments,
    integrations,
    connections,
    deployments,
    runs,
    listDefinitions: listSyncs,
  });
  const syncs = new SyncsService({
    database,
    clock,
    logger,
    records,
    log: logs,
    findPlace: (sync) => executor.findPlace(sync),
    execute: (execution) => executor.execute(execution),
    // Outgoing webhooks are queued here once the notifications service exists.
    notify: async () => {},
    onSyncError: (sync, logId) => connections.setError(sync.connectionRowId, { type: 'sync', source: sync.id, logId }),
    onSyncSuccess: (sync) => connections.clearError(sync.connectionRowId, 'sync', sync.id),
    onChanged: (sync, integrationKey) =>
      events.emit('sync', {
        environmentId: sync.environmentId,
        integrationKey,
        connectionId: sync.connectionId,
        sync: sync.name,
        variant: sync.variant,
      }),
  });
  const lifecycle = new LifecycleService({
    database,
    clock,
    log: logs,
    scheduler,
    environments,
    integrations,
    connections,
    onEvents,
    functionSyncs,
    verify: createVerifier({ proxy }),
  });
  const flatImports = new FlatImports({ catalog, integrations, connections, lifecycle });
  return {
    events,
    environments,
    signIn,
    logs,
    integrations,
    connections,
    connectSessions,
    templates,
    deployments,
    records,
    proxy,
    runs,
    actions,
    background,
    onEvents,
    schedules,
    syncs,
    functionSyncs,
    lifecycle,
    flatImports,
  };
}
type Rooms = ReturnType<typeof buildRooms>;

function registerJobs({ scheduler }: Engines, { background, lifecycle, syncs }: Rooms): void {
  scheduler.register(
    SYNC_RUN,
    runSync({ syncs, ...SYNC_PLACES, timeoutMs: SYNC_TIMEOUT_MS, startWithinMs: SYNC_START_WITHIN_MS }),
  );
  scheduler.register(RUN_ACTION, runAction({ background }));
  scheduler.register(CONNECTION_CREATED, followConnection({ lifecycle }));
}

/** The few things that reach upward, by registration only. */
function connectUpwards({ actions, deployments, events, functionSyncs, runs, schedules }: Rooms): void {
  deployments.onChange(async (change) => {
    // Types change nothing about what runs.
    if (change.kind !== 'checked') await functionSyncs.follow(change);
    events.emit('function', change);
  });
  runs.connect({
    triggerAction: (call) => actions.trigger({ ...call, trigger: 'function' }),
    triggerSyncs: ({ integrationKey, ...call }) =>
      schedules.commands.trigger({ ...call, providerConfigKey: integrationKey, trigger: 'function' }),
    startSyncs: ({ integrationKey, ...call }) =>
      schedules.commands.start({ ...call, providerConfigKey: integrationKey, trigger: 'function' }),
    errorBody,
  });
}

function addressOf({ port }: Ground): string {
  return `http://127.0.0.1:${port.value}`;
}

function buildDoors(
  ground: Ground,
  engines: Engines,
  rooms: Rooms,
  control: { controlKey: string; signInUrl: () => string },
) {
  const { clock, config, ids, logger, publicBase, resources } = ground;
  const { catalog } = engines;
  const dashboard = createDashboard({
    ...rooms,
    catalog,
    clock,
    ids,
    logger,
    feed: rooms.events,
    rendererFolder: resources.renderer,
    logosFolder: resources.logos,
    refreshCredentials: async (connection) => void (await rooms.connections.fetch(connection)),
    about: {
      version: resources.version,
      functionsFolder: config.functionsFolder,
      apiUrl: () => addressOf(ground),
      publicBase,
      health: () => healthOf(ground, engines, rooms.runs),
    },
  });
  const signInLinks: Route = {
    method: 'post',
    path: '/api/v1/sign-in-links',
    access: 'public',
    handler: createSignInLink({ ...control, controlHeader: CONTROL_HEADER }),
  };
  const open = publicRoutes({
    ...rooms,
    catalog,
    clock,
    publicBase,
    version: resources.version,
    log: rooms.logs,
    logAttempt: (operation, attempt, most) => logAttempt(operation, attempt, most, 'proxy'),
    readNetworkFailure: (error) =>
      error instanceof ProxyRequestError ? { code: error.code, message: error.message } : undefined,
  });
  const app = createHttpApp({
    clock,
    ids,
    logger,
    publicHost: () => {
      const url = ground.publicUrl();
      return url === undefined ? undefined : new URL(url).hostname;
    },
    authenticate: (secretKey) => rooms.environments.authenticate(secretKey),
    findSession: (token) => rooms.connectSessions.find(token),
    authorizeDashboard: (request) => dashboard.authorize(request),
    pages: dashboard.pages,
    routes: [...open, signInLinks, ...dashboard.routes],
  });
  return { dashboard, listener: new Listener(app) };
}

function healthOf({ publicUrl, vault }: Ground, { sandbox }: Engines, runs: RunsService): Health {
  return {
    vault: 'unlocked',
    vaultSource: vault.source === 'environment' ? 'variable' : vault.source,
    running: runs.runningCount,
    queued: sandbox.stats().queued,
    tunnelUrl: publicUrl() ?? null,
  };
}

function factsOf({ environment, integration, connection }: RunRequest): {
  environmentId: number;
  integrationKey: string;
  connectionId: string;
} {
  return {
    environmentId: environment.id,
    integrationKey: integration.uniqueKey,
    connectionId: connection.connectionId,
  };
}

async function describeIntegration(
  { publicBase }: Ground,
  environments: EnvironmentService,
  integrations: IntegrationsService,
  { environmentId, uniqueKey, include }: { environmentId: number; uniqueKey: string; include: string[] },
): Promise<Record<string, unknown>> {
  const { integration, entry } = await integrations.get(environmentId, uniqueKey);
  const extras = await integrationExtras(
    { environments, integrations, publicBase },
    { environmentId, uniqueKey, entry, include },
  );
  return presentIntegration(integration, entry, publicBase(), extras);
}

function firstOf(environments: EnvironmentService): Environment {
  const [first] = environments.list();
  if (!first) throw new Error('There is no environment.');
  return first;
}

function warningsOf({ vault }: Ground): string[] {
  if (vault.source !== 'file') return [];
  const why = vault.keychainProblem ?? 'the keychain holds no key for it';
  return [`The master key is kept in a file in the data folder: ${why} Whoever can read your files can read it.`];
}
