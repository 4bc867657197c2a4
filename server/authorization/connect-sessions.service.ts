import type { StoredConnection } from '../connections/connection.ts';
import { type ConnectionsService, mergeTags, toEndUserCopy } from '../connections/connections.service.ts';
import type { EndUserCopy } from '../connections/connections.store.ts';
import type { Issue } from '../contract/issue.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LogsService } from '../log/logs.service.ts';
import type { Operation, OperationLog } from '../log/operation.ts';
import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { Ids } from '../platform/lib/ids.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { ConfigDefaults, ConnectSession, SessionContent, SessionsOfPerson } from './connect-session.ts';
import type { CreateSessionBody, ReconnectSessionBody, TelemetryBody } from './connect-sessions.contract.ts';
import { ConnectSessionsStore } from './connect-sessions.store.ts';
import { createSessionOperations, MAX_FOLLOWED } from './session-operations.ts';

/** A connection that a person created or renewed. */
export interface ConnectedByPerson {
  integrationKey: string;
  connectionId: string;
}

type AgentConnected = (agentSessionId: string, connection: ConnectedByPerson) => Promise<void>;

/** A new session; its token is not stored. */
export interface IssuedSession {
  token: string;
  expiresAt: number;
}

/** Prefix of every token; the official clients expect it (auth-and-connect.md 5.1). */
const TOKEN_PREFIX = 'nango_connect_session_';
const SESSION_MS = 30 * 60_000;
/** How long ended sessions are kept (auth-and-connect.md 5.1). */
const KEPT_MS = 31 * 24 * 3_600_000;
/** Sessions read at once. */
const SLICE = 500;

export type ConnectSessionsService = ReturnType<typeof createConnectSessionsService>;

/** Sessions with which end users connect. */
export function createConnectSessionsService({
  database,
  vault,
  clock,
  ids,
  log,
  environments,
  integrations,
  connections,
}: {
  database: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  log: OperationLog & Pick<LogsService, 'reopen'>;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
}) {
  const sessionsStore = new ConnectSessionsStore();
  const agentListeners: AgentConnected[] = [];
  const operations = createSessionOperations(clock);

  async function createSession(
    environment: Environment,
    body: CreateSessionBody,
    { agentSessionId }: Pick<SessionContent, 'agentSessionId'> = {},
  ): Promise<IssuedSession> {
    const { allowed_integrations: allowed = [] } = body;
    await checkIntegrations(environment, body);
    const content = { ...toSessionContent(body, null), agentSessionId };
    return issue(environment, { ...content, allowedIntegrations: allowed });
  }

  async function issue(environment: Environment, content: SessionContent): Promise<IssuedSession> {
    const token = `${TOKEN_PREFIX}${ids.hex(32)}`;
    const lookupHash = vault.lookupHash(token);
    const createdAt = clock.now();
    const expiresAt = createdAt + SESSION_MS;
    const start = () => startOperation(environment, content, expiresAt);
    const operation = start();
    const sealed = vault.sealJson(content, contentContext(lookupHash));
    const row = {
      lookupHash,
      environmentId: environment.id,
      operationId: operation.id,
      content: sealed,
      createdAt,
      expiresAt,
    };
    await database.transaction(async (tx) => {
      await sessionsStore.removeOlderThan(tx, createdAt - KEPT_MS);
      await sessionsStore.insert(tx, row);
    });
    operations.add(lookupHash, { operation, start }, SESSION_MS);
    return { token, expiresAt };
  }

  function startOperation(environment: Environment, content: SessionContent, expiresAt: number): Operation {
    const { endUser, reconnect, allowedIntegrations } = content;
    const [only, ...others] = allowedIntegrations;
    return log.start({
      environmentId: environment.id,
      type: 'auth',
      action: 'create_connection',
      state: 'waiting',
      message: reconnect ? `Reconnect ${reconnect.connectionId}` : 'Create connection',
      trigger: 'api',
      expiresAt,
      // Of several integrations the person chooses one later.
      ...(only !== undefined && others.length === 0 ? { integrationKey: only } : {}),
      ...(reconnect ? { integrationKey: reconnect.integrationKey, connectionId: reconnect.connectionId } : {}),
      ...(endUser ? { endUserId: endUser.id } : {}),
      ...(endUser?.displayName ? { endUserName: endUser.displayName } : {}),
    });
  }

  async function checkIntegrations({ id }: Environment, body: Parameters<typeof refuseUnknown>[1]): Promise<void> {
    const known = await integrations.list(id);
    refuseUnknown(new Map(known.map((one) => [one.uniqueKey, integrations.explainHidden(one)])), body);
  }

  async function findConnection(
    environment: Environment,
    integrationKey: string,
    connectionId: string,
  ): Promise<StoredConnection | undefined> {
    const integration = await integrations.find(environment.id, integrationKey);
    return integration && connections.find(integration, connectionId);
  }

  return {
    create: createSession,
    /** Follows the pages that were open when the program ended: their links are valid still. */
    async start(): Promise<void> {
      const now = clock.now();
      for (const row of await sessionsStore.listLive(database.reader, now, MAX_FOLLOWED)) {
        const { content: sealed, environmentId, expiresAt, lookupHash, operationId } = row;
        const environment = environments.find(environmentId);
        const operation = environment && (await log.reopen(environmentId, operationId));
        if (!operation) continue;
        const content = vault.openJson<SessionContent>(sealed, contentContext(lookupHash));
        const start = () => startOperation(environment, content, expiresAt);
        operations.add(lookupHash, { operation, start }, expiresAt - now);
      }
    },
    stop: operations.stop,
    /** Creates the session with which a person connects one integration for an agent; `tags` are those of the connection. */
    async createForAgent(
      environment: Environment,
      agent: { agentSessionId: string; integrationKey: string; tags: Record<string, string> },
    ): Promise<IssuedSession> {
      const { agentSessionId, integrationKey, tags } = agent;
      return createSession(environment, { tags, allowed_integrations: [integrationKey] }, { agentSessionId });
    },
    /** Adds a listener that is called when a person has connected an integration for an agent session. */
    onAgentConnected(listener: AgentConnected): void {
      agentListeners.push(listener);
    },
    /** Creates a session that replaces the credentials of one connection. */
    async createReconnect(environment: Environment, body: ReconnectSessionBody): Promise<IssuedSession> {
      const { connection_id: connectionId, integration_id: integrationKey } = body;
      const connection = await findConnection(environment, integrationKey, connectionId);
      if (!connection)
        throw new HomeportError(
          'invalid_body',
          `The integration "${integrationKey}" has no connection "${connectionId}".`,
        );
      await checkIntegrations(environment, body);
      const content = toSessionContent(body, connection.endUser);
      return issue(environment, {
        ...content,
        allowedIntegrations: [integrationKey],
        reconnect: { integrationKey, connectionId },
      });
    },
    /** The session with this token; undefined when it is unknown, expired or deleted. */
    async find(token: string): Promise<ConnectSession | undefined> {
      const row = await sessionsStore.findLive(database.reader, vault.lookupHash(token), clock.now());
      const environment = row && environments.find(row.environmentId);
      if (!environment) return undefined;
      const { lookupHash, operationId, expiresAt } = row;
      return {
        ...vault.openJson<SessionContent>(row.content, contentContext(lookupHash)),
        lookupHash,
        environment,
        operationId,
        expiresAt,
      };
    },
    /** Whether the session is valid still. */
    async isOpen(lookupHash: string): Promise<boolean> {
      return (await sessionsStore.findLive(database.reader, lookupHash, clock.now())) !== undefined;
    },
    /**
     * The end user that the session shows: its own, or the one of the connection that it renews. Throws `not_found` when
     * that connection was deleted.
     */
    async getEndUser(session: ConnectSession): Promise<EndUserCopy | null> {
      if (!session.reconnect) return session.endUser ?? null;
      const { integrationKey, connectionId } = session.reconnect;
      const connection = await findConnection(session.environment, integrationKey, connectionId);
      if (!connection) throw new HomeportError('not_found', 'The connection of this session was deleted.');
      return session.endUser ?? connection.endUser;
    },
    /** Ends the session; its token is invalid at once. */
    async remove(session: ConnectSession): Promise<void> {
      await database.transaction((tx) => sessionsStore.remove(tx, session.lookupHash), { durable: true });
      operations.end(session.lookupHash, 'The session was closed without a connection.');
    },
    /**
     * Removes the sessions of a person whose connection was deleted (design.md 7.56). Those that still wait for the person
     * stay; resolves to whether there are any.
     */
    async removeOfPerson(of: SessionsOfPerson): Promise<boolean> {
      let hasOpen = false;
      let after = '';
      for (;;) {
        const page = { environmentId: of.environmentId, after, limit: SLICE };
        const rows = await sessionsStore.listOf(database.reader, page);
        const waiting = await of.listUnfinished(rows.map(({ operationId }) => operationId));
        for (const { content: sealed, expiresAt, lookupHash, operationId } of rows) {
          const content = vault.openJson<SessionContent>(sealed, contentContext(lookupHash));
          const { connectionId, integrationKey } = content.reconnect ?? {};
          const isUseless = connectionId === of.connectionId && integrationKey === of.integrationKey;
          if (!isUseless && !of.isOfPerson(content)) continue;
          if (!isUseless && expiresAt > clock.now() && waiting.has(operationId)) {
            hasOpen = true;
            continue;
          }
          await database.transaction((tx) => sessionsStore.remove(tx, lookupHash));
          operations.end(lookupHash, 'The connection of this session was deleted.');
        }
        if (rows.length < SLICE) return hasOpen;
        after = rows.at(-1)?.lookupHash ?? after;
      }
    },
    /** The log operation for an attempt that starts now. */
    operationIdFor({ lookupHash, operationId }: ConnectSession): string {
      return operations.openId(lookupHash) ?? operationId;
    },
    /** Ends the log operation of an attempt that created or renewed a connection, and tells the agent session that asked. */
    async noteSuccess(lookupHash: string, message: string, connection: ConnectedByPerson): Promise<void> {
      operations.succeed(lookupHash, message);
      const row = await sessionsStore.findLive(database.reader, lookupHash, clock.now());
      if (!row) return;
      const { agentSessionId } = vault.openJson<SessionContent>(row.content, contentContext(lookupHash));
      if (agentSessionId === undefined) return;
      for (const listener of agentListeners) await listener(agentSessionId, connection);
    },
    /** Ends the log operation of a failed attempt. */
    noteFailure: operations.fail,
    /** Logs a step of the page that the end user sees. */
    note(session: ConnectSession, { event, timestamp, dimensions }: Omit<TelemetryBody, 'token'>): void {
      const meta = { event, ...(dimensions?.integration === undefined ? {} : { integration: dimensions.integration }) };
      const operationId = operations.lastId(session.lookupHash) ?? session.operationId;
      log.attach(operationId).log({
        level: 'info',
        message: `Connect page: ${event}`,
        context: 'auth',
        meta,
        at: timestamp.getTime(),
      });
    },
  };
}

function contentContext(lookupHash: string): string {
  return `connect-session:${lookupHash}:content`;
}

/** The common members of both requests that create a session. */
type SessionBody = Omit<CreateSessionBody, 'allowed_integrations'> | ReconnectSessionBody;

/** The content of a session for a request; `stored` is the end user of the existing connection. */
function toSessionContent(body: SessionBody, stored: EndUserCopy | null): Omit<SessionContent, 'allowedIntegrations'> {
  const endUser = endUserOf(body, stored);
  const changesTags = body.end_user !== undefined || body.organization !== undefined || body.tags !== undefined;
  const { defaults, webhookUrl } = takeWebhookUrl(body.integrations_config_defaults);
  return {
    endUser,
    tags: changesTags ? mergeTags(endUser ?? null, { ...organizationTags(body), ...body.tags }) : undefined,
    configDefaults: defaults,
    overrides: body.overrides,
    webhookUrlOverride: body.webhook_url_override ?? webhookUrl,
  };
}

/**
 * One issue for each member that names an integration which does not exist (http-api.md 6) or cannot be used; `known`
 * gives the reason by key.
 */
function refuseUnknown(
  known: ReadonlyMap<string, string | undefined>,
  body: Pick<CreateSessionBody, 'allowed_integrations' | 'integrations_config_defaults' | 'overrides'>,
): void {
  const issues: Issue[] = [];
  const check = (uniqueKey: string, path: string[]): void => {
    const message = known.has(uniqueKey) ? known.get(uniqueKey) : `There is no integration "${uniqueKey}".`;
    if (message !== undefined) issues.push({ code: 'custom', message, path });
  };
  body.allowed_integrations?.forEach((key, index) => void check(key, ['allowed_integrations', String(index)]));
  for (const key of Object.keys(body.integrations_config_defaults ?? {}))
    check(key, ['integrations_config_defaults', key]);
  for (const key of Object.keys(body.overrides ?? {})) check(key, ['overrides', key]);
  if (issues.length > 0) throw new HomeportError('invalid_body', issues[0]?.message ?? '', { issues });
}

function endUserOf(
  { end_user: input, organization }: SessionBody,
  stored: EndUserCopy | null,
): EndUserCopy | undefined {
  if (!input) return undefined;
  const copy = toEndUserCopy(input, stored);
  return organization
    ? { ...copy, organization: { id: organization.id, displayName: organization.display_name ?? null } }
    : copy;
}

/** Tags of an organization that was sent without an end user. */
function organizationTags({ end_user: endUser, organization }: SessionBody): Record<string, string> {
  if (endUser || !organization) return {};
  const { id, display_name: name } = organization;
  return { organization_id: id, ...(name ? { organization_display_name: name } : {}) };
}

/** Separates `webhook_url` from the defaults: it is the older spelling of `webhook_url_override`. */
function takeWebhookUrl(sent: ConfigDefaults | undefined): {
  defaults: ConfigDefaults | undefined;
  webhookUrl: string | undefined;
} {
  if (!sent) return { defaults: undefined, webhookUrl: undefined };
  let found: string | undefined;
  const defaults: ConfigDefaults = {};
  for (const [key, { connection_config: config, ...rest }] of Object.entries(sent)) {
    if (!config) {
      defaults[key] = rest;
      continue;
    }
    const { webhook_url: webhookUrl, ...kept } = config;
    found ??= webhookUrl;
    defaults[key] = { ...rest, connection_config: kept };
  }
  return { defaults, webhookUrl: found };
}
