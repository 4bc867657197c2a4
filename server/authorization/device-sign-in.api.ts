import type { ErrorResponse } from '../contract/openapi/route-description.ts';
import { type ApiRequest, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams } from '../platform/http/validate.ts';
import { readSession, readTarget } from './auth-caller.api.ts';
import { authParams, deviceBody, sessionParameters, startDeviceParameters } from './authorization.contract.ts';
import type { ConnectSession } from './connect-session.ts';
import { presentDeviceSignIn } from './device-sign-in.present.ts';
import { deviceSignInResponse } from './session-responses.contract.ts';
import type { StartDeps } from './start-redirect.api.ts';

const PATH = '/oauth/device/:providerConfigKey';

/** Sign-ins with a code that a person enters at the provider (auth-and-connect.md 3.12). */
export function deviceSignInRows(
  use: StartDeps,
  errors: { session: readonly ErrorResponse[]; integration: readonly ErrorResponse[] },
): PublicRoute[] {
  return [
    {
      method: 'post',
      path: PATH,
      access: 'public',
      handler: beginSignIn(use),
      openapi: {
        id: 'startDeviceSignIn',
        tag: 'Connect sessions',
        summary: 'Get a code that the end user enters at the provider',
        details:
          'Answers the code that is valid already, or a new one with `new: true`. The hub asks the provider for the result ' +
          'as long as somebody asks the hub for it.',
        params: authParams,
        query: startDeviceParameters,
        body: deviceBody,
        responses: { 200: deviceSignInResponse },
        errors: [
          ...errors.session,
          ...errors.integration,
          'provider_config_err',
          'device_authorization_failed',
          'client_registration_failed',
          'missing_connection_config',
          'missing_token_url',
          'provider_unreachable',
        ],
        example: { path: '/oauth/device/own-device?connect_session_token=$CONNECT_SESSION_TOKEN', body: {} },
      },
    },
    {
      method: 'get',
      path: PATH,
      access: 'public',
      handler: findSignIn(use),
      openapi: {
        id: 'getDeviceSignIn',
        tag: 'Connect sessions',
        summary: 'Ask whether the end user has entered the code',
        params: authParams,
        query: sessionParameters,
        responses: { 200: deviceSignInResponse },
        errors: errors.session,
        example: { path: '/oauth/device/own-device?connect_session_token=$CONNECT_SESSION_TOKEN' },
      },
    },
    {
      method: 'delete',
      path: PATH,
      access: 'public',
      handler: cancelSignIn(use),
      openapi: {
        id: 'cancelDeviceSignIn',
        tag: 'Connect sessions',
        summary: 'Stop waiting for the code',
        params: authParams,
        query: sessionParameters,
        responses: { 204: null },
        errors: errors.session,
        example: { path: '/oauth/device/own-device?connect_session_token=$CONNECT_SESSION_TOKEN' },
      },
    },
  ];
}

function beginSignIn(use: StartDeps): Handler {
  return async (request) => {
    const session = await readSession(use, request);
    const { new: isNew = false } = validateBody(deviceBody, request.body ?? {});
    const { integrationKey, params, credentials } = readTarget(request);
    const asked = { integrationKey, session, params, credentials, isNew };
    return ok(presentDeviceSignIn(await use.authorization.device.begin(asked)));
  };
}

function findSignIn(use: StartDeps): Handler {
  return async (request) => {
    const { session, integrationKey } = await target(use, request);
    return ok(presentDeviceSignIn(await use.authorization.device.find(session, integrationKey)));
  };
}

function cancelSignIn(use: StartDeps): Handler {
  return async (request) => {
    const { session, integrationKey } = await target(use, request);
    await use.authorization.device.cancel(session, integrationKey);
    return { status: 204 };
  };
}

async function target(
  use: StartDeps,
  request: ApiRequest,
): Promise<{ session: ConnectSession; integrationKey: string }> {
  const session = await readSession(use, request);
  return { session, integrationKey: validateParams(authParams, request.params).providerConfigKey };
}
