import { triggerActionBody, triggerActionHeaders } from '../../../contract/api/actions.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { ActionsService } from '../../../services/actions/actions-service.ts';
import type { BackgroundActions } from '../../../services/actions/background-actions.ts';
import type { Handler } from '../../route.ts';
import { validateBody, validateHeaders, validateQuery } from '../../validate.ts';

export function triggerAction(use: { actions: ActionsService; background: BackgroundActions }): Handler {
  return async (request) => {
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    validateQuery(empty, request.query);
    const body = validateBody(triggerActionBody, request.body);
    const call = {
      environment: request.environment,
      integrationKey: headers['provider-config-key'],
      connectionId: headers['connection-id'],
      actionName: body.action_name,
      ...(body.input === undefined ? {} : { input: JSON.stringify(body.input) }),
      trigger: 'api' as const,
    };
    if (!headers['x-async']) return { status: 200, text: (await use.actions.trigger(call)).output };
    const id = await use.background.enqueue(call, headers['x-max-retries']);
    // The client prepends its host: the address stays relative to the root (http-api.md 8).
    return { status: 202, body: { id, statusUrl: `/action/${id}` }, headers: { Location: `/action/${id}` } };
  };
}
