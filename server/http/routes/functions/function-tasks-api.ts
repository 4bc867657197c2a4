import { empty } from '../../../contract/api/fields.ts';
import {
  bundleBody,
  compileBody,
  deploymentBody,
  dryRunBody,
  invocationBody,
  taskParams,
} from '../../../contract/api/function-task-bodies.ts';
import {
  bundleResponse,
  compiledResponse,
  deploymentResponse,
  dryRunResponse,
  taskStartedResponse,
} from '../../../contract/api/responses/function-task-responses.ts';
import type { Clock } from '../../../lib/clock.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import { isoDate } from '../../../present/dates.ts';
import { presentDryRun, presentStarted } from '../../../present/function-task.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { AdHocCode } from '../../../services/deployments/ad-hoc-code.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { DryRunsService } from '../../../services/function-tasks/dry-runs-service.ts';
import type { FunctionTasks } from '../../../services/function-tasks/function-tasks.ts';
import { needConnection, needIntegration } from '../../resolve-connection.ts';
import { type Handler, ok, type PublicRoute } from '../../route.ts';
import { validateBody, validateParams, validateQuery } from '../../validate.ts';
import { type CodeDeploymentDeps, deployBundle, deployCode, getCodeDeployment, previewBundle } from './deploy-code.ts';
import { SENT_BUNDLE, SENT_CODE } from './function-examples.ts';

export interface FunctionTasksApiDeps extends CodeDeploymentDeps {
  connections: ConnectionsService;
  deployments: DeploymentsService;
  dryRuns: DryRunsService;
  sentCode: AdHocCode;
  tasks: FunctionTasks;
  clock: Clock;
}

const BUNDLE_ERRORS = ['invalid_request', 'compilation_error', 'timeout', [400, 'integration_not_found']] as const;

/** The functions API (http-api.md 14): compiles, tests and deploys code that is sent as text. */
export function functionTasksApi(use: FunctionTasksApiDeps): PublicRoute[] {
  return [
    {
      method: 'post',
      path: '/functions/compile',
      access: 'key',
      scopes: ['environment:functions:compile'],
      handler: compileCode(use),
      openapi: {
        id: 'compileCode',
        tag: 'Functions',
        summary: 'Compile a function that is sent as text',
        query: empty,
        body: compileBody,
        responses: { 200: compiledResponse },
        errors: ['compilation_error', 'timeout'],
        example: { body: { code: SENT_CODE.code } },
      },
    },
    {
      method: 'post',
      path: '/functions/dryruns',
      access: 'key',
      scopes: ['environment:functions:dryrun'],
      handler: startDryRun(use),
      openapi: {
        id: 'startDryRun',
        tag: 'Functions',
        summary: 'Run a function that is sent as text without storing results',
        details:
          'Requests reach the provider with the credentials of the connection. What the function would store is collected and shown by `GET /functions/dryruns/{id}`.',
        query: empty,
        body: dryRunBody,
        responses: { 202: taskStartedResponse },
        errors: ['integration_not_found', 'connection_not_found'],
        example: { body: { ...SENT_CODE, connection_id: 'me' } },
      },
    },
    {
      method: 'get',
      path: '/functions/dryruns/:id',
      access: 'key',
      scopes: ['environment:functions:dryrun'],
      handler: getDryRun(use),
      openapi: {
        id: 'getDryRun',
        tag: 'Functions',
        summary: 'Read a dry run',
        params: taskParams,
        query: empty,
        responses: { 200: dryRunResponse },
        errors: ['dryrun_not_found'],
        example: { path: '/functions/dryruns/$DRY_RUN_ID' },
      },
    },
    {
      method: 'post',
      path: '/functions/deployments',
      access: 'key',
      scopes: ['environment:deploy'],
      handler: deployCode(use),
      audit: { action: 'functions_changed' },
      openapi: {
        id: 'deployCode',
        tag: 'Functions',
        summary: 'Deploy a function from its source, or a template',
        query: empty,
        body: deploymentBody,
        responses: { 202: taskStartedResponse },
        errors: [
          'integration_not_found',
          'template_not_found',
          'template_already_deployed',
          'ambiguous_function',
          'concurrent_deployment',
        ],
        example: { body: { type: 'function', function_name: 'hello', ...SENT_CODE } },
      },
    },
    {
      method: 'get',
      path: '/functions/deployments/:id',
      access: 'key',
      scopes: ['environment:deploy'],
      handler: getCodeDeployment(use),
      openapi: {
        id: 'getDeployment',
        tag: 'Functions',
        summary: 'Read a deployment',
        params: taskParams,
        query: empty,
        responses: { 200: deploymentResponse },
        errors: ['deployment_not_found'],
        example: { path: '/functions/deployments/$DEPLOYMENT_ID' },
      },
    },
    {
      method: 'post',
      path: '/functions/deployments/bundle',
      access: 'key',
      scopes: ['environment:deploy'],
      handler: deployBundle(use),
      audit: { action: 'functions_changed' },
      openapi: {
        id: 'deployBundle',
        tag: 'Functions',
        summary: 'Deploy every function of an integration or of the environment',
        details:
          'Deployed functions of the scope that the bundle does not name are removed. An empty bundle removes nothing, and functions of the functions folder are not touched.',
        query: empty,
        body: bundleBody,
        responses: { 200: bundleResponse },
        errors: [...BUNDLE_ERRORS, 'concurrent_deployment'],
        example: { body: SENT_BUNDLE },
      },
    },
    {
      method: 'post',
      path: '/functions/deployments/bundle/preview',
      access: 'key',
      scopes: ['environment:deploy'],
      handler: previewBundle(use),
      openapi: {
        id: 'previewBundle',
        tag: 'Functions',
        summary: 'Preview the changes of a bundle',
        query: empty,
        body: bundleBody,
        responses: { 200: bundleResponse },
        errors: BUNDLE_ERRORS,
        example: { body: SENT_BUNDLE },
      },
    },
    {
      method: 'post',
      path: '/functions/invocations',
      access: 'key',
      scopes: ['environment:functions:invocations'],
      handler: invokeFunction(use),
      openapi: {
        id: 'invokeFunction',
        tag: 'Functions',
        summary: 'Check an invocation',
        details: 'Nothing is run: use `POST /action/trigger` and `POST /sync/trigger`.',
        query: empty,
        body: invocationBody,
        responses: {},
        errors: [
          'integration_not_found',
          'connection_not_found',
          'unknown_function',
          'ambiguous_function',
          'function_disabled',
          'not_implemented',
        ],
        example: {
          body: {
            integration_id: 'practice',
            connection_id: 'me',
            name: 'create-issue',
            invocation_type: 'wait',
            input: { title: 'The lamp is broken' },
          },
        },
      },
    },
  ];
}

/** Compiles a function and stores nothing. */
function compileCode(use: FunctionTasksApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { bundle } = await use.sentCode.compileAny(validateBody(compileBody, request.body).code);
    return ok({
      bundle_size_bytes: Buffer.byteLength(bundle),
      bundled_js: bundle,
      compiled_at: isoDate(use.clock.now()),
    });
  };
}

function startDryRun(use: FunctionTasksApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(dryRunBody, request.body);
    const { environment } = request;
    const integration = await needIntegration(use, environment.id, body.integration_id);
    const connection = await needConnection(use, integration, body.connection_id);
    const { code, function_type: type, input, metadata, checkpoint, last_sync_date: lastSyncDate } = body;
    const task = use.dryRuns.start({
      environment,
      integration,
      connection,
      type,
      code,
      ...(input === undefined ? {} : { input }),
      ...(metadata ? { metadata } : {}),
      ...(checkpoint ? { checkpoint } : {}),
      ...(lastSyncDate === undefined ? {} : { lastSyncDate: new Date(lastSyncDate).toISOString() }),
    });
    return { status: 202, body: presentStarted(task) };
  };
}

function getDryRun(use: FunctionTasksApiDeps): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(taskParams, request.params);
    const task = use.tasks.find(request.environment.id, 'dry-run', id);
    if (!task) throw new HomeportError('dryrun_not_found', `There is no dry run "${id}", or it was removed.`);
    return ok(presentDryRun(task));
  };
}

/** Only checks an invocation. The reference answers no more than that; its clients use the routes that do. */
function invokeFunction(use: FunctionTasksApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const { integration_id: key, connection_id, name } = validateBody(invocationBody, request.body);
    const integration = await needIntegration(use, request.environment.id, key);
    await needConnection(use, integration, connection_id);
    const named = await use.deployments.listNamed(request.environment.id, key, name);
    const [found, ...others] = named.filter(({ definition }) => definition !== null);
    if (!found) throw new HomeportError('unknown_function', `The integration "${key}" has no function "${name}".`);
    if (others.length > 0) throw new HomeportError('ambiguous_function', `Several functions are called "${name}".`);
    if (!found.isEnabled) throw new HomeportError('function_disabled', `The function "${name}" is switched off.`);
    throw new HomeportError(
      'not_implemented',
      'Run an action with POST /action/trigger, and a sync with POST /sync/trigger.',
    );
  };
}
