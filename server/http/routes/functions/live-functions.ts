import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DeployedFunction, ParsedDefinition } from '../../../services/deployments/deployed-function.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';

export interface FunctionFinders {
  integrations: IntegrationsService;
  deployments: DeploymentsService;
}

export type LiveFunction = DeployedFunction & { definition: ParsedDefinition };

interface FunctionAddress {
  environmentId: number;
  uniqueKey: string;
  /** Undefined = of any type. */
  type?: DeployedFunction['type'] | undefined;
}

/** The functions of an integration of which a version is live, by name. */
export async function listLive(
  { integrations, deployments }: FunctionFinders,
  address: FunctionAddress,
): Promise<LiveFunction[]> {
  const { environmentId, uniqueKey, type } = address;
  if (!(await integrations.find(environmentId, uniqueKey))) {
    throw new HomeportError('not_found', `There is no integration "${uniqueKey}".`);
  }
  const all = await deployments.list(environmentId, uniqueKey);
  const live = all.filter(
    (one): one is LiveFunction => one.definition !== null && (type === undefined || one.type === type),
  );
  return live.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Those of one name; at least one. */
export async function listNamed(
  use: FunctionFinders,
  address: FunctionAddress & { name: string },
): Promise<[LiveFunction, ...LiveFunction[]]> {
  const [first, ...others] = (await listLive(use, address)).filter(({ name }) => name === address.name);
  if (!first)
    throw new HomeportError('not_found', `The integration "${address.uniqueKey}" has no function "${address.name}".`);
  return [first, ...others];
}
