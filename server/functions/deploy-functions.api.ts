import { z } from 'zod';
import type { ConnectionsService } from '../connections/connections.service.ts';
import { empty } from '../contract/fields.ts';
import type { IntegrationsService } from '../integrations/integrations.service.ts';
import { type ApiRequest, type Handler, ok } from '../platform/http/route.ts';
import { validateBody, validateQuery } from '../platform/http/validate.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import { confirmDeployBody, type DeployBody, deployBody } from './deploy.contract.ts';
import { presentDeployed, presentPlan } from './deploy.present.ts';
import type { DeploymentsService } from './deployments/deployments.service.ts';
import { readPush } from './read-push.api.ts';

export interface DeployDeps {
  deployments: DeploymentsService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
}

/** Older command lines send other bodies (http-api.md 15). */
const MIN_CLI_VERSION = [0, 39, 25];

/**
 * Answers what `POST /sync/deploy` with the same body would change, and what it would delete, whatever `reconcile`
 * says.
 */
export function confirmDeploy(use: DeployDeps): Handler {
  return async (request) => {
    const body = await readBody(use, request, confirmDeployBody);
    // The stock command line sends `reconcile: false` here and `true` in the deploy, so deletions are listed in both
    // cases (design.md 7.38).
    const plan = await use.deployments.pushed.plan(readPush(request.environment.id, { ...body, reconcile: true }));
    const touched = [...plan.added, ...plan.changed.map(({ live }) => live), ...plan.removed];
    const keys = new Set(touched.map(({ integrationKey }) => integrationKey));
    const counts = await countConnections(use, request.environment.id, [...keys]);
    return ok(presentPlan(plan, (integrationKey) => counts.get(integrationKey) ?? 0));
  };
}

/** Deploys functions that a command line has compiled. */
export function deployFunctions(use: DeployDeps): Handler {
  return async (request) => {
    const body = await readBody(use, request, deployBody);
    const deployed = await use.deployments.pushed.apply(readPush(request.environment.id, body));
    return ok(deployed.flatMap(presentDeployed));
  };
}

async function readBody(
  use: DeployDeps,
  { environment, query, http, body }: ApiRequest,
  schema: typeof confirmDeployBody | typeof deployBody,
): Promise<DeployBody> {
  validateQuery(empty, query);
  refuseOldCli(http.headers['user-agent']);
  const checked = nameFunctions(body, () => validateBody(schema, body));
  await requireIntegrations(use, environment.id, checked);
  return checked;
}

/** Validation issues give the index of a function in the body; this adds the function's name for people. */
function nameFunctions<T>(body: unknown, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof HomeportError) || !error.issues) throw error;
    const issues = error.issues.map((issue) => {
      const name = functionAt(body, issue.path);
      return name === undefined ? issue : { ...issue, message: `${name}: ${issue.message}` };
    });
    throw new HomeportError(error.code, error.message, { issues, cause: error });
  }
}

const sentFlow = z.object({ flowConfigs: z.array(z.unknown()) });
const sentScripts = z.object({ onEventScriptsByProvider: z.array(z.unknown()) });
const namedFlow = z.object({ providerConfigKey: z.string().max(255), syncName: z.string().max(255) });
const namedScripts = z.object({ providerConfigKey: z.string().max(255), scripts: z.array(z.unknown()) });
const namedScript = z.object({ name: z.string().max(255) });

/** `integration/function` of the member of the body that a path points to; undefined for other paths. */
function functionAt(body: unknown, [list, index, _scripts, scriptIndex]: string[]): string | undefined {
  if (list === 'flowConfigs') {
    const flow = namedFlow.safeParse(sentFlow.safeParse(body).data?.flowConfigs[Number(index)]).data;
    return flow && `${flow.providerConfigKey}/${flow.syncName}`;
  }
  if (list !== 'onEventScriptsByProvider') return undefined;
  const own = namedScripts.safeParse(sentScripts.safeParse(body).data?.onEventScriptsByProvider[Number(index)]).data;
  const script = namedScript.safeParse(own?.scripts[Number(scriptIndex)]).data;
  return own && script && `${own.providerConfigKey}/${script.name}`;
}

/** A mistyped folder name is refused before any function is deployed (design.md 7.38). */
async function requireIntegrations(use: DeployDeps, environmentId: number, body: DeployBody): Promise<void> {
  const { flowConfigs, onEventScriptsByProvider = [], postConnectionScriptsByProvider = [] } = body;
  const named = [...flowConfigs, ...onEventScriptsByProvider, ...postConnectionScriptsByProvider];
  const known = new Set((await use.integrations.list(environmentId)).map(({ uniqueKey }) => uniqueKey));
  const unknown = [...new Set(named.map(({ providerConfigKey }) => providerConfigKey))].filter(
    (key) => !known.has(key),
  );
  if (unknown.length === 0) return;
  const keys = unknown.map((key) => `"${key}"`).join(', ');
  throw new HomeportError(
    'unknown_provider_config',
    `There is no integration ${keys} in this environment, so nothing was deployed. Create it, or rename the folder of its functions to the id of an integration that exists.`,
  );
}

function refuseOldCli(userAgent = ''): void {
  const found = /nango-cli\/(\d+)\.(\d+)\.(\d+)/.exec(userAgent);
  if (!found) return;
  const version = found.slice(1).map(Number);
  const at = version.findIndex((part, index) => part !== MIN_CLI_VERSION[index]);
  if (at === -1 || (version[at] ?? 0) > (MIN_CLI_VERSION[at] ?? 0)) return;
  throw new HomeportError(
    'invalid_cli_version',
    `This command line is too old to deploy. Update it to ${MIN_CLI_VERSION.join('.')} or newer.`,
  );
}

async function countConnections(
  { integrations, connections }: DeployDeps,
  environmentId: number,
  keys: string[],
): Promise<Map<string, number>> {
  const counted = await Promise.all(
    keys.map(async (key) => {
      const integration = await integrations.find(environmentId, key);
      const all = integration ? await connections.listOfIntegration(integration.id) : [];
      return [key, all.length] as const;
    }),
  );
  return new Map(counted);
}
