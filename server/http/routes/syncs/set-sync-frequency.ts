import { empty } from '../../../contract/api/fields.ts';
import { syncFrequencyBody } from '../../../contract/api/syncs.ts';
import type { SyncSchedulesService } from '../../../services/sync-schedules/sync-schedules-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function setSyncFrequency(use: { schedules: SyncSchedulesService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(syncFrequencyBody, request.body);
    const address = {
      environmentId: request.environment.id,
      providerConfigKey: body.provider_config_key,
      connectionId: body.connection_id,
      name: body.sync_name,
      variant: body.sync_variant,
    };
    return ok({ frequency: await use.schedules.commands.setFrequency(address, body.frequency) });
  };
}
