import type { ProviderEntry } from '../catalog/entry-schema.ts';
import type { EnvironmentService } from '../services/environment/environment-service.ts';
import type { IntegrationsService } from '../services/integrations/integrations-service.ts';
import type { IntegrationExtras } from './present/integration.ts';

export interface ExtrasUse {
  environments: EnvironmentService;
  integrations: IntegrationsService;
  publicBase: () => string;
}

/** The fields of an integration that are sent only when asked for (http-api.md 3, `include`). */
export async function integrationExtras(
  use: ExtrasUse,
  wanted: { environmentId: number; uniqueKey: string; entry: ProviderEntry; include: readonly string[] },
): Promise<IntegrationExtras> {
  const { environmentId, uniqueKey, entry, include } = wanted;
  const extras: IntegrationExtras = {};
  if (include.includes('webhook')) {
    const uuid = use.environments.find(environmentId)?.uuid ?? '';
    const address = `${use.publicBase()}/webhook/${uuid}/${encodeURIComponent(uniqueKey)}`;
    extras.webhookUrl = entry.webhook_routing_script ? address : null;
  }
  if (include.includes('credentials')) extras.credentials = await use.integrations.readAppCredentials(environmentId, uniqueKey);
  return extras;
}
