import { empty } from '../../../contract/api/fields.ts';
import { syncCommandBody } from '../../../contract/api/syncs.ts';
import type { SyncSchedulesService } from '../../../services/sync-schedules/sync-schedules-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** `POST /sync/start` and `POST /sync/pause`. */
export function changeSchedules(use: { schedules: SyncSchedulesService }, command: 'start' | 'pause'): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(syncCommandBody, request.body);
    await use.schedules.commands[command]({
      environmentId: request.environment.id,
      providerConfigKey: body.provider_config_key,
      ...(body.connection_id === undefined ? {} : { connectionId: body.connection_id }),
      syncs: body.syncs,
      trigger: 'api',
    });
    return ok({ success: true });
  };
}
