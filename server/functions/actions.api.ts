import type { z } from 'zod';
import { empty } from '../contract/fields.ts';
import { queuedActionResponse } from '../contract/general-responses.ts';
import { anyJson } from '../contract/response-fields.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import type { ApiRequest, Handler, JsonReply, PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateHeaders, validateParams, validateQuery } from '../platform/http/validate.ts';
import { actionResultParams, triggerActionBody, triggerActionHeaders } from './actions.contract.ts';
import type { ActionsService } from './actions.service.ts';
import type { BackgroundActions } from './background-actions.ts';
import { PRACTICE_HEADERS } from './practice-examples.api.ts';

export interface ActionsApiDeps {
  actions: ActionsService;
  background: BackgroundActions;
}

/** Errors of an action, the same for every caller. */
export const ACTION_ERRORS = [
  'unknown_connection',
  'unknown_provider',
  'not_found',
  'disabled_resource',
  'action_script_runtime_error',
  'action_script_failure',
  'script_internal_error',
  'script_network_error',
  'script_http_error',
  'script_api_rate_limit_error',
  'script_output_too_large',
  'execution_timeout',
  'execution_interrupted',
  'call_rate_reached',
  'call_limit_reached',
  [500, 'script_aborted'],
  'function_runtime_out_of_memory',
] as const;

/** Actions, run at once or queued (http-api.md 8). */
export function actionsApi(use: ActionsApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/action/trigger',
      isHot: true,
      access: 'key',
      scopes: ['environment:actions:execute'],
      limitedKeys: byHeaders,
      handler: triggerAction(use),
      openapi: {
        id: 'triggerAction',
        tag: 'Actions',
        summary: 'Run an action',
        details:
          'Returns the output of the function. With `X-Async: true` the call is queued, and the response contains the address of the output.',
        headers: triggerActionHeaders,
        query: empty,
        body: triggerActionBody,
        responses: { 200: anyJson, 202: queuedActionResponse },
        errors: ACTION_ERRORS,
        example: {
          headers: PRACTICE_HEADERS,
          body: { action_name: 'create-issue', input: { title: 'The lamp is broken' } },
        },
      },
    },
    {
      method: 'get',
      path: '/action/:id',
      isHot: true,
      access: 'key',
      scopes: ['environment:actions:execute'],
      // The caller started the action or was given its random id.
      limitedKeys: 'open',
      handler: getActionResult(use),
      openapi: {
        id: 'getActionResult',
        tag: 'Actions',
        summary: 'Get the output of a queued action',
        details: '404 while it waits or runs. For a failed action the response is that of the call itself.',
        params: actionResultParams,
        query: empty,
        responses: { 200: anyJson },
        errors: ACTION_ERRORS,
        example: { path: '/action/$ACTION_ID' },
      },
    },
  ];
}

function triggerAction(use: ActionsApiDeps): Handler {
  return async (request) => {
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    validateQuery(empty, request.query);
    const body = validateBody(triggerActionBody, request.body);
    return answerAction(use, request, headers, { actionName: body.action_name, input: body.input });
  };
}

/** Runs the action and answers its output, or queues it and answers where its output will be (http-api.md 8). */
export async function answerAction(
  use: ActionsApiDeps,
  request: ApiRequest,
  headers: z.infer<typeof triggerActionHeaders>,
  { actionName, input }: { actionName: string; input: unknown },
  resultsAt = '/action',
): Promise<JsonReply> {
  const call = {
    environment: request.environment,
    integrationKey: headers['provider-config-key'],
    connectionId: headers['connection-id'],
    actionName,
    ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    trigger: 'api' as const,
    subjects: [{ kind: 'key', id: String(request.caller.keyId) }] as const,
    isCounted: true,
  };
  if (!headers['x-async']) return { status: 200, text: (await use.actions.trigger(call)).output };
  const id = await use.background.enqueue(call, headers['x-max-retries']);
  // The client adds its own host in front, so the address is relative to the root.
  const statusUrl = `${resultsAt}/${id}`;
  return { status: 202, body: { id, statusUrl }, headers: { Location: statusUrl } };
}

/** Answers the output of a queued action. */
export function getActionResult(use: Pick<ActionsApiDeps, 'background'>): Handler {
  return async (request) => {
    const { id } = validateParams(actionResultParams, request.params);
    validateQuery(empty, request.query);
    return { status: 200, text: await use.background.readResponse(request.environment.id, id) };
  };
}
