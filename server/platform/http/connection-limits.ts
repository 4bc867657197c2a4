import {
  type AllowedConnections,
  allowsConnection,
  allowsIntegration,
  allowsNewConnection,
} from '../../environments/allowed-connections.contract.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { ApiRequest, PublicRoute, Route } from './route.ts';

/** What a call names, read from the same members that its handler reads. A value that is not text is refused. */
interface Named {
  integrationKey: unknown;
  connectionId?: unknown;
}

/** How a route treats a key that may use only some connections. */
type Limit =
  /** The response contains no data of a connection. */
  | 'open'
  /** The route concerns the whole environment, or an integration with all its connections. */
  | 'refused'
  /** The handler leaves out what the key may not see (`ApiRequest.allowed`). */
  | 'filtered'
  /** The key needs this scope by its name; a scope that stands for several is not enough (design.md 7.62). */
  | { scope: string }
  /** Every named connection must be allowed. */
  | { connections: (request: ApiRequest) => Named[] }
  /** At least one connection of the integration must be allowed. */
  | { integration: (request: ApiRequest) => unknown }
  /** The route creates connections: the whole integration, or the id of the new connection, must be allowed. */
  | { creates: (request: ApiRequest) => Named[] };

type Call = Pick<ApiRequest, 'http' | 'params' | 'query' | 'body'>;

const inBody = ({ body }: Call, name: string): unknown => (isJsonObject(body) ? body[name] : undefined);
const inQuery = ({ query }: Call, name: string): unknown => (query as Record<string, unknown>)[name];
const inHeaders = ({ http }: Call, name: string): unknown => http.headers[name];

const byHeaders: Limit = {
  connections: (call) => [
    { integrationKey: inHeaders(call, 'provider-config-key'), connectionId: inHeaders(call, 'connection-id') },
  ],
};
const byBody: Limit = {
  connections: (call) => [
    { integrationKey: inBody(call, 'provider_config_key'), connectionId: inBody(call, 'connection_id') },
  ],
};
const byPathAndQuery: Limit = {
  connections: (call) => [
    { integrationKey: inQuery(call, 'provider_config_key'), connectionId: call.params['connectionId'] },
  ],
};
/** One id or a list of ids. */
const metadataOfMany: Limit = {
  connections: (call) =>
    [inBody(call, 'connection_id')].flat().map((connectionId) => ({
      integrationKey: inBody(call, 'provider_config_key'),
      connectionId,
    })),
};
const metadataOfOne: Limit = {
  connections: (call) => [
    {
      integrationKey: inQuery(call, 'provider_config_key') ?? inHeaders(call, 'provider-config-key'),
      connectionId: call.params['connectionId'],
    },
  ],
};
const imports: Limit = {
  creates: (call) => [
    { integrationKey: inBody(call, 'provider_config_key'), connectionId: inBody(call, 'connection_id') },
  ],
};
const byIntegrationInPath: Limit = { integration: ({ params }) => params['uniqueKey'] };

/** Every route that takes a key. A route that is missing here is refused to a key with limits. */
export const CONNECTION_LIMITS: Readonly<Record<string, Limit>> = {
  'get /providers': 'open',
  'get /providers/:provider': 'open',
  'get /providers/:provider/templates': 'open',

  'get /integrations': 'filtered',
  'post /integrations': 'refused',
  'post /integrations/quickstart': 'refused',
  'get /integrations/:uniqueKey': byIntegrationInPath,
  'patch /integrations/:uniqueKey': 'refused',
  'delete /integrations/:uniqueKey': 'refused',
  // The response lists every connection.
  'get /config/:key': 'refused',

  'get /connections': 'filtered',
  'post /connections': imports,
  'get /connections/:connectionId': byPathAndQuery,
  'patch /connections/:connectionId': byPathAndQuery,
  'delete /connections/:connectionId': byPathAndQuery,
  'post /connections/metadata': metadataOfMany,
  'patch /connections/metadata': metadataOfMany,
  'get /connection': 'filtered',
  'post /connection': imports,
  'get /connection/:connectionId': byPathAndQuery,
  'delete /connection/:connectionId': byPathAndQuery,
  'post /connection/metadata': metadataOfMany,
  'patch /connection/metadata': metadataOfMany,
  'post /connection/:connectionId/metadata': metadataOfOne,
  'patch /connection/:connectionId/metadata': metadataOfOne,

  // Without a list the session offers every integration.
  'post /connect/sessions': {
    creates: (call) => [inBody(call, 'allowed_integrations')].flat().map((integrationKey) => ({ integrationKey })),
  },
  'post /connect/sessions/reconnect': {
    connections: (call) => [
      { integrationKey: inBody(call, 'integration_id'), connectionId: inBody(call, 'connection_id') },
    ],
  },

  'all /proxy/*path': byHeaders,
  'post /action/trigger': byHeaders,
  // The caller started the action or was given its random id.
  'get /action/:id': 'open',
  'all /v1/*path': byHeaders,
  'post /mcp': byHeaders,
  'get /mcp': 'open',

  // Without a connection the call means every connection of the integration.
  'post /sync/trigger': {
    connections: (call) => [
      {
        integrationKey: inBody(call, 'provider_config_key') ?? inHeaders(call, 'provider-config-key'),
        connectionId: inBody(call, 'connection_id') ?? inHeaders(call, 'connection-id'),
      },
    ],
  },
  'post /sync/start': byBody,
  'post /sync/pause': byBody,
  'get /sync/status': {
    connections: (call) => [
      { integrationKey: inQuery(call, 'provider_config_key'), connectionId: inQuery(call, 'connection_id') },
    ],
  },
  'put /sync/update-connection-frequency': byBody,
  'post /sync/:name/variant/:variant': byBody,
  'delete /sync/:name/variant/:variant': byBody,

  'get /records': byHeaders,
  'patch /records/prune': byHeaders,

  'get /integrations/:uniqueKey/functions': byIntegrationInPath,
  'get /integrations/:uniqueKey/functions/:name': byIntegrationInPath,
  'get /integrations/:uniqueKey/functions/:name/code': byIntegrationInPath,
  'delete /integrations/:uniqueKey/functions/:name': 'refused',
  'get /scripts/config': 'refused',
  'post /sync/deploy/confirmation': 'refused',
  'post /sync/deploy': 'refused',
  'post /functions/compile': 'open',
  // The code in the body may ask for any connection.
  'post /functions/dryruns': 'refused',
  'get /functions/dryruns/:id': 'refused',
  'post /functions/deployments': 'refused',
  'get /functions/deployments/:id': 'refused',
  'post /functions/deployments/bundle': 'refused',
  'post /functions/deployments/bundle/preview': 'refused',
  'post /functions/invocations': {
    connections: (call) => [
      { integrationKey: inBody(call, 'integration_id'), connectionId: inBody(call, 'connection_id') },
    ],
  },
  'get /functions/invocations/:id': 'open',

  'get /environment-variables': { scope: 'environment:variables:read' },
  'get /environment/settings': 'refused',
  'patch /environment/settings': 'refused',
  'get /environment/webhook-destinations': 'refused',
  'put /environment/webhook-destinations': 'refused',
  'get /environment/mcp-policies': 'refused',
  'put /environment/mcp-policies': 'refused',
  'post /environment/webhook-signing-key/rotate': 'refused',
  'get /environments': 'refused',
  'post /environments': 'refused',
  'delete /environments/:id': 'refused',
  'get /environment/api-keys': 'refused',
  'post /environment/api-keys': 'refused',
  'delete /environment/api-keys': 'refused',
  'get /environments/:environment/api-keys': 'refused',
  'post /environments/:environment/api-keys': 'refused',
  'get /environments/:environment/api-keys/:key': 'refused',
  'delete /environments/:environment/api-keys/:key': 'refused',
};

/** Tags of a connection; undefined when it does not exist. */
export type FindTags = (
  environmentId: number,
  integrationKey: string,
  connectionId: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** Returns the key of a route in `CONNECTION_LIMITS`. */
export function limitKeyOf(route: Route): string {
  const { openapi } = route as Partial<PublicRoute>;
  return `${route.method} ${openapi?.path ?? String(route.path)}`;
}

/** Throws `forbidden` when the call is outside the limits of the key. The error does not say what exists. */
export async function checkConnectionLimits(
  rows: NonNullable<AllowedConnections>,
  route: Route,
  request: ApiRequest,
  findTags: FindTags,
): Promise<void> {
  const limit = CONNECTION_LIMITS[limitKeyOf(route)] ?? 'refused';
  if (limit === 'open' || limit === 'filtered') return;
  if (limit === 'refused')
    throw new HomeportError(
      'forbidden',
      'The key is limited to some connections, and this call concerns more than those. Use a key without limits.',
    );
  if ('scope' in limit) {
    if (request.caller.scopes.includes(limit.scope)) return;
    throw new HomeportError(
      'forbidden',
      `The key is limited to some connections, so it needs the scope ${limit.scope} by its name.`,
    );
  }
  if ('integration' in limit) {
    const key = limit.integration(request);
    if (typeof key === 'string' && allowsIntegration(rows, key)) return;
    throw new HomeportError('forbidden', `The key may not use the integration ${shown(key)}.`);
  }
  if ('creates' in limit) {
    const made = limit.creates(request);
    // An empty list and a missing list both mean no restriction.
    if (made.length === 0)
      throw new HomeportError('forbidden', 'The key is limited to some connections. Name the integrations.');
    for (const { integrationKey, connectionId } of made) {
      const isText =
        typeof integrationKey === 'string' && (connectionId === undefined || typeof connectionId === 'string');
      if (!isText || !allowsNewConnection(rows, integrationKey, connectionId))
        throw new HomeportError(
          'forbidden',
          `The key may not create this connection of the integration ${shown(integrationKey)}.`,
        );
    }
    return;
  }
  const named = limit.connections(request);
  if (named.length === 0) throw refusedConnection(undefined, undefined);
  for (const { integrationKey, connectionId } of named) {
    if (typeof integrationKey !== 'string' || typeof connectionId !== 'string')
      throw refusedConnection(integrationKey, connectionId);
    const hasTags = rows.some((row) => row.tags !== undefined);
    const tags = hasTags ? await findTags(request.environment.id, integrationKey, connectionId) : undefined;
    // A connection that does not exist has no tags, so a rule with tags cannot match it.
    const possible = tags === undefined ? rows.filter((row) => row.tags === undefined) : rows;
    if (!allowsConnection(possible, { integrationKey, connectionId, tags: tags ?? {} }))
      throw refusedConnection(integrationKey, connectionId);
  }
}

function refusedConnection(integrationKey: unknown, connectionId: unknown): HomeportError {
  if (typeof connectionId !== 'string' || typeof integrationKey !== 'string')
    return new HomeportError(
      'forbidden',
      'The key is limited to some connections. Name the integration and the connection of the call.',
    );
  return new HomeportError(
    'forbidden',
    `The key may not use the connection ${shown(connectionId)} of the integration ${shown(integrationKey)}.`,
  );
}

function shown(name: unknown): string {
  return typeof name === 'string' ? `"${name.slice(0, 255)}"` : 'that the call names';
}
