import { triggerActionBody, triggerActionHeaders } from '../../../contract/api/actions.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { ActionsService } from '../../../services/actions/actions-service.ts';
import type { Handler } from '../../route.ts';
import { validateBody, validateHeaders, validateQuery } from '../../validate.ts';

export function triggerAction(use: { actions: ActionsService }): Handler {
  return async (request) => {
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    validateQuery(empty, request.query);
    const body = validateBody(triggerActionBody, request.body);
    const { output } = await use.actions.trigger({
      environment: request.environment,
      integrationKey: headers['provider-config-key'],
      connectionId: headers['connection-id'],
      actionName: body.action_name,
      ...(body.input === undefined ? {} : { input: JSON.stringify(body.input) }),
      trigger: 'api',
    });
    return { status: 200, text: output };
  };
}
