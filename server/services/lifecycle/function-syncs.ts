import type { Database, Writable } from '../../database/database.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections-service.ts';
import type { DeployedFunction, DeploymentChange, ParsedSync } from '../deployments/deployed-function.ts';
import type { DeploymentsService } from '../deployments/deployments-service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { SyncDefinition, SyncOwner, SyncSchedulesService } from '../sync-schedules/sync-schedules-service.ts';

export interface FunctionSyncsOptions {
  database: Database;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  schedules: SyncSchedulesService;
}

/** Keeps the syncs of connections in step with the functions of the workspace (syncs-and-records.md 1.4, 1.12). */
export class FunctionSyncs {
  readonly #options: FunctionSyncsOptions;

  constructor(options: FunctionSyncsOptions) {
    this.#options = options;
  }

  /** Syncs of an integration that are live and switched on. */
  async listEnabled(environmentId: number, integrationKey: string): Promise<SyncDefinition[]> {
    const all = await this.#options.deployments.list(environmentId, integrationKey);
    return all.flatMap((one) =>
      one.isEnabled && one.definition?.type === 'sync' ? [toSyncDefinition(one.definition)] : [],
    );
  }

  /** Every enabled sync of the integration, as it is inside the transaction, for a connection that still is there. */
  async createForConnection(tx: Writable, integration: Integration, connection: Connection): Promise<void> {
    const { connections, schedules } = this.#options;
    if (!(await connections.findByRowId(connection.id))) return;
    const syncs = await this.listEnabled(integration.environmentId, integration.uniqueKey);
    await schedules.creation.createForConnection(tx, ownerOf(integration, connection), syncs);
  }

  removeConnections(tx: Writable, connectionRowIds: number[]): Promise<void> {
    return this.#options.schedules.creation.removeConnections(tx, connectionRowIds);
  }

  /** What a change of the functions does to syncs, if the integration exists. */
  async follow(tx: Writable, change: DeploymentChange): Promise<void> {
    const { definition, isEnabled } = change.function;
    // Types change nothing about what runs.
    if (change.kind === 'broken' || change.kind === 'checked' || definition?.type !== 'sync') return;
    const place = await this.#placeOf(change.function);
    if (!place) return;
    const { integration, owners } = place;
    const { creation } = this.#options.schedules;
    const sync = toSyncDefinition(definition);
    if (change.kind === 'removed') await creation.functionRemoved(tx, integration.id, sync);
    else if (isEnabled) await creation.functionDeployed(tx, integration.id, sync, owners);
  }

  /** Switching a sync off ends its schedules; switching it on again brings them back. */
  async setEnabled(deployed: DeployedFunction, isEnabled: boolean): Promise<void> {
    const { database, deployments, schedules } = this.#options;
    await database.transaction(async (tx) => {
      await deployments.setEnabled(tx, deployed, isEnabled);
      const place = await this.#placeOf(deployed);
      const { definition } = deployed;
      if (!place || definition?.type !== 'sync') return;
      const { integration, owners } = place;
      const { creation } = schedules;
      if (isEnabled) await creation.functionEnabled(tx, integration.id, toSyncDefinition(definition), owners);
      else await creation.functionDisabled(tx, integration.id, deployed.name);
    });
  }

  async #placeOf(deployed: DeployedFunction): Promise<{ integration: Integration; owners: SyncOwner[] } | undefined> {
    const integration = await this.#options.integrations.find(deployed.environmentId, deployed.integrationKey);
    if (!integration) return undefined;
    const all = await this.#options.connections.listOfIntegration(integration.id);
    return { integration, owners: all.map((connection) => ownerOf(integration, connection)) };
  }
}

function ownerOf(integration: Integration, connection: { id: number; connectionId: string }): SyncOwner {
  return {
    environmentId: integration.environmentId,
    integrationId: integration.id,
    connectionRowId: connection.id,
    connectionId: connection.connectionId,
  };
}

export function toSyncDefinition(definition: ParsedSync): SyncDefinition {
  return {
    name: definition.name,
    models: definition.output,
    type: definition.sync_type,
    frequency: definition.runs,
    autoStart: definition.auto_start,
    trackDeletes: definition.track_deletes,
  };
}
