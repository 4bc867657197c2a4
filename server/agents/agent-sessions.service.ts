import type { ConnectionsService } from '../connections/connections.service.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { readLimits } from '../limits/limits.contract.ts';
import type { LimitsService } from '../limits/limits.service.ts';
import type { OperationAction, OperationLog } from '../log/operation.ts';
import type { McpService, UntrustedContentMode } from '../mcp/mcp.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Logger } from '../platform/lib/logger.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import type { Scheduler } from '../platform/scheduler/scheduler.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AgentScope, AgentSession, ScopedIntegration, SessionLife } from './agent-session.ts';
import { type CreateAgentSessionBody, sessionLifeMs } from './agent-sessions.contract.ts';
import { type AgentSessionRow, AgentSessionsStore, type EndReason } from './agent-sessions.store.ts';
import type { RemoteTools } from './remote-tools.ts';
import { createScopeResolver, type SessionOwner } from './resolve-scope.ts';
import { createSessionOverviews, keyAllows, type SessionOverview, scopeOf } from './session-overviews.ts';
import { type SessionTool, toolsOf } from './session-tools.ts';

export type { AgentScope, AgentSession, ScopedIntegration } from './agent-session.ts';
export type { EndReason, SessionMaker } from './agent-sessions.store.ts';
export type { SessionOwner } from './resolve-scope.ts';
export type { SessionOverview } from './session-overviews.ts';

export type AgentSessionsService = ReturnType<typeof createAgentSessionsService>;

/** What a new session has of an integration. */
export interface IntegrationSummary {
  key: string;
  isConnected: boolean;
  pinnedCount: number;
  searchableCount: number;
}

/** A new session; its token is not stored. */
export interface CreatedSession {
  id: string;
  token: string;
  expiresAt: number;
  integrations: IntegrationSummary[];
  metaTools: AgentScope['metaTools'];
}

const TOKEN_PREFIX = 'homeport_agent_';
/** How long sessions are listed after their end. */
const KEPT_MS = 31 * 24 * 3_600_000;
const MAX_LIVE = 1000;
/** Sessions whose rows are kept in memory: every call looks its session up. */
const CACHED_SESSIONS = 1000;

/** Scoped, expiring addresses for agents (agents.md). */
export function createAgentSessionsService(use: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  limits: Pick<LimitsService, 'assertWithinKey' | 'findOfSessions' | 'insert'>;
  log: OperationLog;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  mcp: Pick<McpService, 'listOffered' | 'listUntrusted' | 'toolsOf'>;
  remoteTools: RemoteTools;
  scheduler: Pick<Scheduler, 'onStepBack'>;
}) {
  const { clock, connections, database, environments, ids, integrations, limits, log, mcp, remoteTools, vault } = use;
  const store = new AgentSessionsStore();
  const cache = new ReadCache<Omit<AgentSession, 'environment'>>({ max: CACHED_SESSIONS });
  const forgetAll = (): void => cache.clear();
  const endListeners: Array<(sessionId: string) => void> = [];
  const resolveScope = createScopeResolver({
    agentSessionsStore: store,
    database,
    deployments: use.deployments,
    integrations,
    mcp,
    remoteTools,
  });
  const overviews = createSessionOverviews({
    database,
    environments,
    limits,
    liveEnvironmentOf,
    mcp,
    overOf,
    store,
    vault,
  });
  use.scheduler.onStepBack(async (tx) => tx.afterCommit(forgetAll));
  environments.keys.onRevoked(() => {
    forgetAll();
    // Such a session is refused already, because its key is gone.
    endOfRevokedKeys().catch((error: unknown) =>
      use.logger.error({ err: error }, 'the agent sessions of a revoked key could not be marked as ended'),
    );
  });

  /** Throws the errors of agents.md 2; any of them creates nothing. */
  async function create(owner: SessionOwner, body: CreateAgentSessionBody): Promise<CreatedSession> {
    const { environment } = owner;
    const id = ids.uuid();
    const operation = log.start({
      environmentId: environment.id,
      type: 'agent_session',
      action: 'create',
      message: 'Create an agent session',
      trigger: owner.madeBy === 'key' ? 'api' : 'ui',
      sessionId: id,
    });
    try {
      const own = readLimits(body.limits ?? {});
      limits.assertWithinKey(environment.id, owner.keyId, own);
      const { scope, tools } = await resolveScope(owner, body);
      const token = `${TOKEN_PREFIX}${ids.hex(32)}`;
      const createdAt = clock.now();
      const expiresAt = createdAt + sessionLifeMs(body.expires_in);
      const tags = scope.metaTools.nango_create_connection ? body.tenant.connections.any?.[0]?.tags : undefined;
      const row = {
        id,
        environmentId: environment.id,
        madeBy: owner.madeBy,
        apiKeyId: owner.keyId,
        name: owner.name ?? null,
        tokenHash: vault.lookupHash(token),
        scopeText: JSON.stringify(scope),
        tags: tags ? vault.sealJson(tags, tagsContext(id)) : null,
        createdAt,
        expiresAt,
        untrustedContent: body.untrusted_content ?? 'ask',
      };
      await database.transaction(
        async (tx) => {
          await store.removeOlderThan(tx, createdAt - KEPT_MS);
          await store.removeTagsOfExpired(tx, createdAt);
          if ((await store.countLive(tx, environment.id, createdAt)) >= MAX_LIVE)
            throw new HomeportError(
              'resource_capped',
              `An environment has at most ${MAX_LIVE} agent sessions. End some, or wait until they expire.`,
            );
          await store.insert(tx, row);
          await limits.insert(tx, environment.id, { kind: 'session', id }, own);
        },
        { durable: true },
      );
      const integrations = scope.integrations.map((one) => summaryOf(one, tools));
      operation.finish('success', { meta: { integrations: integrations.map(({ key }) => key) } });
      return { id, token, expiresAt, integrations, metaTools: scope.metaTools };
    } catch (error) {
      const known = error instanceof HomeportError ? error : undefined;
      operation.finish('failed', {
        error: {
          message: known?.message ?? 'The session could not be created.',
          ...(known ? { type: known.code, payload: known.payload } : {}),
        },
      });
      throw error;
    }
  }

  /** The session with this token. Throws `session_not_found` also when it is over. */
  async function open(sessionId: string, token: string): Promise<AgentSession> {
    const session = await findLive(sessionId);
    if (!session || vault.lookupHash(token) !== session.tokenHash) throw sessionNotFound();
    return session;
  }

  /** The session as it is now; undefined when it is over. */
  async function findLive(sessionId: string): Promise<AgentSession | undefined> {
    const row = await cache.get(sessionId, async () => {
      const found = await store.findById(database.reader, sessionId);
      return found && { ...found, scope: scopeOf(found) };
    });
    const environment = row && liveEnvironmentOf(row);
    return environment && { ...row, environment };
  }

  /** Newest first. A limited key sees those that it made. */
  async function list(
    environment: Environment,
    { keyId, limit, page }: { keyId: number | undefined; limit: number; page: number },
  ): Promise<SessionOverview[]> {
    const of = { environmentId: environment.id, apiKeyId: keyId, limit, offset: page * limit };
    const rows = await store.list(database.reader, of);
    return overviews(environment, rows);
  }

  /** Throws `session_not_found`. */
  async function get(environment: Environment, sessionId: string, keyId: number | undefined): Promise<SessionOverview> {
    const [found] = await overviews(environment, [await getRow(environment, sessionId, keyId)]);
    if (!found) throw sessionNotFound();
    return found;
  }

  /** Ends it; a session that is over stays as it is. Throws `session_not_found`. */
  async function end(
    environment: Environment,
    sessionId: string,
    keyId: number | undefined,
  ): Promise<{ id: string; endedAt: number; reason: EndReason }> {
    const row = await getRow(environment, sessionId, keyId);
    const over = overOf(row);
    if (over) return { id: row.id, ...over };
    const endedAt = clock.now();
    await change((tx) => store.end(tx, row.id, 'terminated', endedAt));
    noteEnd(environment.id, row.id, 'Ended the agent session');
    return { id: row.id, endedAt, reason: 'terminated' };
  }

  /** Says whether text by strangers makes the writes of the session ask. Throws `session_not_found`. */
  async function changeUntrustedContent(
    environment: Environment,
    sessionId: string,
    mode: UntrustedContentMode,
  ): Promise<void> {
    const row = await getRow(environment, sessionId, undefined);
    await change((tx) => store.updateUntrustedContent(tx, row.id, mode));
  }

  /** Tags of connections that a person makes for the session. */
  function tagsFor(session: AgentSession): Record<string, string> {
    return session.tags === null ? {} : vault.openJson<Record<string, string>>(session.tags, tagsContext(session.id));
  }

  /** Removes tags that name a person whose connection was deleted (design.md 7.56). */
  async function removeOfPerson(of: { environmentId: number; isOfPerson(tags: unknown): boolean }): Promise<void> {
    const tagged = await store.listTagged(database.reader, of.environmentId);
    const ids = tagged
      .filter(({ id, tags }) => of.isOfPerson(vault.openJson(tags, tagsContext(id))))
      .map(({ id }) => id);
    if (ids.length > 0) await change((tx) => store.removeTags(tx, ids));
  }

  /** A person has connected an integration through a link of the session: it uses that connection from now on. */
  async function bind(sessionId: string, integrationKey: string, connectionId: string): Promise<void> {
    const session = await findLive(sessionId);
    if (!session) return;
    const integration = await integrations.find(session.environmentId, integrationKey);
    const connection = integration && (await connections.find(integration, connectionId));
    if (!connection) return;
    const bound = session.scope.integrations.map((one) =>
      one.key === integrationKey && one.id === integration.id ? { ...one, connectionRowId: connection.id } : one,
    );
    const scopeText = JSON.stringify({ ...session.scope, integrations: bound });
    await change((tx) => store.updateScope(tx, sessionId, scopeText));
  }

  /** Counts a call, and notes the program that made it. */
  async function noteCall(
    tx: Transaction,
    session: AgentSession,
    client: { name: string; version: string } | undefined,
  ): Promise<void> {
    const text = client && JSON.stringify({ name: client.name.slice(0, 255), version: client.version.slice(0, 255) });
    await store.touch(tx, { id: session.id, calls: 1, client: text, usedAt: clock.now() });
  }

  /** Tools of the session as they are now. */
  async function listTools({ environment, scope }: AgentSession): Promise<SessionTool[]> {
    const found = await Promise.all(
      scope.integrations.map(async ({ connectionRowId, id, key }) => {
        const integration = await integrations.find(environment.id, key);
        return integration?.id === id ? [{ integration, connectionRowId }] : [];
      }),
    );
    const present = found.flat();
    const actions = present.map(async ({ integration: { uniqueKey: integrationKey } }) =>
      (await mcp.toolsOf(environment.id, integrationKey)).map((tool) => ({ integrationKey, tool })),
    );
    const [own, remote] = await Promise.all([Promise.all(actions), remoteTools.listAll(environment, present)]);
    return toolsOf(scope, [...own.flat(), ...remote.tools]);
  }

  /** The connection of an integration of the session; undefined when it has none, or none that it may use now. */
  async function findConnection(session: AgentSession, integrationKey: string) {
    const scoped = session.scope.integrations.find(({ key }) => key === integrationKey);
    if (!scoped || scoped.connectionRowId === null) return undefined;
    const [integration, connection] = await Promise.all([
      integrations.find(session.environment.id, integrationKey),
      connections.findByRowId(scoped.connectionRowId),
    ]);
    if (!integration || integration.id !== scoped.id || !connection || connection.integrationId !== integration.id)
      return undefined;
    const named = { integrationKey, connectionId: connection.connectionId, tags: connection.tags };
    const { apiKeyId, environmentId } = session;
    const key = apiKeyId === null ? undefined : await environments.keys.findAllowed(environmentId, apiKeyId);
    return keyAllows(key ? [key] : [], session, named) ? { integration, connection } : undefined;
  }

  async function getRow(
    environment: Environment,
    sessionId: string,
    keyId: number | undefined,
  ): Promise<AgentSessionRow> {
    const row = await store.find(database.reader, environment.id, sessionId);
    if (row && (keyId === undefined || row.apiKeyId === keyId)) return row;
    throw sessionNotFound();
  }

  /** When and why the session was over; undefined while it is not. */
  function overOf(row: SessionLife): { endedAt: number; reason: EndReason } | undefined {
    if (row.endedAt !== null) return { endedAt: row.endedAt, reason: row.endedReason ?? 'terminated' };
    return row.expiresAt <= clock.now() ? { endedAt: row.expiresAt, reason: 'expired' } : undefined;
  }

  /** The environment of a session; undefined when the session is over. */
  function liveEnvironmentOf(row: SessionLife): Environment | undefined {
    const isOfRevokedKey = row.madeBy === 'key' && row.apiKeyId === null;
    return isOfRevokedKey || overOf(row) ? undefined : environments.find(row.environmentId);
  }

  /** Changes rows of sessions. The next call reads them anew. */
  function change(work: (tx: Transaction) => Promise<void>): Promise<void> {
    return database.transaction(
      (tx) => {
        tx.afterCommit(forgetAll);
        return work(tx);
      },
      { durable: true },
    );
  }

  async function endOfRevokedKeys(): Promise<void> {
    const ended = await database.transaction((tx) => store.endOfRevokedKeys(tx, clock.now()));
    for (const { environmentId, id } of ended) noteEnd(environmentId, id, 'The key of the session was revoked');
  }

  function noteEnd(environmentId: number, sessionId: string, message: string): void {
    const action: OperationAction<'agent_session'> = 'end';
    log.start({ environmentId, type: 'agent_session', action, message, sessionId }).finish('success');
    for (const listener of endListeners) listener(sessionId);
  }

  return {
    /** Ends sessions whose key was revoked just before the program ended. */
    start: endOfRevokedKeys,

    /** Adds a listener that is called when a session was ended before its time. */
    onEnded: (listener: (sessionId: string) => void): void => void endListeners.push(listener),

    create,
    open,
    findLive,
    list,
    get,
    end,
    changeUntrustedContent,
    tagsFor,
    removeOfPerson,
    bind,
    noteCall,
    listTools,
    findConnection,
  };
}

const tagsContext = (sessionId: string): string => `agent-session:${sessionId}:tags`;

function sessionNotFound(): HomeportError {
  return new HomeportError(
    'session_not_found',
    'There is no such agent session: it is unknown or over, or the token is not its own. Create a new one.',
  );
}

function summaryOf({ connectionRowId, key }: ScopedIntegration, tools: readonly SessionTool[]): IntegrationSummary {
  const own = tools.filter(({ integrationKey }) => integrationKey === key);
  const pinnedCount = own.filter(({ isPinned }) => isPinned).length;
  return { key, isConnected: connectionRowId !== null, pinnedCount, searchableCount: own.length - pinnedCount };
}
