import { webhookAddress } from '../contract/webhook-address.ts';
import type { EnvironmentService } from '../environments/environment.service.ts';
import { presetConfig } from '../platform/lib/preset-config.ts';
import type { CatalogReader } from './catalog/catalog.ts';
import type { ProviderEntry } from './catalog/entry-schema.ts';
import { type SignInWay, signInWays } from './catalog/ways-in.contract.ts';
import { type ConfigHints, type IntegrationExtras, presentIntegration } from './integration.present.ts';
import type { Integration } from './integration.ts';
import type { IntegrationsService } from './integrations.service.ts';

export interface ExtrasDeps {
  environments: EnvironmentService;
  integrations: IntegrationsService;
  publicBase: () => string;
}

/** The optional members of an integration, which are sent only when `include` asks for them (http-api.md 3). */
export async function integrationExtras(
  use: ExtrasDeps,
  wanted: { environmentId: number; uniqueKey: string; entry: ProviderEntry; include: readonly string[] },
): Promise<IntegrationExtras> {
  const { environmentId, uniqueKey, entry, include } = wanted;
  const extras: IntegrationExtras = await configHints(use.integrations, { environmentId, uniqueKey }, entry);
  if (include.includes('webhook')) {
    const uuid = use.environments.find(environmentId)?.uuid ?? '';
    // Also for a provider without its own routing: the generic routing accepts webhooks of every provider (design.md
    // 7.27).
    extras.webhookUrl = webhookAddress(use.publicBase(), uuid, uniqueKey);
  }
  if (include.includes('credentials'))
    extras.credentials = await use.integrations.readAppCredentials(environmentId, uniqueKey);
  return extras;
}

/** An integration as every response shows it; `include` adds to it. */
export async function describeIntegration(
  use: { integrations: IntegrationsService; catalog: CatalogReader; localBase: () => string },
  integration: Integration,
): Promise<Record<string, unknown>> {
  const entry = use.catalog.find(integration.provider);
  if (!entry) return presentIntegration(integration, entry, use.localBase());
  const extras = await configHints(use.integrations, integration, entry);
  const signIn = await waysToSignIn(use.integrations, integration, entry);
  return presentIntegration(integration, entry, use.localBase(), { ...extras, signIn });
}

async function waysToSignIn(
  integrations: IntegrationsService,
  { environmentId, uniqueKey }: Pick<Integration, 'environmentId' | 'uniqueKey'>,
  entry: ProviderEntry,
): Promise<SignInWay[] | undefined> {
  if (entry.device_authorization_url === undefined) return undefined;
  const { clientSecret } = await integrations.readAppCredentials(environmentId, uniqueKey);
  return signInWays(entry, { hasSecret: clientSecret !== undefined });
}

/** Names of set fields and the key's label; never a secret value (http-api.md 3). */
async function configHints(
  integrations: IntegrationsService,
  { environmentId, uniqueKey }: Pick<Integration, 'environmentId' | 'uniqueKey'>,
  entry: ProviderEntry,
): Promise<Pick<IntegrationExtras, 'hints'>> {
  const { connection_config: config, integration_config: fields } = entry;
  if (!fields && !config) return {};
  const custom = await integrations.readCustom(environmentId, uniqueKey);
  const presets = Object.keys(presetConfig(entry, custom));
  const preconfiguredConfig = presets.length > 0 ? { preconfiguredConfig: presets } : {};
  if (!fields) return { hints: preconfiguredConfig };
  const apiKeyLabel = custom['keyLabel'] || fields['keyLabel']?.default_value;
  const hints: ConfigHints = {
    ...preconfiguredConfig,
    ...(apiKeyLabel === undefined ? {} : { apiKeyLabel }),
    ...(entry.auth_mode === 'TWO_STEP' ? { preconfigured: Object.keys(fields).filter((name) => custom[name]) } : {}),
  };
  return { hints };
}
