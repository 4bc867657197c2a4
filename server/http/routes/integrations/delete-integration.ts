import { integrationParams, noQuery } from '../../../contract/api/integrations.ts';
import type { LifecycleService } from '../../../services/lifecycle/lifecycle-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

export function deleteIntegration(use: { lifecycle: LifecycleService }): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    await use.lifecycle.deleteIntegration(request.environment, uniqueKey);
    return ok({ success: true });
  };
}
