import { isoDate } from '../platform/lib/dates.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import type { SignInWay } from './catalog/ways-in.contract.ts';
import type { Integration, IntegrationAppCredentials } from './integration.ts';
import { hasAppCredentials } from './integrations.contract.ts';

export interface IntegrationExtras {
  /** Hints from its configuration for people who connect; providers with `integration_config` only. */
  hints?: ConfigHints;
  /** For providers that offer a sign-in with a code. */
  signIn?: SignInWay[] | undefined;
  /** Present with `include=webhook`. */
  webhookUrl?: string;
  /** Present with `include=credentials`. */
  credentials?: IntegrationAppCredentials;
}

export interface ConfigHints {
  apiKeyLabel?: string;
  preconfigured?: string[];
  preconfiguredConfig?: string[];
}

export function logoUrl(localBase: string, provider: string): string {
  return `${localBase}/images/template-logos/${provider}.svg`;
}

/** `Integration` of http-api.md 3. */
export function presentIntegration(
  integration: Integration,
  entry: ProviderEntry | undefined,
  localBase: string,
  extras: IntegrationExtras = {},
): Record<string, unknown> {
  return {
    unique_key: integration.uniqueKey,
    provider: integration.provider,
    display_name: integration.displayName ?? entry?.display_name ?? integration.provider,
    logo: logoUrl(localBase, integration.provider),
    ...(extras.hints?.apiKeyLabel === undefined ? {} : { credentials_label: { apiKey: extras.hints.apiKeyLabel } }),
    ...(extras.hints?.preconfigured === undefined ? {} : { preconfigured_credentials: extras.hints.preconfigured }),
    ...(extras.hints?.preconfiguredConfig === undefined
      ? {}
      : { preconfigured_connection_config: extras.hints.preconfiguredConfig }),
    ...(extras.signIn === undefined ? {} : { sign_in: extras.signIn }),
    ...(extras.webhookUrl === undefined ? {} : { webhook_url: extras.webhookUrl }),
    ...(extras.credentials === undefined ? {} : { credentials: presentAppCredentials(entry, extras.credentials) }),
    forward_webhooks: integration.forwardsWebhooks,
    created_at: isoDate(integration.createdAt),
    updated_at: isoDate(integration.updatedAt),
  };
}

function presentAppCredentials(
  entry: ProviderEntry | undefined,
  app: IntegrationAppCredentials,
): Record<string, unknown> | null {
  const type = entry?.auth_mode;
  if (!type || !hasAppCredentials(type)) return null;
  const client = { client_id: app.clientId ?? null, client_secret: app.clientSecret ?? null };
  const githubApp = { app_id: app.appId ?? null, private_key: app.privateKey ?? null, app_link: app.appLink ?? null };
  if (type === 'APP') return { type, ...githubApp };
  if (type === 'CUSTOM') return { type, ...client, ...githubApp };
  return { type, ...client, scopes: app.scopes ?? null, webhook_secret: app.webhookSecret ?? null };
}
