import { empty } from '../contract/fields.ts';
import { PEEK_HEADER } from '../contract/peek-header.ts';
import { success } from '../contract/response-fields.ts';
import { type AllowedConnections, allowsConnection } from '../environments/allowed-connections.contract.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import { PRACTICE_CONNECTION } from '../functions/practice-examples.api.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import type { LifecycleService } from '../lifecycle/lifecycle.service.ts';
import { byPathAndQuery, imports, inBody } from '../platform/http/connection-limits.ts';
import { type OwnAddressDeps, refuseOwnOverride } from '../platform/http/refuse-own-address.ts';
import {
  type ApiRequest,
  type ConnectionLimit,
  created,
  type Handler,
  ok,
  type PublicRoute,
  type Reply,
} from '../platform/http/route.ts';
import { queryCheck, validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { isJsonObject } from '../platform/lib/json-object.ts';
import { andThen, type MaybePromise } from '../platform/lib/maybe-promise.ts';
import { type ConnectionTexts, presentConnectionListItem, presentFullConnection } from './connection.present.ts';
import type { StoredConnection } from './connection.ts';
import {
  connectionRemovedResponse,
  connectionResponse,
  connectionsResponse,
  metadataResponse,
} from './connection-responses.contract.ts';
import {
  connectionKeyQuery,
  connectionParams,
  createConnectionBody,
  getConnectionQuery,
  listConnectionsQuery,
  metadataBody,
  patchConnectionBody,
} from './connections.contract.ts';
import type { ConnectionsService } from './connections.service.ts';
import { findAddressedConnection } from './resolve-connection.api.ts';

export interface ConnectionsApiDeps extends OwnAddressDeps {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  connectionTexts: ConnectionTexts;
  lifecycle: LifecycleService;
}

/** Errors of storing credentials, the same for every route that does it. */
export const IMPORT_ERRORS = [
  'invalid_body',
  'connection_test_failed',
  'missing_connection_config',
  'invalid_credentials',
  'server_error',
] as const;

/** One id or a list of ids. */
const metadataOfMany: ConnectionLimit = {
  connections: (call) =>
    [inBody(call, 'connection_id')].flat().map((connectionId) => ({
      integrationKey: inBody(call, 'provider_config_key'),
      connectionId,
    })),
};

/** Connections and their metadata (http-api.md 4). */
export function connectionsApi(use: ConnectionsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/connections',
      access: 'key',
      scopes: ['environment:connections:list', 'environment:connections:list_credentials'],
      limitedKeys: 'filtered',
      handler: listConnections(use),
      openapi: {
        id: 'listConnections',
        tag: 'Connections',
        summary: 'List connections',
        details:
          'Filters are combined with AND; `integrationId` accepts a comma-separated list. Without `limit` there are no pages.',
        query: listConnectionsQuery,
        responses: { 200: connectionsResponse },
        example: { path: '/connections?limit=10' },
      },
    },
    {
      method: 'post',
      path: '/connections',
      access: 'key',
      scopes: ['environment:connections:create'],
      limitedKeys: imports,
      handler: createConnection(use),
      audit: { action: 'connection_imported' },
      openapi: {
        id: 'createConnection',
        tag: 'Connections',
        summary: 'Import a connection',
        details: 'An existing id is overwritten. OAuth 2 needs an expiry, or `no_expiration: true`.',
        query: empty,
        body: createConnectionBody,
        responses: { 201: connectionResponse },
        errors: [...IMPORT_ERRORS, 'connection_validation_failed', 'validation_unavailable', 'not_found'],
        example: {
          body: {
            provider_config_key: 'practice',
            connection_id: 'alice',
            credentials: { type: 'API_KEY', apiKey: 'practice-demo-key' },
            tags: { team: 'blue' },
          },
        },
      },
    },
    {
      method: 'get',
      path: '/connections/:connectionId',
      isHot: true,
      access: 'key',
      scopes: ['environment:connections:read', 'environment:connections:read_credentials'],
      limitedKeys: byPathAndQuery,
      handler: getConnection(use),
      audit: {
        action: 'credentials',
        concerns: ({ caller }) => grants(caller.scopes, 'environment:connections:read_credentials'),
      },
      openapi: {
        id: 'getConnection',
        tag: 'Connections',
        summary: 'Get a connection with its credentials',
        details:
          'Credentials that are about to expire are refreshed first. Refresh tokens come with `refresh_token=true`.',
        params: connectionParams,
        query: getConnectionQuery,
        responses: { 200: connectionResponse },
        errors: [
          'unknown_provider_config',
          'not_found',
          'invalid_credentials',
          [424, 'invalid_credentials'],
          'server_error',
        ],
        example: { path: '/connections/alice?provider_config_key=practice' },
      },
    },
    {
      method: 'patch',
      path: '/connections/:connectionId',
      access: 'key',
      scopes: ['environment:connections:update'],
      limitedKeys: byPathAndQuery,
      handler: patchConnection(use),
      openapi: {
        id: 'patchConnection',
        tag: 'Connections',
        summary: 'Change the end user and tags of a connection',
        params: connectionParams,
        query: connectionKeyQuery,
        body: patchConnectionBody,
        responses: { 200: success },
        errors: ['unknown_provider_config', 'not_found'],
        example: {
          path: '/connections/alice?provider_config_key=practice',
          body: { tags: { team: 'red' } },
        },
      },
    },
    {
      method: 'delete',
      path: '/connections/:connectionId',
      access: 'key',
      scopes: ['environment:connections:delete'],
      limitedKeys: byPathAndQuery,
      handler: deleteConnection(use),
      audit: { action: 'connection_deleted' },
      openapi: {
        id: 'deleteConnection',
        tag: 'Connections',
        summary: 'Delete a connection',
        params: connectionParams,
        query: connectionKeyQuery,
        responses: { 200: connectionRemovedResponse },
        errors: ['unknown_connection'],
        example: { path: '/connections/alice?provider_config_key=practice' },
      },
    },
    {
      method: 'post',
      path: '/connections/metadata',
      access: 'key',
      scopes: ['environment:connections:update'],
      limitedKeys: metadataOfMany,
      handler: changeMetadata(use, 'replace'),
      openapi: {
        id: 'setMetadata',
        tag: 'Connections',
        summary: 'Replace the metadata of connections',
        details: 'All ids are checked before any is written.',
        query: empty,
        body: metadataBody,
        responses: { 201: metadataResponse },
        errors: [[404, 'unknown_connection']],
        example: { body: { ...PRACTICE_CONNECTION, metadata: { language: 'en' } } },
      },
    },
    {
      method: 'patch',
      path: '/connections/metadata',
      access: 'key',
      scopes: ['environment:connections:update'],
      limitedKeys: metadataOfMany,
      handler: changeMetadata(use, 'merge'),
      openapi: {
        id: 'updateMetadata',
        tag: 'Connections',
        summary: 'Merge into the metadata of connections',
        details: 'Only the top level is merged.',
        query: empty,
        body: metadataBody,
        responses: { 200: metadataResponse },
        errors: [[404, 'unknown_connection']],
        example: { body: { ...PRACTICE_CONNECTION, metadata: { plan: 'pro' } } },
      },
    },
  ];
}

/** The limit of a response without paging (http-api.md 4). */
const WITHOUT_LIMIT = 10_000;
const READ_AT_ONCE = 1000;

function listConnections(use: ConnectionsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(listConnectionsQuery, request.query);
    const limit = query.limit ?? WITHOUT_LIMIT;
    const tags =
      query.tags && Object.fromEntries(Object.entries(query.tags).map(([key, value]) => [key.toLowerCase(), value]));
    const filter = {
      environmentId: request.environment.id,
      ...(query.connectionId === undefined ? {} : { connectionId: query.connectionId }),
      ...(query.search === undefined ? {} : { search: query.search }),
      ...(query.endUserId === undefined ? {} : { endUserId: query.endUserId }),
      ...(query.endUserOrganizationId === undefined ? {} : { organizationId: query.endUserOrganizationId }),
      ...(query.integrationId === undefined ? {} : { integrationKeys: query.integrationId }),
      ...(tags === undefined ? {} : { tags }),
    };
    // SQLite accepts offsets up to 64 bits only. A table never has this many rows.
    const offset = Math.min((query.page ?? 0) * limit, Number.MAX_SAFE_INTEGER);
    const { allowed } = request;
    const list = (page: { limit: number; offset: number }) => use.connections.list({ ...filter, ...page });
    const found =
      allowed === null ? await list({ limit, offset }) : await listAllowed(list, allowed, { limit, offset });
    const statuses = query.includeStatus ? await use.connections.listStatuses(found) : undefined;
    return ok({ connections: found.map((one) => presentConnectionListItem(one, statuses?.get(one.id))) });
  };
}

/** One page of the connections that a key may see. All earlier rows are read too. */
async function listAllowed<T extends Parameters<typeof allowsConnection>[1]>(
  list: (page: { limit: number; offset: number }) => Promise<T[]>,
  allowed: NonNullable<AllowedConnections>,
  { limit, offset }: { limit: number; offset: number },
): Promise<T[]> {
  const found: T[] = [];
  for (let read = 0; found.length < offset + limit; read += READ_AT_ONCE) {
    const rows = await list({ limit: READ_AT_ONCE, offset: read });
    found.push(...rows.filter((one) => allowsConnection(allowed, one)));
    if (rows.length < READ_AT_ONCE) break;
  }
  return found.slice(offset, offset + limit);
}

function createConnection(use: ConnectionsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createConnectionBody, request.body);
    refuseOwnOverride(body, use);
    const { connection, credentials, config } = await use.lifecycle.importConnection(request.environment, body);
    return created(presentFullConnection({ connection, credentials, config, withRefreshToken: true, form: 'post' }));
  };
}

function getConnection(use: ConnectionsApiDeps): Handler {
  const checkQuery = queryCheck(getConnectionQuery);
  const present = (
    request: ApiRequest,
    query: ReturnType<typeof checkQuery>,
    connection: StoredConnection,
  ): MaybePromise<Reply> => {
    if (!grants(request.caller.scopes, 'environment:connections:read_credentials')) {
      if (query.force_refresh || query.refresh_token || query.refresh_github_app_jwt_token) {
        throw new HomeportError('forbidden', 'The key may not read credentials.');
      }
      return ok(
        presentFullConnection({
          connection,
          credentials: {},
          config: connection.connectionConfig,
          withRefreshToken: false,
          form: 'get',
        }),
      );
    }
    const fetched = use.connections.credentials.tryFetch(connection, {
      isForced: query.force_refresh,
      wantsAppJwt: query.refresh_github_app_jwt_token,
      isUpkeep: request.http.headers[PEEK_HEADER] !== undefined,
    });
    return andThen(fetched, (outcome) => {
      if (!outcome.ok) throw unusable(outcome.failure, outcome.connection);
      if (!query.refresh_token) return { status: 200, text: use.connectionTexts.of(outcome) };
      return ok(presentFullConnection({ ...outcome, withRefreshToken: true, form: 'get' }));
    });
  };
  return (request) => {
    const query = checkQuery(request.query);
    const { connectionId } = validateParams(connectionParams, request.params);
    const address = { uniqueKey: query.provider_config_key, connectionId };
    const found = findAddressedConnection(use, request.environment.id, address);
    return andThen(found, (connection) => present(request, query, connection));
  };
}

/**
 * Answers with the status of the cause, one fixed code, and the connection without credentials (auth-and-connect.md
 * 4.6).
 */
function unusable(failure: HomeportError, connection: StoredConnection): HomeportError {
  const shown = presentFullConnection({
    connection,
    credentials: {},
    config: connection.connectionConfig,
    withRefreshToken: false,
    form: 'get',
  });
  const details = isJsonObject(failure.payload) ? failure.payload : {};
  return new HomeportError('invalid_credentials', failure.message, {
    status: failure.status,
    payload: { ...details, reason: failure.code, connection: shown },
  });
}

function patchConnection(use: ConnectionsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(connectionKeyQuery, request.query);
    const body = validateBody(patchConnectionBody, request.body);
    refuseOwnOverride(body, use);
    const { connectionId } = validateParams(connectionParams, request.params);
    const address = { uniqueKey: query.provider_config_key, connectionId };
    const connection = await findAddressedConnection(use, request.environment.id, address);
    await use.connections.patch(connection, body);
    return ok({ success: true });
  };
}

function deleteConnection(use: ConnectionsApiDeps): Handler {
  return async (request) => {
    // Path parameters are checked before the query, unlike in the other handlers (http-api.md 4).
    const { connectionId } = validateParams(connectionParams, request.params);
    const query = validateQuery(connectionKeyQuery, request.query);
    const success = await use.lifecycle.deleteConnection(request.environment, query.provider_config_key, connectionId);
    return ok({ success });
  };
}

/** POST replaces the metadata (201), PATCH merges the top level (200). Both echo the body (http-api.md 4). */
function changeMetadata(use: ConnectionsApiDeps, mode: 'replace' | 'merge'): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(metadataBody, request.body);
    const integration = await use.integrations.find(request.environment.id, body.provider_config_key);
    await use.connections.changeMetadata(integration, [body.connection_id].flat(), body.metadata, mode);
    return { status: mode === 'replace' ? 201 : 200, body };
  };
}
