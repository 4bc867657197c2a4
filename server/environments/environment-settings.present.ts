import { omitUndefined } from '../platform/lib/omit-undefined.ts';
import { type SettingsBody, STORED_TOKEN } from './environment.contract.ts';
import type { SettingsChanges, StoredEnvironmentSettings } from './environment-settings.ts';
import { grants } from './key-scopes.contract.ts';

/** `GET /environment/settings` (design.md 7.17). */
export function presentSettings<Variable, Header>(
  settings: StoredEnvironmentSettings,
  { variables, otlpHeaders, hasToken }: { variables: Variable[]; otlpHeaders: Header[]; hasToken: boolean },
) {
  const { approvals, webhook } = settings;
  return {
    callback_url: settings.callbackUrl,
    public_url: settings.publicUrl,
    log_level: settings.logLevel,
    allowed_hosts: settings.allowedHosts,
    allow_base_url_override: settings.allowsBaseUrlOverride,
    agents_may_build: settings.agentsMayBuild,
    approvals: {
      url: approvals.url,
      kind: approvals.kind,
      token: hasToken ? STORED_TOKEN : null,
      public: approvals.isPublic,
    },
    rate_limit_per_minute: settings.rateLimitPerMinute,
    webhook: {
      primary_url: webhook.primaryUrl,
      secondary_url: webhook.secondaryUrl,
      on_auth_creation: webhook.onAuthCreation,
      on_auth_refresh_error: webhook.onAuthRefreshError,
      on_sync_completion_always: webhook.onSyncCompletionAlways,
      on_sync_error: webhook.onSyncError,
      on_async_action_completion: webhook.onAsyncActionCompletion,
      on_connection_deletion: webhook.onConnectionDeletion,
    },
    variables,
    retention: {
      logs_days: settings.logRetentionDays,
      logs_megabytes: settings.logMegabytes,
      webhooks_days: settings.webhookRetentionDays,
      records_prune_days: settings.recordPruneDays,
      records_delete_days: settings.recordDeleteDays,
    },
    otlp_endpoint: settings.otlpEndpoint,
    otlp_headers: otlpHeaders,
  };
}

/** Names only, for a key that may not read the values (design.md 7.33). */
export function presentSecretPairs(
  pairs: ReadonlyArray<{ name: string; value: string }>,
  scopes: readonly string[],
): Array<{ name: string; value?: string }> {
  const isReader = grants(scopes, 'environment:variables:read');
  return pairs.map(({ name, value }) => (isReader ? { name, value } : { name }));
}

/** The reverse of `presentSettings`: members that were not sent are left out. */
export function readSettingsChanges(body: Omit<SettingsBody, 'variables' | 'otlp_headers'>): SettingsChanges {
  const { approvals = {}, webhook = {} } = body;
  return omitUndefined({
    callbackUrl: body.callback_url,
    publicUrl: body.public_url,
    logLevel: body.log_level,
    allowedHosts: body.allowed_hosts,
    allowsBaseUrlOverride: body.allow_base_url_override,
    agentsMayBuild: body.agents_may_build,
    approvals: omitUndefined({ url: approvals.url, kind: approvals.kind, isPublic: approvals.public }),
    rateLimitPerMinute: body.rate_limit_per_minute,
    logRetentionDays: body.retention?.logs_days,
    logMegabytes: body.retention?.logs_megabytes,
    webhookRetentionDays: body.retention?.webhooks_days,
    recordPruneDays: body.retention?.records_prune_days,
    recordDeleteDays: body.retention?.records_delete_days,
    otlpEndpoint: body.otlp_endpoint,
    webhook: omitUndefined({
      primaryUrl: webhook.primary_url,
      secondaryUrl: webhook.secondary_url,
      onAuthCreation: webhook.on_auth_creation,
      onAuthRefreshError: webhook.on_auth_refresh_error,
      onSyncCompletionAlways: webhook.on_sync_completion_always,
      onSyncError: webhook.on_sync_error,
      onAsyncActionCompletion: webhook.on_async_action_completion,
      onConnectionDeletion: webhook.on_connection_deletion,
    }),
  });
}
