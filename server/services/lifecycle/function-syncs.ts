import type { Writable } from '../../database/database.ts';
import type { Connection } from '../connections/connection.ts';
import type { Integration } from '../integrations/integration.ts';

/** placeholder until sync-schedules lands */
export interface FunctionSyncs {
  listEnabled(environmentId: number, integrationKey: string): Promise<unknown[]>;
  createForConnection(tx: Writable, integration: Integration, connection: Connection, syncs: unknown[]): Promise<void>;
  removeConnections(tx: Writable, ids: number[]): Promise<void>;
}
