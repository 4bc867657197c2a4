import type { Integration } from '../../integrations/integration.ts';
import { HomeportError } from '../../platform/lib/homeport-error.ts';
import type { AdHocCode, SentFunction } from '../deployments/ad-hoc-code.ts';
import type { Push, PushedFunction, PushPlan } from '../deployments/deployed-bundles.ts';
import type { DeployedFunction } from '../deployments/deployed-function.ts';
import type { DeploymentsService } from '../deployments/deployments.service.ts';
import type { FunctionTemplates } from '../deployments/function-templates.ts';
import type { FunctionTask, TaskOutcome } from './function-task.ts';
import type { FunctionTasks } from './function-tasks.ts';

export interface CodeDeployment extends Omit<SentFunction, 'integrationKey' | 'type'> {
  integration: Integration;
  type: 'action' | 'sync';
  version?: string;
  /** Models of the replaced version may be removed. */
  allowsDestructive: boolean;
}

export interface TemplateDeployment {
  integration: Integration;
  template: string;
  type?: 'action' | 'sync';
}

/** All functions that a scope will contain; the other functions of the scope are removed. */
export interface BundleDeployment {
  environmentId: number;
  /** Undefined means every integration. */
  integrationKey?: string;
  functions: Array<SentFunction & { version?: string }>;
}

export type CodeDeployments = ReturnType<typeof createCodeDeployments>;

/** Deploys code that is sent as text, besides the functions of the folder (http-api.md 14). */
export function createCodeDeployments({
  code,
  deployments,
  templates,
  tasks,
}: {
  code: AdHocCode;
  deployments: DeploymentsService;
  templates: FunctionTemplates;
  tasks: FunctionTasks;
}) {
  async function deploy({ integration, version, allowsDestructive, ...sent }: CodeDeployment): Promise<TaskOutcome> {
    const { uniqueKey: integrationKey, environmentId } = integration;
    const pushed = await toPushed(code, { ...sent, integrationKey }, version);
    const plan = await deployments.pushed.plan(standalone(environmentId, [pushed]));
    if (plan.removedModels.length > 0 && !allowsDestructive) {
      throw new HomeportError(
        'invalid_request',
        `The new version drops the models ${plan.removedModels.join(', ')}. Send allow_destructive to accept that.`,
      );
    }
    const deployed = await push(environmentId, [pushed]);
    return { deployed: deployed.map(versionOf) };
  }

  function push(environmentId: number, functions: PushedFunction[]): Promise<DeployedFunction[]> {
    return deployments.pushed.apply(standalone(environmentId, functions));
  }

  async function toPush({ environmentId, integrationKey, functions }: BundleDeployment): Promise<Push> {
    const pushed = [];
    for (const { version, ...sent } of functions) pushed.push(await toPushed(code, sent, version));
    return {
      environmentId,
      origin: 'repo',
      removes: integrationKey === undefined ? 'all' : 'integrations',
      functions: pushed,
    };
  }

  return {
    /** Starts a deploy in the background. Throws `concurrent_deployment`. */
    start(deployment: CodeDeployment): FunctionTask {
      const { integration, type, name } = deployment;
      deployments.pushed.requireIdle(integration.environmentId);
      return tasks.start({ ...factsOf(integration, type), functionName: name }, () => deploy(deployment));
    },
    /**
     * Deploys a shipped template; resolves to a finished task. Throws `template_not_found`, `ambiguous_function` and
     * `template_already_deployed`.
     */
    async deployTemplate({ integration, template, type }: TemplateDeployment): Promise<FunctionTask> {
      const found = await templates.find(integration.provider, template, type);
      const { definition } = found;
      if (definition.type === 'on-event') throw new Error(`The template ${template} is neither a sync nor an action.`);
      const key = [integration.environmentId, integration.uniqueKey, definition.type, definition.name] as const;
      if ((await deployments.find(...key))?.missingSince === null) {
        throw new HomeportError(
          'template_already_deployed',
          `The integration "${integration.uniqueKey}" has the ${definition.type} "${definition.name}" already.`,
        );
      }
      const pushed = { integrationKey: integration.uniqueKey, definition, bundle: found.bundle, source: found.source };
      const deployed = await push(integration.environmentId, [pushed]);
      const facts = { ...factsOf(integration, definition.type), functionName: definition.name };
      return tasks.add(facts, { deployed: deployed.map(versionOf) });
    },
    /** The changes that `deployBundle` would make. */
    async planBundle(bundle: BundleDeployment): Promise<PushPlan> {
      return deployments.pushed.plan(await toPush(bundle));
    },
    /** Deploys all functions of a scope and resolves to the changes. */
    async deployBundle(bundle: BundleDeployment): Promise<PushPlan> {
      const { pushed } = deployments;
      const push = await toPush(bundle);
      const plan = await pushed.plan(push);
      await pushed.apply(push);
      return plan;
    },
  };
}

function factsOf(integration: Integration, type: 'action' | 'sync') {
  const { environmentId, uniqueKey: integrationKey } = integration;
  return { environmentId, kind: 'deployment' as const, integrationKey, type };
}

function standalone(environmentId: number, functions: PushedFunction[]): Push {
  return { environmentId, origin: 'standalone', removes: 'nothing', functions };
}

async function toPushed(code: AdHocCode, sent: SentFunction, version: string | undefined): Promise<PushedFunction> {
  const { definition, bundle, source } = await code.compile(sent);
  const named = version === undefined ? definition : { ...definition, version };
  return { integrationKey: sent.integrationKey, definition: named, bundle, source };
}

function versionOf({ name, version }: DeployedFunction): { name: string; version: string } {
  return { name, version: version ?? '1' };
}
