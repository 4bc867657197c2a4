import { z } from 'zod';
import { actionResultParams, connectionHeaders, triggerActionBody, triggerActionHeaders } from '../api/actions.ts';
import { anyJson } from '../api/answers/answer-fields.ts';
import { queuedActionAnswer } from '../api/answers/general-answers.ts';
import { empty, jsonObject } from '../api/fields.ts';
import { proxyHeaders } from '../api/proxy.ts';
import type { RouteDescription } from './route-description.ts';

const path = z.object({ path: z.string() });

/** The parser takes objects and lists only. */
const callBody = z.union([jsonObject, z.array(anyJson)]).optional();

/** How a run may fail, whoever asked for it. */
const RUN_ERRORS = [
  'action_script_runtime_error',
  'action_script_failure',
  'script_internal_error',
  'script_network_error',
  'script_http_error',
  'script_api_rate_limit_error',
  'script_output_too_large',
  'execution_timeout',
  'execution_interrupted',
  [500, 'script_aborted'],
  'function_runtime_out_of_memory',
] as const;

const CALL_ERRORS = ['unknown_connection', 'unknown_provider', 'not_found', 'disabled_resource'] as const;

export const CALL_ROUTES = {
  'ALL /proxy/*path': {
    id: 'proxy',
    tag: 'Proxy',
    summary: 'Call the API of a provider',
    details:
      'What follows `/proxy` goes to the provider as it is, query included, with the credentials of the connection. ' +
      'Headers `Nango-Proxy-<Name>` go on as `<Name>`; no other does.',
    access: 'key',
    scopes: ['proxy'],
    params: path,
    headers: proxyHeaders,
    answers: {},
    passesOn: 'What the provider answered: its status, headers and body. Without an answer 500 with message and code.',
    errors: [
      [404, 'unknown_provider_config'],
      [400, 'server_error'],
      [424, 'server_error'],
      'unknown_provider',
      'invalid_query_params',
      'connection_refresh_backoff',
      'connection_refresh_exhausted',
      'refresh_token_external_error',
      'missing_connection_config',
      'base_url_override_disabled',
      'base_url_override_not_allowed',
      'unsupported_provider',
      'missing_api_url',
      'missing_provider',
      'unsupported_auth',
      'invalid_certificate_or_key_format',
    ],
  },
  'POST /action/trigger': {
    id: 'triggerAction',
    tag: 'Actions',
    summary: 'Run an action',
    details: 'Answers what the function returns. With `X-Async: true` it is queued, and the answer says where to ask.',
    access: 'key',
    scopes: ['actions:execute'],
    headers: triggerActionHeaders,
    query: empty,
    body: triggerActionBody,
    answers: { 200: anyJson, 202: queuedActionAnswer },
    errors: [...CALL_ERRORS, ...RUN_ERRORS],
  },
  'GET /action/:id': {
    id: 'getActionResult',
    tag: 'Actions',
    summary: 'Get the output of a queued action',
    details: 'Not found while it waits or runs. A failed action answers as the call itself would have.',
    access: 'key',
    scopes: ['actions:execute'],
    params: actionResultParams,
    answers: { 200: anyJson },
    errors: [...CALL_ERRORS, ...RUN_ERRORS],
  },
  'ALL /v1/*path': {
    id: 'callEndpoint',
    tag: 'Functions',
    summary: 'Call an address that a function declares',
    details:
      'An action runs with the body as its input, a model of a sync answers as `GET /records`. ' +
      'Without the two headers `/v1/connection…` is the same as `/connection…`.',
    access: 'key',
    params: path,
    headers: connectionHeaders.extend(triggerActionHeaders.pick({ 'x-async': true, 'x-max-retries': true }).shape),
    body: callBody,
    answers: { 200: anyJson, 202: queuedActionAnswer },
    errors: ['invalid_query_params', 'forbidden', ...CALL_ERRORS, ...RUN_ERRORS],
  },
} as const satisfies Record<string, RouteDescription>;
