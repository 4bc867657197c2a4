import type { z } from 'zod';
import { triggerActionBody, triggerActionHeaders } from '../../../contract/api/actions.ts';
import { empty } from '../../../contract/api/fields.ts';
import type { ActionsService } from '../../../services/actions/actions-service.ts';
import type { BackgroundActions } from '../../../services/actions/background-actions.ts';
import type { ApiRequest, Handler, JsonReply } from '../../route.ts';
import { validateBody, validateHeaders, validateQuery } from '../../validate.ts';

export interface ActionRunners {
  actions: ActionsService;
  background: BackgroundActions;
}

export function triggerAction(use: ActionRunners): Handler {
  return async (request) => {
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    validateQuery(empty, request.query);
    const body = validateBody(triggerActionBody, request.body);
    return answerAction(use, request, headers, { actionName: body.action_name, input: body.input });
  };
}

/** Runs the action and answers its output, or queues it and answers where its output will be (http-api.md 8). */
export async function answerAction(
  use: ActionRunners,
  request: ApiRequest,
  headers: z.infer<typeof triggerActionHeaders>,
  { actionName, input }: { actionName: string; input: unknown },
): Promise<JsonReply> {
  const call = {
    environment: request.environment,
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    actionName,
    ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    trigger: 'api' as const,
  };
  if (!headers['x-async']) return { status: 200, text: (await use.actions.trigger(call)).output };
  const id = await use.background.enqueue(call, headers['x-max-retries']);
  // The client prepends its host: the address stays relative to the root.
  return { status: 202, body: { id, statusUrl: `/action/${id}` }, headers: { Location: `/action/${id}` } };
}
