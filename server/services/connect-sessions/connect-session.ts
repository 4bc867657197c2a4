import type { CreateSessionBody } from '../../contract/api/connect-sessions.ts';
import type { EndUserCopy } from '../../stores/connections-store.ts';
import type { Environment } from '../environment/environment-service.ts';

export type ConfigDefaults = NonNullable<CreateSessionBody['integrations_config_defaults']>;
export type SessionOverrides = NonNullable<CreateSessionBody['overrides']>;

/** What a session allows, and what connections made with it get. Sealed at rest: defaults may hold client secrets. */
export interface SessionContent {
  /** Undefined on a reconnection that leaves the connection's end user alone. */
  endUser?: EndUserCopy | undefined;
  /** Undefined likewise. */
  tags?: Record<string, string> | undefined;
  /** Empty = all. */
  allowedIntegrations: string[];
  configDefaults?: ConfigDefaults | undefined;
  overrides?: SessionOverrides | undefined;
  webhookUrlOverride?: string | undefined;
  /** The connection whose credentials are replaced. */
  reconnect?: { integrationKey: string; connectionId: string } | undefined;
}

/** A session as its token opens it. */
export interface ConnectSession extends SessionContent {
  /** Names the session where its token must not appear. */
  lookupHash: string;
  environment: Environment;
  /** The log operation of everything that happens with the session. */
  operationId: string;
  expiresAt: number;
}
