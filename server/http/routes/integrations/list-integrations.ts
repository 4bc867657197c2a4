import { noQuery } from '../../../contract/api/integrations.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { describeIntegration } from '../../integration-extras.ts';
import { type ApiRequest, type Handler, ok } from '../../route.ts';
import { validateQuery } from '../../validate.ts';

export function listIntegrations(use: {
  integrations: IntegrationsService;
  catalog: CatalogReader;
  localBase: () => string;
}): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const all = await use.integrations.list(request.environment.id);
    const shown = all.filter(({ uniqueKey }) => mayUse(request, uniqueKey));
    return ok({ data: await Promise.all(shown.map((one) => describeIntegration(use, one))) });
  };
}

/** A session may be restricted to some integrations. */
function mayUse({ session }: ApiRequest, uniqueKey: string): boolean {
  return !session || session.allowedIntegrations.length === 0 || session.allowedIntegrations.includes(uniqueKey);
}
