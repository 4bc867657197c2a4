import { connectedAnswer } from '../api/answers/session-answers.ts';
import {
  apiKeyBody,
  authParams,
  awsBody,
  basicBody,
  billBody,
  callbackParameters,
  clientCredentialsBody,
  connectParameters,
  noCredentialsBody,
  openBody,
  signatureBody,
  submitParameters,
  tbaBody,
} from '../api/authorization.ts';
import type { ErrorAnswer, RouteDescription } from './route-description.ts';

/** The token of the session stands in the query. */
const SESSION_ERRORS = [
  'missing_public_key',
  'deprecated_authentication',
  'invalid_connect_session_token_format',
  'unknown_connect_session_token',
] as const satisfies ErrorAnswer[];

const PLACE_ERRORS = [
  'invalid_connection',
  [404, 'unknown_provider_config'],
  'unknown_provider_template',
  'invalid_auth_mode',
  'integration_not_allowed',
] as const satisfies ErrorAnswer[];

const SUBMIT_ERRORS = [
  ...SESSION_ERRORS,
  ...PLACE_ERRORS,
  'connection_test_failed',
  'connection_validation_failed',
  'missing_connection_config',
  'provider_unreachable',
  [404, 'not_found'],
] as const satisfies ErrorAnswer[];

function submit<Body extends NonNullable<RouteDescription['body']>>(
  id: string,
  summary: string,
  body: Body,
  errors: readonly ErrorAnswer[] = [],
) {
  return {
    id,
    tag: 'Connect sessions',
    summary,
    access: 'public',
    params: authParams,
    query: submitParameters,
    body,
    answers: { 200: connectedAnswer },
    errors: [...SUBMIT_ERRORS, ...errors],
  } as const satisfies RouteDescription;
}

const PAGE = 'Answers a page: for the person who signs in, and with scripts that tell the page that opened it.';

export const AUTHORIZATION_ROUTES = {
  'GET /oauth/connect/:providerConfigKey': {
    id: 'startSignIn',
    tag: 'Connect sessions',
    summary: 'Send the end user to the provider',
    details: `The official frontend client opens this in a pop-up. Browsers get failures as a page.`,
    access: 'public',
    params: authParams,
    query: connectParameters,
    answers: { 302: null },
    errors: [
      ...SESSION_ERRORS,
      ...PLACE_ERRORS,
      'provider_config_err',
      'grant_type_err',
      'url_param_err',
      'token_err',
      'missing_token_url',
      'client_registration_failed',
      'mcp_discovery_failed',
      'provider_unreachable',
    ],
  },
  'GET /oauth/callback': {
    id: 'finishSignIn',
    tag: 'Connect sessions',
    summary: 'Take the end user back from the provider',
    details: PAGE,
    access: 'public',
    query: callbackParameters,
    unchecked: ['query'],
    answers: { 200: null, 302: null },
    passesOn: PAGE,
    errors: [
      'invalid_state',
      'callback_err',
      'wrong_auth_mode',
      'token_exchange_failed',
      'unable_to_parse_token_response',
    ],
  },
  'GET /app-auth/connect': {
    id: 'finishAppInstallation',
    tag: 'Connect sessions',
    summary: 'Take the end user back from installing an app',
    details: PAGE,
    access: 'public',
    query: callbackParameters,
    unchecked: ['query'],
    answers: { 200: null, 302: null },
    passesOn: PAGE,
    errors: [
      'invalid_state',
      [404, 'invalid_state'],
      'callback_err',
      'wrong_auth_mode',
      'missing_app_id',
      'missing_installation_id',
    ],
  },
  'POST /api-auth/api-key/:providerConfigKey': submit('connectApiKey', 'Connect with an API key', apiKeyBody),
  'POST /api-auth/basic/:providerConfigKey': submit('connectBasic', 'Connect with name and password', basicBody),
  'POST /oauth2/auth/:providerConfigKey': submit(
    'connectClientCredentials',
    'Connect with client credentials',
    clientCredentialsBody,
    [
      [400, 'unknown_provider_config'],
      'missing_client_id',
      'missing_client_secret',
      'missing_token_url',
      'client_credentials_fetch_error',
      'invalid_certificate_or_key_format',
      'invalid_headers',
    ],
  ),
  'POST /auth/unauthenticated/:providerConfigKey': submit(
    'connectNone',
    'Connect without credentials',
    noCredentialsBody,
  ),
  'POST /auth/two-step/:providerConfigKey': submit(
    'connectTwoStep',
    'Connect with a login of several steps',
    openBody,
    [
      'missing_token_url',
      'two_step_credentials_fetch_error',
      'invalid_two_step_credentials',
      'invalid_two_step_credentials_step_2',
      'invalid_two_step_credentials_step_3',
      'invalid_two_step_credentials_step_4',
      'invalid_two_step_credentials_step_5',
      'invalid_headers',
    ],
  ),
  'POST /auth/jwt/:providerConfigKey': submit('connectJwt', 'Connect with a signing key', openBody, [
    'invalid_credentials',
  ]),
  'POST /auth/tba/:providerConfigKey': submit('connectTba', 'Connect with token-based authentication', tbaBody),
  'POST /auth/bill/:providerConfigKey': submit('connectBill', 'Connect to Bill', billBody, ['invalid_credentials']),
  'POST /auth/signature/:providerConfigKey': submit('connectSignature', 'Connect with a signed token', signatureBody, [
    'invalid_credentials',
  ]),
  'POST /auth/signature-based/:providerConfigKey': submit(
    'connectSignatureBased',
    'Connect with a signed token',
    signatureBody,
    ['invalid_credentials'],
  ),
  'POST /auth/aws-sigv4/:providerConfigKey': submit('connectAws', 'Connect with a role at AWS', awsBody, [
    'missing_aws_sigv4_role_arn',
    'missing_aws_sigv4_service',
    'missing_aws_sigv4_region',
    'missing_aws_sigv4_access_key',
    'missing_aws_sigv4_sts_endpoint',
    'missing_aws_sigv4_sts_credentials',
    'invalid_aws_sigv4_config',
    'aws_sigv4_sts_request_failed',
  ]),
  'POST /auth/oauth-outbound/:providerConfigKey': submit(
    'connectOutbound',
    'Prepare a connection that the provider completes',
    noCredentialsBody,
  ),
} as const satisfies Record<string, RouteDescription>;
