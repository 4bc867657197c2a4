import type { z } from 'zod';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { needConnection, needIntegration } from '../connections/resolve-connection.api.ts';
import { empty } from '../contract/fields.ts';
import { queuedActionResponse } from '../contract/general-responses.ts';
import { anyJson } from '../contract/response-fields.ts';
import { inBody } from '../platform/http/connection-limits.ts';
import { type Handler, ok, type PublicRoute } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import type { Clock } from '../platform/lib/clock.ts';
import { isoDate } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { SyncSchedulesService } from '../syncs/sync-schedules.service.ts';
import { ACTION_ERRORS, type ActionsApiDeps, answerAction, getActionResult } from './actions.api.ts';
import { actionResultParams } from './actions.contract.ts';
import {
  type CodeDeploymentDeps,
  deployBundle,
  deployCode,
  getCodeDeployment,
  previewBundle,
} from './deploy-code.api.ts';
import type { AdHocCode } from './deployments/ad-hoc-code.ts';
import type { DeployedFunction } from './deployments/deployed-function.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import { SENT_BUNDLE, SENT_CODE } from './function-examples.api.ts';
import { presentDryRun, presentStarted } from './function-task.present.ts';
import {
  actionOptions,
  bundleBody,
  compileBody,
  deploymentBody,
  dryRunBody,
  invocationBody,
  syncOptions,
  taskParams,
} from './function-task-bodies.contract.ts';
import {
  bundleResponse,
  compiledResponse,
  deploymentResponse,
  dryRunResponse,
  taskStartedResponse,
} from './function-task-responses.contract.ts';
import type { DryRunsService } from './tasks/dry-runs.service.ts';
import type { FunctionTasks } from './tasks/function-tasks.ts';

export interface FunctionTasksApiDeps extends CodeDeploymentDeps, ActionsApiDeps {
  connections: ConnectionsService;
  deployments: DeploymentsService;
  dryRuns: DryRunsService;
  sentCode: AdHocCode;
  tasks: FunctionTasks;
  schedules: SyncSchedulesService;
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
      limitedKeys: 'open',
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
      // The code in the body may ask for any connection.
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: 'refused',
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
      limitedKeys: {
        connections: (call) => [
          { integrationKey: inBody(call, 'integration_id'), connectionId: inBody(call, 'connection_id') },
        ],
      },
      handler: invokeFunction(use),
      openapi: {
        id: 'invokeFunction',
        tag: 'Functions',
        summary: 'Run an action or a sync',
        details:
          'An action answers its output, or with `no_wait` the address of it; option `max_retries` is for `no_wait`. A sync is queued with either type and answers `{"success": true}`; its options are `variant`, `reset` and `emptyCache`.',
        query: empty,
        body: invocationBody,
        responses: { 200: anyJson, 202: queuedActionResponse },
        errors: [
          ...ACTION_ERRORS,
          'integration_not_found',
          'connection_not_found',
          'unknown_function',
          'ambiguous_function',
          'function_disabled',
          'invalid_invocation',
          'no_syncs_found',
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
    {
      method: 'get',
      path: '/functions/invocations/:id',
      access: 'key',
      scopes: ['environment:functions:invocations'],
      limitedKeys: 'open',
      handler: getActionResult(use),
      openapi: {
        id: 'getInvocation',
        tag: 'Functions',
        summary: 'Get the output of an action that was invoked with no_wait',
        details: '404 while it waits or runs. For a failed action the response is that of the call itself.',
        params: actionResultParams,
        query: empty,
        responses: { 200: anyJson },
        errors: ACTION_ERRORS,
        example: { path: '/functions/invocations/$INVOCATION_ID' },
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

/** Runs an action like `POST /action/trigger`, and queues a sync like `POST /sync/trigger` (http-api.md 14). */
function invokeFunction(use: FunctionTasksApiDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(invocationBody, request.body);
    const { integration_id: key, connection_id: connectionId, name, input, options = {} } = body;
    const integration = await needIntegration(use, request.environment.id, key);
    await needConnection(use, integration, connectionId);
    const found = await needInvocable(use, request.environment.id, key, name);
    if (found.type === 'action') {
      const headers = {
        'provider-config-key': key,
        'connection-id': connectionId,
        'x-async': body.invocation_type === 'no_wait',
        'x-max-retries': readOptions(actionOptions, options).max_retries,
      };
      return answerAction(use, request, headers, { actionName: name, input }, '/functions/invocations');
    }
    const { variant, reset, emptyCache } = readOptions(syncOptions, options);
    if (input !== undefined && input !== null)
      throw new HomeportError('invalid_invocation', `The sync "${name}" takes no input; leave it out.`);
    await use.schedules.commands.trigger({
      environmentId: request.environment.id,
      providerConfigKey: key,
      connectionId,
      syncs: [{ name, variant }],
      trigger: 'api',
      reset,
      emptyCache: reset && emptyCache,
    });
    return ok({ success: true });
  };
}

async function needInvocable(
  use: FunctionTasksApiDeps,
  environmentId: number,
  key: string,
  name: string,
): Promise<DeployedFunction> {
  const named = (await use.deployments.listNamed(environmentId, key, name)).filter(
    ({ definition }) => definition !== null,
  );
  if (named.length === 0)
    throw new HomeportError('unknown_function', `The integration "${key}" has no function "${name}".`);
  const [found, ...others] = named.filter(({ type }) => type === 'action' || type === 'sync');
  if (!found) {
    throw new HomeportError(
      'invalid_invocation',
      `"${name}" is run by events of its connection; only actions and syncs can be invoked.`,
    );
  }
  if (others.length > 0) {
    throw new HomeportError(
      'ambiguous_function',
      `An action and a sync are called "${name}"; use POST /action/trigger or POST /sync/trigger.`,
    );
  }
  if (!found.isEnabled) throw new HomeportError('function_disabled', `The function "${name}" is switched off.`);
  return found;
}

function readOptions<T extends z.ZodType>(schema: T, options: Record<string, unknown>): z.infer<T> {
  const read = schema.safeParse(options);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new HomeportError('invalid_invocation', `These options are not valid. ${problems.join('; ')}`);
}
