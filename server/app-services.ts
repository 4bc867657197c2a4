import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createAgentServices } from './app-agent-services.ts';
import { type Engines, type Infrastructure, reloadChangedCatalog } from './app-infrastructure.ts';
import { createAuthorizationService } from './authorization/authorization.service.ts';
import { createConnectSessionsService } from './authorization/connect-sessions.service.ts';
import { createAuthEvents } from './connections/auth-events.ts';
import { createConnectionsService } from './connections/connections.service.ts';
import { createCredentialsService } from './connections/credentials/credentials.service.ts';
import type { DashboardFacts } from './dashboard/api/dashboard-feed.ts';
import { createAutoLock } from './data/auto-lock.ts';
import { createDataCareService } from './data/data-care.service.ts';
import { createErasureService } from './data/erasure/erasure.service.ts';
import { createKeyCare } from './data/key-care.ts';
import { createAppPairings } from './environments/app-pairings.ts';
import { createAuditService } from './environments/audit.service.ts';
import { findClientProcess } from './environments/client-process.ts';
import { createDashboardLogin } from './environments/dashboard-login.ts';
import { EventLog } from './event-log.ts';
import { createActionsService } from './functions/actions.service.ts';
import { createBackgroundActions } from './functions/background-actions.ts';
import { createAdHocCode } from './functions/deployments/ad-hoc-code.ts';
import { createDeploymentsService } from './functions/deployments/deployments.service.ts';
import { createFunctionTemplates, createTemplateCopies } from './functions/deployments/function-templates.ts';
import { createFunctionWriter } from './functions/deployments/function-writer.ts';
import { shippedExamples } from './functions/deployments/starter-workspace.ts';
import { createRunsService } from './functions/runs/runs.service.ts';
import { createCodeDeployments } from './functions/tasks/code-deployments.ts';
import { createDryRunsService } from './functions/tasks/dry-runs.service.ts';
import { createFunctionTasks } from './functions/tasks/function-tasks.ts';
import { createIntegrationsService } from './integrations/integrations.service.ts';
import { createLifecycle } from './lifecycle/create-lifecycle.ts';
import { createLimitsService } from './limits/limits.service.ts';
import { createLogsService } from './log/logs.service.ts';
import { createTelemetryService } from './log/telemetry/telemetry.service.ts';
import { createMcpService } from './mcp/mcp.service.ts';
import { createReadSecrets, createWithholdSecrets } from './mcp/withhold-secrets.ts';
import { keySourcesOf } from './offline-data.ts';
import { EventHub } from './platform/lib/event-hub.ts';
import { prepareCompiling } from './prepare-compiling.ts';
import { createProxyService, createTargetResolver } from './proxy/proxy.service.ts';
import { createQueriesService } from './queries/queries.service.ts';
import { createRecordFiles } from './records/record-files.ts';
import { createRecordHasher, createRecordSealer, createRecordsService } from './records/records.service.ts';
import { createSyncSchedulesService } from './syncs/sync-schedules.service.ts';
import { createSyncsService } from './syncs/syncs.service.ts';
import { createIncomingService } from './webhooks-in/incoming.service.ts';
import { createNotificationsService } from './webhooks-out/notifications.service.ts';

/**
 * Creates the services that work without a dashboard, lowest first. Each service gets its dependencies and creates its
 * own parts.
 */
export function createServices(infrastructure: Infrastructure, engines: Engines) {
  const {
    backups,
    clock,
    config,
    database,
    environments,
    ids,
    localBase,
    logger,
    publicBase,
    resources,
    seenTime,
    vault,
  } = infrastructure;
  const { catalog, http, sandbox, scheduler } = engines;
  const base = { database, clock, logger, seenTime };
  const events = new EventHub<DashboardFacts>((error) => logger.error({ err: error }, 'a listener failed'));
  const environmentId = (): number => environments.workspaceEnvironment.id;

  const dashboardLogin = createDashboardLogin({ database, vault, clock, ids, logger });
  const audit = createAuditService({ ...base, events });
  const pairings = createAppPairings({ keys: environments.keys, clock, ids, events });
  const sealingKey = vault.sealingKey('traffic');
  const limits = createLimitsService({ clock, database, environments });
  const log = createLogsService({ ...base, ids, events, environments, sealingKey });
  const telemetry = createTelemetryService({ http, environments, clock, ids, logger, version: resources.version });
  const notifications = createNotificationsService({
    ...base,
    vault,
    ids,
    http,
    scheduler,
    log,
    environments,
    events,
    version: resources.version,
  });
  const integrations = createIntegrationsService({ database, vault, clock, catalog });
  const credentials = createCredentialsService({ http, clock, ids, environments });
  const authEvents = createAuthEvents({ notifications, catalog, environments });
  const connections = createConnectionsService({
    database,
    vault,
    clock,
    ids,
    logger,
    log,
    catalog,
    integrations,
    credentials,
    authEvents,
    events,
    journalFolder: join(config.home, 'journal'),
  });
  const connectSessions = createConnectSessionsService({
    database,
    vault,
    clock,
    ids,
    log,
    environments,
    integrations,
    connections,
  });
  const isShipped = shippedExamples(config.functionsFolder, resources.templates);
  const eventLog = new EventLog({ clock, logger, integrations, isShipped });
  const compiling = prepareCompiling({ config, resources, describe: (bundle) => sandbox.describe(bundle) });
  const deployments = createDeploymentsService({
    database,
    clock,
    logger,
    log,
    workspace: config.functionsFolder,
    ...compiling,
    isShipped,
    environmentId,
    onFilesRead: (misplaced) => eventLog.filesRead(misplaced),
    onFilesChanged: (paths) => reloadChangedCatalog(paths, { engines, eventLog, logger }),
  });
  const { templates: folder } = resources;
  const templates = createFunctionTemplates({
    folder,
    folderOf: engines.templateFolderOf,
    loadCompiler: compiling.loadTemplateCompiler,
  });
  const templateCopies = createTemplateCopies({ templates, folder, workspace: config.functionsFolder, environmentId });
  const functionWriter = createFunctionWriter({ deployments, workspace: config.functionsFolder, environmentId });
  const records = createRecordsService({
    ...base,
    environments,
    sealer: createRecordSealer({ key: vault.sealingKey('records'), random: randomBytes }),
    hashOf: createRecordHasher(vault.subkey('record-hashes')),
  });
  const recordFiles = createRecordFiles({ folder: join(config.home, 'exports'), ids });
  const schedules = createSyncSchedulesService({
    database,
    clock,
    ids,
    log,
    scheduler,
    records,
    integrations,
    connections,
    triggers: deployments.triggers,
    onPauseChanged: () => events.emit('health', undefined),
  });
  const proxy = createProxyService({
    catalog,
    http,
    clock,
    ids,
    environments,
    resolveTarget: createTargetResolver({ integrations, connections }),
    silenceMs: infrastructure.providerSilenceMs,
  });
  const runs = createRunsService({
    sandbox,
    proxy,
    http,
    records,
    environments,
    vault,
    clock,
    catalog,
    integrations,
    connections,
    limits,
    events,
    localBase,
    publicBase,
  });
  const dataCare = createDataCareService({
    ...base,
    environments,
    backups,
    home: config.home,
    ...infrastructure.dataState,
    isIdle: () => runs.runningCount === 0,
    events,
  });
  const keyCare = createKeyCare({
    database,
    vault,
    keySources: keySourcesOf(config),
    scheduler,
    backups,
    clock,
    logger,
    events,
  });
  const autoLock = createAutoLock({ database, keyCare, clock, logger, events });
  // A client certificate is a secret of a connection, and the connection pool holds it.
  vault.onLock(() => http.closeCertificatePools());
  const actions = createActionsService({ integrations, connections, deployments, runs, limits, log, records });
  const background = createBackgroundActions({
    ...base,
    vault,
    ids,
    scheduler,
    environments,
    actions,
    notifications,
  });
  const tasks = createFunctionTasks({ clock, ids, logger });
  const sentCode = createAdHocCode({ clock, loadCompiler: compiling.loadCodeCompiler });
  const dryRuns = createDryRunsService({ code: sentCode, runs, records, tasks, log });
  const codeDeployments = createCodeDeployments({ code: sentCode, deployments, templates, tasks });
  const queries = createQueriesService({
    ...{ clock, logger, reader: database.reader, copies: join(config.home, 'cache/queries') },
    database: join(config.home, 'homeport.db'),
    entry: resources.queryEntry,
    recordKey: vault.sealingKey('records'),
    vault,
  });
  const withholdSecrets = createWithholdSecrets(createReadSecrets({ catalog, connections, integrations }));
  const mcp = createMcpService({
    ...base,
    withholdSecrets,
    vault,
    ids,
    log,
    environments,
    integrations,
    connections,
    deployments,
    actions,
    limits,
    audit,
    events,
    defaultPolicy: config.mcpDefault,
    catalog,
    queries,
  });
  const { agentSessions, agentTools } = createAgentServices({
    catalog,
    clock,
    connections,
    database,
    deployments,
    environments,
    ids,
    integrations,
    limits,
    log,
    logger,
    mcp,
    proxy,
    scheduler,
    vault,
    version: resources.version,
  });
  const syncs = createSyncsService({
    ...base,
    log,
    records,
    scheduler,
    notifications,
    connections,
    environments,
    integrations,
    deployments,
    runs,
    vault,
    events,
  });
  const lifecycle = createLifecycle({
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
  });
  const authorization = createAuthorizationService({
    database,
    vault,
    clock,
    ids,
    logger,
    log,
    catalog,
    environments,
    integrations,
    credentials,
    connections,
    connectSessions,
    authEvents,
    publicBase,
    creation: lifecycle.creation,
    tests: lifecycle.tests,
    registration: lifecycle.registration,
  });
  const incoming = createIncomingService({
    ...base,
    vault,
    ids,
    log,
    http,
    scheduler,
    catalog,
    environments,
    integrations,
    deployments,
    notifications,
    syncs,
    authorization,
    events,
    publicBase,
    routings: infrastructure.webhookRoutings,
  });
  const erasure = createErasureService({
    database,
    vault,
    recordingKey: sealingKey,
    clock,
    logger,
    scheduler,
    log,
    agentSessions,
    connectSessions,
    authorization,
  });
  return {
    events,
    eventLog,
    environments,
    dashboardLogin,
    audit,
    pairings,
    limits,
    findProcess: findClientProcess,
    logs: log,
    telemetry,
    dataCare,
    keyCare,
    autoLock,
    notifications,
    integrations,
    connections,
    connectSessions,
    templates,
    templateCopies,
    functionWriter,
    deployments,
    tasks,
    sentCode,
    dryRuns,
    codeDeployments,
    records,
    recordFiles,
    proxy,
    runs,
    actions,
    background,
    mcp,
    withholdSecrets,
    queries,
    agentSessions,
    agentTools,
    compiling,
    schedules,
    syncs,
    authorization,
    incoming,
    erasure,
    ...lifecycle,
  };
}
export type CoreServices = ReturnType<typeof createServices>;
