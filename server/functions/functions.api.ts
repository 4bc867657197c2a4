import { z } from 'zod';
import { findIntegration } from '../connections/resolve-connection.api.ts';
import { empty } from '../contract/fields.ts';
import { integrationParams } from '../integrations/integrations.contract.ts';
import { byIntegrationInPath } from '../platform/http/connection-limits.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { confirmDeployBody, deployBody } from './deploy.contract.ts';
import { confirmDeploy, type DeployDeps, deployFunctions } from './deploy-functions.api.ts';
import type { DeployedFunction, ParsedDefinition } from './deployments/deployed-function.ts';
import { presentFunction } from './function.present.ts';
import { SENT_PUSH } from './function-examples.api.ts';
import {
  functionCodeResponse,
  functionRemovedResponse,
  functionResponse,
  functionsResponse,
} from './function-responses.contract.ts';
import {
  deleteFunctionQuery,
  deployedResponse,
  deployPlanResponse,
  functionParams,
  functionTypeQuery,
  listFunctionsQuery,
} from './functions.contract.ts';
import { presentOpenAiTool, presentScriptConfig } from './script-config.present.ts';
import { scriptsConfigResponse } from './script-config-responses.contract.ts';

export type FunctionsApiDeps = DeployDeps;

const DEPLOY_ERRORS = [
  'invalid_cli_version',
  'missing_required_fields_on_deploy',
  'sync_interval_invalid',
  'sync_interval_too_short',
  'deploy_missing_json_schema_model',
  'invalid_request',
  'unknown_provider_config',
] as const;

/** Functions of integrations, and their deployment by a command line (http-api.md 13, 15). */
export function functionsApi(use: FunctionsApiDeps): PublicRoute[] {
  return [
    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions',
      access: 'key',
      scopes: ['environment:functions:list'],
      limitedKeys: byIntegrationInPath,
      handler: listFunctions(use),
      openapi: {
        id: 'listFunctions',
        tag: 'Functions',
        summary: 'List functions of an integration',
        params: integrationParams,
        query: listFunctionsQuery,
        responses: { 200: functionsResponse },
        errors: ['not_found'],
        example: { path: '/integrations/practice/functions' },
      },
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions/:name',
      access: 'key',
      scopes: ['environment:functions:read'],
      limitedKeys: byIntegrationInPath,
      handler: getFunction(use),
      openapi: {
        id: 'getFunction',
        tag: 'Functions',
        summary: 'Get a function',
        params: functionParams,
        query: functionTypeQuery,
        responses: { 200: functionResponse },
        errors: ['not_found'],
        example: { path: '/integrations/practice/functions/create-issue' },
      },
    },
    {
      method: 'get',
      path: '/integrations/:uniqueKey/functions/:name/code',
      access: 'key',
      scopes: ['environment:functions:read'],
      limitedKeys: byIntegrationInPath,
      handler: getFunctionCode(use),
      openapi: {
        id: 'getFunctionCode',
        tag: 'Functions',
        summary: 'Get the source of a function',
        params: functionParams,
        query: functionTypeQuery,
        responses: { 200: functionCodeResponse },
        errors: ['not_found', 'ambiguous_function'],
        example: { path: '/integrations/practice/functions/create-issue/code' },
      },
    },
    {
      method: 'delete',
      path: '/integrations/:uniqueKey/functions/:name',
      access: 'key',
      scopes: ['environment:functions:delete'],
      limitedKeys: 'refused',
      handler: deleteFunction(use),
      audit: { action: 'functions_changed' },
      openapi: {
        id: 'deleteFunction',
        tag: 'Functions',
        summary: 'Delete a function',
        details: 'A function of the functions folder is removed with its file, one of a project by its next deploy.',
        params: functionParams,
        query: deleteFunctionQuery,
        responses: { 200: functionRemovedResponse },
        errors: ['not_found', 'function_managed_by_deploy'],
        example: {
          path: '/integrations/practice/functions/$SENT_FUNCTION?type=action',
        },
      },
    },
    {
      method: 'post',
      path: '/sync/deploy/confirmation',
      access: 'key',
      scopes: ['environment:deploy'],
      limitedKeys: 'refused',
      handler: confirmDeploy(use),
      openapi: {
        id: 'planDeploy',
        tag: 'Functions',
        summary: 'Preview a deploy',
        details:
          'Lists everything that the deploy with the same body and `reconcile: true` would delete, whatever `reconcile` says here.',
        query: empty,
        body: confirmDeployBody,
        responses: { 200: deployPlanResponse },
        errors: DEPLOY_ERRORS,
        example: { body: SENT_PUSH },
      },
    },
    {
      method: 'post',
      path: '/sync/deploy',
      access: 'key',
      scopes: ['environment:deploy'],
      limitedKeys: 'refused',
      handler: deployFunctions(use),
      audit: { action: 'functions_changed' },
      openapi: {
        id: 'deployFunctions',
        tag: 'Functions',
        summary: 'Deploy compiled functions',
        details:
          'Takes the deploys of the command line. Functions of the functions folder do not change, because their files define them.',
        query: empty,
        body: deployBody,
        responses: { 200: deployedResponse },
        errors: [...DEPLOY_ERRORS, 'concurrent_deployment'],
        example: { body: { ...SENT_PUSH, nangoYamlBody: '' } },
      },
    },
    {
      method: 'get',
      path: '/scripts/config',
      access: 'key',
      scopes: ['environment:integrations:list_functions'],
      limitedKeys: 'refused',
      handler: getScriptsConfig(use),
      openapi: {
        id: 'getScriptsConfig',
        tag: 'Functions',
        summary: 'List every function by integration',
        details: '`format=openai` answers tool definitions; anything else is the usual form.',
        query: z.object({ format: z.string().optional() }),
        unchecked: ['query'],
        responses: { 200: scriptsConfigResponse },
      },
    },
  ];
}

function listFunctions(use: FunctionsApiDeps): Handler {
  return async (request) => {
    const { type, search, page, limit } = validateQuery(listFunctionsQuery, request.query);
    const { uniqueKey } = validateParams(integrationParams, request.params);
    const live = await listLive(use, { environmentId: request.environment.id, uniqueKey, type });
    const wanted = search?.toLowerCase() ?? '';
    const found = live.filter(({ name }) => name.toLowerCase().includes(wanted));
    const data = found.slice(page * limit, (page + 1) * limit).map(presentFunction);
    return ok({ data, pagination: { total: found.length, page, limit } });
  };
}

function getFunction(use: FunctionsApiDeps): Handler {
  return async (request) => {
    const { type } = validateQuery(functionTypeQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    return ok({ data: presentFunction(found) });
  };
}

/** Answers the TypeScript source of the live version. */
function getFunctionCode(use: FunctionsApiDeps): Handler {
  return async (request) => {
    const { type } = validateQuery(functionTypeQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found, ...others] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    if (others.length > 0) {
      const matches = [found, ...others].map((one) => ({ type: one.type, name: one.name }));
      throw new HomeportError('ambiguous_function', `Several functions are called "${params.name}". Name the type.`, {
        payload: { matches },
      });
    }
    const code = await use.deployments.readSource(found);
    if (code === undefined) throw new HomeportError('not_found', 'The source of the function is not stored.');
    return ok({ type: found.type, code });
  };
}

/**
 * Functions of files and of projects cannot be deleted here: they are removed with the file or by the next deploy
 * (design.md 7.23).
 */
function deleteFunction(use: FunctionsApiDeps): Handler {
  return async (request) => {
    const { type } = validateQuery(deleteFunctionQuery, request.query);
    const params = validateParams(functionParams, request.params);
    const [found] = await listNamed(use, { environmentId: request.environment.id, ...params, type });
    if (found.origin === 'standalone') {
      await use.deployments.pushed.remove(found);
      return ok({ data: { success: true } });
    }
    throw new HomeportError(
      'function_managed_by_deploy',
      found.origin === 'workspace'
        ? `Remove the file ${found.path} from the functions folder instead.`
        : 'Remove it from the project that deployed it, and deploy again.',
    );
  };
}

type LiveFunction = DeployedFunction & { definition: ParsedDefinition };

interface FunctionAddress {
  environmentId: number;
  uniqueKey: string;
  /** Undefined means any type. */
  type?: DeployedFunction['type'] | undefined;
}

/** Resolves to the functions of an integration with a live version, by name. */
async function listLive(
  { integrations, deployments }: FunctionsApiDeps,
  address: FunctionAddress,
): Promise<LiveFunction[]> {
  const { environmentId, uniqueKey, type } = address;
  await findIntegration({ integrations }, environmentId, uniqueKey);
  const all = await deployments.list(environmentId, uniqueKey);
  const live = all.filter(
    (one): one is LiveFunction => one.definition !== null && (type === undefined || one.type === type),
  );
  return live.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Resolves to the functions of one name, at least one. */
async function listNamed(
  use: FunctionsApiDeps,
  address: FunctionAddress & { name: string },
): Promise<[LiveFunction, ...LiveFunction[]]> {
  const [first, ...others] = (await listLive(use, address)).filter(({ name }) => name === address.name);
  if (!first)
    throw new HomeportError('not_found', `The integration "${address.uniqueKey}" has no function "${address.name}".`);
  return [first, ...others];
}

/**
 * Answers every live function of every existing integration. The `format` parameter is not validated (http-api.md 13).
 */
function getScriptsConfig(use: FunctionsApiDeps): Handler {
  return async (request) => {
    const { id } = request.environment;
    const [integrations, functions] = await Promise.all([use.integrations.list(id), use.deployments.list(id)]);
    const live = functions.filter((one) => one.definition !== null);
    const groups = integrations.flatMap(({ uniqueKey, provider }) => {
      const own = live.filter((one) => one.integrationKey === uniqueKey);
      return own.length === 0 ? [] : [{ uniqueKey, provider, own }];
    });
    const format = (request.query as { format?: unknown }).format;
    if (format === 'openai') {
      const tools = groups.flatMap(({ own }) => own.filter((one) => one.type !== 'on-event').map(presentOpenAiTool));
      return ok({ data: tools });
    }
    return ok(groups.map(({ uniqueKey, provider, own }) => presentScriptConfig(uniqueKey, provider, own)));
  };
}
