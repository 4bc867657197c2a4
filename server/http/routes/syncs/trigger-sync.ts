import { empty } from '../../../contract/api/fields.ts';
import { type TriggerSyncBody, triggerSyncBody } from '../../../contract/api/syncs.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { SyncSchedulesService } from '../../../services/sync-schedules/sync-schedules-service.ts';
import { type ApiRequest, type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function triggerSync(use: { schedules: SyncSchedulesService }): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(triggerSyncBody, request.body);
    const providerConfigKey = body.provider_config_key ?? headerOf(request, 'provider-config-key');
    if (!providerConfigKey) {
      throw new HomeportError(
        'missing_provider_config_key',
        'Name the integration: provider_config_key in the body, or the header Provider-Config-Key.',
        {
          payload: {},
        },
      );
    }
    const connectionId = body.connection_id ?? headerOf(request, 'connection-id');
    await use.schedules.commands.trigger({
      environmentId: request.environment.id,
      providerConfigKey,
      ...(connectionId === undefined ? {} : { connectionId }),
      syncs: body.syncs,
      trigger: 'api',
      ...resetOf(body),
    });
    return ok({ success: true });
  };
}

/** The current option, or what the older spellings mean by it (syncs-and-records.md 1.7). */
function resetOf(body: TriggerSyncBody): { reset: boolean; emptyCache: boolean } {
  if (body.opts)
    return { reset: body.opts.reset === true, emptyCache: body.opts.reset === true && body.opts.emptyCache === true };
  if (body.sync_mode !== undefined) {
    return { reset: body.sync_mode !== 'incremental', emptyCache: body.sync_mode === 'full_refresh_and_clear_cache' };
  }
  return { reset: body.full_resync === true, emptyCache: false };
}

function headerOf({ http }: ApiRequest, name: string): string | undefined {
  const value = http.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
