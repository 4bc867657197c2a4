import type { Writable } from '../../database/database.ts';
import type { HomeportError } from '../../lib/homeport-error.ts';
import type { Connection } from '../connections/connection.ts';
import type { Environment } from '../environment/environment-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { ConnectionEvent } from './connection-creation.ts';

/** Whom a success or failure of authorization concerns. */
export interface NewsPlace {
  environment: Environment;
  integration: Integration;
  connection: Connection;
}

/** Tells the caller's application what became of connections (auth-and-connect.md 4.8). */
export class AuthNews {
  async succeeded(_tx: Writable, _place: NewsPlace, _event: ConnectionEvent): Promise<void> {}

  async failed(_place: NewsPlace, _event: ConnectionEvent, _failure: HomeportError): Promise<void> {}
}
