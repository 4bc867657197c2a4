import { MCP_SCOPE } from '../../contract/api/key-scopes.ts';
import type { McpClientRow, McpDecisionRow, McpToolRow } from '../../contract/dashboard/dashboard-mcp.ts';
import type { KeyFacts } from '../../services/environment/api-keys.ts';
import type { NamedMcpDecision, ToolRule } from '../../services/mcp/mcp-service.ts';
import { isoDate } from '../present/dates.ts';

/** Whether a key may call tools and nothing else. */
export const isAgentKey = ({ scopes }: Pick<KeyFacts, 'scopes'>): boolean =>
  scopes.length > 0 && scopes.every((scope) => scope === MCP_SCOPE);

export function viewClient(key: KeyFacts): McpClientRow {
  const { id, displayName, createdAt, lastUsedAt } = key;
  return {
    id,
    name: displayName,
    isAgent: isAgentKey(key),
    createdAt: isoDate(createdAt),
    lastUsedAt: lastUsedAt === null ? null : isoDate(lastUsedAt),
  };
}

export function viewDecision({ apiKeyId, decidedAt, ...rest }: NamedMcpDecision): McpDecisionRow {
  return { ...rest, clientId: apiKeyId, decidedAt: isoDate(decidedAt) };
}

export function viewRule({ tool, decision, effective }: ToolRule): McpToolRow {
  const { name, description, risk } = tool;
  return {
    name,
    description,
    risk,
    policy: decision?.policy ?? null,
    effective,
    decidedAt: decision ? isoDate(decision.decidedAt) : null,
  };
}
