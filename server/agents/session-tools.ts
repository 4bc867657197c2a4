import { createHash } from 'node:crypto';
import type { McpTool } from '../mcp/mcp.service.ts';
import { type AgentScope, allowsTool } from './agent-session.ts';

/** A tool of a session. */
export interface SessionTool {
  /** Unique in the session; what an agent calls it. */
  name: string;
  integrationKey: string;
  provider: string;
  /** Its own name in the integration. */
  action: string;
  isPinned: boolean;
  /** Of a remote MCP server, not an action of the hub. */
  isRemote: boolean;
  tool: McpTool;
}

/** A tool of an integration. */
export interface IntegrationTool {
  integrationKey: string;
  tool: McpTool;
  isRemote?: true;
}

/** Limit of clients for the name of a tool. */
const MAX_NAME_LENGTH = 64;
const HASH_LENGTH = 8;

/** The tools that the scope allows, in the order of their names. `offered` has the tools of every integration. */
export function toolsOf(scope: AgentScope, offered: readonly IntegrationTool[]): SessionTool[] {
  const byKey = Map.groupBy(offered, ({ integrationKey }) => integrationKey);
  const allowed = scope.integrations.flatMap((integration) =>
    (byKey.get(integration.key) ?? [])
      .filter(({ tool }) => allowsTool(integration, tool.name))
      .map(({ isRemote = false, tool }) => ({
        integrationKey: integration.key,
        provider: integration.provider,
        action: tool.name,
        isPinned: integration.pinned.includes(tool.name),
        isRemote,
        tool,
      })),
  );
  const names = toolNames(allowed);
  return allowed
    .map((one, index) => ({ ...one, name: names[index] ?? '' }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** `<integration>__<tool>` within the limits of clients. What is too long, or would be the same, ends with a hash. */
export function toolNames(tools: ReadonlyArray<Pick<SessionTool, 'integrationKey' | 'action'>>): string[] {
  const plain = tools.map(({ action, integrationKey }) =>
    `${integrationKey}__${action}`.replace(/[^A-Za-z0-9_-]/g, '_'),
  );
  const uses = Map.groupBy(plain, (name) => name);
  return tools.map(({ action, integrationKey }, index) => {
    const name = plain[index] ?? '';
    if (name.length <= MAX_NAME_LENGTH && uses.get(name)?.length === 1) return name;
    const hash = createHash('sha256')
      .update(JSON.stringify([integrationKey, action]))
      .digest('hex');
    return `${name.slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1)}_${hash.slice(0, HASH_LENGTH)}`;
  });
}
