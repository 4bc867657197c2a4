import { z } from 'zod';
import { instant } from '../contract/response-fields.ts';
import { effectiveLimits, usedOfLimits } from '../limits/limits.contract.ts';

/** Answers about agent sessions (agents.md 2). */

const connected = z.boolean();

const metaTools = z.object({
  nango_tool_search: z.boolean(),
  nango_execute: z.boolean(),
  nango_proxy: z.boolean(),
  nango_create_connection: z.boolean().optional(),
  homeport_query_records: z.boolean().optional(),
});

export const createdAgentSessionResponse = z.object({
  data: z.object({
    session_id: z.string(),
    session_token: z.string(),
    mcp_url: z.string(),
    expires_at: instant,
    toolset: z.record(
      z.string(),
      z.object({ connected, tools_pinned: z.number().int(), tools_searchable: z.number().int() }),
    ),
    meta_tools: metaTools,
  }),
});

const reason = z.enum(['terminated', 'expired']);

export const endedAgentSessionResponse = z.object({
  data: z.object({ session_id: z.string(), ended_at: instant, reason }),
});

const agentSession = z.object({
  session_id: z.string(),
  name: z.string().nullable(),
  state: z.enum(['active', 'paused', 'terminated', 'expired']),
  created_by: z.enum(['key', 'person', 'program']),
  created_at: instant,
  expires_at: instant,
  ended_at: instant.nullable(),
  reason: reason.nullable(),
  calls: z.number().int(),
  last_used_at: instant.nullable(),
  client: z.object({ name: z.string(), version: z.string() }).nullable(),
  /** An addition of Homeport (agents.md 9). */
  limits: effectiveLimits,
  used: usedOfLimits,
  mcp_url: z.string(),
  toolset: z.record(z.string(), z.object({ connected, connection_id: z.string().nullable() })),
  meta_tools: metaTools,
  untrusted_content: z.enum(['ask', 'ignore']),
  /** Tools that returned text by strangers: their first calls, oldest first. */
  untrusted_reads: z.array(
    z.object({ tool: z.string(), integration_id: z.string(), connection_id: z.string(), read_at: instant }),
  ),
});

export const agentSessionResponse = z.object({ data: agentSession });
export const agentSessionsResponse = z.object({ data: z.array(agentSession) });

const agentCall = z.object({
  call_id: z.string(),
  tool: z.string(),
  integration_id: z.string(),
  connection_id: z.string(),
  called_at: instant,
  /** What it sent that can have changed something. */
  requests: z.array(
    z.object({
      method: z.string(),
      host: z.string().nullable(),
      path: z.string(),
      body: z.string().nullable(),
      status: z.number().int().nullable(),
    }),
  ),
  /** Shortened JSON; null when it is not kept any more. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  undo: z.object({
    state: z.enum(['none', 'possible', 'running', 'undone', 'failed']),
    /** Why it cannot be taken back (any more). */
    refusal: z.string().nullable(),
    undone_at: instant.nullable(),
  }),
});

export const agentCallResponse = z.object({ data: agentCall });
export const agentCallsResponse = z.object({ data: z.array(agentCall) });
