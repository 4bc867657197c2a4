import type { McpCallKey, McpPolicy, NamedMcpDecision } from './mcp-decisions.store.ts';
import type { McpTool } from './mcp-tool.ts';

/** A tool of a connection, for one client, with the names that people know. */
export interface NamedTool {
  apiKeyId: number;
  integrationKey: string;
  connectionId: string;
  tool: string;
}

/** Selects a tool of some clients. Without an integration or a connection: everywhere that has the tool. */
export interface ToolSelection {
  apiKeyIds: readonly number[];
  /** The one client that was named; undefined for all clients, also later ones. */
  apiKeyId: number | undefined;
  tool: string;
  integrationKey?: string | undefined;
  connectionId?: string | undefined;
}

/** A tool of an integration, and the policy for calls without a decision. */
export interface OfferedTool {
  integrationKey: string;
  tool: McpTool;
  defaultPolicy: McpPolicy;
}

/** What one client may do with a tool. */
export interface ToolRule {
  tool: McpTool;
  /** The user's decision, if there is one. */
  decision: NamedMcpDecision | undefined;
  /** The policy that currently applies. */
  effective: McpPolicy;
}

/** Whether a policy for the selection concerns the call. */
export function selects(
  { apiKeyId, apiKeyIds, connectionId, integrationKey, tool }: ToolSelection,
  key: Pick<McpCallKey, 'apiKeyId' | 'connectionId' | 'integrationKey' | 'tool'>,
): boolean {
  return (
    key.tool === tool &&
    (apiKeyId === undefined || (key.apiKeyId !== null && apiKeyIds.includes(key.apiKeyId))) &&
    (integrationKey === undefined || key.integrationKey === integrationKey) &&
    (connectionId === undefined || key.connectionId === connectionId)
  );
}
