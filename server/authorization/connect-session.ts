import type { EndUserCopy } from '../connections/connections.store.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { CreateSessionBody } from './connect-sessions.contract.ts';

export type ConfigDefaults = NonNullable<CreateSessionBody['integrations_config_defaults']>;
export type SessionOverrides = NonNullable<CreateSessionBody['overrides']>;

/** What a session allows, and what its connections get. Sealed at rest, because defaults may hold client secrets. */
export interface SessionContent {
  /** Undefined for a reconnection that keeps the connection's end user. */
  endUser?: EndUserCopy | undefined;
  /** Undefined for a reconnection that keeps the connection's tags. */
  tags?: Record<string, string> | undefined;
  /** Empty means all. */
  allowedIntegrations: string[];
  configDefaults?: ConfigDefaults | undefined;
  overrides?: SessionOverrides | undefined;
  webhookUrlOverride?: string | undefined;
  /** The agent session for which the person connects. */
  agentSessionId?: string | undefined;
  /** The connection whose credentials will be replaced. */
  reconnect?: { integrationKey: string; connectionId: string } | undefined;
}

/** Whose sessions are removed after a connection was deleted. */
export interface SessionsOfPerson {
  environmentId: number;
  /** The deleted connection; sessions that renew it are useless. */
  integrationKey: string;
  connectionId: string;
  isOfPerson(content: unknown): boolean;
  /** The operations of these that have not ended. */
  listUnfinished(operationIds: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A session as it is found by its token. */
export interface ConnectSession extends SessionContent {
  /** Identifies the session where its token must not appear. */
  lookupHash: string;
  environment: Environment;
  /** The log operation of its first attempt. */
  operationId: string;
  expiresAt: number;
}
