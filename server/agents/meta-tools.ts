import { z } from 'zod';
import { QUERY_RECORDS_TOOL } from '../mcp/mcp.service.ts';
import type { ToolDescription } from '../mcp/toolbox.ts';
import type { AgentScope, AgentSession } from './agent-session.ts';
import type { MetaTool } from './agent-sessions.contract.ts';
import { connectInput, executeInput, proxyInput, searchInput } from './meta-tools.contract.ts';

type Described = Pick<ToolDescription, 'title' | 'description' | 'annotations'> & { input: z.ZodType };

const DESCRIPTIONS: Record<Exclude<MetaTool, 'homeport_query_records'>, Described> = {
  nango_tool_search: {
    title: 'Find tools',
    description:
      'Finds tools of this session. Pass up to five queries of a few keywords, one per tool that you need, and the whole ' +
      'task as goal. The answer has, per query, the tools that fit with their input, leads that fit in part, and what to ' +
      'do next; and which integrations are connected.',
    input: searchInput,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  nango_execute: {
    title: 'Run a tool',
    description:
      'Runs a tool of this session by the name that nango_tool_search gave, with an input that fits its schema, and ' +
      'returns its result. A tool that changes something may ask a person first.',
    input: executeInput,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  nango_proxy: {
    title: 'Call the API of a provider',
    description:
      'Sends one request to the API of a connected integration, with its credentials, when no tool does what you need. ' +
      'Returns status, headers and body. It asks a person first.',
    input: proxyInput,
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
  nango_create_connection: {
    title: 'Connect an integration',
    description:
      'Returns a link with which a person connects an integration of this session, or authorizes it again. Give the link ' +
      'to the person and wait until they are done.',
    input: connectInput,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  },
};

/** The meta tools that are switched on. */
export function listMetaTools({ metaTools }: AgentScope): ToolDescription[] {
  const tools = Object.entries(DESCRIPTIONS).map(([name, { input, ...described }]): ToolDescription => {
    const { $schema: _draft, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
    return { name, ...described, inputSchema: inputSchema as ToolDescription['inputSchema'] };
  });
  return [...tools, QUERY_RECORDS_TOOL].filter(({ name }) => metaTools[name as MetaTool]);
}

/** How to use the session, for the model. */
export function instructionsFor({ scope }: Pick<AgentSession, 'scope'>): string {
  const { nango_execute: canExecute, nango_tool_search: canSearch } = scope.metaTools;
  const keys = scope.integrations.map(({ key }) => key).join(', ') || 'no integration';
  const how =
    canSearch && canExecute
      ? ' Find a tool with nango_tool_search, then run it with nango_execute.'
      : canSearch
        ? ' Find tools with nango_tool_search; you can run those of your list.'
        : '';
  const records = scope.metaTools.homeport_query_records
    ? ' Records that were synced are asked in SQL with homeport_query_records; without sql it lists the views.'
    : '';
  return `Tools of: ${keys}.${how}${records} A tool that changes something may ask a person first; a refusal says what to do.`;
}
