import { z } from 'zod';
import { openObject } from '../api/answers/answer-fields.ts';
import { flatImportAnswer } from '../api/answers/connection-answers.ts';
import { connectionParams } from '../api/connections.ts';
import { jsonObject } from '../api/fields.ts';
import { flatImportBody } from '../api/flat-import.ts';
import { CONNECTION_ROUTES, IMPORT_ERRORS } from './describe-connections.ts';
import type { RouteDescription } from './route-description.ts';

/** The integration is named in either place; the handler reads what is there. */
const oneMetadata = {
  tag: 'Connections',
  access: 'key',
  scopes: ['connections:update'],
  details: 'The integration is named in the query or by the header.',
  params: connectionParams,
  query: z.object({ provider_config_key: z.string().optional() }),
  headers: z.object({ 'provider-config-key': z.string().optional() }),
  unchecked: ['query', 'headers'],
  body: jsonObject.optional(),
  errors: ['missing_provider_config', [404, 'unknown_connection']],
  replacedBy: 'POST /connections/metadata',
} as const;

const flat = flatImportBody.extend({ provider_config_key: z.string() });

/** Served although the specification removed them (http-api.md 5). */
export const REPLACED_CONNECTION_ROUTES = {
  'GET /connection': {
    ...CONNECTION_ROUTES['GET /connections'],
    id: 'listConnectionsReplaced',
    replacedBy: 'GET /connections',
  },
  'POST /connection': {
    id: 'importFlatConnection',
    tag: 'Connections',
    summary: 'Import a connection with its credentials at the root',
    details: 'Names of the credentials as in `POST /connections`; which are needed depends on the auth mode.',
    access: 'key',
    scopes: ['connections:create'],
    body: flat,
    answers: { 201: flatImportAnswer },
    errors: [
      ...IMPORT_ERRORS,
      'missing_provider_config',
      'unknown_provider_config',
      'unknown_provider_template',
      'missing_access_token',
      'missing_expires_at',
      'invalid_expires_at',
      'missing_oauth_token',
      'missing_oauth_token_secret',
      'missing_basic_username',
      'missing_api_key',
      'missing_app_id',
      'missing_installation_id',
      'missing_account_id',
      'unknown_oauth_type',
    ],
    replacedBy: 'POST /connections',
  },
  'GET /connection/:connectionId': {
    ...CONNECTION_ROUTES['GET /connections/:connectionId'],
    id: 'getConnectionReplaced',
    replacedBy: 'GET /connections/{connectionId}',
  },
  'DELETE /connection/:connectionId': {
    ...CONNECTION_ROUTES['DELETE /connections/:connectionId'],
    id: 'deleteConnectionReplaced',
    replacedBy: 'DELETE /connections/{connectionId}',
  },
  'POST /connection/metadata': {
    ...CONNECTION_ROUTES['POST /connections/metadata'],
    id: 'setMetadataReplaced',
    replacedBy: 'POST /connections/metadata',
  },
  'PATCH /connection/metadata': {
    ...CONNECTION_ROUTES['PATCH /connections/metadata'],
    id: 'updateMetadataReplaced',
    replacedBy: 'PATCH /connections/metadata',
  },
  'POST /connection/:connectionId/metadata': {
    ...oneMetadata,
    id: 'setOneMetadata',
    summary: 'Replace the metadata of one connection',
    answers: { 201: openObject },
  },
  'PATCH /connection/:connectionId/metadata': {
    ...oneMetadata,
    id: 'updateOneMetadata',
    summary: 'Merge into the metadata of one connection',
    answers: { 200: openObject },
    replacedBy: 'PATCH /connections/metadata',
  },
} as const satisfies Record<string, RouteDescription>;
