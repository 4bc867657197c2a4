import { syncStatusQuery, toSyncRef } from '../../../contract/api/syncs.ts';
import type { SyncSchedulesService } from '../../../services/sync-schedules/sync-schedules-service.ts';
import { presentSyncStatus } from '../../present/sync-status.ts';
import { type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function getSyncStatus(use: { schedules: SyncSchedulesService }): Handler {
  return async (request) => {
    const query = validateQuery(syncStatusQuery, request.query);
    const names = query.syncs === '*' ? [] : query.syncs.split(',').map((name) => name.trim());
    const statuses = await use.schedules.statuses.list({
      environmentId: request.environment.id,
      providerConfigKey: query.provider_config_key,
      ...(query.connection_id === undefined ? {} : { connectionId: query.connection_id }),
      syncs: names.map(toSyncRef),
    });
    return ok({ syncs: statuses.map(presentSyncStatus) });
  };
}
