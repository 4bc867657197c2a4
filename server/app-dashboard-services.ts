import { randomBytes } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { createAgentPrograms } from './agents/agent-programs.service.ts';
import { createBuildToolsService } from './agents/build-tools.service.ts';
import { createSessionCalls } from './agents/session-calls.service.ts';
import { createAgentSignIn } from './agents/sign-in/sign-in.service.ts';
import type { Engines, Infrastructure } from './app-infrastructure.ts';
import type { CoreServices } from './app-services.ts';
import { createNotificationCentreService } from './dashboard/notification-centre.service.ts';
import { createOverviewService } from './dashboard/overview.service.ts';
import { createPlaygroundService } from './dashboard/playground/playground.service.ts';
import { createPlaygroundTargets } from './dashboard/playground/playground-targets.ts';
import { createProviderEntriesService } from './dashboard/provider-entries.service.ts';
import { createDeletionsService } from './data/deletions.service.ts';
import { createTransferService } from './data/transfer.service.ts';
import { createDestinationsService } from './destinations/destinations.service.ts';
import { createCommandRuns } from './egress/command-runs.service.ts';
import type { Health } from './environments/dashboard-environment.contract.ts';
import { createDescribedFunctions } from './functions/deployments/described-functions.ts';
import { createDraftCompiler } from './functions/deployments/draft-compiler.ts';
import { createDraftFiles } from './functions/deployments/draft-files.ts';
import { createDraftsService } from './functions/drafts.service.ts';
import { createDriftWatchService } from './functions/drift-watch.service.ts';
import { createFunctionTestsService } from './functions/function-tests.service.ts';
import { createImportsService } from './imports/imports.service.ts';
import { createAnswerLinks } from './mcp/answer-links.ts';
import { createApprovalsTargets } from './mcp/approvals-target.ts';
import { createReadSecrets } from './mcp/withhold-secrets.ts';
import { commandNameAnywhere, withCommandName } from './platform/lib/command-name.ts';
import { createSavedQueriesService } from './queries/saved-queries.service.ts';
import { createRecordSealer } from './records/records.service.ts';
import { createSnapshotsService } from './snapshots/snapshots.service.ts';
import { createWebhookSender, signatureHeaders } from './webhooks-out/webhook-sender.ts';

/** Creates the services that only the dashboard and building agents use; they are above all other services. */
export function createDashboardServices(infrastructure: Infrastructure, engines: Engines, services: CoreServices) {
  const {
    clock,
    config,
    database,
    environments,
    ids,
    localBase,
    logger,
    publicBase,
    publicUrl,
    resources,
    seenTime,
    vault,
  } = infrastructure;
  const { catalog, http, sandbox, scheduler } = engines;
  const { actions, connections, deployments, dryRuns, events, incoming, integrations, logs, notifications } = services;
  const { audit, mcp, onEvents, records, withholdSecrets } = services;
  const destinations = createDestinationsService({
    database,
    vault,
    clock,
    ids,
    logger,
    scheduler,
    environments,
    sealer: createRecordSealer({ key: vault.sealingKey('records'), random: randomBytes }),
    http,
    sign: signatureHeaders,
    userAgent: `homeport/${resources.version}`,
    home: config.home,
    events,
  });
  const snapshots = createSnapshotsService({
    clock,
    database,
    events,
    home: config.home,
    logger,
    queries: services.queries,
  });
  const overview = createOverviewService({ database, clock, logger, logs, notifications, destinations, snapshots });
  const notificationCentre = createNotificationCentreService({
    database,
    clock,
    logger,
    seenTime,
    environments,
    overview,
    logs,
    feed: events,
    events,
    version: resources.version,
    freeBytes: async () => {
      const { bavail, bsize } = await statfs(config.home);
      return bavail * bsize;
    },
  });
  const approvalsTargets = createApprovalsTargets({ environments, fixed: config, localBase, publicUrl });
  const answerLinks = createAnswerLinks({
    targets: approvalsTargets,
    environments,
    events,
    mcp,
    audit,
    clock,
    logger,
    post: createWebhookSender({ http, clock }).send,
    withhold: async (approval) => {
      const { connectionId, environmentId, integrationKey } = approval;
      const environment = environments.find(environmentId);
      const integration = await integrations.find(environmentId, integrationKey);
      const connection = integration && (await connections.find(integration, connectionId));
      // Questions about a run of a command or a deploy may concern no connection.
      if (!environment || !connection) return approval.arguments;
      return withholdSecrets({ environment, integration, connection }, async () => approval.arguments);
    },
  });
  const functionTests = createFunctionTestsService({
    workspace: config.functionsFolder,
    sandbox,
    catalog,
    integrations,
    connections,
    deployments,
    clock,
    ids,
  });
  const driftWatch = createDriftWatchService({
    database,
    clock,
    logger,
    vault,
    environments,
    integrations,
    connections,
    deployments,
    dryRuns,
    functionTests,
    events,
  });
  const drafts = createDraftsService({
    files: createDraftFiles(join(config.home, 'drafts')),
    compiler: createDraftCompiler({
      folder: join(config.home, 'cache/draft-types'),
      loadCompiler: services.compiling.loadCodeCompiler,
      openTypeChecker: services.compiling.openTypeChecker,
    }),
    dryRuns,
    deployments,
    functionWriter: services.functionWriter,
    connections,
    catalog,
    sandbox,
    secretsOf: createReadSecrets({ catalog, connections, integrations }),
    workspaceEnvironmentId: () => environments.workspaceEnvironment.id,
    clock,
    ids,
  });
  const buildTools = createBuildToolsService({
    audit: services.audit,
    catalog,
    connections,
    deployments,
    drafts,
    environments,
    integrations,
    limits: services.limits,
    logs,
    mcp: services.mcp,
  });
  const targets = createPlaygroundTargets({
    clock,
    logs,
    integrations,
    environments,
    connections,
    deployments,
    actions,
    dryRuns,
    functionTests,
    schedules: services.schedules,
    proxy: services.proxy,
    incoming,
    onEvents,
    records,
  });
  const playground = createPlaygroundService({
    database,
    vault,
    clock,
    ids,
    logger,
    integrations,
    functionTests,
    targets,
  });
  const describedFunctions = createDescribedFunctions({
    catalog,
    clock,
    editorTypes: resources,
    functionWriter: services.functionWriter,
    http,
    workspace: config.functionsFolder,
  });
  const providerEntries = createProviderEntriesService({
    catalog,
    workspace: config.functionsFolder,
    reload: engines.reloadCatalog,
    http,
    clock,
    ids,
    environments,
    publicBase,
  });
  const deletions = createDeletionsService({
    database,
    clock,
    ids,
    logger,
    audit: services.audit,
    environments,
    connections,
    integrations,
    lifecycle: services.lifecycle,
    notifications,
    schedules: services.schedules,
  });
  const transfer = createTransferService({
    environments,
    providerEntries,
    deployments,
    version: resources.version,
    workspace: config.functionsFolder,
    apiUrl: () => `http://127.0.0.1:${infrastructure.port.value}`,
    http,
    fetch,
    clock,
  });
  const agentPrograms = createAgentPrograms({
    clock,
    places: { platform: process.platform, ...config.person },
    base: () => `http://127.0.0.1:${infrastructure.port.value}`,
    launcher: resources.launcher,
    home: config.isHomeNamed ? config.home : undefined,
  });
  const { agentSessions } = services;
  const agentSignIn = createAgentSignIn({
    clock,
    database,
    http,
    ids,
    vault,
    isLive: (sessionId) => agentSessions.findLive(sessionId),
    endSession: async (sessionId) => {
      const session = await agentSessions.findLive(sessionId);
      if (session) await agentSessions.end(session.environment, sessionId, undefined);
    },
  });
  const commandRuns = createCommandRuns({
    agentSessions,
    clock,
    connections,
    environments,
    integrations,
    limits: services.limits,
    mcp: services.mcp,
    folder: join(config.home, 'runs'),
    http,
    ids,
    log: logs,
    logger,
    proxy: services.proxy,
    vault,
    silenceMs: infrastructure.providerSilenceMs,
  });
  const imports = createImportsService({
    database,
    records,
    deployments,
    connections,
    notifications,
    log: logs,
    events,
    clock,
    ids,
    folder: join(config.home, 'imports'),
  });
  const sessionCalls = createSessionCalls({ agentSessions, mcp });
  const savedQueries = createSavedQueriesService({ clock, database, ids });
  return {
    answerLinks,
    approvalsTargets,
    agentPrograms,
    agentSignIn,
    commandRuns,
    deletions,
    describedFunctions,
    destinations,
    drafts,
    driftWatch,
    buildTools,
    functionTests,
    imports,
    notificationCentre,
    overview,
    playground,
    providerEntries,
    savedQueries,
    sessionCalls,
    snapshots,
    transfer,
  };
}
export type AppServices = CoreServices & ReturnType<typeof createDashboardServices>;

type HealthParts = Pick<AppServices, 'autoLock' | 'connections' | 'dataCare' | 'runs' | 'schedules'>;

export function healthOf(
  { publicUrl, resources, vault }: Infrastructure,
  { sandbox }: Engines,
  { autoLock, connections, dataCare, runs, schedules }: HealthParts,
): Health {
  const { pause } = schedules;
  return {
    vault: vault.isLocked ? 'locked' : 'unlocked',
    vaultSource: vault.source === 'environment' ? 'variable' : vault.source,
    autoLockMinutes: autoLock.minutes,
    running: runs.runningCount,
    queued: sandbox.stats().queued,
    tunnelUrl: publicUrl() ?? null,
    dataProblem:
      dataCare.problem === undefined
        ? null
        : withCommandName(dataCare.problem, commandNameAnywhere(resources.launcher)),
    unstoredTokens: connections.credentials.unstoredCount,
    pausedSchedules: pause && {
      until: toUntil(pause.until),
      reasons: pause.reasons,
      pauses: pause.pauses.map(({ reason, until }) => ({ reason, until: toUntil(until) })),
    },
  };
}

const toUntil = (until: number): string | null => (Number.isFinite(until) ? new Date(until).toISOString() : null);
