import {
  createEnvironmentBody,
  createKeyBody,
  environmentParams,
  listKeysQuery,
  PRODUCTION_NAME,
  revokeKeyBody,
} from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import { WHOLE_ENVIRONMENT } from '../../../contract/api/key-scopes.ts';
import {
  createdKeyResponse,
  environmentResponse,
  environmentsResponse,
  keysResponse,
} from '../../../contract/api/responses/environment-responses.ts';
import { success } from '../../../contract/api/responses/response-fields.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { omitUndefined } from '../../../lib/omit-undefined.ts';
import { isoDate, isoDateOrNull } from '../../../present/dates.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import type { EnvironmentRemoval } from '../../../services/lifecycle/environment-lifecycle.ts';
import { type OwnAddressDeps, refuseOwnCollector } from '../../refuse-own-address.ts';
import { bodyText, type Handler, ok, type PublicRoute } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';

export interface EnvironmentsApiDeps extends OwnAddressDeps {
  environments: EnvironmentService;
  environmentRemoval: EnvironmentRemoval;
}

/** Routes that create keys need a key with full access, so that a limited key cannot extend its own rights. */
export function environmentsApi(use: EnvironmentsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/environments',
      access: 'key',
      scopes: ['environment:*'],
      handler: listEnvironments(use),
      openapi: {
        id: 'listEnvironments',
        tag: 'Environment',
        summary: 'List environments',
        query: empty,
        responses: { 200: environmentsResponse },
      },
    },
    {
      method: 'post',
      path: '/environments',
      access: 'key',
      scopes: ['environment:*'],
      handler: createEnvironment(use),
      audit: { action: 'environment_created', subject: bodyText('name') },
      openapi: {
        id: 'createEnvironment',
        tag: 'Environment',
        summary: 'Create an environment',
        query: empty,
        body: createEnvironmentBody,
        responses: { 200: environmentResponse },
        errors: ['conflict', 'invalid_is_prod_flag'],
        example: { body: { name: 'staging' } },
      },
    },
    {
      method: 'delete',
      path: '/environments/:id',
      access: 'key',
      scopes: ['environment:*'],
      handler: deleteEnvironment(use),
      audit: { action: 'environment_deleted', subject: ({ params }) => String(params['id']) },
      openapi: {
        id: 'deleteEnvironment',
        tag: 'Environment',
        summary: 'Delete an environment',
        details:
          'Deletes everything in it. Its keys stop working at once; its data is removed in the background. Neither `prod` nor the first environment can be deleted. Ids are not used again.',
        params: environmentParams,
        query: empty,
        responses: { 204: null },
        errors: ['not_found', 'cannot_delete_prod_environment'],
        example: { path: '/environments/$ENVIRONMENT_ID' },
      },
    },
    {
      method: 'get',
      path: '/environment/api-keys',
      access: 'key',
      scopes: ['environment:*'],
      handler: listApiKeys(use),
      openapi: {
        id: 'listApiKeys',
        tag: 'Environment',
        summary: 'List secret keys',
        details: 'Without the keys themselves. Without `environment_id` those of the environment of the caller.',
        query: listKeysQuery,
        responses: { 200: keysResponse },
        errors: ['not_found'],
      },
    },
    {
      method: 'post',
      path: '/environment/api-keys',
      access: 'key',
      scopes: ['environment:*'],
      handler: createApiKey(use),
      audit: { action: 'key_created', subject: bodyText('display_name') },
      openapi: {
        id: 'createApiKey',
        tag: 'Environment',
        summary: 'Create a secret key',
        details:
          'The only answer that shows the key. Without `environment_id` it is for the environment of the caller.',
        query: empty,
        body: createKeyBody,
        responses: { 200: createdKeyResponse },
        errors: ['conflict', 'resource_capped', 'not_found'],
        example: { body: { display_name: 'my-app' } },
      },
    },
    {
      method: 'delete',
      path: '/environment/api-keys',
      access: 'key',
      scopes: ['environment:*'],
      handler: revokeApiKey(use),
      audit: { action: 'key_revoked', subject: bodyText('key_id') },
      openapi: {
        id: 'revokeApiKey',
        tag: 'Environment',
        summary: 'Revoke a secret key',
        details: 'The last key of an environment stays.',
        query: empty,
        body: revokeKeyBody,
        responses: { 200: success },
        errors: ['not_found'],
        example: { body: { key_id: '$KEY_ID as number' } },
      },
    },
  ];
}

function listEnvironments(use: EnvironmentsApiDeps): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    return ok({ data: use.environments.list().map(({ id, name }) => ({ id, name })) });
  };
}

function createEnvironment(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createEnvironmentBody, request.body);
    if (body.is_production !== undefined && body.is_production !== (body.name === PRODUCTION_NAME)) {
      throw new HomeportError(
        'invalid_is_prod_flag',
        `The production environment is the one called "${PRODUCTION_NAME}".`,
      );
    }
    refuseOwnCollector(body, { local: use.dashboardUrl(), public: use.publicBase() });
    const settings = omitUndefined({ callbackUrl: body.callback_url, otlpEndpoint: body.otlp_endpoint });
    const { id, name } = await use.environments.create(body.name, settings, { otlpHeaders: body.otlp_headers });
    return ok({ data: { id, name } });
  };
}

function deleteEnvironment(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(environmentParams, request.params);
    await use.environmentRemoval.remove(id);
    return { status: 204 };
  };
}

function listApiKeys(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(listKeysQuery, request.query);
    const environmentId = query.environment_id ?? request.environment.id;
    if (!use.environments.find(environmentId)) throw new HomeportError('not_found', 'There is no such environment.');
    const keys = await use.environments.keys.list(environmentId);
    return ok({
      data: keys.map((key) => ({
        id: key.id,
        display_name: key.displayName,
        scopes: key.scopes,
        created_at: isoDate(key.createdAt),
        last_used_at: isoDateOrNull(key.lastUsedAt),
      })),
    });
  };
}

/** Creates a key. No other response contains the secret. */
function createApiKey(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(createKeyBody, request.body);
    const environmentId = body.environment_id ?? request.environment.id;
    if (!use.environments.find(environmentId)) throw new HomeportError('not_found', 'There is no such environment.');
    const key = await use.environments.keys.create(
      environmentId,
      body.display_name,
      body.scopes ?? [WHOLE_ENVIRONMENT],
    );
    const { id, displayName, scopes, secret, createdAt } = key;
    return ok({ data: { id, display_name: displayName, scopes, secret, created_at: isoDate(createdAt) } });
  };
}

function revokeApiKey(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(revokeKeyBody, request.body);
    await use.environments.keys.revoke(body.environment_id ?? request.environment.id, body.key_id);
    return ok({ success: true });
  };
}
