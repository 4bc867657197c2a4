import { integrationParams, noQuery, updateIntegrationBody } from '../../../contract/api/integrations.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { CatalogReader } from '../../catalog-reader.ts';
import { describeIntegration } from '../../integration-extras.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';

export function updateIntegration(use: {
  integrations: IntegrationsService;
  catalog: CatalogReader;
  localBase: () => string;
}): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const body = validateBody(updateIntegrationBody, request.body);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const integration = await use.integrations.update(request.environment.id, uniqueKey, body);
    return ok({ data: await describeIntegration(use, integration) });
  };
}
