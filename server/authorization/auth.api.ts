import type { z } from 'zod';
import type { ErrorResponse, RouteDescription } from '../contract/openapi/route-description.ts';
import type { AuthMode } from '../integrations/catalog/provider-modes.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { readSession, readTarget } from './auth-caller.api.ts';
import {
  apiKeyBody,
  authParams,
  awsBody,
  basicBody,
  billBody,
  callbackParameters,
  clientCredentialsBody,
  clientDocumentParams,
  connectParameters,
  noCredentialsBody,
  openBody,
  signatureBody,
  submitParameters,
  tbaBody,
} from './authorization.contract.ts';
import { deviceSignInRows } from './device-sign-in.api.ts';
import { type FinishDeps, finishInstallation, finishRedirect } from './finish-redirect.api.ts';
import { clientDocument, connectedResponse } from './session-responses.contract.ts';
import { type StartDeps, startRedirect } from './start-redirect.api.ts';

export interface AuthApiDeps extends StartDeps, FinishDeps {}

/** Errors of the session token in the query. */
const SESSION_ERRORS = [
  'missing_public_key',
  'deprecated_authentication',
  'invalid_connect_session_token_format',
  'unknown_connect_session_token',
] as const satisfies ErrorResponse[];

const INTEGRATION_ERRORS = [
  'invalid_connection',
  [404, 'unknown_provider_config'],
  'unknown_provider_template',
  'invalid_auth_mode',
  'integration_not_allowed',
] as const satisfies ErrorResponse[];

const SUBMIT_ERRORS = [
  ...SESSION_ERRORS,
  ...INTEGRATION_ERRORS,
  'connection_test_failed',
  'connection_validation_failed',
  'validation_unavailable',
  'missing_connection_config',
  'provider_unreachable',
  [404, 'not_found'],
] as const satisfies ErrorResponse[];

const PAGE = 'The response is a page for the end user. Its script notifies the page that opened it.';

/** Routes on which end users connect. The token of the session is in the query (auth-and-connect.md 2.2). */
export function authApi(use: AuthApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/oauth/connect/:providerConfigKey',
      access: 'public',
      handler: startRedirect(use),
      openapi: {
        id: 'startSignIn',
        tag: 'Connect sessions',
        summary: 'Send the end user to the provider',
        details: 'The official frontend client opens this in a pop-up. Browsers get failures as a page.',
        params: authParams,
        query: connectParameters,
        responses: { 302: null },
        errors: [
          ...SESSION_ERRORS,
          ...INTEGRATION_ERRORS,
          'provider_config_err',
          'grant_type_err',
          'url_param_err',
          'token_err',
          'missing_token_url',
          'client_registration_failed',
          'mcp_discovery_failed',
          'provider_unreachable',
        ],
        example: { path: '/oauth/connect/practice-oauth2?connect_session_token=$CONNECT_SESSION_TOKEN' },
      },
    },
    {
      method: 'get',
      path: '/oauth/callback',
      access: 'public',
      handler: finishRedirect(use),
      openapi: {
        id: 'finishSignIn',
        tag: 'Connect sessions',
        summary: 'Receive the end user from the provider',
        details: PAGE,
        query: callbackParameters,
        unchecked: ['query'],
        responses: { 200: null, 302: null },
        passesOn: PAGE,
        errors: [
          'invalid_state',
          'callback_err',
          'wrong_auth_mode',
          'token_exchange_failed',
          'unable_to_parse_token_response',
        ],
        example: { path: '/oauth/callback?state=$STATE&code=$CODE' },
      },
    },
    {
      method: 'get',
      path: '/oauth/clients/:environmentUuid',
      access: 'public',
      handler: getClientDocument(use),
      openapi: {
        id: 'getClientDocument',
        tag: 'Connect sessions',
        summary: 'Describe the hub as an OAuth client',
        details:
          'The client id metadata document of an environment, for providers that read who their clients are. They can only ' +
          'with a public https address.',
        params: clientDocumentParams,
        responses: { 200: clientDocument },
        errors: ['not_found'],
        example: { path: '/oauth/clients/$ENVIRONMENT_UUID' },
      },
    },
    {
      method: 'get',
      path: '/app-auth/connect',
      access: 'public',
      handler: finishInstallation(use),
      openapi: {
        id: 'finishAppInstallation',
        tag: 'Connect sessions',
        summary: 'Receive the end user after the installation of an app',
        details: PAGE,
        query: callbackParameters,
        unchecked: ['query'],
        responses: { 200: null, 302: null },
        passesOn: PAGE,
        errors: [
          'invalid_state',
          [404, 'invalid_state'],
          'callback_err',
          'wrong_auth_mode',
          'missing_app_id',
          'missing_installation_id',
        ],
        example: { path: '/app-auth/connect?installation_id=77&setup_action=install&state=$INSTALLATION_STATE' },
      },
    },
    ...deviceSignInRows(use, { session: SESSION_ERRORS, integration: INTEGRATION_ERRORS }),
    submitRow(use, '/api-auth/api-key', apiKeyBody, {
      mode: 'API_KEY',
      id: 'connectApiKey',
      summary: 'Connect with an API key',
      example: submitted('/api-auth/api-key/practice', { apiKey: 'practice-demo-key' }),
    }),
    submitRow(use, '/api-auth/basic', basicBody, {
      mode: 'BASIC',
      id: 'connectBasic',
      summary: 'Connect with name and password',
      example: submitted('/api-auth/basic/own-basic', { username: 'alice', password: 'secret' }),
    }),
    submitRow(use, '/oauth2/auth', clientCredentialsBody, {
      mode: 'OAUTH2_CC',
      id: 'connectClientCredentials',
      summary: 'Connect with client credentials',
      errors: [
        [400, 'unknown_provider_config'],
        'missing_client_id',
        'missing_client_secret',
        'missing_token_url',
        'client_credentials_fetch_error',
        'invalid_certificate_or_key_format',
        'invalid_headers',
      ],
      example: submitted('/oauth2/auth/own-cc', { client_id: 'id', client_secret: 'secret' }, '&params[tenant]=acme'),
    }),
    submitRow(use, '/auth/unauthenticated', noCredentialsBody, {
      mode: 'NONE',
      id: 'connectNone',
      summary: 'Connect without credentials',
      example: submitted('/auth/unauthenticated/own-none', {}),
    }),
    submitRow(use, '/auth/two-step', openBody, {
      mode: 'TWO_STEP',
      id: 'connectTwoStep',
      summary: 'Connect with a login of several steps',
      errors: [
        'missing_token_url',
        'two_step_credentials_fetch_error',
        'invalid_two_step_credentials',
        'invalid_two_step_credentials_step_2',
        'invalid_two_step_credentials_step_3',
        'invalid_two_step_credentials_step_4',
        'invalid_two_step_credentials_step_5',
        'invalid_headers',
      ],
      example: submitted('/auth/two-step/own-two-step', { username: 'alice' }),
    }),
    submitRow(use, '/auth/jwt', openBody, {
      mode: 'JWT',
      id: 'connectJwt',
      summary: 'Connect with a signing key',
      errors: ['invalid_credentials'],
      example: submitted('/auth/jwt/own-jwt', { privateKey: 'id:secret' }),
    }),
    submitRow(use, '/auth/tba', tbaBody, {
      mode: 'TBA',
      id: 'connectTba',
      summary: 'Connect with token-based authentication',
      example: submitted('/auth/tba/own-tba', { token_id: 'id', token_secret: 'secret' }, '&params[accountId]=acme'),
    }),
    submitRow(use, '/auth/bill', billBody, {
      mode: 'BILL',
      id: 'connectBill',
      summary: 'Connect to Bill',
      errors: ['invalid_credentials'],
      example: submitted('/auth/bill/own-bill', {
        username: 'alice',
        password: 'secret',
        organization_id: 'acme',
        dev_key: 'key',
      }),
    }),
    submitRow(use, '/auth/signature', signatureBody, {
      mode: 'SIGNATURE',
      id: 'connectSignature',
      summary: 'Connect with a signed token',
      errors: ['invalid_credentials'],
      example: submitted('/auth/signature/own-signature', {
        type: 'SIGNATURE',
        username: 'alice',
        password: 'secret',
      }),
    }),
    submitRow(use, '/auth/signature-based', signatureBody, {
      mode: 'SIGNATURE',
      id: 'connectSignatureBased',
      summary: 'Connect with a signed token',
      errors: ['invalid_credentials'],
      example: submitted('/auth/signature-based/own-signature', {
        type: 'SIGNATURE',
        username: 'alice',
        password: 'secret',
      }),
    }),
    submitRow(use, '/auth/aws-sigv4', awsBody, {
      mode: 'AWS_SIGV4',
      id: 'connectAws',
      summary: 'Connect with a role at AWS',
      errors: [
        'missing_aws_sigv4_role_arn',
        'missing_aws_sigv4_service',
        'missing_aws_sigv4_region',
        'missing_aws_sigv4_access_key',
        'missing_aws_sigv4_sts_endpoint',
        'missing_aws_sigv4_sts_credentials',
        'invalid_aws_sigv4_config',
        'aws_sigv4_sts_request_failed',
      ],
      example: submitted('/auth/aws-sigv4/own-aws', { role_arn: 'arn:aws:iam::123456789012:role/Reader' }),
    }),
    {
      method: 'post',
      path: '/auth/oauth-outbound/:providerConfigKey',
      access: 'public',
      handler: prepareOutbound(use),
      openapi: {
        ...describeSubmit(noCredentialsBody, {
          id: 'connectOutbound',
          summary: 'Prepare a connection that the provider completes',
          example: submitted('/auth/oauth-outbound/own-outbound', {}),
        }),
      },
    },
  ];
}

function getClientDocument(use: AuthApiDeps): Handler {
  return (request) => {
    const { environmentUuid } = validateParams(clientDocumentParams, request.params);
    const document = use.authorization.clientDocument(environmentUuid);
    if (document) return ok(document);
    throw new HomeportError('not_found', 'There is no such environment.');
  };
}

type SubmitBody = z.ZodType<Record<string, unknown>>;
type SubmitDescription = Pick<RouteDescription, 'id' | 'summary' | 'errors' | 'example'>;

function submitRow(
  use: AuthApiDeps,
  path: string,
  body: SubmitBody,
  { mode, ...description }: SubmitDescription & { mode: AuthMode },
): PublicRoute {
  return {
    method: 'post',
    path: `${path}/:providerConfigKey`,
    access: 'public',
    handler: submitCredentials(use, mode, body),
    openapi: describeSubmit(body, description),
  };
}

function describeSubmit(body: z.ZodType, { errors = [], ...description }: SubmitDescription): RouteDescription {
  return {
    tag: 'Connect sessions',
    ...description,
    params: authParams,
    query: submitParameters,
    body,
    responses: { 200: connectedResponse },
    errors: [...SUBMIT_ERRORS, ...errors],
  };
}

/** Example of a body that an end user submits with a connect session. */
function submitted(path: string, body: unknown, query = ''): NonNullable<RouteDescription['example']> {
  return { path: `${path}?connect_session_token=$CONNECT_SESSION_TOKEN${query}`, body };
}

/** Creates a connection from what an end user entered. One handler for every mode without a redirect. */
function submitCredentials(use: AuthApiDeps, mode: AuthMode, body: SubmitBody): Handler {
  return async (request) => {
    const session = await readSession(use, request);
    const given = validateBody(body, request.body ?? {});
    const { integrationKey, params } = readTarget(request);
    const made = await use.authorization.submit({ integrationKey, session, params, mode, given });
    return ok({ connectionId: made.connectionId, providerConfigKey: made.integrationKey });
  };
}

/** Creates a connection that the provider's marketplace will complete (auth-and-connect.md 3.7, outbound). */
function prepareOutbound(use: AuthApiDeps): Handler {
  return async (request) => {
    const session = await readSession(use, request);
    validateBody(noCredentialsBody, request.body ?? {});
    const { integrationKey, params } = readTarget(request);
    const made = await use.authorization.prepare({ integrationKey, session, params });
    return ok({ connectionId: made.connectionId, providerConfigKey: made.integrationKey });
  };
}
