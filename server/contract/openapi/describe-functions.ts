import { z } from 'zod';
import { deployedAnswer, deployPlanAnswer } from '../api/answers/deploy-answers.ts';
import {
  functionAnswer,
  functionCodeAnswer,
  functionRemovedAnswer,
  functionsAnswer,
} from '../api/answers/function-answers.ts';
import { scriptsConfigAnswer } from '../api/answers/script-config-answers.ts';
import { confirmDeployBody, deployBody } from '../api/deploy.ts';
import { empty } from '../api/fields.ts';
import { deleteFunctionQuery, functionParams, functionTypeQuery, listFunctionsQuery } from '../api/functions.ts';
import { integrationParams } from '../api/integrations.ts';
import type { RouteDescription } from './route-description.ts';

const DEPLOY_ERRORS = [
  'invalid_cli_version',
  'missing_required_fields_on_deploy',
  'sync_interval_invalid',
  'sync_interval_too_short',
  'deploy_missing_json_schema_model',
  'invalid_request',
  'unknown_provider_config',
] as const;

export const FUNCTION_ROUTES = {
  'GET /integrations/:uniqueKey/functions': {
    id: 'listFunctions',
    tag: 'Functions',
    summary: 'List functions of an integration',
    access: 'key',
    scopes: ['functions:list'],
    params: integrationParams,
    query: listFunctionsQuery,
    answers: { 200: functionsAnswer },
    errors: ['not_found'],
  },
  'GET /integrations/:uniqueKey/functions/:name': {
    id: 'getFunction',
    tag: 'Functions',
    summary: 'Get a function',
    access: 'key',
    scopes: ['functions:read'],
    params: functionParams,
    query: functionTypeQuery,
    answers: { 200: functionAnswer },
    errors: ['not_found'],
  },
  'GET /integrations/:uniqueKey/functions/:name/code': {
    id: 'getFunctionCode',
    tag: 'Functions',
    summary: 'Get the source of a function',
    access: 'key',
    scopes: ['functions:read'],
    params: functionParams,
    query: functionTypeQuery,
    answers: { 200: functionCodeAnswer },
    errors: ['not_found', 'ambiguous_function'],
  },
  'DELETE /integrations/:uniqueKey/functions/:name': {
    id: 'deleteFunction',
    tag: 'Functions',
    summary: 'Delete a function',
    details: 'A function of the functions folder is removed with its file, one of a project by its next deploy.',
    access: 'key',
    scopes: ['functions:delete'],
    params: functionParams,
    query: deleteFunctionQuery,
    answers: { 200: functionRemovedAnswer },
    errors: ['not_found', 'function_managed_by_deploy'],
  },
  'POST /sync/deploy/confirmation': {
    id: 'planDeploy',
    tag: 'Functions',
    summary: 'Say what a deploy would change',
    details:
      'Lists everything that the deploy with the same body and `reconcile: true` would delete, whatever `reconcile` says here.',
    access: 'key',
    scopes: ['deploy'],
    query: empty,
    body: confirmDeployBody,
    answers: { 200: deployPlanAnswer },
    errors: DEPLOY_ERRORS,
  },
  'POST /sync/deploy': {
    id: 'deployFunctions',
    tag: 'Functions',
    summary: 'Deploy compiled functions',
    details:
      'What the command line sends. Functions of the functions folder are not touched: their files stay in charge.',
    access: 'key',
    scopes: ['deploy'],
    query: empty,
    body: deployBody,
    answers: { 200: deployedAnswer },
    errors: [...DEPLOY_ERRORS, 'concurrent_deployment'],
  },
  'GET /scripts/config': {
    id: 'getScriptsConfig',
    tag: 'Functions',
    summary: 'List every function by integration',
    details: '`format=openai` answers tool definitions; anything else is the usual form.',
    access: 'key',
    scopes: ['integrations:list_functions'],
    query: z.object({ format: z.string().optional() }),
    unchecked: ['query'],
    answers: { 200: scriptsConfigAnswer },
  },
} as const satisfies Record<string, RouteDescription>;
