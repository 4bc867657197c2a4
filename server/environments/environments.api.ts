import type { z } from 'zod';
import { empty } from '../contract/fields.ts';
import { success } from '../contract/response-fields.ts';
import type { EnvironmentRemoval } from '../lifecycle/environment-lifecycle.ts';
import { type OwnAddressDeps, refuseOwnCollector } from '../platform/http/refuse-own-address.ts';
import { bodyText, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { uuidOf } from '../platform/lib/ids.ts';
import { omitUndefined } from '../platform/lib/omit-undefined.ts';
import type { KeyFacts } from './api-keys.ts';
import {
  createEnvironmentBody,
  createKeyBody,
  createKeyOfBody,
  environmentKeyParams,
  environmentKeysParams,
  environmentParams,
  findKeysQuery,
  listEnvironmentsQuery,
  listKeysQuery,
  PRODUCTION_NAME,
  revokeKeyBody,
} from './environment.contract.ts';
import type { Environment, EnvironmentService } from './environment.service.ts';
import {
  createdKeyResponse,
  environmentResponse,
  environmentsResponse,
  keyResponse,
  keysResponse,
} from './environment-responses.contract.ts';
import { WHOLE_ENVIRONMENT } from './key-scopes.contract.ts';

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
      limitedKeys: 'refused',
      handler: listEnvironments(use),
      openapi: {
        id: 'listEnvironments',
        tag: 'Environment',
        summary: 'List environments',
        query: listEnvironmentsQuery,
        responses: { 200: environmentsResponse },
      },
    },
    {
      method: 'post',
      path: '/environments',
      access: 'key',
      scopes: ['environment:*'],
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
    {
      method: 'get',
      path: '/environments/:environment/api-keys',
      access: 'key',
      scopes: ['environment:*'],
      limitedKeys: 'refused',
      handler: listKeysOf(use),
      openapi: {
        id: 'listApiKeysOfEnvironment',
        tag: 'Environment',
        summary: 'List the secret keys of an environment',
        details: 'Without the keys themselves. The environment is named by its UUID or its number.',
        params: environmentKeysParams,
        query: findKeysQuery,
        responses: { 200: keysResponse },
        errors: ['not_found'],
        example: { path: '/environments/$OWN_ENVIRONMENT_ID/api-keys' },
      },
    },
    {
      method: 'post',
      path: '/environments/:environment/api-keys',
      access: 'key',
      scopes: ['environment:*'],
      limitedKeys: 'refused',
      handler: createKeyOf(use),
      audit: { action: 'key_created', subject: bodyText('display_name') },
      openapi: {
        id: 'createApiKeyOfEnvironment',
        tag: 'Environment',
        summary: 'Create a secret key of an environment',
        details: 'The only answer that shows the key.',
        params: environmentKeysParams,
        query: empty,
        body: createKeyOfBody,
        responses: { 200: createdKeyResponse },
        errors: ['conflict', 'resource_capped', 'not_found'],
        example: { path: '/environments/$OWN_ENVIRONMENT_ID/api-keys', body: { display_name: 'my-worker' } },
      },
    },
    {
      method: 'get',
      path: '/environments/:environment/api-keys/:key',
      access: 'key',
      scopes: ['environment:*'],
      limitedKeys: 'refused',
      handler: describeKey(use),
      openapi: {
        id: 'getApiKey',
        tag: 'Environment',
        summary: 'Describe a secret key',
        details: 'Without the key itself. It is named by its UUID or its number.',
        params: environmentKeyParams,
        query: empty,
        responses: { 200: keyResponse },
        errors: ['not_found'],
        example: { path: '/environments/$OWN_ENVIRONMENT_ID/api-keys/$KEY_ID' },
      },
    },
    {
      method: 'delete',
      path: '/environments/:environment/api-keys/:key',
      access: 'key',
      scopes: ['environment:*'],
      limitedKeys: 'refused',
      handler: revokeKeyOf(use),
      audit: { action: 'key_revoked', subject: ({ params }) => String(params['key']) },
      openapi: {
        id: 'revokeApiKeyOfEnvironment',
        tag: 'Environment',
        summary: 'Revoke a secret key of an environment',
        details: 'The last key of an environment stays.',
        params: environmentKeyParams,
        query: empty,
        responses: { 200: success },
        errors: ['not_found'],
        example: { path: '/environments/$OWN_ENVIRONMENT_ID/api-keys/$KEY_ID' },
      },
    },
  ];
}

function listEnvironments(use: EnvironmentsApiDeps): Handler {
  return (request) => {
    const { name } = validateQuery(listEnvironmentsQuery, request.query);
    const found = use.environments.list().filter((one) => name === undefined || one.name === name);
    return ok({
      data: found.map(({ id, uuid, name, settings }) => ({ id, uuid, name, is_production: settings.isProduction })),
    });
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
    const { id, uuid, name } = await use.environments.create(body.name, settings, { otlpHeaders: body.otlp_headers });
    return ok({ data: { id, uuid, name } });
  };
}

function deleteEnvironment(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(environmentParams, request.params);
    await use.environmentRemoval.remove(findEnvironment(use, id).id);
    return { status: 204 };
  };
}

function listApiKeys(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(listKeysQuery, request.query);
    return ok({ data: await listKeys(use, findEnvironment(use, query.environment_id ?? request.environment.id)) });
  };
}

function listKeysOf(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    const { display_name: name } = validateQuery(findKeysQuery, request.query);
    const { environment } = validateParams(environmentKeysParams, request.params);
    const keys = await listKeys(use, findEnvironment(use, environment));
    return ok({ data: keys.filter((key) => name === undefined || key.display_name === name) });
  };
}

/** Creates a key. No other response contains the secret. */
function createApiKey(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { environment_id: id, ...body } = validateBody(createKeyBody, request.body);
    return ok({ data: await createKey(use, findEnvironment(use, id ?? request.environment.id), body) });
  };
}

function createKeyOf(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { environment } = validateParams(environmentKeysParams, request.params);
    const body = validateBody(createKeyOfBody, request.body);
    return ok({ data: await createKey(use, findEnvironment(use, environment), body) });
  };
}

function describeKey(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { environment, key } = validateParams(environmentKeyParams, request.params);
    return ok({ data: await findKey(use, findEnvironment(use, environment), key) });
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

function revokeKeyOf(use: EnvironmentsApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { environment, key } = validateParams(environmentKeyParams, request.params);
    const found = findEnvironment(use, environment);
    await use.environments.keys.revoke(found.id, (await findKey(use, found, key)).id);
    return ok({ success: true });
  };
}

/** Finds an environment by its number or its UUID. Throws `not_found`. */
function findEnvironment({ environments }: EnvironmentsApiDeps, ref: string | number): Environment {
  const found = environments.list().find(({ id, uuid }) => id === ref || uuid === String(ref).toLowerCase());
  if (!found) throw new HomeportError('not_found', 'There is no such environment.');
  return found;
}

async function listKeys({ environments }: EnvironmentsApiDeps, environment: Environment) {
  const keys = await environments.keys.list(environment.id);
  return keys.map((key) => ({
    id: key.id,
    uuid: keyUuid(environment, key),
    display_name: key.displayName,
    scopes: key.scopes,
    created_at: isoDate(key.createdAt),
    last_used_at: isoDateOrNull(key.lastUsedAt),
  }));
}

async function findKey(use: EnvironmentsApiDeps, environment: Environment, ref: string | number) {
  const keys = await listKeys(use, environment);
  const found = keys.find(({ id, uuid }) => id === ref || uuid === String(ref).toLowerCase());
  if (!found) throw new HomeportError('not_found', 'There is no such key.');
  return found;
}

async function createKey(
  { environments }: EnvironmentsApiDeps,
  environment: Environment,
  body: z.infer<typeof createKeyOfBody>,
) {
  const key = await environments.keys.create(environment.id, body.display_name, body.scopes ?? [WHOLE_ENVIRONMENT]);
  const { id, displayName, scopes, secret, createdAt } = key;
  const uuid = keyUuid(environment, key);
  return { id, uuid, display_name: displayName, scopes, secret, created_at: isoDate(createdAt) };
}

/** The number alone may be used again after the last key was revoked. */
function keyUuid({ uuid }: Environment, { id, createdAt }: Pick<KeyFacts, 'id' | 'createdAt'>): string {
  return uuidOf(uuid, `key ${id} ${createdAt}`);
}
