import { HomeportError } from '../platform/lib/homeport-error.ts';
import { allowsTool, type ScopedIntegration } from './agent-session.ts';
import type { CreateAgentSessionBody } from './agent-sessions.contract.ts';
import { listed } from './resolve-tenant.ts';

type ToolsetBody = Pick<CreateAgentSessionBody, 'toolset' | 'pinned_tools'>;

/** What the session may use of each integration, before its connection is known. */
export type IntegrationPolicy = Pick<ScopedIntegration, 'allow' | 'deny' | 'pinned'>;

/** Tools of an integration by name, and functions of other types. Undefined when they cannot be known now. */
export interface KnownFunctions {
  tools: ReadonlySet<string>;
  /** Type by name, of functions that are no tools. */
  others: ReadonlyMap<string, string>;
}

/** Integrations that the body names and the environment does not have: throws `unknown_integration`. */
export function checkIntegrations({ pinned_tools = {}, toolset }: ToolsetBody, known: ReadonlySet<string>): void {
  const named = [...(typeof toolset === 'object' ? Object.keys(toolset) : []), ...Object.keys(pinned_tools)];
  const unknown = [...new Set(named)].filter((key) => !known.has(key));
  if (unknown.length === 0) return;
  throw new HomeportError(
    'unknown_integration',
    `There is no integration ${listed(unknown.map((key) => `"${key}"`))}.`,
    { payload: { integrations: unknown } },
  );
}

/** The policy of an integration in the toolset. */
export function policyOf({ pinned_tools = {}, toolset }: ToolsetBody, key: string): IntegrationPolicy {
  const own = typeof toolset === 'object' && Object.hasOwn(toolset, key) ? toolset[key] : '*';
  const { allow = '*', deny = { tools: [] } } = own === '*' || own === undefined ? {} : own;
  const pinned = Object.hasOwn(pinned_tools, key) ? (pinned_tools[key] ?? []) : [];
  return { allow: allow === '*' ? '*' : unique(allow.tools), deny: unique(deny.tools), pinned: unique(pinned) };
}

/**
 * Checks every name of a tool. `policies` has the integrations of the toolset; `pinned_tools` may name others. Throws
 * `unknown_tool`, `unsupported_function_type` and `tool_not_in_toolset`.
 */
export function checkTools(
  { pinned_tools = {} }: ToolsetBody,
  policies: ReadonlyMap<string, IntegrationPolicy>,
  functionsOf: (key: string) => KnownFunctions | undefined,
): void {
  const pinnedTools = Object.entries(pinned_tools).flatMap(([key, tools]) =>
    unique(tools).map((tool) => ({ key, tool })),
  );
  const named = [...policies].flatMap(([key, { allow, deny }]) =>
    [...(allow === '*' ? [] : allow), ...deny].map((tool) => ({ key, tool })),
  );
  const all = distinct([...named, ...pinnedTools]).map((one) => ({ ...one, functions: functionsOf(one.key) }));
  const missing = all.filter(({ functions, tool }) => functions && !functions.tools.has(tool));
  const unknown = missing.filter(({ functions, tool }) => !functions?.others.has(tool));
  if (unknown.length > 0)
    throw new HomeportError('unknown_tool', `There is no tool ${listed(unknown.map(toText))}.`, {
      payload: { tools: unknown.map(({ key, tool }) => ({ integration_id: key, tool })) },
    });
  if (missing.length > 0)
    throw new HomeportError(
      'unsupported_function_type',
      `Only actions are tools: ${listed(missing.map((one) => `${toText(one)} (${one.functions?.others.get(one.tool)})`))}.`,
      {
        payload: {
          tools: missing.map(({ functions, key, tool }) => ({
            integration_id: key,
            tool,
            type: functions?.others.get(tool),
          })),
        },
      },
    );
  const outside = pinnedTools.filter(({ key, tool }) => {
    const policy = policies.get(key);
    return !policy || !allowsTool(policy, tool);
  });
  if (outside.length > 0)
    throw new HomeportError(
      'tool_not_in_toolset',
      `The toolset does not have ${listed(outside.map(toText))}, so it cannot be pinned.`,
      { payload: { pinned: outside.map(({ key, tool }) => ({ integration_id: key, tool })) } },
    );
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];

const distinct = <T extends { key: string; tool: string }>(named: readonly T[]): T[] => [
  ...new Map(named.map((one) => [JSON.stringify([one.key, one.tool]), one])).values(),
];

const toText = ({ key, tool }: { key: string; tool: string }): string => `"${tool}" of "${key}"`;
