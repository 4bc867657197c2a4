import { z } from 'zod';
import { connectionId, integrationId, jsonObject } from '../contract/fields.ts';
import type { RouteDescription, RouteExample } from '../contract/openapi/route-description.ts';
import { openObject } from '../contract/response-fields.ts';
import { PRACTICE_CONNECTION } from '../functions/practice-examples.api.ts';
import type { FlatImports } from '../lifecycle/flat-imports.ts';
import { imports, inHeaders, inQuery } from '../platform/http/connection-limits.ts';
import { refuseOwnOverride } from '../platform/http/refuse-own-address.ts';
import {
  type ApiRequest,
  type ConnectionLimit,
  created,
  type Handler,
  type PublicRoute,
} from '../platform/http/route.ts';
import { validateBody } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { flatImportResponse } from './connection-responses.contract.ts';
import { type ConnectionsApiDeps, connectionsApi, IMPORT_ERRORS } from './connections.api.ts';
import { connectionParams, flatImportBody } from './connections.contract.ts';

export interface ReplacedConnectionsApiDeps extends ConnectionsApiDeps {
  flatImports: FlatImports;
}

const metadataOfOne: ConnectionLimit = {
  connections: (call) => [
    {
      integrationKey: inQuery(call, 'provider_config_key') ?? inHeaders(call, 'provider-config-key'),
      connectionId: call.params['connectionId'],
    },
  ],
};

/** Routes that the specification removed and Homeport still serves (http-api.md 5). They name their successors. */
export function replacedConnectionsApi(use: ReplacedConnectionsApiDeps): PublicRoute[] {
  const successors = connectionsApi(use);
  return [
    replaced(successors, 'GET /connections', {
      path: '/connection',
      id: 'listConnectionsReplaced',
      example: { path: '/connection' },
    }),
    {
      method: 'post',
      path: '/connection',
      access: 'key',
      scopes: ['environment:connections:create'],
      limitedKeys: imports,
      handler: importFlatConnection(use),
      audit: { action: 'connection_imported' },
      successor: '/connections',
      openapi: {
        id: 'importFlatConnection',
        tag: 'Connections',
        summary: 'Import a connection with its credentials at the root',
        details: 'Names of the credentials as in `POST /connections`; which are needed depends on the auth mode.',
        body: flatImportBody.extend({ provider_config_key: z.string() }),
        responses: { 201: flatImportResponse },
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
        example: { body: { provider_config_key: 'practice', connection_id: 'bob', api_key: 'practice-demo-key' } },
      },
    },
    replaced(successors, 'GET /connections/:connectionId', {
      path: '/connection/:connectionId',
      id: 'getConnectionReplaced',
      example: { path: '/connection/bob?provider_config_key=practice' },
    }),
    replaced(successors, 'DELETE /connections/:connectionId', {
      path: '/connection/:connectionId',
      id: 'deleteConnectionReplaced',
      example: { path: '/connection/bob?provider_config_key=practice' },
    }),
    replaced(successors, 'POST /connections/metadata', {
      path: '/connection/metadata',
      id: 'setMetadataReplaced',
      example: { body: { ...PRACTICE_CONNECTION, metadata: { language: 'en' } } },
    }),
    replaced(successors, 'PATCH /connections/metadata', {
      path: '/connection/metadata',
      id: 'updateMetadataReplaced',
      example: { body: { ...PRACTICE_CONNECTION, metadata: { plan: 'pro' } } },
    }),
    {
      method: 'post',
      path: '/connection/:connectionId/metadata',
      access: 'key',
      scopes: ['environment:connections:update'],
      limitedKeys: metadataOfOne,
      handler: changeOneMetadata(use, 'replace'),
      successor: '/connections/metadata',
      openapi: {
        ...ONE_METADATA,
        id: 'setOneMetadata',
        summary: 'Replace the metadata of one connection',
        responses: { 201: openObject },
        replacedBy: 'POST /connections/metadata',
        example: {
          path: '/connection/me/metadata?provider_config_key=practice',
          body: { language: 'en' },
        },
      },
    },
    {
      method: 'patch',
      path: '/connection/:connectionId/metadata',
      access: 'key',
      scopes: ['environment:connections:update'],
      limitedKeys: metadataOfOne,
      handler: changeOneMetadata(use, 'merge'),
      successor: '/connections/metadata',
      openapi: {
        ...ONE_METADATA,
        id: 'updateOneMetadata',
        summary: 'Merge into the metadata of one connection',
        responses: { 200: openObject },
        replacedBy: 'PATCH /connections/metadata',
        example: {
          path: '/connection/me/metadata?provider_config_key=practice',
          body: { plan: 'pro' },
        },
      },
    },
  ];
}

/** The integration is in the query or in the header; the handler reads whichever is present. */
const ONE_METADATA = {
  tag: 'Connections',
  details: 'The integration is named in the query or by the header.',
  params: connectionParams,
  query: z.object({ provider_config_key: z.string().optional() }),
  headers: z.object({ 'provider-config-key': z.string().optional() }),
  unchecked: ['query', 'headers'],
  body: jsonObject.optional(),
  errors: ['missing_provider_config', [404, 'unknown_connection']],
} as const satisfies Partial<RouteDescription>;

/** The row of `METHOD /path` again, under its older path. */
function replaced(
  successors: readonly PublicRoute[],
  key: string,
  { path, id, example }: { path: string; id: string; example: RouteExample },
): PublicRoute {
  const found = successors.find((one) => `${one.method.toUpperCase()} ${one.path}` === key);
  if (!found) throw new Error(`There is no route ${key}.`);
  const { isHot: _isHot, ...row } = found;
  const replacedBy = key.replace(/:(\w+)/g, '{$1}');
  return { ...row, path, successor: String(row.path), openapi: { ...row.openapi, id, replacedBy, example } };
}

/** The deprecated import answers with its own body and the id (http-api.md 5). */
function importFlatConnection(use: ReplacedConnectionsApiDeps): Handler {
  return async (request) => {
    const body = validateBody(flatImportBody, request.body ?? {});
    refuseOwnOverride({ webhook_url_override: body.webhook_url_override }, use);
    return created({ ...body, connection_id: await use.flatImports.run(request.environment, body) });
  };
}

/** Deprecated routes whose body is the metadata itself (http-api.md 5): POST replaces, PATCH merges. */
function changeOneMetadata(use: ReplacedConnectionsApiDeps, mode: 'replace' | 'merge'): Handler {
  return async (request) => {
    const metadata = validateBody(jsonObject, request.body ?? {});
    const address = addressOf(request);
    const integration = await use.integrations.find(request.environment.id, address.providerConfigKey);
    const connection = integration && (await use.connections.find(integration, address.connectionId));
    if (!connection)
      throw new HomeportError('unknown_connection', 'There is no such connection.', { status: 404, payload: address });
    await use.connections.changeMetadata(integration, [address.connectionId], metadata, mode);
    return { status: mode === 'replace' ? 201 : 200, body: metadata };
  };
}

/** Reads the integration from the query or from the header. */
function addressOf({ http, params, query }: ApiRequest): { connectionId: string; providerConfigKey: string } {
  const named = (query as Record<string, unknown>)['provider_config_key'] ?? http.headers['provider-config-key'];
  const providerConfigKey = integrationId.safeParse(named);
  if (!providerConfigKey.success) {
    throw new HomeportError('missing_provider_config', 'Name the integration: provider_config_key in the query.', {
      payload: {},
    });
  }
  const parsed = connectionId.safeParse(params['connectionId']);
  if (!parsed.success)
    throw new HomeportError('unknown_connection', 'There is no such connection.', { status: 404, payload: {} });
  return { connectionId: parsed.data, providerConfigKey: providerConfigKey.data };
}
