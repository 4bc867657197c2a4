import type { ConnectionsService } from '../connections/connections.service.ts';
import type { AuditAct } from '../environments/audit.service.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LifecycleService } from '../lifecycle/lifecycle.service.ts';
import type { SyncAddress, SyncSchedulesService } from '../syncs/sync-schedules.service.ts';
import type { NotificationsService } from '../webhooks-out/notifications.service.ts';

/** An object that a person deletes, by its names. */
export type DeletedObject =
  | { kind: 'connection'; integrationKey: string; connectionId: string }
  | { kind: 'integration'; integrationKey: string }
  | { kind: 'variant'; integrationKey: string; connectionId: string; sync: string; variant: string }
  | { kind: 'destination'; destinationId: string };

export interface DeletionUses {
  connections: Pick<ConnectionsService, 'find'>;
  integrations: Pick<IntegrationsService, 'find'>;
  lifecycle: Pick<LifecycleService, 'deleteConnection' | 'deleteIntegration'>;
  notifications: Pick<NotificationsService, 'destinations'>;
  schedules: Pick<SyncSchedulesService, 'variants'>;
}

/** Id of the object's row; undefined when there is no such object. */
export async function findObject(
  use: DeletionUses,
  environment: Environment,
  object: DeletedObject,
): Promise<string | undefined> {
  if (object.kind === 'destination') {
    const all = await use.notifications.destinations.list(environment.id);
    return all.find(({ id }) => id === object.destinationId)?.id;
  }
  const integration = await use.integrations.find(environment.id, object.integrationKey);
  if (!integration || object.kind === 'integration') return integration && String(integration.id);
  const connection = await use.connections.find(integration, object.connectionId);
  if (!connection || object.kind === 'connection') return connection && String(connection.id);
  return use.schedules.variants.findId(addressOf(environment, object));
}

export async function deleteObject(use: DeletionUses, environment: Environment, object: DeletedObject): Promise<void> {
  switch (object.kind) {
    case 'connection':
      await use.lifecycle.deleteConnection(environment, object.integrationKey, object.connectionId);
      return;
    case 'integration':
      return use.lifecycle.deleteIntegration(environment, object.integrationKey);
    case 'variant':
      return use.schedules.variants.remove(addressOf(environment, object));
    case 'destination':
      return use.notifications.destinations.remove(environment.id, object.destinationId);
  }
}

/** What the audit says of the deletion; undefined for kinds that it does not record. */
export function auditOf(environment: Environment, object: DeletedObject): AuditAct | undefined {
  const environmentId = environment.id;
  switch (object.kind) {
    case 'connection':
      return {
        action: 'connection_deleted',
        environmentId,
        integrationKey: object.integrationKey,
        connectionId: object.connectionId,
      };
    case 'integration':
      return { action: 'integration_deleted', environmentId, integrationKey: object.integrationKey };
    case 'destination':
      return { action: 'settings_changed', environmentId, subject: 'webhook destination deleted' };
    case 'variant':
      return undefined;
  }
}

function addressOf(environment: Environment, object: DeletedObject & { kind: 'variant' }): SyncAddress {
  return {
    environmentId: environment.id,
    providerConfigKey: object.integrationKey,
    connectionId: object.connectionId,
    name: object.sync,
    variant: object.variant,
  };
}
