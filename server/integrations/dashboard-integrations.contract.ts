import { z } from 'zod';
import {
  commaList,
  dashboardIntegrationParams,
  done,
  environmentQuery,
  isoTime,
  listQuery,
  listResponse,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { integrationId } from '../contract/fields.ts';
import { deletionQuery, deletionResponse } from '../data/dashboard-undo.contract.ts';
import { WAYS_IN } from './catalog/ways-in.contract.ts';

export const field = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  example: z.string().optional(),
  pattern: z.string().optional(),
  enum: z.array(z.string()).optional(),
  defaultValue: z.string().optional(),
  prefix: z.string().optional(),
  suffix: z.string().optional(),
  docUrl: z.string().optional(),
  optional: z.boolean().optional(),
  hidden: z.boolean().optional(),
  automated: z.boolean().optional(),
  secret: z.boolean().optional(),
  multiline: z.boolean().optional(),
});

/** `override`: a workspace entry replaces a built-in entry or is merged over it. */
export const providerSource = z.enum(['built-in', 'workspace', 'override']);

/** A workspace change of a provider that connections use. It waits for approval. */
export const providerChange = z.object({
  provider: z.string(),
  kind: z.enum(['change', 'removal']),
  /** Identifies the change that is approved. It changes when the file changes again. */
  hash: z.string(),
  changes: z.array(z.object({ keyPath: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
});

/** One entry of the catalogue, small enough to send all entries at once. */
export const providerRow = z.object({
  name: z.string(),
  displayName: z.string(),
  authMode: z.string(),
  categories: z.array(z.string()),
  /** Other names under which people search for it. */
  searchTerms: z.array(z.string()),
  source: providerSource,
  /** Whether the entry was checked against the provider's documentation. */
  isConfirmed: z.boolean(),
  /** Ways to connect, those first that need the least beforehand (providers.md 2.5). */
  waysIn: z.array(z.enum(WAYS_IN)),
  worksWithoutApp: z.boolean(),
  /** Number of functions that ship for the provider. */
  templateCount: z.number().int(),
});

/** Redirect addresses that a provider accepts: http on this computer, http on `localhost` only, https only. */
export const redirectRule = z.enum(['loopback', 'localhost', 'https']);

/** How to get an app or a key from the provider. */
const setupHelp = {
  /** One item per line of a numbered list. `{callbackUrl}` stands for the callback address. */
  setupSteps: z.array(z.string()),
  /** Page on which one registers an app with the provider. */
  setupGuideUrl: z.string().nullable(),
  /** Known scopes of the provider; others may exist. */
  availableScopes: z.array(z.string()),
  defaultScopes: z.array(z.string()),
  /** Members of the entry that could not be checked against the provider's documentation. */
  unconfirmed: z.array(z.string()),
};

export const providerDetail = providerRow.extend({
  ...setupHelp,
  docsUrl: z.string().nullable(),
  /** Null when the rule is unknown. */
  redirectRule: redirectRule.nullable(),
  /** When and how the entry was last confirmed; null when that is not known (providers.md 2.1). */
  confirmation: z.object({ day: z.string(), by: z.enum(['documentation', 'description', 'recording']) }).nullable(),
  baseUrl: z.string().nullable(),
  /** The provider's own inputs of an integration. An empty list means those of the auth mode (INTEGRATION_FIELDS). */
  integrationFields: z.array(field),
  /** Names of inputs of an integration without which nobody can connect; it may be saved without them. */
  neededFields: z.array(z.string()),
  /** Inputs for `credentials` of a connection, in addition to those of the auth mode. */
  credentialFields: z.array(field),
  /** Inputs for `connection_config` of a connection. */
  connectionFields: z.array(field),
});

export const integrationQuery = listQuery([
  'name',
  'key',
  'provider',
  'authMode',
  'connections',
  'errors',
  'functions',
  'calls',
  'used',
  'updated',
  'created',
]).extend({
  authModes: commaList(z.string()).optional(),
  /** Categories of the provider. One match is enough. */
  categories: commaList(z.string()).optional(),
  /**
   * One match is enough. `errors`: it has connections with errors or lacks a required field. `functions`: it has
   * functions.
   */
  having: commaList(z.enum(['errors', 'functions'])).optional(),
});

export const integrationRow = z.object({
  key: z.string(),
  provider: z.string(),
  displayName: z.string(),
  authMode: z.string(),
  connectionCount: z.number().int(),
  /** Number of connections with an active error. */
  errorCount: z.number().int(),
  functionCount: z.number().int(),
  functionsEnabled: z.number().int(),
  /** Names of required fields without a value; empty while the vault is locked. */
  missingFields: z.array(z.string()),
  /** Scopes that the integration requests; empty while the vault is locked. */
  scopes: z.array(z.string()),
  forwardWebhooks: z.boolean(),
  lastUsedAt: isoTime.nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

/**
 * Includes the proxied requests and runs of the last 24 hours, one number per hour, the oldest first, the current hour
 * last.
 */
export const listedIntegration = integrationRow.extend({
  callHours: z.array(z.object({ calls: z.number().int(), failed: z.number().int() })).length(24),
});

export const integrationDetail = integrationRow.extend({
  ...setupHelp,
  fields: z.array(field),
  /** Values of the fields that are not secret. */
  config: z.record(z.string(), z.string()),
  /** Names of secret fields that have a value. The reveal call returns the value. */
  secretsSet: z.array(z.string()),
  callbackUrl: z.string(),
  /**
   * Every integration has one. For a provider without a known webhook format, the webhook itself must name its
   * connection.
   */
  webhookUrl: z.string(),
  docsUrl: z.string().nullable(),
  /** Null when the provider is missing from the catalogue. */
  providerSource: providerSource.nullable(),
  pendingChange: providerChange.nullable(),
});

const uniqueKey = integrationId;

export const dashboardCreateIntegrationBody = z.object({
  provider: z.string(),
  key: uniqueKey,
  displayName: z.string().max(255).optional(),
  /** By field name. */
  config: z.record(z.string(), z.string()).optional(),
});

/** Missing members stay unchanged. Null in `config` clears a field. */
export const dashboardUpdateIntegrationBody = z.object({
  key: uniqueKey.optional(),
  displayName: z.string().min(1).max(255).optional(),
  forwardWebhooks: z.boolean().optional(),
  config: z.record(z.string(), z.string().nullable()).optional(),
});

/** A save that changed the integration. */
export const integrationChange = z.object({
  id: z.number().int(),
  at: isoTime,
  /** Whether it reverted an earlier change. */
  isUndo: z.boolean(),
  fields: z.array(
    z.object({
      /** `key`, `displayName`, `forwardWebhooks` or `config.<field>`. */
      field: z.string(),
      isSecret: z.boolean(),
      /** Null means no value, or a secret value. */
      before: z.string().nullable(),
      after: z.string().nullable(),
    }),
  ),
  /** Fields that were changed again later. If there are any, the change cannot be reverted. */
  changedSince: z.array(z.string()),
});

/** Copies an integration without its connections. */
export const duplicateIntegrationBody = z.object({
  /** Name of the target environment, which may be the same one. */
  environment: z.string().min(1).max(255),
  key: uniqueKey,
});

export const integrationsRouteShapes = {
  'GET /api/v1/providers': { meaning: 'The whole catalogue, by display name.', response: wholeResponse(providerRow) },
  'GET /api/v1/providers/:provider': {
    meaning: 'One provider with the inputs it asks for.',
    params: z.object({ provider: z.string() }),
    response: providerDetail,
  },
  'GET /api/v1/provider-changes': {
    meaning: 'Changes of the workspace’s entries that wait for approval.',
    response: wholeResponse(providerChange),
  },
  'POST /api/v1/providers/:provider/approve': {
    meaning: 'Applies one; 409 when the waiting change is a different one by now.',
    params: z.object({ provider: z.string() }),
    body: z.object({ hash: z.string() }),
    response: done,
  },
  'GET /api/v1/integrations': {
    meaning: 'Integrations; search in name, key, provider.',
    query: integrationQuery,
    response: listResponse(listedIntegration),
  },
  'POST /api/v1/integrations': {
    meaning: 'Creates an integration; 409 `conflict` when the key is taken.',
    query: environmentQuery,
    body: dashboardCreateIntegrationBody,
    response: integrationDetail,
  },
  'GET /api/v1/integrations/:integrationKey': {
    meaning: 'One integration without its secret values.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    response: integrationDetail,
  },
  'PATCH /api/v1/integrations/:integrationKey': {
    meaning: 'Changes the given members.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: dashboardUpdateIntegrationBody,
    response: integrationDetail,
  },
  'GET /api/v1/integrations/:integrationKey/changes': {
    meaning: 'Changes of the last 30 days, newest first; for secrets only that they changed.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    response: wholeResponse(integrationChange),
  },
  'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': {
    meaning: 'Reverts a change; 409 when one of its fields was changed again.',
    params: dashboardIntegrationParams.extend({ changeId: z.coerce.number().int() }),
    query: environmentQuery,
    response: integrationDetail,
  },
  'POST /api/v1/integrations/:integrationKey/duplicate': {
    meaning: 'Copies it with its credentials into an environment; 409 `conflict` when the key is taken there.',
    params: dashboardIntegrationParams,
    query: environmentQuery,
    body: duplicateIntegrationBody,
    response: integrationDetail,
  },
  'DELETE /api/v1/integrations/:integrationKey': {
    meaning: 'Deletes it with its connections and records.',
    params: dashboardIntegrationParams,
    query: deletionQuery,
    response: deletionResponse,
  },
};

export type ShownIntegrationChange = z.infer<typeof integrationChange>;
export type RedirectRule = z.infer<typeof redirectRule>;
export type ProviderChange = z.infer<typeof providerChange>;
export type ProviderRow = z.infer<typeof providerRow>;
export type ProviderDetail = z.infer<typeof providerDetail>;
export type ShownIntegration = z.infer<typeof integrationRow>;
export type IntegrationListItem = z.infer<typeof listedIntegration>;
export type IntegrationDetail = z.infer<typeof integrationDetail>;
