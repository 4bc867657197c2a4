import { z } from 'zod';
import { empty } from '../contract/fields.ts';
import { success } from '../contract/response-fields.ts';
import { PRACTICE_CONNECTION } from '../functions/practice-examples.api.ts';
import { byBody, inBody, inHeaders, inQuery } from '../platform/http/connection-limits.ts';
import { type ApiRequest, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { mapInSlices } from '../platform/lib/event-loop-slices.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { SyncAddress, SyncSchedulesService } from './sync-schedules.service.ts';
import { presentSyncStatus } from './sync-status.present.ts';
import {
  syncCommandBody,
  syncFrequencyBody,
  syncFrequencyResponse,
  syncStatusQuery,
  syncStatusResponse,
  syncVariantBody,
  syncVariantParams,
  syncVariantResponse,
  type TriggerSyncBody,
  toSyncRef,
  triggerSyncBody,
} from './syncs.contract.ts';

/** Of a status without its names, about. */
const STATUS_CHARACTERS = 300;

export interface SyncsApiDeps {
  schedules: SyncSchedulesService;
}

const COMMAND_ERRORS = ['unknown_provider_config', [404, 'unknown_connection'], 'no_syncs_found'] as const;

const COMMAND = {
  tag: 'Syncs',
  details: 'Without `connection_id` every connection of the integration is meant, with an empty list every sync.',
  query: empty,
  body: syncCommandBody,
  responses: { 200: success },
  errors: COMMAND_ERRORS,
} as const;

const COMMAND_EXAMPLE = { body: { ...PRACTICE_CONNECTION, syncs: ['fetch-issues'] } };
const VARIANT_EXAMPLE = { path: '/sync/fetch-issues/variant/second', body: PRACTICE_CONNECTION };

/** Schedules of syncs, and variants (http-api.md 10). */
export function syncsApi(use: SyncsApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/sync/trigger',
      access: 'key',
      scopes: ['environment:syncs:execute'],
      // Without a connection the call means every connection of the integration.
      limitedKeys: {
        connections: (call) => [
          {
            integrationKey: inBody(call, 'provider_config_key') ?? inHeaders(call, 'provider-config-key'),
            connectionId: inBody(call, 'connection_id') ?? inHeaders(call, 'connection-id'),
          },
        ],
      },
      handler: triggerSync(use),
      openapi: {
        ...COMMAND,
        id: 'triggerSync',
        summary: 'Run syncs now',
        body: triggerSyncBody,
        // Used when the body does not name them.
        headers: z.object({ 'provider-config-key': z.string().optional(), 'connection-id': z.string().optional() }),
        unchecked: ['headers'],
        errors: [...COMMAND_ERRORS, 'missing_provider_config_key'],
        example: COMMAND_EXAMPLE,
      },
    },
    {
      method: 'post',
      path: '/sync/start',
      access: 'key',
      scopes: ['environment:syncs:execute'],
      limitedKeys: byBody,
      handler: changeSchedules(use, 'start'),
      openapi: {
        ...COMMAND,
        id: 'startSync',
        summary: 'Start schedules',
        example: COMMAND_EXAMPLE,
      },
    },
    {
      method: 'post',
      path: '/sync/pause',
      access: 'key',
      scopes: ['environment:syncs:execute'],
      limitedKeys: byBody,
      handler: changeSchedules(use, 'pause'),
      openapi: {
        ...COMMAND,
        id: 'pauseSync',
        summary: 'Pause schedules',
        example: COMMAND_EXAMPLE,
      },
    },
    {
      method: 'get',
      path: '/sync/status',
      access: 'key',
      scopes: ['environment:syncs:read'],
      limitedKeys: {
        connections: (call) => [
          { integrationKey: inQuery(call, 'provider_config_key'), connectionId: inQuery(call, 'connection_id') },
        ],
      },
      handler: getSyncStatus(use),
      openapi: {
        id: 'getSyncStatus',
        tag: 'Syncs',
        summary: 'Get the state of syncs',
        details: '`syncs` is `*` or a comma list of names, each with `::variant` if need be.',
        query: syncStatusQuery,
        responses: { 200: syncStatusResponse },
        errors: ['invalid_body'],
        example: { path: '/sync/status?provider_config_key=practice&connection_id=me&syncs=*' },
      },
    },
    {
      method: 'put',
      path: '/sync/update-connection-frequency',
      access: 'key',
      scopes: ['environment:syncs:update'],
      limitedKeys: byBody,
      handler: setSyncFrequency(use),
      openapi: {
        id: 'setSyncFrequency',
        tag: 'Syncs',
        summary: 'Change how often a sync runs',
        details: '`null` restores the function’s frequency; the minimum is 30 seconds.',
        query: empty,
        body: syncFrequencyBody,
        responses: { 200: syncFrequencyResponse },
        errors: ['unknown_connection', 'unknown_sync'],
        example: {
          body: { ...PRACTICE_CONNECTION, sync_name: 'fetch-issues', frequency: 'every 30 minutes' },
        },
      },
    },
    {
      method: 'post',
      path: '/sync/:name/variant/:variant',
      access: 'key',
      scopes: ['environment:syncs:variant:create'],
      limitedKeys: byBody,
      handler: createSyncVariant(use),
      openapi: {
        id: 'createSyncVariant',
        tag: 'Syncs',
        summary: 'Create a variant of a sync',
        params: syncVariantParams,
        query: empty,
        body: syncVariantBody,
        responses: { 200: syncVariantResponse },
        errors: [
          'invalid_variant',
          'unknown_connection',
          'resource_capped',
          'sync_variant_already_exists',
          'unknown_sync',
          'failed_sync_variant_creation',
        ],
        example: VARIANT_EXAMPLE,
      },
    },
    {
      method: 'delete',
      path: '/sync/:name/variant/:variant',
      access: 'key',
      scopes: ['environment:syncs:variant:delete'],
      limitedKeys: byBody,
      handler: deleteSyncVariant(use),
      openapi: {
        id: 'deleteSyncVariant',
        tag: 'Syncs',
        summary: 'Delete a variant of a sync',
        params: syncVariantParams,
        query: empty,
        body: syncVariantBody,
        responses: { 200: success },
        errors: ['invalid_variant', 'unknown_connection', 'not_found', 'failed_sync_variant_deletion'],
        example: VARIANT_EXAMPLE,
      },
    },
  ];
}

function triggerSync(use: SyncsApiDeps): Handler {
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

/** Reads the current option, or the older spellings of it (syncs-and-records.md 1.7). */
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

/** `POST /sync/start` and `POST /sync/pause`. */
function changeSchedules(use: SyncsApiDeps, command: 'start' | 'pause'): Handler {
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

function getSyncStatus(use: SyncsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(syncStatusQuery, request.query);
    const names = query.syncs === '*' ? [] : query.syncs.split(',').map((name) => name.trim());
    const statuses = await use.schedules.statuses.list({
      environmentId: request.environment.id,
      providerConfigKey: query.provider_config_key,
      ...(query.connection_id === undefined ? {} : { connectionId: query.connection_id }),
      syncs: names.map(toSyncRef),
    });
    const texts = await mapInSlices(
      statuses,
      ({ connectionId }) => STATUS_CHARACTERS + connectionId.length,
      (status) => JSON.stringify(presentSyncStatus(status)),
    );
    return { status: 200, text: `{"syncs":[${texts.join(',')}]}` };
  };
}

function setSyncFrequency(use: SyncsApiDeps): Handler {
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

function createSyncVariant(use: SyncsApiDeps): Handler {
  return async (request) => ok(await use.schedules.variants.create(addressOf(request)));
}

function deleteSyncVariant(use: SyncsApiDeps): Handler {
  return async (request) => {
    await use.schedules.variants.remove(addressOf(request));
    return ok({ success: true });
  };
}

/** Reads the address from the body, else the path, else the query (http-api.md 10). */
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
