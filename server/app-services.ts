import { randomBytes } from 'node:crypto';
import { platform, release } from 'node:os';
import { join } from 'node:path';
import type { Engines, Infrastructure } from './app-infrastructure.ts';
import { isCatalogPath } from './catalog/workspace-files.ts';
import type { Health } from './contract/dashboard/dashboard-environment.ts';
import { EventLog } from './event-log.ts';
import type { DashboardFacts } from './http/dashboard/dashboard-feed.ts';
import { integrationExtras } from './http/integration-extras.ts';
import { presentFullConnection } from './http/present/connection.ts';
import { presentIntegration } from './http/present/integration.ts';
import { EventHub } from './lib/event-hub.ts';
import { isRedactedKey } from './lib/secrets.ts';
import { keySourcesOf } from './offline-data.ts';
import { prepareCompiling } from './prepare-compiling.ts';
import { ActionsService } from './services/actions/actions-service.ts';
import { BackgroundActions } from './services/actions/background-actions.ts';
import { AuthorizationService } from './services/authorization/authorization-service.ts';
import { CallbackFlow } from './services/authorization/callback-flow.ts';
import { FlowCompletion } from './services/authorization/flow-completion.ts';
import { FlowContexts } from './services/authorization/flow-context.ts';
import { FlowStates } from './services/authorization/flow-states.ts';
import { GithubAppFlow, PendingInstallations } from './services/authorization/github-app-flow.ts';
import { RedirectFlow } from './services/authorization/redirect-flow.ts';
import { ConnectSessionsService } from './services/connect-sessions/connect-sessions-service.ts';
import { ConnectionsService } from './services/connections/connections-service.ts';
import { CredentialsService } from './services/credentials/credentials-service.ts';
import { DataCareService } from './services/data-care/data-care-service.ts';
import { KeyCare } from './services/data-care/key-care.ts';
import { AdHocCode } from './services/deployments/ad-hoc-code.ts';
import { DeploymentsService } from './services/deployments/deployments-service.ts';
import { FunctionTemplates } from './services/deployments/function-templates.ts';
import { isShippedExample } from './services/deployments/starter-workspace.ts';
import { TemplateCopies } from './services/deployments/template-copies.ts';
import { DashboardLogin } from './services/environment/dashboard-login.ts';
import type { Environment, EnvironmentService } from './services/environment/environment-service.ts';
import { CodeDeployments } from './services/function-tasks/code-deployments.ts';
import { DryRunsService } from './services/function-tasks/dry-runs-service.ts';
import { FunctionTasks } from './services/function-tasks/function-tasks.ts';
import { IncomingService } from './services/incoming/incoming-service.ts';
import { IntegrationsService } from './services/integrations/integrations-service.ts';
import { AuthEvents } from './services/lifecycle/auth-events.ts';
import { BackgroundRefresh } from './services/lifecycle/background-refresh.ts';
import { ClientRegistration } from './services/lifecycle/client-registration.ts';
import { ConnectionCreation } from './services/lifecycle/connection-creation.ts';
import { ConnectionTests } from './services/lifecycle/connection-tests.ts';
import { EnvironmentRemoval } from './services/lifecycle/environment-removal.ts';
import { FlatImports } from './services/lifecycle/flat-imports.ts';
import { FunctionPruning } from './services/lifecycle/function-pruning.ts';
import { FunctionSyncs } from './services/lifecycle/function-syncs.ts';
import { LifecycleService } from './services/lifecycle/lifecycle-service.ts';
import { OnEventRunner } from './services/lifecycle/on-event-runner.ts';
import { createPlainRequests } from './services/lifecycle/provider-steps/step-http.ts';
import { ProviderSteps } from './services/lifecycle/provider-steps-runner.ts';
import { DEFAULT_RETENTION_DAYS } from './services/logs/log-retention.ts';
import { LogsService } from './services/logs/logs-service.ts';
import { McpService } from './services/mcp/mcp-service.ts';
import { NotificationsService } from './services/notifications/notifications-service.ts';
import { ProxyService } from './services/proxy/proxy-service.ts';
import { createTargetResolver } from './services/proxy/resolve-target.ts';
import { createRecordHasher, createRecordSealer, RecordsService } from './services/records/records-service.ts';
import { type RunRequest, RunsService } from './services/runs/runs-service.ts';
import { SyncSchedulesService } from './services/sync-schedules/sync-schedules-service.ts';
import { SyncExecutor } from './services/syncs/sync-executor.ts';
import { SyncsService } from './services/syncs/syncs-service.ts';
import { ActionCallsStore } from './stores/action-calls-store.ts';
import { ConnectSessionsStore } from './stores/connect-sessions-store.ts';
import { ConnectionMatchesStore } from './stores/connection-matches-store.ts';
import { ConnectionsStore } from './stores/connections-store.ts';
import { DeletedEnvironmentsStore } from './stores/deleted-environments-store.ts';
import { DiskUseStore } from './stores/disk-use-store.ts';
import { FunctionsStore } from './stores/functions-store.ts';
import { IncomingWebhooksStore } from './stores/incoming-webhooks-store.ts';
import { IntegrationsStore } from './stores/integrations-store.ts';
import { LogSizesStore } from './stores/log-sizes-store.ts';
import { McpDecisionsStore } from './stores/mcp-decisions-store.ts';
import { MessagesStore } from './stores/messages-store.ts';
import { OAuthStatesStore } from './stores/oauth-states-store.ts';
import { OperationsStore } from './stores/operations-store.ts';
import { UiSessionsStore } from './stores/ui-sessions-store.ts';
import { VaultStore } from './stores/vault-store.ts';
import { WebhookAttemptsStore } from './stores/webhook-attempts-store.ts';
import { WebhookDeliveriesStore } from './stores/webhook-deliveries-store.ts';
import { WebhookRunsStore } from './stores/webhook-runs-store.ts';

/** The services, lowest first; each takes what it uses. */
export function createServices(ground: Infrastructure, engines: Engines) {
  const { clock, config, database, environments, ids, logger, resources, vault } = ground;
  const { catalog, http, sandbox, scheduler } = engines;
  const connectionRows = new ConnectionsStore();
  const events = new EventHub<DashboardFacts>((error) => logger.error({ err: error }, 'a listener failed'));

  const signIn = new DashboardLogin({ database, vault, clock, ids, uiSessionsStore: new UiSessionsStore() });
  const logs = new LogsService({
    database,
    clock,
    ids,
    logger,
    events,
    operationsStore: new OperationsStore(),
    messagesStore: new MessagesStore(),
    logSizesStore: new LogSizesStore(),
    retentionDays: (environmentId) => {
      const environment = environments.find(environmentId);
      return environment ? environment.settings.logRetentionDays : DEFAULT_RETENTION_DAYS;
    },
    mostBytes: (environmentId) => {
      const megabytes = environments.find(environmentId)?.settings.logMegabytes;
      return megabytes ? megabytes * 1_048_576 : null;
    },
  });
  const notifications = new NotificationsService({
    database,
    vault,
    clock,
    ids,
    http,
    scheduler,
    environments,
    log: logs,
    logger,
    webhookDeliveriesStore: new WebhookDeliveriesStore(),
    webhookAttemptsStore: new WebhookAttemptsStore(),
    connections: connectionRows,
    isSecretName: isRedactedKey,
    onChanged: ({ environmentId, id }) => events.emit('webhook', { environmentId, direction: 'outgoing', id }),
    userAgent: `homeport/${resources.version} (${platform()}/${release()}; node.js/${process.versions.node})`,
  });
  const integrations = new IntegrationsService({
    database,
    vault,
    clock,
    catalog,
    integrationsStore: new IntegrationsStore(),
    countConnections: async (id) => (await connectionRows.listOfIntegration(database.reader, id)).length,
  });
  const credentials = new CredentialsService({
    http,
    clock,
    ids,
    allowedHosts: (environmentId) => environments.find(environmentId)?.settings.allowedHosts ?? [],
  });
  const news = new AuthEvents({ notifications, catalog, environments });
  const connections = new ConnectionsService({
    database,
    vault,
    clock,
    ids,
    logger,
    catalog,
    integrations,
    credentials,
    log: logs,
    journalFolder: join(config.home, 'journal'),
    connectionsStore: connectionRows,
    onUnstoredChanged: () => emitHealth(),
    onCredentialsFailed: (tx, connection, failure) => news.refreshFailed(tx, connection, failure),
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
    connectSessionsStore: new ConnectSessionsStore(),
  });
  const isShipped = (path: string): boolean => isShippedExample(config.functionsFolder, resources.templates, path);
  const eventLog = new EventLog({
    clock,
    logger,
    listIntegrations: async (id) => (await integrations.list(id)).map(({ uniqueKey }) => uniqueKey),
    isShipped,
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
    functionsStore: new FunctionsStore(),
    workspace: config.functionsFolder,
    ...compiling,
    isShipped,
    environmentId: () => firstOf(environments).id,
    onFilesRead: (misplaced) => eventLog.filesRead(misplaced),
    onFilesChanged: (paths) => {
      if (!paths.some(isCatalogPath)) return;
      engines
        .reloadCatalog()
        .then(() => eventLog.catalogRead(catalog))
        .catch((error: unknown) => logger.error({ err: error }, 'the workspace catalogue could not be read'));
    },
  });
  const templateCopies = new TemplateCopies({
    templates,
    folder: resources.templates,
    workspace: config.functionsFolder,
    environmentId: () => firstOf(environments).id,
  });
  const records = new RecordsService({
    database,
    clock,
    logger,
    sealer: createRecordSealer({ key: vault.subkey('records'), random: randomBytes }),
    hashOf: createRecordHasher(vault.subkey('record-hashes')),
    retentionOf: (environmentId) => {
      const settings = environments.find(environmentId)?.settings;
      return { pruneAfterDays: settings?.recordPruneDays ?? null, deleteAfterDays: settings?.recordDeleteDays ?? null };
    },
  });
  const proxy = new ProxyService({
    catalog,
    http,
    clock,
    ids,
    resolveTarget: createTargetResolver({ integrations, connections }),
    silenceMs: ground.providerSilenceMs,
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
    onRunningChanged: () => emitHealth(),
    onRecordsChanged: (run, model) =>
      events.emit('records', { ...factsOf(run), model, variant: run.sync?.variant ?? 'base' }),
  });
  const dataCare: DataCareService = new DataCareService({
    database,
    environments,
    connectionsStore: connectionRows,
    integrationsStore: new IntegrationsStore(),
    diskUseStore: new DiskUseStore(),
    backups: ground.backups,
    home: config.home,
    clock,
    logger,
    ...ground.dataState,
    isIdle: () => runs.runningCount === 0,
    onChanged: () => emitHealth(),
  });
  const keyCare = new KeyCare({
    database,
    vaultStore: new VaultStore(),
    diskUseStore: new DiskUseStore(),
    vault,
    keySources: keySourcesOf(config),
    backups: ground.backups,
    clock,
    logger,
    onChanged: () => emitHealth(),
  });
  const emitHealth = (): void => events.emit('health', healthOf(ground, engines, { connections, runs, dataCare }));
  const actions = new ActionsService({ integrations, connections, deployments, runs, log: logs });
  const tasks = new FunctionTasks({ clock, ids, logger });
  const sentCode = new AdHocCode({ clock, loadCompiler: compiling.loadCodeCompiler });
  const dryRuns = new DryRunsService({ code: sentCode, runs, records, tasks, log: logs });
  const codeDeployments = new CodeDeployments({ code: sentCode, deployments, templates, tasks });
  const background = new BackgroundActions({
    database,
    vault,
    clock,
    logger,
    ids,
    scheduler,
    environments,
    actions,
    notifications,
    actionCallsStore: new ActionCallsStore(),
  });
  const mcp = new McpService({
    database,
    clock,
    ids,
    environments,
    integrations,
    connections,
    deployments,
    actions,
    log: logs,
    logger,
    mcpDecisionsStore: new McpDecisionsStore(),
    defaultPolicy: config.mcpDefault,
    onApprovalChanged: (change) => events.emit('approval', change),
  });
  const onEvents = new OnEventRunner({ deployments, runs, log: logs });
  const schedules = new SyncSchedulesService({
    database,
    clock,
    ids,
    scheduler,
    records,
    log: logs,
    integrations,
    connections,
    triggers: deployments.triggers,
  });
  const functionSyncs: FunctionSyncs = new FunctionSyncs({
    database,
    integrations,
    connections,
    deployments,
    schedules,
  });
  const functionPruning = new FunctionPruning({ database, deployments, integrations, records });
  const executor = new SyncExecutor({
    environments,
    integrations,
    connections,
    deployments,
    runs,
  });
  const syncs = new SyncsService({
    database,
    clock,
    logger,
    records,
    scheduler,
    log: logs,
    executor,
    notifications,
    connections,
    onChanged: (sync, integrationKey) =>
      events.emit('sync', {
        environmentId: sync.environmentId,
        integrationKey,
        connectionId: sync.connectionId,
        sync: sync.name,
        variant: sync.variant,
      }),
  });
  const providerSteps = new ProviderSteps({
    catalog,
    connections,
    integrations,
    proxy,
    requestPlain: createPlainRequests({ http }),
    log: logs,
    now: () => clock.now(),
  });
  const tests = new ConnectionTests({ proxy, integrations, providerSteps });
  const upkeep = new BackgroundRefresh({ clock, logger, log: logs, catalog, integrations, connections, tests });
  const creation = new ConnectionCreation({
    database,
    scheduler,
    environments,
    integrations,
    connections,
    onEvents,
    providerSteps,
    functionSyncs,
    news,
  });
  const registration = new ClientRegistration({
    integrations,
    credentials,
    clock,
    logger,
    callbackUrl: (environment) => authorization.callbackUrl(environment),
  });
  const lifecycle = new LifecycleService({
    database,
    clock,
    log: logs,
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
    deletedEnvironmentsStore: new DeletedEnvironmentsStore(),
    environments,
    functionSyncs,
    runs,
    logs,
    logger,
  });
  const states = new FlowStates({ database, vault, clock, ids, oAuthStatesStore: new OAuthStatesStore() });
  const completion = new FlowCompletion({ creation, connectSessions, news });
  const githubApp = new GithubAppFlow({ credentials, connections, completion });
  const authorization: AuthorizationService = new AuthorizationService({
    places: new FlowContexts({ catalog, environments, integrations, connections, connectSessions, log: logs }),
    states,
    redirect: new RedirectFlow({ credentials, states, registration, ids }),
    callback: new CallbackFlow({ credentials, completion, tests, githubApp }),
    githubApp,
    pending: new PendingInstallations({ catalog, integrations, connections, credentials, completion, log: logs }),
    credentials,
    completion,
    tests,
    publicBase: ground.publicBase,
  });
  const incoming = new IncomingService({
    database,
    vault,
    clock,
    ids,
    logger,
    http,
    scheduler,
    catalog,
    environments,
    integrations,
    deployments,
    notifications,
    syncs,
    log: logs,
    routings: ground.webhookRoutings,
    connectionMatchesStore: new ConnectionMatchesStore(),
    incomingWebhooksStore: new IncomingWebhooksStore(),
    webhookRunsStore: new WebhookRunsStore(),
    publicBase: ground.publicBase,
    completeInstallation: (told) => authorization.completeInstallation(told),
    onChanged: (environmentId, id) => events.emit('webhook', { environmentId, direction: 'incoming', id }),
  });
  const flatImports = new FlatImports({ catalog, integrations, connections, lifecycle });
  return {
    events,
    eventLog,
    environments,
    signIn,
    logs,
    dataCare,
    keyCare,
    notifications,
    integrations,
    connections,
    connectSessions,
    templates,
    templateCopies,
    deployments,
    tasks,
    sentCode,
    dryRuns,
    codeDeployments,
    records,
    proxy,
    runs,
    actions,
    background,
    mcp,
    onEvents,
    schedules,
    syncs,
    functionSyncs,
    functionPruning,
    upkeep,
    creation,
    lifecycle,
    environmentRemoval,
    flatImports,
    authorization,
    incoming,
  };
}
export type AppServices = ReturnType<typeof createServices>;

export function healthOf(
  { publicUrl, vault }: Infrastructure,
  { sandbox }: Engines,
  { connections, runs, dataCare }: { connections: ConnectionsService; runs: RunsService; dataCare: DataCareService },
): Health {
  return {
    vault: 'unlocked',
    vaultSource: vault.source === 'environment' ? 'variable' : vault.source,
    running: runs.runningCount,
    queued: sandbox.stats().queued,
    tunnelUrl: publicUrl() ?? null,
    dataProblem: dataCare.problem ?? null,
    unstoredTokens: connections.credentials.unstoredCount,
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
  { localBase, publicBase }: Infrastructure,
  environments: EnvironmentService,
  integrations: IntegrationsService,
  { environmentId, uniqueKey, include }: { environmentId: number; uniqueKey: string; include: string[] },
): Promise<Record<string, unknown>> {
  const { integration, entry } = await integrations.get(environmentId, uniqueKey);
  const extras = await integrationExtras(
    { environments, integrations, publicBase },
    { environmentId, uniqueKey, entry, include },
  );
  return presentIntegration(integration, entry, localBase(), extras);
}

function firstOf(environments: EnvironmentService): Environment {
  const [first] = environments.list();
  if (!first) throw new Error('There is no environment.');
  return first;
}
