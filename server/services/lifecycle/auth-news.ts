import type { Writable } from '../../database/database.ts';
import type { Connection, EndUserCopy } from '../connections/connection.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { ConnectionEvent } from './connection-creation.ts';

/** Whom a success of authorization concerns. */
export interface NewsPlace {
  environment: Environment;
  integration: Integration;
  connection: Connection;
}

/** An attempt that made no connection. */
export interface FailedAttempt {
  environment: Environment;
  integration: Integration;
  connectionId: string;
  session: {
    endUser?: EndUserCopy | undefined;
    tags?: Record<string, string> | undefined;
    webhookUrlOverride?: string | undefined;
  };
}

export interface NewsError {
  type: string;
  description: string;
}

/** Tells the caller's application what became of connections (auth-and-connect.md 4.8). */
export class AuthNews {
  async succeeded(_tx: Writable, _place: NewsPlace, _event: ConnectionEvent): Promise<void> {}

  async failed(_place: NewsPlace, _event: ConnectionEvent, _error: NewsError): Promise<void> {}

  async attemptFailed(_attempt: FailedAttempt, _event: ConnectionEvent, _error: NewsError): Promise<void> {}
}
