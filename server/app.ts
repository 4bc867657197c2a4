import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AppServices, createDashboardServices, healthOf } from './app-dashboard-services.ts';
import {
  type AppOptions,
  type Engines,
  type Infrastructure,
  openInfrastructure,
  startEngines,
} from './app-infrastructure.ts';
import { registerJobs } from './app-jobs.ts';
import { createServices } from './app-services.ts';
import { createAuthSockets } from './authorization/auth-sockets.api.ts';
import { presentIssuedSession } from './authorization/connect-session.present.ts';
import { connectOrigin } from './authorization/connect-sessions.api.ts';
import { refuseKeyless } from './authorization/start-redirect.api.ts';
import type { Config } from './config.ts';
import { createConnectionTexts } from './connections/connection.present.ts';
import { createDashboard } from './dashboard/api/dashboard.ts';
import { answerLinksApi } from './mcp/answer-links.api.ts';
import { createAdmission } from './platform/http/admission.ts';
import { connectPages } from './platform/http/connect-pages.ts';
import { type ControlUse, controlRoutes } from './platform/http/control-routes.ts';
import { docsPages } from './platform/http/docs-pages.ts';
import { errorBody } from './platform/http/error-writer.ts';
import { createHttpApp } from './platform/http/http-app.ts';
import { createListener } from './platform/http/listener.ts';
import { RunningRequests } from './platform/http/running-requests.ts';
import { commandNameAnywhere } from './platform/lib/command-name.ts';
import { type StopPhase, stopInPhases } from './platform/lib/stop-in-phases.ts';
import { publicRoutes } from './route-table.ts';
import { CONTROL_HEADER, noteProgram, removeRunningFile, writeRunningFile } from './running-file.ts';

export interface RunningApp {
  /** Origin of the server, for example `http://127.0.0.1:3003`. */
  address: string;
  /** Issues a link that logs a browser in to the dashboard once, within ten minutes. */
  loginUrl(): string;
  /** Sentences for the user, for example about a key file instead of a keychain. */
  warnings: string[];
  stop(): Promise<void>;
}

/**
 * Milliseconds for open requests and runs to end when the server stops; the whole stop takes less than 5 s (design.md
 * 3).
 */
const STOP_GRACE_MS = 1200;

/** Milliseconds for a token that a provider is about to give: it may have been renewed there already. */
const EXCHANGE_GRACE_MS = 2300;

/** Milliseconds for requests to end when their runs and exchanges have ended. */
const LAST_REQUESTS_MS = 300;

/** Milliseconds for sending the remaining spans when the server stops. */
const LAST_SPANS_MS = 2000;

/** Creates all parts from the configuration, starts them lowest first, and resolves when all of them run. */
export async function startApp(options: AppOptions): Promise<RunningApp> {
  await requireFreePort(options.config);
  const infrastructure = await openInfrastructure(options);
  const engines = await startEngines(infrastructure);
  const core = createServices(infrastructure, engines);
  const services = { ...core, ...createDashboardServices(infrastructure, engines, core) };
  registerJobs(engines, services);
  connectUpwards(services, infrastructure);

  await services.environments.start(infrastructure.config);
  await services.logs.resume();
  await engines.reloadCatalog();
  services.eventLog.catalogRead(engines.catalog);
  await services.connectSessions.start();
  await services.limits.start();
  await services.agentSessions.start();
  await services.mcp.writes.start();
  await services.commandRuns.start();
  await services.connections.credentials.start();
  await services.records.start();
  await services.syncs.start();
  await services.destinations.start();
  services.snapshots.start();
  services.queries.start();
  await engines.scheduler.start();
  const controlKey = infrastructure.ids.hex(32);
  const loginUrl = (): string => `${addressOf(infrastructure)}/app/#code=${services.dashboardLogin.issueLinkCode()}`;
  const { dashboard, listener, running, sockets } = buildHttpServer(infrastructure, engines, services, {
    controlHeader: CONTROL_HEADER,
    controlKey,
    loginUrl,
    process: options.process,
  });
  infrastructure.port.value = await listener.start(infrastructure.config.port);
  const address = addressOf(infrastructure);
  await writeRunningFile(infrastructure.config.home, {
    address,
    controlKey,
    pid: process.pid,
    startedAt: new Date(infrastructure.clock.now()).toISOString(),
  });
  await noteProgram(infrastructure.config.home, infrastructure.resources.launcher);
  startWorker(engines, services, infrastructure);
  services.backgroundRefresh.start();
  services.background.start();
  services.incoming.start();
  services.notifications.start();
  services.audit.start();
  services.notificationCentre.start();
  await services.autoLock.start();
  services.dataCare.start();
  infrastructure.dataFiles.start((problem) => services.dataCare.noteFiles(problem));
  services.driftWatch.start();
  services.overview.sizes.start();
  services.environmentRemoval.start();
  await services.deletions.start();
  await services.erasure.start();
  // Last: looking at thousands of files uses the threads for which the reads above would wait.
  services.deployments.workspace.watch();
  sayFunctions(services).catch((error: unknown) =>
    infrastructure.logger.error({ err: error }, 'the state of the functions could not be reported'),
  );
  return {
    address,
    loginUrl,
    warnings: warningsOf(infrastructure),
    stop: () => {
      const phases = stopPhases(infrastructure, engines, services, { dashboard, listener, running, sockets });
      const { stopTimeFactor = 1 } = options;
      return stopInPhases(
        phases.map(({ byMs, parts }) => ({ byMs: byMs * stopTimeFactor, parts })),
        infrastructure,
      );
    },
  };
}

/**
 * A first start that finds its port taken leaves no files. With a database the lock of the folder comes first: the port
 * may be taken by the hub that runs on it, which is the better answer.
 */
async function requireFreePort({ home, port }: Config): Promise<void> {
  if (port === 0 || existsSync(join(home, 'homeport.db'))) return;
  const probe = createListener((_, response) => response.writeHead(503).end());
  await probe.start(port);
  await probe.stop(0);
}

/**
 * First stops the parts that accept and do work, then the parts that they use. The lock of the data folder is released
 * even if a part hangs.
 */
function stopPhases(
  { clock, config, database, dataFiles, lock, seenTime }: Infrastructure,
  { http, practice, sandbox, scheduler }: Engines,
  services: AppServices,
  { dashboard, listener, running, sockets }: ReturnType<typeof buildHttpServer>,
): StopPhase[] {
  const { connections, connectSessions, deployments, incoming, logs, mcp, notifications, records, syncs } = services;
  return [
    {
      byMs: 2700,
      parts: {
        mcp: () => mcp.stop(),
        answerLinks: () => services.answerLinks.stop(),
        commandRuns: () => services.commandRuns.stop(),
        dashboard: () => dashboard.stop(),
        sockets: () => sockets.stop(),
        listener: () => listener.stop(STOP_GRACE_MS),
        exchanges: async () => {
          if (!(await running.haveEnded(EXCHANGE_GRACE_MS, clock))) await http.endRunning();
        },
        scheduler: () => scheduler.stop(STOP_GRACE_MS),
        tasks: () => services.tasks.stop(STOP_GRACE_MS),
        playground: () => services.playground.stop(STOP_GRACE_MS),
        functionsFolder: () => deployments.leave(),
        drafts: () => services.drafts.stop(),
        driftWatch: () => services.driftWatch.stop(),
        backgroundRefresh: () => services.backgroundRefresh.stop(STOP_GRACE_MS),
        destinations: async () => services.destinations.stop(),
        eventLog: async () => services.eventLog.stop(),
        pairings: async () => services.pairings.stop(),
      },
    },
    { byMs: 3200, parts: { sandbox: () => sandbox.stop() } },
    // Their connections are cut by now, but their handlers still write.
    { byMs: 3550, parts: { requests: () => running.haveEnded(LAST_REQUESTS_MS, clock) } },
    {
      byMs: 3700,
      parts: {
        incoming: () => incoming.stop(),
        deployments: () => deployments.stop(),
        background: () => services.background.stop(),
        syncs: () => syncs.stop(),
        snapshots: () => services.snapshots.stop(),
        queries: () => services.queries.stop(),
        records: () => records.stop(),
        connectSessions: () => connectSessions.stop(),
        authorization: () => services.authorization.stop(),
        credentials: () => connections.credentials.stop(),
        notifications: () => notifications.stop(),
        dataCare: () => services.dataCare.stop(),
        sizeSamples: () => services.overview.sizes.stop(),
        audit: () => services.audit.stop(),
        notificationCentre: () => services.notificationCentre.stop(),
        environmentRemoval: () => services.environmentRemoval.stop(),
        deletions: () => services.deletions.stop(),
        autoLock: () => services.autoLock.stop(),
        keyCare: () => services.keyCare.stop(),
        seenTime: () => seenTime.stop(),
      },
    },
    { byMs: 3900, parts: { logs: () => logs.stop(), practice: () => practice.stop() } },
    // The last log entries are sent as well, so telemetry stops before the headers and the network are gone.
    { byMs: 4100, parts: { telemetry: () => services.telemetry.stop(LAST_SPANS_MS) } },
    { byMs: 4200, parts: { http: () => http.stop() } },
    { byMs: 4250, parts: { dataFiles: () => dataFiles.stop() } },
    { byMs: 4300, parts: { database: () => database.close() } },
    { byMs: 4500, parts: { runningFile: () => removeRunningFile(config.home), lock: () => lock.release() } },
  ];
}

/** Registers the few calls from lower to higher layers. */
function connectUpwards(services: AppServices, { localBase }: Infrastructure): void {
  const { actions, deployments, eventLog, events, functionSyncs, runs, schedules, telemetry } = services;
  const { agentSessions, agentTools, connectSessions } = services;
  deployments.onStoring((tx, change) => functionSyncs.follow(tx, change));
  deployments.onChange((change) => events.emit('function', change));
  deployments.onChange((change) => eventLog.functionChanged(change));
  events.on('approval', (change) => services.answerLinks.note(change));
  events.on('operation', (change) => eventLog.operationChanged(change));
  events.on('logged', (stored) => telemetry.take(stored));
  agentTools.connect({
    createLink: async (session, integrationKey, connectionId) => {
      const { environment, id } = session;
      const issued =
        connectionId === undefined
          ? await connectSessions.createForAgent(environment, {
              agentSessionId: id,
              integrationKey,
              tags: agentSessions.tagsFor(session),
            })
          : await connectSessions.createReconnect(environment, {
              integration_id: integrationKey,
              connection_id: connectionId,
            });
      const { connect_link: url } = presentIssuedSession(issued, connectOrigin(environment, localBase()));
      return { url: String(url), expiresAt: issued.expiresAt };
    },
  });
  connectSessions.onAgentConnected((sessionId, { connectionId, integrationKey }) =>
    agentSessions.bind(sessionId, integrationKey, connectionId),
  );
  runs.connect({
    triggerAction: (call) => actions.trigger({ ...call, trigger: 'function' }),
    triggerSyncs: ({ integrationKey, ...call }) =>
      schedules.commands.trigger({ ...call, providerConfigKey: integrationKey, trigger: 'function' }),
    startSyncs: async ({ integrationKey, ...call }) => {
      await schedules.commands.start({ ...call, providerConfigKey: integrationKey, trigger: 'function' });
    },
    errorBody,
  });
}

/** Only function calls wait for the worker. Without functions the first task starts it. */
function startWorker({ sandbox }: Engines, { deployments }: AppServices, { logger }: Infrastructure): void {
  deployments
    .hasFunctions()
    .then((hasFunctions) => (hasFunctions ? sandbox.start() : undefined))
    .catch((error: unknown) => logger.error({ err: error }, 'the function worker could not be started'));
}

async function sayFunctions({ deployments, environments, eventLog }: AppServices): Promise<void> {
  const [environment] = environments.list();
  if (environment) await eventLog.functionsAtStart(environment.id, await deployments.listWithoutRuns(environment.id));
}

function addressOf({ port }: Infrastructure): string {
  return `http://127.0.0.1:${port.value}`;
}

function buildHttpServer(infrastructure: Infrastructure, engines: Engines, services: AppServices, control: ControlUse) {
  const { clock, config, ids, localBase, logger, publicBase, resources } = infrastructure;
  const { catalog, http, practice, practiceClient } = engines;
  const dashboard = createDashboard({
    ...services,
    catalog,
    http,
    practiceClient,
    practiceSimulation: practice.simulation,
    clock,
    ids,
    logger,
    feed: services.events,
    rendererFolder: resources.renderer,
    logosFolder: resources.logos,
    refreshCredentials: async (connection) =>
      void (await services.connections.credentials.fetch(connection, { isForced: true, isUpkeep: true })),
    about: {
      version: resources.version,
      functionsFolder: config.functionsFolder,
      dataFolder: config.home,
      command: commandNameAnywhere(resources.launcher),
      apiUrl: () => addressOf(infrastructure),
      publicBase,
      localBase,
      health: () => healthOf(infrastructure, engines, services),
    },
  });
  const open = publicRoutes({
    ...services,
    connectionTexts: createConnectionTexts(),
    log: services.logs,
    catalog,
    clock,
    ids,
    logger,
    publicBase,
    localBase,
    dashboardUrl: () => addressOf(infrastructure),
    version: resources.version,
  });
  const admission = createAdmission({
    clock,
    publicChoices: {
      isMcpPublic: config.isMcpPublic,
      get areAnswersPublic() {
        return services.approvalsTargets.arePublic();
      },
    },
    publicHost: () => {
      const url = infrastructure.publicUrl();
      return url === undefined ? undefined : new URL(url).hostname;
    },
    audit: services.audit,
    authenticate: (secretKey) => services.environments.authenticate(secretKey),
    findTags: async (environmentId, integrationKey, connectionId) => {
      const integration = await services.integrations.find(environmentId, integrationKey);
      return integration && (await services.connections.find(integration, connectionId))?.tags;
    },
    findSession: (token) => services.connectSessions.find(token),
    authorizeDashboard: (request) => dashboard.authorize(request),
  });
  const running = new RunningRequests();
  const app = createHttpApp({
    admission,
    running,
    ids,
    logger,
    pages: [
      refuseKeyless(services),
      ...dashboard.pages,
      connectPages({ connectFolder: resources.connect }),
      docsPages({ docsFolder: resources.docs, dashboardUrl: () => addressOf(infrastructure) }),
    ],
    routes: [...open, ...answerLinksApi(services), ...controlRoutes(control)],
    laterRoutes: dashboard.routes,
  });
  const sockets = createAuthSockets({ ids, refusal: admission.refusalOfSocket });
  services.authorization.connect({ notify: (clientId, message) => sockets.notify(clientId, message) });
  const listener = createListener(app, (request, socket, head) => sockets.upgrade(request, socket, head));
  return { dashboard, listener, running, sockets };
}

function warningsOf({ config, isWorkspaceNew, lostDatabase, madePrivate, vault }: Infrastructure): string[] {
  const notes = [
    ...madePrivate,
    ...(lostDatabase === undefined ? [] : [lostDatabase]),
    ...(isWorkspaceNew && config.isFunctionsFolderNamed
      ? [
          `The functions folder ${config.functionsFolder} did not exist. It was created with the functions of the practice provider.`,
        ]
      : []),
  ];
  if (vault.source !== 'file') return notes;
  const why = vault.keychainProblem ?? 'the keychain holds no key for it';
  return [
    ...notes,
    `The master key is kept in a file in the data folder: ${why} Anyone who can read your files can read it.`,
  ];
}
