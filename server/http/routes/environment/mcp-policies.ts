import { mcpPolicyBody } from '../../../contract/api/environment.ts';
import { empty } from '../../../contract/api/fields.ts';
import { MCP_SCOPE } from '../../../contract/api/key-scopes.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { EnvironmentService } from '../../../services/environment/environment-service.ts';
import type { McpService } from '../../../services/mcp/mcp-service.ts';
import { grants } from '../../middleware/scopes.ts';
import { isoDate } from '../../present/dates.ts';
import { type Handler, ok } from '../../route.ts';
import { validateBody, validateQuery } from '../../validate.ts';

/** Every tool, what was decided, and what waits. */
export function listMcpPolicies({ mcp }: { mcp: McpService }): Handler {
  return async ({ environment: { id }, query }) => {
    validateQuery(empty, query);
    const [offered, decided] = await Promise.all([mcp.listOffered(id), mcp.listDecisions(id)]);
    return ok({
      data: {
        tools: offered.map(({ integrationKey, tool: { name, description, risk }, defaultPolicy }) => ({
          provider_config_key: integrationKey,
          tool: name,
          description,
          risk,
          default_policy: defaultPolicy,
        })),
        policies: decided.map((one) => ({
          ...presentTool(one),
          policy: one.policy,
          decided_at: isoDate(one.decidedAt),
        })),
        waiting: mcp.listApprovals(id).map((one) => ({
          ...presentTool(one),
          risk: one.risk,
          arguments: one.arguments,
          asked_at: isoDate(one.askedAt),
          expires_at: isoDate(one.expiresAt),
        })),
      },
    });
  };
}

/** Sets one policy for all clients and connections that the body selects. */
export function setMcpPolicy(use: { mcp: McpService; environments: EnvironmentService }): Handler {
  return async ({ environment, query, body }) => {
    validateQuery(empty, query);
    const { client, connection_id, policy, provider_config_key, tool } = validateBody(mcpPolicyBody, body);
    const keys = (await use.environments.keys.list(environment.id)).filter(
      ({ displayName, scopes }) => grants(scopes, MCP_SCOPE) && (client === undefined || displayName === client),
    );
    if (keys.length === 0) throw new HomeportError('not_found', `There is no MCP client "${client}".`);
    const selection = {
      apiKeyIds: keys.map(({ id }) => id),
      tool,
      integrationKey: provider_config_key,
      connectionId: connection_id,
    };
    return ok({ data: { changed: await use.mcp.changePolicies(environment, selection, policy) } });
  };
}

function presentTool(one: { clientName: string; integrationKey: string; connectionId: string; tool: string }) {
  const { clientName, connectionId, integrationKey, tool } = one;
  return { client: clientName, provider_config_key: integrationKey, connection_id: connectionId, tool };
}
