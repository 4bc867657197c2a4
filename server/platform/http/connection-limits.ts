import {
  type AllowedConnections,
  allowsConnection,
  allowsIntegration,
  allowsNewConnection,
} from '../../environments/allowed-connections.contract.ts';
import { HomeportError } from '../lib/homeport-error.ts';
import { isJsonObject } from '../lib/json-object.ts';
import type { ApiRequest, ConnectionLimit, Route } from './route.ts';

type Call = Pick<ApiRequest, 'http' | 'params' | 'query' | 'body'>;

/** A member of the body, in which a call names its connection. */
export const inBody = ({ body }: Call, name: string): unknown => (isJsonObject(body) ? body[name] : undefined);
export const inQuery = ({ query }: Call, name: string): unknown => (query as Record<string, unknown>)[name];
export const inHeaders = ({ http }: Call, name: string): unknown => http.headers[name];

export const byHeaders: ConnectionLimit = {
  connections: (call) => [
    { integrationKey: inHeaders(call, 'provider-config-key'), connectionId: inHeaders(call, 'connection-id') },
  ],
};
export const byBody: ConnectionLimit = {
  connections: (call) => [
    { integrationKey: inBody(call, 'provider_config_key'), connectionId: inBody(call, 'connection_id') },
  ],
};
export const byPathAndQuery: ConnectionLimit = {
  connections: (call) => [
    { integrationKey: inQuery(call, 'provider_config_key'), connectionId: call.params['connectionId'] },
  ],
};
export const imports: ConnectionLimit = {
  creates: (call) => [
    { integrationKey: inBody(call, 'provider_config_key'), connectionId: inBody(call, 'connection_id') },
  ],
};
export const byIntegrationInPath: ConnectionLimit = { integration: ({ params }) => params['uniqueKey'] };

/** Tags of a connection; undefined when it does not exist. */
export type FindTags = (
  environmentId: number,
  integrationKey: string,
  connectionId: string,
) => Promise<Readonly<Record<string, string>> | undefined>;

/** Throws `forbidden` when the call is outside the limits of the key. The error does not say what exists. */
export async function checkConnectionLimits(
  rows: NonNullable<AllowedConnections>,
  route: Route,
  request: ApiRequest,
  findTags: FindTags,
): Promise<void> {
  const limit = route.limitedKeys ?? 'refused';
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
