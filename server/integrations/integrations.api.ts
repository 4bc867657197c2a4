import type { ConnectionsService } from '../connections/connections.service.ts';
import { success } from '../contract/response-fields.ts';
import { allowsIntegration } from '../environments/allowed-connections.contract.ts';
import { presentConfig, presentConfigSecrets } from '../environments/config.present.ts';
import { grants } from '../environments/key-scopes.contract.ts';
import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import type { LifecycleService } from '../lifecycle/lifecycle.service.ts';
import { byIntegrationInPath } from '../platform/http/connection-limits.ts';
import { type ApiRequest, bodyText, type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { CatalogReader } from './catalog/catalog.ts';
import { presentIntegration } from './integration.present.ts';
import { describeIntegration, type ExtrasDeps, integrationExtras } from './integration-extras.present.ts';
import { configResponse, integrationResponse, integrationsResponse } from './integration-responses.contract.ts';
import {
  configParams,
  configQuery,
  createIntegrationBody,
  getIntegrationQuery,
  integrationParams,
  noQuery,
  updateIntegrationBody,
} from './integrations.contract.ts';

export interface IntegrationsApiDeps extends ExtrasDeps {
  catalog: CatalogReader;
  connections: ConnectionsService;
  deployments: DeploymentsService;
  lifecycle: LifecycleService;
  /** Origin of pages and pictures without a trailing slash. Only this computer can open it (design.md 7.28). */
  localBase: () => string;
}

/** Integrations, and their deprecated form (http-api.md 3, 5). */
export function integrationsApi(use: IntegrationsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/integrations',
      access: 'key-or-session',
      scopes: ['environment:integrations:list', 'environment:integrations:list_credentials'],
      limitedKeys: 'filtered',
      handler: listIntegrations(use),
      openapi: {
        id: 'listIntegrations',
        tag: 'Integrations',
        summary: 'List integrations',
        details: 'For a connect session only those that it may use.',
        query: noQuery,
        responses: { 200: integrationsResponse },
      },
    },
    {
      method: 'post',
      path: '/integrations',
      access: 'key',
      scopes: ['environment:integrations:create'],
      limitedKeys: 'refused',
      handler: createIntegration(use),
      audit: { action: 'integration_created', subject: bodyText('unique_key') },
      openapi: {
        id: 'createIntegration',
        tag: 'Integrations',
        summary: 'Create an integration',
        details: 'The `type` of the credentials is the auth mode of the provider.',
        query: noQuery,
        body: createIntegrationBody,
        responses: { 200: integrationResponse },
        example: {
          body: {
            provider: 'github',
            unique_key: 'github',
            credentials: { type: 'OAUTH2', client_id: 'my-client', client_secret: 'my-secret', scopes: 'repo' },
          },
        },
      },
    },
    {
      method: 'post',
      path: '/integrations/quickstart',
      access: 'key',
      scopes: ['environment:integrations:create'],
      limitedKeys: 'refused',
      handler: createQuickstartIntegration,
      openapi: {
        id: 'createQuickstartIntegration',
        tag: 'Integrations',
        summary: 'Create an integration with a shared app',
        details: 'Homeport ships no provider apps: always refused.',
        responses: {},
        errors: ['invalid_body'],
        example: { body: { provider: 'github', unique_key: 'github' } },
      },
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: ['environment:integrations:read', 'environment:integrations:read_credentials'],
      limitedKeys: byIntegrationInPath,
      handler: getIntegration(use),
      audit: {
        action: 'credentials',
        concerns: ({ caller, query }) =>
          grants(caller.scopes, 'environment:integrations:read_credentials') &&
          [(query as { include?: unknown }).include].flat().includes('credentials'),
      },
      openapi: {
        id: 'getIntegration',
        tag: 'Integrations',
        summary: 'Get an integration',
        details:
          '`include` may be repeated. Without the scope `environment:integrations:read_credentials` they are absent.',
        params: integrationParams,
        query: getIntegrationQuery,
        responses: { 200: integrationResponse },
        errors: ['not_found'],
        example: { path: '/integrations/github?include=credentials' },
      },
    },
    {
      method: 'patch',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: ['environment:integrations:update'],
      limitedKeys: 'refused',
      handler: updateIntegration(use),
      audit: { action: 'integration_changed' },
      openapi: {
        id: 'updateIntegration',
        tag: 'Integrations',
        summary: 'Change an integration',
        details: 'An integration with connections keeps its key.',
        params: integrationParams,
        query: noQuery,
        body: updateIntegrationBody,
        responses: { 200: integrationResponse },
        errors: ['not_found'],
        example: { path: '/integrations/github', body: { display_name: 'Our GitHub' } },
      },
    },
    {
      method: 'delete',
      path: '/integrations/:uniqueKey',
      access: 'key',
      scopes: ['environment:integrations:delete'],
      limitedKeys: 'refused',
      handler: deleteIntegration(use),
      audit: { action: 'integration_deleted' },
      openapi: {
        id: 'deleteIntegration',
        tag: 'Integrations',
        summary: 'Delete an integration, its connections and syncs',
        params: integrationParams,
        query: noQuery,
        responses: { 200: success },
        errors: ['not_found'],
        example: { path: '/integrations/github' },
      },
    },
    {
      method: 'get',
      path: '/config/:key',
      access: 'key',
      scopes: ['environment:integrations:read', 'environment:integrations:read_credentials'],
      // The response lists every connection.
      limitedKeys: 'refused',
      handler: getConfig(use),
      audit: {
        action: 'credentials',
        concerns: ({ caller, query }) =>
          grants(caller.scopes, 'environment:integrations:read_credentials') &&
          (query as { include_creds?: unknown }).include_creds === 'true',
      },
      successor: '/integrations/:key',
      openapi: {
        id: 'getConfig',
        tag: 'Integrations',
        summary: 'Get an integration in the older form',
        details: '`include_creds=true` adds the credentials of the app and the connections.',
        params: configParams,
        query: configQuery,
        unchecked: ['query'],
        responses: { 200: configResponse },
        errors: ['unknown_provider_config', [400, 'unknown_provider_template']],
        replacedBy: 'GET /integrations/{uniqueKey}',
        example: { path: '/config/practice' },
      },
    },
  ];
}

function listIntegrations(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const all = await use.integrations.list(request.environment.id);
    const shown = all.filter(({ uniqueKey }) => mayUse(request, uniqueKey));
    return ok({ data: await Promise.all(shown.map((one) => describeIntegration(use, one))) });
  };
}

/** A session or a key may be limited to some integrations. */
function mayUse({ allowed, session }: ApiRequest, uniqueKey: string): boolean {
  if (allowed !== null) return allowsIntegration(allowed, uniqueKey);
  return !session || session.allowedIntegrations.length === 0 || session.allowedIntegrations.includes(uniqueKey);
}

function createIntegration(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const body = validateBody(createIntegrationBody, request.body);
    const integration = await use.lifecycle.createIntegration(request.environment, body);
    return ok({ data: await describeIntegration(use, integration) });
  };
}

/**
 * Always refused: it needs a service operator's own apps at the providers, which a local hub does not have (http-api.md
 * 3).
 */
const createQuickstartIntegration: Handler = () => {
  throw new HomeportError(
    'invalid_body',
    'Homeport ships no provider apps. Create the integration with credentials of your own app.',
  );
};

function getIntegration(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    const query = validateQuery(getIntegrationQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const environmentId = request.environment.id;
    const { integration, entry } = await use.integrations.get(environmentId, uniqueKey);
    // Without the scope the credentials are left out silently (http-api.md 3).
    const mayRead = grants(request.caller.scopes, 'environment:integrations:read_credentials');
    const include = query.include.filter((part) => part !== 'credentials' || mayRead);
    const extras = await integrationExtras(use, { environmentId, uniqueKey, entry, include });
    return ok({ data: presentIntegration(integration, entry, use.localBase(), extras) });
  };
}

function updateIntegration(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const body = validateBody(updateIntegrationBody, request.body);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const integration = await use.integrations.update(request.environment.id, uniqueKey, body);
    return ok({ data: await describeIntegration(use, integration) });
  };
}

function deleteIntegration(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    validateQuery(noQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    await use.lifecycle.deleteIntegration(request.environment, uniqueKey);
    return ok({ success: true });
  };
}

/** Limit that includes every connection: the response has no pages. */
const ALL = 10_000;

/** The deprecated form of `GET /integrations/:uniqueKey` (http-api.md 5). */
function getConfig(use: IntegrationsApiDeps): Handler {
  return async (request) => {
    const { id: environmentId } = request.environment;
    const key = configParams.safeParse(request.params);
    const integration = key.success ? await use.integrations.find(environmentId, key.data.key) : undefined;
    if (!integration)
      throw new HomeportError('unknown_provider_config', 'There is no such integration.', { payload: {} });
    const entry = use.catalog.find(integration.provider);
    if (!entry)
      throw new HomeportError('unknown_provider_template', use.catalog.explainMissing(integration.provider), {
        status: 400,
        payload: {},
      });

    const { uniqueKey } = integration;
    const config = presentConfig(integration, await use.deployments.list(environmentId, uniqueKey));
    if (!includesSecrets(request)) return ok({ config });
    const [extras, custom, connections] = await Promise.all([
      integrationExtras(use, { environmentId, uniqueKey, entry, include: ['webhook', 'credentials'] }),
      use.integrations.readCustom(environmentId, uniqueKey),
      use.connections.list({ environmentId, integrationKeys: [uniqueKey], limit: ALL, offset: 0 }),
    ]);
    return ok({ config: { ...config, ...presentConfigSecrets({ integration, entry, extras, custom, connections }) } });
  };
}

/** Without the scope the secrets are left out silently, as in the route that replaces this one. */
function includesSecrets({ caller, query: sent }: ApiRequest): boolean {
  return (
    configQuery.parse(sent).include_creds === 'true' &&
    grants(caller.scopes, 'environment:integrations:read_credentials')
  );
}
