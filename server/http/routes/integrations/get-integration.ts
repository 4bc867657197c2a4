import { getIntegrationQuery, integrationParams } from '../../../contract/api/integrations.ts';
import { type ExtrasUse, integrationExtras } from '../../integration-extras.ts';
import { grants } from '../../middleware/scopes.ts';
import { presentIntegration } from '../../present/integration.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

export function getIntegration(use: ExtrasUse & { localBase: () => string }): Handler {
  return async (request) => {
    const query = validateQuery(getIntegrationQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const environmentId = request.environment.id;
    const { integration, entry } = await use.integrations.get(environmentId, uniqueKey);
    // Without the scope the credentials are silently absent (http-api.md 3).
    const mayRead = grants(request.caller.scopes, 'environment:integrations:read_credentials');
    const include = query.include.filter((part) => part !== 'credentials' || mayRead);
    const extras = await integrationExtras(use, { environmentId, uniqueKey, entry, include });
    return ok({ data: presentIntegration(integration, entry, use.localBase(), extras) });
  };
}
