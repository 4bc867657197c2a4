import type { z } from 'zod';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandler, DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { readSnapshot, readSort, viewCount } from '../dashboard/api/list-page.ts';
import { deleteOrHold } from '../data/deletion.dashboard.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { ConnectionUser } from '../environments/key-use.ts';
import type { ProviderEntry } from '../integrations/catalog/entry-schema.ts';
import type { Integration } from '../integrations/integration.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { validateBody } from '../platform/http/validate.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError, isVaultLocked } from '../platform/lib/homeport-error.ts';
import type { StoredConnection } from './connection.ts';
import type { ConnectionOverview, OverviewOrder } from './connection-queries.ts';
import { createConnectionBody, type PatchConnectionBody, patchConnectionBody } from './connections.contract.ts';
import { viewCredentials } from './credential-fields.dashboard.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';
import type {
  ConnectionDetail,
  ConnectionListItem,
  ShownConnectionStatus,
  updateConnectionBody,
} from './dashboard-connections.contract.ts';
import { findConnection } from './resolve-connection.api.ts';

type Use = DescribeConnectionDeps &
  Pick<DashboardParts, 'about' | 'deletions' | 'integrations' | 'lifecycle' | 'refreshCredentials'>;
type Keys =
  | 'GET /api/v1/connections'
  | 'GET /api/v1/connections/count'
  | 'POST /api/v1/connections'
  | 'GET /api/v1/connections/:integrationKey/:connectionId'
  | 'PATCH /api/v1/connections/:integrationKey/:connectionId'
  | 'DELETE /api/v1/connections/:integrationKey/:connectionId'
  | 'POST /api/v1/connections/:integrationKey/:connectionId/refresh';

const DEFAULT_SORT = '-used';

export function connectionRoutes(use: Use): DashboardHandlers<Keys> {
  const { about, connections, lifecycle } = use;
  return {
    'GET /api/v1/connections': listPage(use),
    'GET /api/v1/connections/count': countByStatus(use),
    'POST /api/v1/connections': async ({ environment, body }) => {
      const { connection } = await lifecycle.importConnection(environment, validateBody(createConnectionBody, body));
      return describeConnection(use, environment, { id: connection.integrationId }, connection.connectionId);
    },

    'GET /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params }) => {
      const { integration } = await findConnection(use, environment, params);
      return describeConnection(use, environment, integration, params.connectionId);
    },

    'PATCH /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params, body }) => {
      const { integration, connection } = await findConnection(use, environment, params);
      const patch = validateBody(patchConnectionBody, patchOf(connection, body));
      refuseOwnAddress([{ path: ['webhookUrl'], url: patch.webhook_url_override }], {
        local: about.apiUrl(),
        public: about.publicBase(),
      });
      // First, because it can be refused.
      if (body.metadata)
        await connections.changeMetadata(
          integration,
          [connection.connectionId],
          body.metadata,
          body.replacesMetadata ? { replaces: body.replacesMetadata } : 'replace',
        );
      await connections.patch(connection, patch);
      if (body.tagChange) {
        const { tags: set } = validateBody(patchConnectionBody, { tags: body.tagChange.set });
        await connections.changeTags(connection, { set, remove: body.tagChange.remove });
      }
      if (body.logLevel !== undefined) await connections.setLogLevel(connection, body.logLevel);
      return describeConnection(use, environment, integration, params.connectionId);
    },

    'DELETE /api/v1/connections/:integrationKey/:connectionId': async ({ environment, params, query: { hold } }) => {
      await findConnection(use, environment, params);
      const { integrationKey, connectionId } = params;
      return deleteOrHold(use.deletions, environment, {
        hold,
        object: { kind: 'connection', integrationKey, connectionId },
        deleteNow: () => lifecycle.deleteConnection(environment, integrationKey, connectionId),
      });
    },

    'POST /api/v1/connections/:integrationKey/:connectionId/refresh': refreshNow(use),
  };
}

/** Translates the changes to the public API's form, whose checks then apply here too. */
function patchOf(
  { endUser, tags }: StoredConnection,
  { displayName, webhookUrl, logLevel: _, tagChange: __, ...body }: z.output<typeof updateConnectionBody>,
): PatchConnectionBody {
  const named = displayName === undefined ? {} : { end_user_display_name: displayName };
  const changesTags = body.tags !== undefined || displayName !== undefined;
  return {
    ...(changesTags ? { tags: { ...(body.tags ?? tags), ...named } } : {}),
    ...(displayName !== undefined && endUser ? { end_user: { id: endUser.id, display_name: displayName } } : {}),
    ...(webhookUrl === undefined ? {} : { webhook_url_override: webhookUrl ?? '' }),
  };
}

function listPage({ catalog, connections }: Use): DashboardHandler<'GET /api/v1/connections'> {
  return async ({ environment, query }) => {
    const { key, direction } = readSort(query.sort ?? DEFAULT_SORT);
    const page = await connections.listOverviews({
      environmentId: environment.id,
      search: query.search,
      integrationKeys: query.integrations,
      authModes: query.authModes,
      tags: query.tags,
      statuses: query.status && expandStatus(query.status),
      snapshot: readSnapshot(query.snapshot),
      by: key as OverviewOrder['by'],
      direction,
      groupBy: query.groupBy,
      offset: query.offset,
      limit: query.limit,
      isExactCount: query.count === 'exact',
    });
    const data = page.connections.map((connection) => viewConnection(connection, catalog.find(connection.provider)));
    const groups = page.groups?.map(({ provider, ...group }) => ({
      ...group,
      provider,
      label: group.label ?? (provider === null ? null : (catalog.find(provider)?.display_name ?? null)),
    }));
    return { data, ...viewCount(page), snapshot: String(page.snapshot), ...(groups && { groups }) };
  };
}

function countByStatus({ connections }: Use): DashboardHandler<'GET /api/v1/connections/count'> {
  return async ({ environment, query }) => {
    const counts = await connections.countByStatus({
      environmentId: environment.id,
      search: query.search,
      integrationKeys: query.integrations,
      authModes: query.authModes,
      tags: query.tags,
    });
    const of = (status: ShownConnectionStatus): number => counts.get(status) ?? 0;
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { total, ok: of('ok'), auth_error: of('auth_error'), sync_error: of('sync_error'), paused: of('paused') };
  };
}

function refreshNow(use: Use): DashboardHandler<'POST /api/v1/connections/:integrationKey/:connectionId/refresh'> {
  return async ({ environment, params }) => {
    const { integration, connection } = await findConnection(use, environment, params);
    if (!(await use.connections.findOverview(integration, connection.connectionId))?.isRefreshable) {
      throw new HomeportError(
        'invalid_credentials',
        'These credentials have nothing to refresh. Import the connection again to replace them.',
      );
    }
    await use.refreshCredentials(connection);
    return describeConnection(use, environment, integration, params.connectionId);
  };
}

function expandStatus(list: ReadonlyArray<ShownConnectionStatus | 'error'>): ShownConnectionStatus[] {
  return list.flatMap((status): ShownConnectionStatus[] =>
    status === 'error' ? ['auth_error', 'sync_error'] : [status],
  );
}

type DescribeConnectionDeps = Pick<DashboardParts, 'audit' | 'catalog' | 'connections' | 'connectionTests' | 'logs'>;

/** The connection in its current state, for the response to a read or a change. */
async function describeConnection(
  use: DescribeConnectionDeps,
  environment: Environment,
  integration: Pick<Integration, 'id'>,
  connectionId: string,
): Promise<ConnectionDetail> {
  const connection = await use.connections.findOverview(integration, connectionId);
  if (!connection) throw new HomeportError('not_found', `There is no connection "${connectionId}".`);
  const failure = connection.errors.find((error) => error.type === 'auth');
  const operation = failure && (await use.logs.findOperation(environment.id, failure.logId));
  return viewConnectionDetail({
    connection,
    entry: use.catalog.find(connection.provider),
    credentials: await openCredentials(use, connection),
    refreshFailure: operation?.error?.message ?? null,
    isTestable: use.connectionTests.canCheckOnRequest(connection.provider),
    users: await use.audit.keyUse.listUsers(connection.id),
  });
}

/** Undefined while the vault is locked; the rest of the connection can still be shown. */
async function openCredentials(
  { connections }: DescribeConnectionDeps,
  connection: StoredConnection,
): Promise<StoredCredentials | undefined> {
  try {
    return await connections.credentials.read(connection);
  } catch (error) {
    if (isVaultLocked(error)) return undefined;
    throw error;
  }
}

/** `entry` is undefined when the provider is missing from the catalogue. */
type Entry = ProviderEntry | undefined;

interface ConnectionFacts {
  connection: ConnectionOverview;
  entry: Entry;
  credentials: StoredCredentials | undefined;
  /** The log's message about the last refresh, when it failed. */
  refreshFailure: string | null;
  isTestable: boolean;
  users: ConnectionUser[];
}

/**
 * How long before its expiry a token is refreshed when the provider gives no rule (auth-and-connect.md), in seconds.
 */
const REFRESH_BEFORE_SECONDS = 900;

function viewConnection(connection: ConnectionOverview, entry: Entry): ConnectionListItem {
  return {
    connectionId: connection.connectionId,
    integrationKey: connection.integrationKey,
    integrationName: connection.integrationName ?? entry?.display_name ?? connection.integrationKey,
    provider: connection.provider,
    authMode: connection.credentialsType ?? entry?.auth_mode ?? 'NONE',
    displayName:
      connection.endUser?.displayName ?? connection.tags['end_user_display_name'] ?? connection.endUser?.id ?? null,
    email: connection.endUser?.email ?? connection.tags['end_user_email'] ?? null,
    tags: connection.tags,
    status: connection.status,
    isRunning: connection.isRunning,
    errors: connection.errors.map((error) => ({ type: error.type, operationId: error.logId })),
    lastError: connection.lastError && {
      at: isoDate(connection.lastError.at),
      operationId: connection.lastError.logId,
      message: connection.lastError.message?.split('\n')[0] ?? null,
    },
    syncCount: connection.syncCount,
    pausedSyncCount: connection.pausedSyncCount,
    recordCount: connection.recordCount,
    tokenExpiresAt: isoDateOrNull(connection.credentialsExpireAt),
    isRefreshable: connection.isRefreshable,
    lastUsedAt: isoDateOrNull(connection.lastUsedAt),
    createdAt: isoDate(connection.createdAt),
  };
}

function viewConnectionDetail(facts: ConnectionFacts): ConnectionDetail {
  const { connection, entry, credentials } = facts;
  return {
    ...viewConnection(connection, entry),
    endUser: viewEndUser(connection),
    credentials: credentials ? viewCredentials(credentials, entry) : null,
    scopes: credentials ? scopesOf(connection, credentials) : null,
    connectionConfig: connection.connectionConfig,
    metadata: connection.metadata ?? {},
    isTestable: facts.isTestable,
    lastRefresh: lastRefresh(facts),
    nextRefreshAt: nextRefresh(facts),
    usedBy: facts.users.map(({ keyId, name, lastAt }) => ({ keyId, name, at: isoDate(lastAt) })),
    webhookUrl: connection.webhookUrlOverride,
    logLevel: connection.logLevel,
    updatedAt: isoDate(connection.updatedAt),
  };
}

function viewEndUser({ endUser }: ConnectionOverview): ConnectionDetail['endUser'] {
  return (
    endUser && {
      id: endUser.id,
      displayName: endUser.displayName,
      email: endUser.email,
      organization: endUser.organization,
    }
  );
}

/** The scopes that the provider granted, or the requested ones when it reported none. */
function scopesOf(connection: ConnectionOverview, credentials: StoredCredentials): string[] {
  const granted = credentials.raw?.['scope'] ?? connection.connectionConfig['oauth_scopes'];
  return typeof granted === 'string' ? granted.split(/[\s,]+/).filter((scope) => scope !== '') : [];
}

function lastRefresh({ connection, refreshFailure }: ConnectionFacts): ConnectionDetail['lastRefresh'] {
  const succeededAt = connection.lastRefreshSuccessAt ?? 0;
  const failedAt = connection.lastRefreshFailureAt ?? 0;
  if (failedAt > succeededAt) {
    const operationId = connection.errors.find((error) => error.type === 'auth')?.logId ?? null;
    return { at: isoDate(failedAt), succeeded: false, message: refreshFailure, operationId };
  }
  // Saving counts as a success. For credentials that are never refreshed this time would be meaningless.
  if (succeededAt === 0 || !connection.isRefreshable) return null;
  return { at: isoDate(succeededAt), succeeded: true, message: null, operationId: null };
}

function nextRefresh({ connection, entry }: ConnectionFacts): string | null {
  if (connection.credentialsExpireAt === null || !connection.isRefreshable) return null;
  return isoDate(connection.credentialsExpireAt - (entry?.token_expiration_buffer ?? REFRESH_BEFORE_SECONDS) * 1000);
}
