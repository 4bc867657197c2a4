import { empty } from '../../../contract/api/fields.ts';
import { syncVariantBody, syncVariantParams } from '../../../contract/api/syncs.ts';
import type { SyncAddress, SyncSchedulesService } from '../../../services/sync-schedules/sync-schedules-service.ts';
import { type ApiRequest, type Handler, ok } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';

export function createSyncVariant(use: { schedules: SyncSchedulesService }): Handler {
  return async (request) => ok(await use.schedules.variants.create(addressOf(request)));
}

export function deleteSyncVariant(use: { schedules: SyncSchedulesService }): Handler {
  return async (request) => {
    await use.schedules.variants.remove(addressOf(request));
    return ok({ success: true });
  };
}

/** Body, then path, then query (http-api.md 10). */
function addressOf(request: ApiRequest): SyncAddress {
  const body = validateBody(syncVariantBody, request.body);
  const { name, variant } = validateParams(syncVariantParams, request.params);
  validateQuery(empty, request.query);
  return {
    environmentId: request.environment.id,
    providerConfigKey: body.provider_config_key,
    connectionId: body.connection_id,
    name,
    variant,
  };
}
