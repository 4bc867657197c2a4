import { mkdir, rm, rmdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { AgentSessionsService } from '../agents/agent-sessions.service.ts';
import { limitedBy } from '../agents/agent-tools.service.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { CallLimitsBody } from '../limits/limits.contract.ts';
import { readLimits } from '../limits/limits.contract.ts';
import type { LimitSubject, LimitsService } from '../limits/limits.service.ts';
import type { FinalState, Operation, OperationLog } from '../log/operation.ts';
import type { McpService } from '../mcp/mcp.service.ts';
import type { Clock, Timer } from '../platform/lib/clock.ts';
import { hasErrorCode } from '../platform/lib/error-code.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import type { OutboundHttp } from '../platform/lib/outbound-http.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ProxyService, RequestCredential } from '../proxy/proxy.service.ts';
import { CommandRun } from './command-run.ts';
import { EgressProxy, FOLLOW_PATH } from './egress-proxy.ts';
import type { HostRules } from './host-rules.ts';
import { nameOf, type PlacedConnection, Placeholders } from './placeholders.ts';
import { addVariable, gitSettings, variablesOf } from './program-variables.ts';
import { RUN_LIFE_MS, RunCertificates } from './run-certificates.ts';

export interface NewCommandRun {
  environment: Environment;
  /** The connections, with the variables that a person named for them; with a session those of the session. */
  connections: ReadonlyArray<{ integrationKey: string; connectionId: string; variables: readonly string[] }>;
  sessionId: string | undefined;
  /** As it is shown in the log. */
  command: string;
  /** Of the run alone; those of its session hold beside them. */
  limits: CallLimitsBody;
  hosts: HostRules;
}

/** What the command line needs to start the command. */
export interface OpenedRun {
  id: string;
  proxyUrl: string;
  /** The command line follows the run here; the run ends when it stops. */
  followUrl: string;
  /** Only this user may read it; it is removed with the run. */
  folder: string;
  /** PEM. */
  authority: string;
  variables: Record<string, string>;
  git: Array<[name: string, value: string]>;
  /** Connections that a placeholder cannot stand for, and why. */
  leftOut: Array<{ connection: string; reason: string }>;
}

/** A run as a person sees it. */
export interface CommandRunOverview {
  id: string;
  command: string;
  connections: ReadonlyArray<{ integrationKey: string; connectionId: string }>;
  sessionId: string | undefined;
  /** Milliseconds since the epoch. */
  startedAt: number;
  operationId: string;
  requests: number;
  refusals: number;
}

interface LiveRun {
  operation: Operation;
  proxy: EgressProxy;
  run: CommandRun;
  folder: string;
  sessionId: string | undefined;
  environmentId: number;
  command: string;
  connections: ReadonlyArray<{ integrationKey: string; connectionId: string }>;
  startedAt: number;
  /** Responses with which the command line follows the run. */
  followers: Set<ServerResponse>;
  timers: Timer[];
}

export interface CommandRunsOptions {
  agentSessions: Pick<AgentSessionsService, 'findLive' | 'findConnection' | 'onEnded'>;
  connections: Pick<ConnectionsService, 'find'>;
  integrations: Pick<IntegrationsService, 'find'>;
  limits: Pick<LimitsService, 'admit' | 'change'>;
  mcp: Pick<McpService, 'ask'>;
  clock: Clock;
  environments: Pick<EnvironmentService, 'allowedHosts'>;
  /** Folder of the data folder. */
  folder: string;
  http: Pick<OutboundHttp, 'request'>;
  ids: Ids;
  log: OperationLog;
  logger: Logger;
  proxy: Pick<ProxyService, 'credentialOf'>;
  vault: Pick<Vault, 'assertUnlocked' | 'onLock'>;
  silenceMs?: number | undefined;
}

/** The command line follows its run within this time, or has gone. */
const FOLLOW_WITHIN_MS = 30_000;
/** Methods that write nothing. */
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
/** As for other requests to providers. */
const SILENCE_MS = 300_000;

export type CommandRunsService = ReturnType<typeof createCommandRuns>;

/** Runs of commands with placeholders in the place of credentials (agents.md 8). */
export function createCommandRuns(use: CommandRunsOptions) {
  const { agentSessions, clock, connections, environments, folder, http, ids, integrations } = use;
  const { limits, log, logger, mcp, proxy, vault } = use;
  const live = new Map<string, LiveRun>();
  const ending = new Map<string, Promise<void>>();
  const endAll = (isMeant: (run: LiveRun) => boolean, reason: string, state: FinalState): void => {
    for (const [id, one] of live)
      if (isMeant(one))
        end(id, reason, state).catch((error: unknown) => logger.error({ err: error }, 'a run could not be ended'));
  };
  vault.onLock(() => endAll(() => true, 'The vault was locked.', 'cancelled'));
  agentSessions.onEnded((id) =>
    endAll(({ sessionId }) => sessionId === id, 'Its agent session has ended.', 'cancelled'),
  );

  async function open(asked: NewCommandRun): Promise<OpenedRun> {
    vault.assertUnlocked();
    const { environment, sessionId } = asked;
    const wanted = sessionId === undefined ? asked : await ofSession(asked, sessionId);
    const id = ids.uuid();
    const operation = log.start({
      environmentId: environment.id,
      type: 'command',
      action: 'run',
      message: wanted.command,
      trigger: 'ui',
      ...(sessionId === undefined ? {} : { sessionId }),
    });
    try {
      return await start(id, wanted, operation);
    } catch (error) {
      await end(id, '', 'failed');
      const message = error instanceof HomeportError ? error.message : 'The run could not be started.';
      operation.finish('failed', { error: { message } });
      throw error;
    }
  }

  async function start(id: string, wanted: NewCommandRun, operation: Operation): Promise<OpenedRun> {
    const { environment, hosts, sessionId } = wanted;
    const subjects = await subjectsOf(id, wanted);
    const placeholders = new Placeholders(ids);
    const [secret, ownerSecret] = [ids.hex(20), ids.hex(20)];
    const certificates = new RunCertificates(clock.now());
    const followers = new Set<ServerResponse>();
    const tell = (message: { note: string } | { end: string }): void => {
      for (const one of followers) one.write(`${JSON.stringify(message)}\n`);
    };
    const run = new CommandRun({
      http,
      clock,
      operation,
      placeholders,
      hosts,
      allowedHosts: () => environments.allowedHosts(environment.id),
      credentialOf: (connection) => credentialOf(environment, sessionId, connection),
      ask: (host, signal) => askAbout(wanted, host, signal),
      admit: async ({ host, isOwn, method }) => {
        const isRead = method === undefined || READING.has(method);
        const kind = isOwn && !isRead ? 'write' : 'read';
        const counts = isOwn ? 'all' : 'check';
        await limits.admit({ environmentId: environment.id, subjects, kind, host, method, counts });
      },
      note: (note) => tell({ note }),
      silenceMs: use.silenceMs ?? SILENCE_MS,
    });
    const egress = new EgressProxy({
      secret,
      ownerSecret,
      certificates,
      opens: run.isOwn,
      connect: run.connect,
      forward: run.forward,
      follow: (response) => follow(id, response),
      onUnexpected: (error) => logger.error({ err: error }, 'a request of a run failed'),
    });
    const kept: LiveRun = {
      operation,
      proxy: egress,
      run,
      folder: join(folder, id),
      sessionId,
      environmentId: environment.id,
      command: wanted.command,
      connections: wanted.connections.map(({ connectionId, integrationKey }) => ({ integrationKey, connectionId })),
      startedAt: clock.now(),
      followers,
      timers: [
        clock.after(FOLLOW_WITHIN_MS, () => {
          if (followers.size === 0)
            endAll((one) => one === kept, 'The command line did not start the command.', 'failed');
        }),
        clock.after(RUN_LIFE_MS, () => endAll((one) => one === kept, 'A run lasts 30 days at most.', 'timeout')),
      ],
    };
    live.set(id, kept);
    const prepared = await prepare(wanted, run, placeholders);
    const port = await egress.start();
    await mkdir(kept.folder, { recursive: true, mode: 0o700 });
    return {
      id,
      ...prepared,
      proxyUrl: `http://run:${secret}@127.0.0.1:${port}`,
      followUrl: `http://owner:${ownerSecret}@127.0.0.1:${port}${FOLLOW_PATH}`,
      folder: kept.folder,
      authority: certificates.authority,
    };
  }

  /** Whose limits hold for the requests. */
  async function subjectsOf(
    id: string,
    { environment, limits: body, sessionId }: NewCommandRun,
  ): Promise<LimitSubject[]> {
    const subject: LimitSubject = { kind: 'run', id };
    const own = readLimits(body);
    if (Object.keys(own).length > 0) await limits.change(environment.id, subject, own);
    const session = sessionId === undefined ? undefined : await agentSessions.findLive(sessionId);
    return [subject, ...(session ? limitedBy(session).subjects : [])];
  }

  /** A question stands beside a connection of the run: without one there is nothing to protect, and nobody to ask. */
  async function askAbout(
    { command, connections: own, environment, sessionId }: NewCommandRun,
    host: string,
    signal: AbortSignal,
  ): Promise<boolean | undefined> {
    for (const { connectionId, integrationKey } of own) {
      const integration = await integrations.find(environment.id, integrationKey);
      const connection = integration && (await connections.find(integration, connectionId));
      if (!connection) continue;
      const client = { keyId: null, program: null, sessionId: sessionId ?? null, name: 'homeport run', subjects: [] };
      const { isAllowed, isDenied } = await mcp.ask(
        { environment, client, integration, connection },
        { name: `reach ${host}`, risk: 'write', fingerprint: 'reach' },
        {
          arguments: { host, command },
          reason:
            'A command wants to reach a host that belongs to none of its connections. It may do so until it ends.',
          signal,
        },
      );
      return isAllowed ? true : isDenied ? false : undefined;
    }
    return false;
  }

  /** Placeholders and their variables for each connection. */
  async function prepare(
    { connections }: NewCommandRun,
    run: CommandRun,
    placeholders: Placeholders,
  ): Promise<Pick<OpenedRun, 'variables' | 'git' | 'leftOut'>> {
    const variables = new Map<string, string>();
    const git: OpenedRun['git'] = [];
    const leftOut: OpenedRun['leftOut'] = [];
    for (const { connectionId, integrationKey, variables: named } of connections) {
      const connection: PlacedConnection = { connectionId, integrationKey };
      try {
        const { entry, parts, providerName, gitHost } = await run.read(connection);
        for (const { names, part } of variablesOf(providerName, entry, { named, parts: parts.keys() })) {
          const placeholder = placeholders.add(connection, part);
          for (const name of names) addVariable(variables, name, placeholder, connectionId);
          if (gitHost && part !== 'username') git.push(...gitSettings(gitHost.url, gitHost.username, placeholder));
        }
      } catch (error) {
        // Such a connection would stop a run that does not need it.
        if (!(error instanceof HomeportError) || error.code !== 'unsupported_auth') throw error;
        leftOut.push({ connection: nameOf(connection), reason: error.message });
      }
    }
    return { variables: Object.fromEntries(variables), git, leftOut };
  }

  async function credentialOf(
    environment: Environment,
    sessionId: string | undefined,
    { connectionId, integrationKey }: PlacedConnection,
  ): Promise<RequestCredential> {
    if (sessionId !== undefined) await requireSession(sessionId, integrationKey, connectionId);
    return proxy.credentialOf({ environmentId: environment.id, integrationKey, connectionId });
  }

  async function requireSession(sessionId: string, integrationKey: string, connectionId: string): Promise<void> {
    const session = await agentSessions.findLive(sessionId);
    if (!session) throw new HomeportError('session_not_found', 'The agent session of this run has ended.');
    const found = await agentSessions.findConnection(session, integrationKey);
    if (found?.connection.connectionId !== connectionId)
      throw new HomeportError(
        'unknown_connection',
        `The agent session does not have ${integrationKey}/${connectionId}.`,
      );
  }

  /** A run with the connections of a session. Throws `session_not_found`, and `unknown_connection` for another one. */
  async function ofSession(asked: NewCommandRun, sessionId: string): Promise<NewCommandRun> {
    const session = await agentSessions.findLive(sessionId);
    if (!session || session.environmentId !== asked.environment.id)
      throw new HomeportError('session_not_found', `There is no live agent session "${sessionId}".`);
    const found = await Promise.all(
      session.scope.integrations.map(({ key }) => agentSessions.findConnection(session, key)),
    );
    const own = found
      .filter((one) => one !== undefined)
      .map(({ connection, integration }) => ({
        integrationKey: integration.uniqueKey,
        connectionId: connection.connectionId,
      }));
    const variablesFor = (one: (typeof own)[number]): readonly string[] =>
      asked.connections.find((wanted) => nameOf(wanted) === nameOf(one))?.variables ?? [];
    const foreign = asked.connections.find((wanted) => !own.some((one) => nameOf(one) === nameOf(wanted)));
    if (foreign) throw new HomeportError('unknown_connection', `The agent session does not have ${nameOf(foreign)}.`);
    return { ...asked, connections: own.map((one) => ({ ...one, variables: variablesFor(one) })) };
  }

  function follow(id: string, response: ServerResponse): void {
    const run = live.get(id);
    if (!run) return void response.destroy();
    run.followers.add(response);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.flushHeaders();
    response.once('close', () => {
      run.followers.delete(response);
      if (run.followers.size === 0 && live.get(id) === run) endAll((one) => one === run, '', 'success');
    });
  }

  /** Nothing of the run works after that; a reason is told to the command line. Also waits for an end that has begun. */
  async function end(id: string, reason: string, state: FinalState): Promise<void> {
    const one = live.get(id);
    if (!one) return ending.get(id);
    live.delete(id);
    const ended = endNow(one, reason, state).finally(() => ending.delete(id));
    ending.set(id, ended);
    return ended;
  }

  async function endNow(one: LiveRun, reason: string, state: FinalState): Promise<void> {
    for (const timer of one.timers) timer.cancel();
    if (reason !== '') for (const follower of one.followers) follower.end(`${JSON.stringify({ end: reason })}\n`);
    await one.proxy.stop();
    await rm(one.folder, { recursive: true, force: true });
    // The folder of all runs goes with the last one.
    await rmdir(folder).catch((error: unknown) => {
      if (!hasErrorCode(error, 'ENOTEMPTY', 'ENOENT', 'EEXIST')) throw error;
    });
    const { refusals, requests } = one.run;
    one.operation.finish(state, { meta: { requests, refusals }, ...(reason === '' ? {} : { message: reason }) });
  }

  return {
    open,
    /** By the person. Resolves when nothing of the run is left; also for one that has ended. */
    async end({ id: environmentId }: Environment, runId: string): Promise<void> {
      if ((live.get(runId)?.environmentId ?? environmentId) === environmentId) await end(runId, '', 'success');
    },
    /** Those that run now, the newest first. */
    list({ id: environmentId }: Environment): CommandRunOverview[] {
      return [...live]
        .filter(([, one]) => one.environmentId === environmentId)
        .map(([id, { command, connections: used, operation, run, sessionId, startedAt }]) => ({
          ...{ id, command, connections: used, sessionId, startedAt, operationId: operation.id },
          ...{ requests: run.requests, refusals: run.refusals },
        }))
        .toReversed();
    },
    /** By a person who does not wait for the command. Throws `not_found`. */
    async stopOne({ id: environmentId }: Environment, runId: string): Promise<void> {
      if (live.get(runId)?.environmentId !== environmentId)
        throw new HomeportError('not_found', 'There is no such run any more.');
      await end(runId, 'A person ended it in the dashboard.', 'cancelled');
    },
    /** Removes what a killed hub left behind. */
    async start(): Promise<void> {
      await rm(folder, { recursive: true, force: true });
    },
    async stop(): Promise<void> {
      const begun = [...ending.values()];
      await Promise.all([...begun, ...[...live.keys()].map((id) => end(id, 'Homeport was stopped.', 'cancelled'))]);
    },
  };
}
