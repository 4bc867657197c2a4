import { empty } from '../../../contract/api/fields.ts';
import { invocationBody } from '../../../contract/api/functions-api.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import type { Handler } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { needConnection, needIntegration } from './task-places.ts';

export interface InvokeUse {
  integrations: IntegrationsService;
  connections: ConnectionsService;
  deployments: DeploymentsService;
}

/** Checks an invocation; the reference has no answer beyond that, and its callers use the routes that have one. */
export function invokeFunction(use: InvokeUse): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { integration_id: key, connection_id, name } = validateBody(invocationBody, request.body);
    const integration = await needIntegration(use, request.environment.id, key);
    await needConnection(use, integration, connection_id);
    const named = await use.deployments.listNamed(request.environment.id, key, name);
    const [found, ...others] = named.filter(({ definition }) => definition !== null);
    if (!found) throw new HomeportError('unknown_function', `The integration "${key}" has no function "${name}".`);
    if (others.length > 0) throw new HomeportError('ambiguous_function', `Several functions are called "${name}".`);
    if (!found.isEnabled) throw new HomeportError('function_disabled', `The function "${name}" is switched off.`);
    throw new HomeportError(
      'not_implemented',
      'Run an action with POST /action/trigger, and a sync with POST /sync/trigger.',
    );
  };
}
