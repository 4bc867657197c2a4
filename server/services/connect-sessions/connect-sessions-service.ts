import type { CreateSessionBody, ReconnectSessionBody, TelemetryBody } from '../../contract/api/connect-sessions.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { HomeportError } from '../../lib/homeport-error.ts';
import type { Ids } from '../../lib/ids.ts';
import type { ConnectSessionsStore } from '../../stores/connect-sessions-store.ts';
import type { EndUserCopy } from '../../stores/connections-store.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { LogError, Operation, OperationLog } from '../logs/operation.ts';
import type { ConnectSession, SessionContent } from './connect-session.ts';
import { checkIntegrations, toSessionContent } from './session-content.ts';
import { SessionOperations } from './session-operations.ts';

export interface ConnectSessionsServiceOptions {
  database: Database;
  sessions: ConnectSessionsStore;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  log: OperationLog;
  environments: EnvironmentService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
}

/** A new session; its token is not kept. */
export interface IssuedSession {
  token: string;
  expiresAt: number;
}

/** Begins every token; the official clients know it (auth-and-connect.md 5.1). */
const TOKEN_PREFIX = 'nango_connect_session_';
const SESSION_MS = 30 * 60_000;
/** Ended sessions stay this long (auth-and-connect.md 5.1). */
const KEPT_MS = 31 * 24 * 3_600_000;

/** Sessions with which end users connect. */
export class ConnectSessionsService {
  readonly #options: ConnectSessionsServiceOptions;
  readonly #operations: SessionOperations;

  constructor(options: ConnectSessionsServiceOptions) {
    this.#options = options;
    this.#operations = new SessionOperations(options.clock);
  }

  stop(): void {
    this.#operations.stop();
  }

  async create(environment: Environment, body: CreateSessionBody): Promise<IssuedSession> {
    const { allowed_integrations: allowed = [] } = body;
    await this.#checkIntegrations(environment, body);
    return this.#issue(environment, { ...toSessionContent(body, null), allowedIntegrations: allowed });
  }

  /** A session that replaces the credentials of one connection. */
  async createReconnect(environment: Environment, body: ReconnectSessionBody): Promise<IssuedSession> {
    const { connection_id: connectionId, integration_id: integrationKey } = body;
    const connection = await this.#findConnection(environment, integrationKey, connectionId);
    if (!connection)
      throw new HomeportError(
        'invalid_body',
        `The integration "${integrationKey}" has no connection "${connectionId}".`,
      );
    await this.#checkIntegrations(environment, body);
    const content = toSessionContent(body, connection.endUser);
    return this.#issue(environment, {
      ...content,
      allowedIntegrations: [integrationKey],
      reconnect: { integrationKey, connectionId },
    });
  }

  /** The session of a token; undefined when it is unknown, expired or deleted. */
  async find(token: string): Promise<ConnectSession | undefined> {
    const { clock, database, environments, sessions, vault } = this.#options;
    const row = await sessions.findLive(database.reader, vault.lookupHash(token), clock.now());
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
  }

  /** The end user whom the session shows: its own, or the one of the connection that it renews. */
  async getEndUser(session: ConnectSession): Promise<EndUserCopy | null> {
    if (!session.reconnect) return session.endUser ?? null;
    const { integrationKey, connectionId } = session.reconnect;
    const connection = await this.#findConnection(session.environment, integrationKey, connectionId);
    if (!connection) throw new HomeportError('not_found', 'The connection of this session was deleted.');
    return session.endUser ?? connection.endUser;
  }

  /** The token stops working at once. */
  async remove(session: ConnectSession): Promise<void> {
    const { database, sessions } = this.#options;
    await database.transaction((tx) => sessions.remove(tx, session.lookupHash), { durable: true });
    this.#operations.end(session.lookupHash, 'The session was closed without a connection.');
  }

  /** What an attempt to connect came to, for the session's operation. */
  noteSuccess(lookupHash: string, message: string): void {
    this.#operations.succeed(lookupHash, message);
  }

  noteFailure(lookupHash: string, failure: LogError): void {
    this.#operations.fail(lookupHash, failure);
  }

  /** A step of the page that the end user sees, for the log. */
  note(session: ConnectSession, { event, timestamp, dimensions }: Omit<TelemetryBody, 'token'>): void {
    const meta = { event, ...(dimensions?.integration === undefined ? {} : { integration: dimensions.integration }) };
    this.#options.log.attach(session.operationId).log({
      level: 'info',
      message: `Connect page: ${event}`,
      context: 'auth',
      meta,
      at: timestamp.getTime(),
    });
  }

  async #issue(environment: Environment, content: SessionContent): Promise<IssuedSession> {
    const { clock, database, ids, sessions, vault } = this.#options;
    const token = `${TOKEN_PREFIX}${ids.hex(32)}`;
    const lookupHash = vault.lookupHash(token);
    const createdAt = clock.now();
    const expiresAt = createdAt + SESSION_MS;
    const operation = this.#startOperation(environment, content, expiresAt);
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
      await sessions.removeOlderThan(tx, createdAt - KEPT_MS);
      await sessions.insert(tx, row);
    });
    this.#operations.add(lookupHash, operation, SESSION_MS);
    return { token, expiresAt };
  }

  #startOperation(environment: Environment, { endUser, reconnect }: SessionContent, expiresAt: number): Operation {
    return this.#options.log.start({
      environmentId: environment.id,
      type: 'auth',
      action: 'create_connection',
      state: 'waiting',
      message: reconnect ? `Reconnect ${reconnect.connectionId}` : 'Create connection',
      trigger: 'api',
      expiresAt,
      ...(reconnect ? { integrationKey: reconnect.integrationKey, connectionId: reconnect.connectionId } : {}),
      ...(endUser ? { endUserId: endUser.id } : {}),
      ...(endUser?.displayName ? { endUserName: endUser.displayName } : {}),
    });
  }

  async #checkIntegrations({ id }: Environment, body: Parameters<typeof checkIntegrations>[1]): Promise<void> {
    const { integrations } = this.#options;
    const known = await integrations.list(id);
    checkIntegrations(new Map(known.map((one) => [one.uniqueKey, integrations.explainHidden(one)])), body);
  }

  async #findConnection(
    environment: Environment,
    integrationKey: string,
    connectionId: string,
  ): Promise<Connection | undefined> {
    const { connections, integrations } = this.#options;
    const integration = await integrations.find(environment.id, integrationKey);
    return integration && connections.find(integration, connectionId);
  }
}

function contentContext(lookupHash: string): string {
  return `connect-session:${lookupHash}:content`;
}
