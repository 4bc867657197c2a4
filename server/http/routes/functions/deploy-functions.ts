import { confirmDeployBody, type DeployBody, deployBody } from '../../../contract/api/deploy.ts';
import { empty } from '../../../contract/api/fields.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { ConnectionsService } from '../../../services/connections/connections-service.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import { presentDeployed, presentPlan } from '../../present/deploy.ts';
import { type ApiRequest, type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';
import { readPush } from './read-push.ts';

export interface DeployUse {
  deployments: DeploymentsService;
  integrations: IntegrationsService;
  connections: ConnectionsService;
}

/** Older ones send other bodies (http-api.md 15). */
const OLDEST_CLI = [0, 39, 25];

/** What `POST /sync/deploy` with the same body would change. */
export function confirmDeploy(use: DeployUse): Handler {
  return async (request) => {
    const body = readBody(request, confirmDeployBody);
    const plan = await use.deployments.pushed.plan(readPush(request.environment.id, body));
    const touched = [...plan.added, ...plan.changed.map(({ live }) => live), ...plan.removed];
    const keys = new Set(touched.map(({ integrationKey }) => integrationKey));
    const counts = await countConnections(use, request.environment.id, [...keys]);
    return ok(presentPlan(plan, (integrationKey) => counts.get(integrationKey) ?? 0));
  };
}

/** Deploys functions that a command line compiled. */
export function deployFunctions(use: DeployUse): Handler {
  return async (request) => {
    const body = readBody(request, deployBody);
    const deployed = await use.deployments.pushed.apply(readPush(request.environment.id, body));
    return ok(deployed.flatMap(presentDeployed));
  };
}

function readBody(request: ApiRequest, schema: typeof confirmDeployBody | typeof deployBody): DeployBody {
  validateQuery(empty, request.query);
  refuseOldCli(request.http.headers['user-agent']);
  return validateBody(schema, request.body);
}

function refuseOldCli(userAgent = ''): void {
  const found = /nango-cli\/(\d+)\.(\d+)\.(\d+)/.exec(userAgent);
  if (!found) return;
  const version = found.slice(1).map(Number);
  const at = version.findIndex((part, index) => part !== OLDEST_CLI[index]);
  if (at === -1 || (version[at] ?? 0) > (OLDEST_CLI[at] ?? 0)) return;
  throw new HomeportError(
    'invalid_cli_version',
    `This command line is too old to deploy. Update it to ${OLDEST_CLI.join('.')} or newer.`,
  );
}

async function countConnections(
  { integrations, connections }: DeployUse,
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
