import type { StoredConnection } from '../connections/connection.ts';
import type { ConnectionsService } from '../connections/connections.service.ts';
import type { DeployedFunction, DeploymentChange } from '../functions/deployments/deployed-function.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { Database, Transaction } from '../platform/database/database.ts';
import type { MaybePromise } from '../platform/lib/maybe-promise.ts';
import {
  type SyncDefinition,
  type SyncOwner,
  type SyncSchedulesService,
  toSyncDefinition,
} from '../syncs/sync-schedules.service.ts';

export type FunctionSyncs = ReturnType<typeof createFunctionSyncs>;

/** Keeps the syncs of connections consistent with the functions of the workspace (syncs-and-records.md 1.4, 1.12). */
export function createFunctionSyncs({
  database,
  integrations,
  connections,
  deployments,
  schedules,
}: {
  database: Database;
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  schedules: SyncSchedulesService;
}) {
  /** Live and switched-on syncs of an integration. */
  async function listEnabled(environmentId: number, integrationKey: string): Promise<SyncDefinition[]> {
    return (await deployments.triggers.listSyncs(environmentId, integrationKey)).map(toSyncDefinition);
  }

  /** As `createForConnection`, for a connection that this transaction has stored. */
  async function createForStored(
    tx: Transaction,
    integration: Integration,
    connection: Pick<StoredConnection, 'id' | 'connectionId'>,
    { isNew }: { isNew: boolean },
  ): Promise<void> {
    const { creation } = schedules;
    const syncs = await listEnabled(integration.environmentId, integration.uniqueKey);
    const owner = ownerOf(integration, connection);
    await (isNew ? creation.createForNew(tx, owner, syncs) : creation.createForConnection(tx, owner, syncs));
  }

  function integrationOf({ environmentId, integrationKey }: DeployedFunction): MaybePromise<Integration | undefined> {
    return integrations.find(environmentId, integrationKey);
  }

  async function listOwners(integration: Integration): Promise<SyncOwner[]> {
    const all = await connections.listOfIntegration(integration.id);
    return all.map((connection) => ownerOf(integration, connection));
  }

  return {
    listEnabled,
    createForStored,
    /**
     * Creates every enabled sync of the integration, as read inside the transaction, for a connection that still exists.
     */
    async createForConnection(tx: Transaction, integration: Integration, connection: StoredConnection): Promise<void> {
      if (await connections.findByRowId(connection.id))
        await createForStored(tx, integration, connection, { isNew: false });
    },
    removeConnections(tx: Transaction, connectionRowIds: number[]): Promise<void> {
      return schedules.creation.removeConnections(tx, connectionRowIds);
    },
    /** Applies a change of a function to its syncs, if the integration exists. */
    async follow(tx: Transaction, change: DeploymentChange): Promise<void> {
      const { definition, isEnabled } = change.function;
      // Type errors do not change what runs.
      if (change.kind === 'broken' || change.kind === 'checked' || definition?.type !== 'sync') return;
      const integration = await integrationOf(change.function);
      if (!integration) return;
      const { creation } = schedules;
      const sync = toSyncDefinition(definition);
      if (change.kind === 'removed') {
        const models = sync.models.filter((model) => !change.keptModels?.includes(model));
        await creation.functionRemoved(tx, integration.id, { ...sync, models });
      } else if (change.kind === 'missing') await creation.functionSuspended(tx, integration.id, sync.name);
      else if (isEnabled) await creation.functionResumed(tx, integration.id, sync, await listOwners(integration));
    },
    /** A sync that is switched off keeps its state; switched on again, it continues (design.md 7.46). Returns false when it was so already. */
    async setEnabled(deployed: DeployedFunction, isEnabled: boolean): Promise<boolean> {
      return database.transaction(async (tx) => {
        const isChanged = await deployments.setEnabled(tx, deployed, isEnabled);
        const { definition, missingSince, name } = deployed;
        const integration = await integrationOf(deployed);
        // Without its file the function does not run in either case.
        if (!integration || definition?.type !== 'sync' || missingSince !== null) return isChanged;
        const { creation } = schedules;
        if (!isEnabled) await creation.functionSuspended(tx, integration.id, name);
        else {
          const owners = await listOwners(integration);
          await creation.functionResumed(tx, integration.id, toSyncDefinition(definition), owners);
        }
        return isChanged;
      });
    },
  };
}

function ownerOf(integration: Integration, connection: { id: number; connectionId: string }): SyncOwner {
  return {
    environmentId: integration.environmentId,
    integrationId: integration.id,
    connectionRowId: connection.id,
    connectionId: connection.connectionId,
  };
}
