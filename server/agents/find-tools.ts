import { LRUCache } from 'lru-cache';
import type { AgentSession } from './agent-session.ts';
import { indexTools, searchTools, type ToolIndex } from './search-tools.ts';
import type { SessionTool } from './session-tools.ts';

export type ConnectionState = { status: 'connected'; connection_id: string } | { status: 'not_connected' };

type ToolInput = { kind: 'schema'; schema: object } | { kind: 'none' } | { kind: 'unavailable' };

/** A tool that was found (agents.md 4). */
export interface FoundTool {
  tool: string;
  integration: string;
  action: string;
  provider: string;
  description: string;
  listed: boolean;
  connection: ConnectionState;
  /** Only of what fits. */
  input?: ToolInput;
}

export interface FoundTools {
  integrations: Record<string, ConnectionState>;
  results: Array<{ query: string; guidance: string; matches: FoundTool[]; related: FoundTool[] }>;
}

const CACHED_INDEXES = 50;

/** Searches tools by words; the index of a session is kept until its tools change. */
export class ToolFinder {
  readonly #indexes = new LRUCache<string, { version: string; index: ToolIndex }>({ max: CACHED_INDEXES });

  /** `states` has each integration of the session. */
  find(
    session: AgentSession,
    tools: readonly SessionTool[],
    states: ReadonlyMap<string, ConnectionState>,
    { goal, queries }: { queries: readonly string[]; goal?: string | undefined },
  ): FoundTools {
    const index = this.#indexOf(session.id, tools);
    const stateOf = (key: string): ConnectionState => states.get(key) ?? { status: 'not_connected' };
    const results = queries.map((query) => {
      const { matches, related } = searchTools(index, query, goal);
      const found = matches.map((one) => ({ ...describe(one, stateOf(one.integrationKey)), input: inputOf(one) }));
      const leads = related.map((one) => describe(one, stateOf(one.integrationKey)));
      return { query, guidance: guidanceFor(session, found, leads), matches: found, related: leads };
    });
    return { integrations: Object.fromEntries(states), results };
  }

  #indexOf(sessionId: string, tools: readonly SessionTool[]): ToolIndex {
    const version = tools.map(({ name, tool }) => `${name} ${tool.fingerprint}`).join('\n');
    const known = this.#indexes.get(sessionId);
    if (known?.version === version) return { ...known.index, tools };
    const index = indexTools(tools);
    this.#indexes.set(sessionId, { version, index });
    return index;
  }
}

function describe(
  { action, integrationKey, isPinned, name, provider, tool }: SessionTool,
  connection: ConnectionState,
): FoundTool {
  const { description } = tool;
  return { tool: name, integration: integrationKey, action, provider, description, listed: isPinned, connection };
}

function inputOf({ tool }: SessionTool): ToolInput {
  return tool.takesInput ? { kind: 'schema', schema: tool.inputSchema } : { kind: 'none' };
}

/** What to do next, for a model. */
function guidanceFor({ scope }: AgentSession, matches: readonly FoundTool[], related: readonly FoundTool[]): string {
  const [best] = matches;
  const { nango_create_connection: canConnect, nango_execute: canExecute } = scope.metaTools;
  if (!best) {
    const keys = scope.integrations.map(({ key }) => key).join(', ');
    return related.length > 0
      ? 'No tool fits all of it. The related tools fit in part: search again with words from their descriptions.'
      : `No tool of this session fits. It has tools of: ${keys || 'no integration'}. Search again with other words.`;
  }
  if (best.connection.status === 'not_connected')
    return canConnect
      ? `${best.tool} fits, but "${best.integration}" is not connected. Call nango_create_connection for a link that a person opens.`
      : `${best.tool} fits, but "${best.integration}" is not connected in this session. Ask the person to connect it and to create a new session.`;
  if (best.listed)
    return `${best.tool} fits best. It is in your list of tools: call it with an input that fits its schema.`;
  return canExecute
    ? `${best.tool} fits best. Call nango_execute with this name and an input that fits its schema.`
    : `${best.tool} fits best, but this session cannot run tools that are not in your list.`;
}
