import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { IntegrationsService } from '../../../services/integrations/integrations-service.ts';
import { presentOpenAiTool } from '../../present/openai-tools.ts';
import { presentScriptConfig } from '../../present/script-config.ts';
import { type Handler, ok } from '../../route.ts';

/** Every live function of every integration that exists; the format is not validated (http-api.md 13). */
export function getScriptsConfig(use: { integrations: IntegrationsService; deployments: DeploymentsService }): Handler {
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
