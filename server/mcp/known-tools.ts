import type { DeploymentsService } from '../functions/deployments/deployments.service.ts';
import { ReadCache } from '../platform/lib/read-cache.ts';
import { type McpTool, toTool } from './mcp-tool.ts';

/** Integrations whose tools are kept in memory: every call of an agent looks for its tool in them. */
const KEPT_INTEGRATIONS = 50;

/** Returns a function that resolves to the tools of an integration as they are now. */
export function createKnownTools(
  deployments: Pick<DeploymentsService, 'list' | 'onStored'>,
): (environmentId: number, integrationKey: string) => Promise<readonly McpTool[]> {
  const cache = new ReadCache<readonly McpTool[]>({ max: KEPT_INTEGRATIONS });
  const keyOf = (environmentId: number, integrationKey: string): string => `${environmentId} ${integrationKey}`;
  deployments.onStored(({ environmentId, integrationKey }) => cache.drop(keyOf(environmentId, integrationKey)));
  return async (environmentId, integrationKey) => {
    const read = async () =>
      (await deployments.list(environmentId, integrationKey)).flatMap((one) => toTool(one) ?? []);
    return (await cache.get(keyOf(environmentId, integrationKey), read)) ?? [];
  };
}
