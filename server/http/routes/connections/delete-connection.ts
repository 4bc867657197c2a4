import { connectionKeyQuery, connectionParams } from '../../../contract/api/connections.ts';
import type { LifecycleService } from '../../../services/lifecycle/lifecycle-service.ts';
import { type Handler, ok } from '../../route.ts';
import { validateParams, validateQuery } from '../../validate.ts';

export function deleteConnection(use: { lifecycle: LifecycleService }): Handler {
  return async (request) => {
    // Parameters before the query, unlike its neighbours (http-api.md 4).
    const { connectionId } = validateParams(connectionParams, request.params);
    const query = validateQuery(connectionKeyQuery, request.query);
    const success = await use.lifecycle.deleteConnection(request.environment, query.provider_config_key, connectionId);
    return ok({ success });
  };
}
