import { createIntegrationBody, noQuery } from '../../../contract/api/integrations.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { LifecycleService } from '../../../services/lifecycle/lifecycle-service.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { describeIntegration } from '../../integration-extras.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function createIntegration(use: {
  lifecycle: LifecycleService;
  integrations: IntegrationsService;
  catalog: CatalogReader;
  localBase: () => string;
}): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const body = validateBody(createIntegrationBody, request.body);
    const integration = await use.lifecycle.createIntegration(request.environment, body);
    return ok({ data: await describeIntegration(use, integration) });
  };
}
