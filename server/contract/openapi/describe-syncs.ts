import { z } from 'zod';
import { success } from '../api/answers/answer-fields.ts';
import { syncFrequencyAnswer, syncStatusAnswer, syncVariantAnswer } from '../api/answers/sync-answers.ts';
import { empty } from '../api/fields.ts';
import {
  syncCommandBody,
  syncFrequencyBody,
  syncStatusQuery,
  syncVariantBody,
  syncVariantParams,
  triggerSyncBody,
} from '../api/syncs.ts';
import type { RouteDescription } from './route-description.ts';

const COMMAND_ERRORS = ['unknown_provider_config', [404, 'unknown_connection'], 'no_syncs_found'] as const;

const command = {
  tag: 'Syncs',
  details: 'Without `connection_id` every connection of the integration is meant, with an empty list every sync.',
  access: 'key',
  scopes: ['syncs:execute'],
  query: empty,
  body: syncCommandBody,
  answers: { 200: success },
  errors: COMMAND_ERRORS,
} as const;

export const SYNC_ROUTES = {
  'POST /sync/trigger': {
    ...command,
    id: 'triggerSync',
    summary: 'Run syncs now',
    body: triggerSyncBody,
    // Read where the body does not name them.
    headers: z.object({ 'provider-config-key': z.string().optional(), 'connection-id': z.string().optional() }),
    unchecked: ['headers'],
    errors: [...COMMAND_ERRORS, 'missing_provider_config_key'],
  },
  'POST /sync/start': { ...command, id: 'startSync', summary: 'Start schedules' },
  'POST /sync/pause': { ...command, id: 'pauseSync', summary: 'Pause schedules' },
  'GET /sync/status': {
    id: 'getSyncStatus',
    tag: 'Syncs',
    summary: 'Get the state of syncs',
    details: '`syncs` is `*` or a comma list of names, each with `::variant` if need be.',
    access: 'key',
    scopes: ['syncs:read'],
    query: syncStatusQuery,
    answers: { 200: syncStatusAnswer },
    errors: ['invalid_body'],
  },
  'PUT /sync/update-connection-frequency': {
    id: 'setSyncFrequency',
    tag: 'Syncs',
    summary: 'Change how often a sync runs',
    details: '`null` goes back to what the function says; at least 30 seconds.',
    access: 'key',
    scopes: ['syncs:update'],
    query: empty,
    body: syncFrequencyBody,
    answers: { 200: syncFrequencyAnswer },
    errors: ['unknown_connection', 'unknown_sync'],
  },
  'POST /sync/:name/variant/:variant': {
    id: 'createSyncVariant',
    tag: 'Syncs',
    summary: 'Create a variant of a sync',
    access: 'key',
    scopes: ['syncs:variant:create'],
    params: syncVariantParams,
    query: empty,
    body: syncVariantBody,
    answers: { 200: syncVariantAnswer },
    errors: [
      'invalid_variant',
      'unknown_connection',
      'resource_capped',
      'sync_variant_already_exists',
      'unknown_sync',
      'failed_sync_variant_creation',
    ],
  },
  'DELETE /sync/:name/variant/:variant': {
    id: 'deleteSyncVariant',
    tag: 'Syncs',
    summary: 'Delete a variant of a sync',
    access: 'key',
    scopes: ['syncs:variant:delete'],
    params: syncVariantParams,
    query: empty,
    body: syncVariantBody,
    answers: { 200: success },
    errors: ['invalid_variant', 'unknown_connection', 'not_found', 'failed_sync_variant_deletion'],
  },
} as const satisfies Record<string, RouteDescription>;
