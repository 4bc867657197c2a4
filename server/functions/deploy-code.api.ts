import type { z } from 'zod';
import { needIntegration } from '../connections/resolve-connection.api.ts';
import { empty } from '../contract/fields.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { type ApiRequest, type Handler, ok } from '../platform/http/route.ts';
import { validateBody, validateParams, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { presentBundle, presentDeployment, presentStarted } from './function-task.present.ts';
import { bundleBody, deploymentBody, taskParams } from './function-task-bodies.contract.ts';
import type { BundleDeployment, CodeDeployments } from './tasks/code-deployments.ts';
import type { FunctionTasks } from './tasks/function-tasks.ts';

export interface CodeDeploymentDeps {
  integrations: IntegrationsService;
  codeDeployments: CodeDeployments;
}

/** Deploys one function from its source, or a template that ships with the hub. */
export function deployCode(use: CodeDeploymentDeps): Handler {
  return async (request) => {
    validateQuery(empty, request.query);
    const body = validateBody(deploymentBody, request.body);
    const integration = await needIntegration(use, request.environment.id, body.integration_id);
    const task = await start(use.codeDeployments, integration, body);
    return { status: 202, body: presentStarted(task) };
  };
}

function start(
  deployments: CodeDeployments,
  integration: Awaited<ReturnType<typeof needIntegration>>,
  body: z.infer<typeof deploymentBody>,
) {
  if (body.type === 'template') {
    const { template, function_type: type } = body;
    return deployments.deployTemplate({ integration, template, ...(type ? { type } : {}) });
  }
  const { code, version } = body;
  return deployments.start({
    integration,
    code,
    name: body.function_name,
    type: body.function_type,
    allowsDestructive: body.allow_destructive,
    ...(version === undefined ? {} : { version }),
  });
}

export function getCodeDeployment(use: { tasks: FunctionTasks }): Handler {
  return (request) => {
    validateQuery(empty, request.query);
    const { id } = validateParams(taskParams, request.params);
    const task = use.tasks.find(request.environment.id, 'deployment', id);
    if (!task) throw new HomeportError('deployment_not_found', `There is no deployment "${id}", or it was removed.`);
    return ok(presentDeployment(task));
  };
}

/** Deploys the complete content of a scope; functions that are missing in the body are removed. */
export function deployBundle(use: CodeDeploymentDeps): Handler {
  return async (request) => ok(presentBundle(await use.codeDeployments.deployBundle(await readBundle(use, request))));
}

/** Answers what the same bundle would change. */
export function previewBundle(use: CodeDeploymentDeps): Handler {
  return async (request) => ok(presentBundle(await use.codeDeployments.planBundle(await readBundle(use, request))));
}

async function readBundle(use: CodeDeploymentDeps, request: ApiRequest): Promise<BundleDeployment> {
  validateQuery(empty, request.query);
  const { reconciliationScope: scope, functions } = validateBody(bundleBody, request.body);
  const environmentId = request.environment.id;
  const integrationKey = scope.kind === 'integration' ? scope.integrationId : undefined;
  const foreign = functions.find(
    ({ integrationId }) => integrationKey !== undefined && integrationId !== integrationKey,
  );
  if (foreign) {
    throw new HomeportError(
      'invalid_request',
      `The function ${foreign.name} belongs to ${foreign.integrationId}, outside the scope ${integrationKey}.`,
    );
  }
  const keys = new Set([
    ...functions.map(({ integrationId }) => integrationId),
    ...(integrationKey ? [integrationKey] : []),
  ]);
  for (const key of keys) await requireIntegration(use, environmentId, key);
  return {
    environmentId,
    ...(integrationKey === undefined ? {} : { integrationKey }),
    functions: functions.map(({ integrationId, version, ...sent }) => ({
      ...sent,
      integrationKey: integrationId,
      ...(version === undefined ? {} : { version }),
    })),
  };
}

/** Answers 400 (http-api.md 14): the integration is in the body, not in the address. */
async function requireIntegration(use: CodeDeploymentDeps, environmentId: number, key: string): Promise<void> {
  if (await use.integrations.find(environmentId, key)) return;
  throw new HomeportError('integration_not_found', `There is no integration "${key}".`, { status: 400 });
}
