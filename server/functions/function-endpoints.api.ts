import { z } from 'zod';
import { findNamedConnection } from '../connections/resolve-connection.api.ts';
import { empty, jsonObject } from '../contract/fields.ts';
import { queuedActionResponse } from '../contract/general-responses.ts';
import { anyJson } from '../contract/response-fields.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import { byHeaders } from '../platform/http/connection-limits.ts';
import { type ApiRequest, announceSuccessor, type Handler, type PublicRoute } from '../platform/http/route.ts';
import { validateHeaders, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { answerRecords, type RecordsApiDeps } from '../records/records.api.ts';
import { listRecordsQuery } from '../records/records.contract.ts';
import { ACTION_ERRORS, type ActionsApiDeps, answerAction } from './actions.api.ts';
import { connectionHeaders, triggerActionHeaders } from './actions.contract.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import { PRACTICE_HEADERS } from './practice-examples.api.ts';

export interface FunctionEndpointsApiDeps extends ActionsApiDeps, RecordsApiDeps {
  deployments: DeploymentsService;
}

/** The parser takes objects and lists only. */
const callBody = z.union([jsonObject, z.array(anyJson)]).optional();

/** Every other path that starts with `/v1` (http-api.md 9). */
export function functionEndpointsApi(use: FunctionEndpointsApiDeps): PublicRoute[] {
  return [
    {
      method: 'all',
      path: '/v1/*path',
      access: 'key',
      limitedKeys: byHeaders,
      successor: '/action/trigger',
      handler: callEndpoint(use),
      openapi: {
        id: 'callEndpoint',
        tag: 'Functions',
        summary: 'Call an address that a function declares',
        details:
          'An action runs with the body as its input, a model of a sync answers as `GET /records`. ' +
          'Without the two headers `/v1/connection…` is the same as `/connection…`.',
        params: z.object({ path: z.string() }),
        headers: connectionHeaders.extend(triggerActionHeaders.pick({ 'x-async': true, 'x-max-retries': true }).shape),
        body: callBody,
        responses: { 200: anyJson, 202: queuedActionResponse },
        replacedBy: 'POST /action/trigger',
        errors: ['invalid_query_params', 'forbidden', ...ACTION_ERRORS],
        example: { path: '/v1/practice/echo', headers: PRACTICE_HEADERS },
      },
    },
  ];
}

/**
 * Serves the endpoints that functions declare, under `/v1` (http-api.md 9): runs an action, or reads a model of a sync.
 */
function callEndpoint(use: FunctionEndpointsApiDeps): Handler {
  return async (request) => {
    const connection = await findNamedConnection(use, request);
    const endpoint = `${request.http.method} ${request.http.path.replace(/^\/v1/i, '')}`;
    const { triggers } = use.deployments;
    const target = await triggers.findEndpoint(request.environment.id, connection.integrationKey, endpoint);
    if (!target) {
      const message = `Unknown endpoint '${endpoint}'`;
      throw new HomeportError('not_found', message, { body: { message } });
    }
    checkScope(request, target.kind === 'action' ? 'environment:actions:execute' : 'environment:records:read');
    if (target.kind === 'model') {
      announceSuccessor(request.response, '/records');
      const query = validateQuery(listRecordsQuery, { ...(request.query as object), model: target.name });
      return answerRecords(use.records, connection, query);
    }
    validateQuery(empty, request.query);
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    const input = request.http.method === 'GET' ? undefined : request.body;
    return answerAction(use, request, headers, { actionName: target.name, input });
  };
}

function checkScope({ caller }: ApiRequest, scope: string): void {
  if (!grants(caller.scopes, scope)) throw new HomeportError('forbidden', `The key lacks the scope ${scope}.`);
}
