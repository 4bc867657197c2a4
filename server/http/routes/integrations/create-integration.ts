import { createIntegrationBody, noQuery } from '../../../contract/api/integrations.ts';
import type { LifecycleService } from '../../../services/lifecycle/lifecycle-service.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { presentIntegration } from '../../present/integration.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

export function createIntegration(use: { lifecycle: LifecycleService; catalog: CatalogReader; publicBase: () => string }): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const body = validateBody(createIntegrationBody, request.body);
    const integration = await use.lifecycle.createIntegration(request.environment, body);
    return ok({ data: presentIntegration(integration, use.catalog.find(integration.provider), use.publicBase()) });
  };
}
