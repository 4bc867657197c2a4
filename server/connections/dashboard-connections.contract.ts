import { z } from 'zod';
import {
  commaList,
  dashboardConnectionParams,
  dashboardJsonObject,
  environmentQuery,
  groupBy,
  groupedResponse,
  isoTime,
  listQuery,
} from '../contract/dashboard/dashboard-lists.ts';
import { deletionQuery, deletionResponse } from '../data/dashboard-undo.contract.ts';

/** The worst state of the connection: `auth_error`, then `sync_error`, then `paused` (all its syncs are paused). */
export const connectionStatus = z.enum(['ok', 'auth_error', 'sync_error', 'paused']);

/** Filters of a list or a count. `error` matches both kinds of error; a tag is `name: value`. */
const connectionFilter = {
  integrations: commaList(z.string()).optional(),
  authModes: commaList(z.string()).optional(),
  tags: commaList(z.string()).optional(),
  status: commaList(z.enum([...connectionStatus.options, 'error'])).optional(),
};

export const connectionQuery = listQuery([
  'name',
  'integration',
  'auth',
  'id',
  'status',
  'syncs',
  'records',
  'expires',
  'used',
  'error',
  'created',
]).extend({ ...connectionFilter, groupBy: groupBy.optional() });

export const connectionCountQuery = environmentQuery.extend({
  search: z.string().max(255).optional(),
  integrations: connectionFilter.integrations,
  authModes: connectionFilter.authModes,
  tags: connectionFilter.tags,
});

export const connectionCount = z.object({
  total: z.number().int(),
  ok: z.number().int(),
  auth_error: z.number().int(),
  sync_error: z.number().int(),
  paused: z.number().int(),
});

export const connectionRow = z.object({
  connectionId: z.string(),
  integrationKey: z.string(),
  integrationName: z.string(),
  provider: z.string(),
  authMode: z.string(),
  /** The end user's display name, else the tag for it, else the end user's id, else null (the page then shows the connection id). */
  displayName: z.string().nullable(),
  email: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  status: connectionStatus,
  /** True while one of its syncs runs. */
  isRunning: z.boolean(),
  /** Active errors with the operation that logged them. */
  errors: z.array(z.object({ type: z.enum(['auth', 'sync']), operationId: z.string() })),
  /** The newest active error. `message` is null when the log has deleted it. */
  lastError: z.object({ at: isoTime, operationId: z.string(), message: z.string().nullable() }).nullable(),
  syncCount: z.number().int(),
  pausedSyncCount: z.number().int(),
  recordCount: z.number().int(),
  /** Null when the token does not expire or its expiry is unknown. */
  tokenExpiresAt: isoTime.nullable(),
  /**
   * False: the token ends at `tokenExpiresAt` unless the user connects again. While the vault is locked, this depends
   * on the auth mode only.
   */
  isRefreshable: z.boolean(),
  lastUsedAt: isoTime.nullable(),
  createdAt: isoTime,
});

export const connectionLogLevel = z.enum(['debug', 'info', 'warn', 'error', 'off']);

/** One member of the stored credentials. A secret value is null here; the reveal call returns it. */
export const credentialField = z.object({
  name: z.string(),
  title: z.string(),
  isSecret: z.boolean(),
  value: z.string().nullable(),
});

export const connectionDetail = connectionRow.extend({
  endUser: z
    .object({
      id: z.string(),
      displayName: z.string().nullable(),
      email: z.string().nullable(),
      organization: z.object({ id: z.string(), displayName: z.string().nullable() }).nullable(),
    })
    .nullable(),
  /** Null while the vault is locked. */
  credentials: z.array(credentialField).nullable(),
  /** Null while the vault is locked, because scopes are part of the sealed provider response. */
  scopes: z.array(z.string()).nullable(),
  connectionConfig: dashboardJsonObject,
  metadata: dashboardJsonObject,
  /** Whether the provider has a request that tests the credentials. */
  isTestable: z.boolean(),
  lastRefresh: z
    .object({ at: isoTime, succeeded: z.boolean(), message: z.string().nullable(), operationId: z.string().nullable() })
    .nullable(),
  nextRefreshAt: isoTime.nullable(),
  /** Apps that read its credentials or called through the proxy in the last seven days, the latest first. */
  usedBy: z.array(z.object({ keyId: z.number().int(), name: z.string(), at: isoTime })),
  /**
   * Address for webhooks about this connection, instead of the environment's addresses. Null: the environment's
   * addresses.
   */
  webhookUrl: z.string().nullable(),
  /** Lowest level of messages that functions log on this connection. Null: the environment's level. */
  logLevel: connectionLogLevel.nullable(),
  updatedAt: isoTime,
});

/** The body of the public `POST /connections` (http-api.md 4), with the same checks and answers. */
export const importConnectionBody = z.object({
  provider_config_key: z.string(),
  connection_id: z.string().optional(),
  credentials: dashboardJsonObject,
  connection_config: dashboardJsonObject.optional(),
  metadata: dashboardJsonObject.optional(),
  end_user: z.object({ id: z.string(), email: z.string().optional(), display_name: z.string().optional() }).optional(),
  tags: z.record(z.string(), z.string()).optional(),
});

/** Only the given members change. */
export const updateConnectionBody = z.object({
  metadata: dashboardJsonObject.optional(),
  /** The metadata that the change is based on; refused with `conflict` when other metadata is stored. */
  replacesMetadata: dashboardJsonObject.optional(),
  tags: z.record(z.string(), z.string()).optional(),
  /** Sets and removes single tags; those that are not named stay as they are stored. */
  tagChange: z
    .object({ set: z.record(z.string(), z.string()).optional(), remove: z.array(z.string()).max(10).optional() })
    .optional(),
  /** The name in lists. It is stored with the end user, or in the tag `end_user_display_name` when there is none. */
  displayName: z.string().trim().min(1).max(255).optional(),
  /** Null restores the environment's addresses. */
  webhookUrl: z.string().nullable().optional(),
  /** Null restores the environment's level. */
  logLevel: connectionLogLevel.nullable().optional(),
});

export const connectionsRouteShapes = {
  'GET /api/v1/connections': {
    meaning: 'Connections; search in id, end user, e-mail, tags; grouped by integration or status on request.',
    query: connectionQuery,
    response: groupedResponse(connectionRow),
  },
  'GET /api/v1/connections/count': {
    meaning: 'Counts by status for the same search and integrations.',
    query: connectionCountQuery,
    response: connectionCount,
  },
  'POST /api/v1/connections': {
    meaning: 'Imports a connection like the public route.',
    query: environmentQuery,
    body: importConnectionBody,
    response: connectionDetail,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'One connection without secret values; does not refresh.',
    params: dashboardConnectionParams,
    query: environmentQuery,
    response: connectionDetail,
  },
  'PATCH /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'Replaces metadata, tags, name, webhook address or log level; adds and removes single tags.',
    params: dashboardConnectionParams,
    query: environmentQuery,
    body: updateConnectionBody,
    response: connectionDetail,
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'Deletes it with its credentials and records.',
    params: dashboardConnectionParams,
    query: deletionQuery,
    response: deletionResponse,
  },
  'POST /api/v1/connections/:integrationKey/:connectionId/refresh': {
    meaning: 'Refreshes the token now.',
    params: dashboardConnectionParams,
    query: environmentQuery,
    response: connectionDetail,
  },
};

export type ShownConnectionStatus = z.infer<typeof connectionStatus>;
export type ConnectionListItem = z.infer<typeof connectionRow>;
export type ConnectionCount = z.infer<typeof connectionCount>;
export type ConnectionDetail = z.infer<typeof connectionDetail>;
export type CredentialField = z.infer<typeof credentialField>;
export type ImportConnectionBody = z.infer<typeof importConnectionBody>;
