import { z } from 'zod';
import {
  dashboardJsonObject,
  done,
  environmentQuery,
  isoTime,
  wholeResponse,
} from '../contract/dashboard/dashboard-lists.ts';
import { operationState } from '../log/dashboard-logs.contract.ts';

/** Calls of MCP clients that wait for approval, and the user's decisions (ui.md 6.15). */

const ofTool = { integrationKey: z.string(), connectionId: z.string(), tool: z.string() };

const risk = z.enum(['read', 'write', 'delete']);

const approvalDecision = z.enum(['allow-once', 'allow-session', 'allow-always', 'deny', 'deny-always']);

export const approvalRow = z.object({
  id: z.string(),
  /** Name of the API key of the client. */
  clientName: z.string(),
  /** The agent session that calls; null for a client with an API key. */
  sessionId: z.string().nullable(),
  ...ofTool,
  risk,
  /** What is different since a person allowed the tool for good; null when nobody did. */
  change: z.string().nullable(),
  /** Why it is asked even when a policy allows the tool, in sentences. */
  reasons: z.array(z.string()),
  /** The answers that can be given. */
  decisions: z.array(approvalDecision),
  /** Arguments of the call. */
  arguments: dashboardJsonObject,
  /** What it would change, as a trial found it; null for a question that is not about a write. */
  preview: z
    .object({
      writes: z.array(
        z.object({
          method: z.string(),
          path: z.string(),
          known: z.enum(['read', 'record']).nullable(),
          /** `- ` the present value, `+ ` the value as it would be, two spaces: it stays. */
          lines: z.array(z.string()),
        }),
      ),
      summary: z.array(z.string()),
      /** Why there is nothing to show, or not all of it. */
      problem: z.string().nullable(),
    })
    .nullable(),
  askedAt: isoTime,
  /** Without a response by then, the call is denied. */
  expiresAt: isoTime,
});

/** `session`: until the agent session ends, without one until the hub stops. `always`: stored. */
export const approvalBody = z.object({
  decision: approvalDecision,
  /** Replaces the arguments of this call. May only restrict what the client asked for. */
  arguments: dashboardJsonObject.optional(),
});

const mcpPolicy = z.enum(['allow', 'ask', 'deny']);

export const mcpDecisionRow = z.object({
  /** Id of the client's API key; null for a program or a session. */
  clientId: z.number().int().nullable(),
  /** The program of agent sessions about which it is; null for others. */
  program: z.string().nullable(),
  /** The agent session about which it is; null for others. */
  sessionId: z.string().nullable(),
  clientName: z.string(),
  ...ofTool,
  policy: mcpPolicy,
  decidedAt: isoTime,
});

/** One decision about a program or a session; the other one is null. */
export const takeBackBody = z.object({ program: z.string().nullable(), sessionId: z.string().nullable(), ...ofTool });

/** `policy: null` restores the default: tools that only read are allowed, all others ask. */
export const mcpDecisionBody = z.object({ clientId: z.number().int(), ...ofTool, policy: mcpPolicy.nullable() });

/** An API key that may call tools. */
export const mcpClientRow = z.object({
  id: z.number().int(),
  name: z.string(),
  /** Whether it may call tools only. */
  isAgent: z.boolean(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});

export const createMcpClientBody = z.object({ name: z.string().trim().min(1).max(255) });

/** No other response contains the key. */
export const createdMcpClient = z.object({ id: z.number().int(), name: z.string(), secret: z.string() });

export const mcpToolQuery = environmentQuery.extend({
  clientId: z.coerce.number().int(),
  integrationKey: z.string(),
  connectionId: z.string(),
});

/** A tool of a connection, for one client. */
export const mcpToolRow = z.object({
  name: z.string(),
  description: z.string(),
  risk,
  /** The user's decision; null means that the default for the tool's risk applies. */
  policy: mcpPolicy.nullable(),
  /** The policy of the next call. It differs from `policy` for a tool that is allowed until the hub stops. */
  effective: mcpPolicy,
  decidedAt: isoTime.nullable(),
});

/** A call of a client, whether it ran or was refused. The log has its operation under the same id. */
export const toolCallRow = z.object({
  operationId: z.string(),
  /** Null for calls of an older version. */
  clientName: z.string().nullable(),
  tool: z.string(),
  integrationKey: z.string().nullable(),
  connectionId: z.string().nullable(),
  state: operationState,
  /** Why it did not run, or why it failed. */
  error: z.string().nullable(),
  at: isoTime,
  durationMs: z.number().nullable(),
});

/** A call waits for approval, or its wait has ended. `approval` is present while it waits. */
export const approvalEvent = z.object({
  id: z.string(),
  state: z.enum(['asked', 'allowed', 'denied', 'expired', 'withdrawn']),
  approval: approvalRow.nullable(),
});

/** Where questions are sent as well (agents.md 12), as it counts now. */
export const approvalsTarget = z.object({
  /** `variables`: `HOMEPORT_APPROVALS_*`, which win over the settings. */
  source: z.enum(['none', 'settings', 'variables']),
  kind: z.enum(['ntfy', 'webhook']),
  url: z.string().nullable(),
  arePublic: z.boolean(),
  /** Whether `HOMEPORT_APPROVALS_PUBLIC` decides that. */
  isPublicFixed: z.boolean(),
  /** Origin of the links. */
  base: z.string(),
  hasPublicUrl: z.boolean(),
  /** The last message since Homeport started. */
  lastSent: z.object({ at: isoTime, problem: z.string().nullable() }).nullable(),
});

/** What happened to a test message; `problem` is null when it was taken. */
export const approvalsTest = z.object({
  status: z.number().int().nullable(),
  durationMs: z.number(),
  problem: z.string().nullable(),
});

export const mcpRouteShapes = {
  'GET /api/v1/mcp/approvals-target': {
    meaning: 'Where questions are sent as well, and what became of the last message.',
    query: environmentQuery,
    response: approvalsTarget,
  },
  'POST /api/v1/mcp/approvals-target/test': {
    meaning: 'Sends a test message there.',
    query: environmentQuery,
    response: approvalsTest,
  },
  'GET /api/v1/mcp/approvals': {
    meaning: 'Calls of MCP clients that wait for an answer, oldest first.',
    query: environmentQuery,
    response: wholeResponse(approvalRow),
  },
  'POST /api/v1/mcp/approvals/:approvalId': {
    meaning: 'Answers one with one of its decisions; 404 when it no longer waits.',
    params: z.object({ approvalId: z.string() }),
    query: environmentQuery,
    body: approvalBody,
    response: done,
  },
  'GET /api/v1/mcp/decisions': {
    meaning: 'Stored decisions of the user, newest first.',
    query: environmentQuery,
    response: wholeResponse(mcpDecisionRow),
  },
  'PUT /api/v1/mcp/decisions': {
    meaning: 'Sets or removes the policy of one tool of a connection for one client.',
    query: environmentQuery,
    body: mcpDecisionBody,
    response: done,
  },
  'DELETE /api/v1/mcp/decisions': {
    meaning: 'Takes a decision about a program or an agent session back; 404 when there is none.',
    query: environmentQuery,
    body: takeBackBody,
    response: done,
  },
  'GET /api/v1/mcp/calls': {
    meaning: 'The last 200 calls of clients, refused ones too, the newest first.',
    query: environmentQuery,
    response: wholeResponse(toolCallRow),
  },
  'GET /api/v1/mcp/clients': {
    meaning: 'API keys that may call tools, oldest first.',
    query: environmentQuery,
    response: wholeResponse(mcpClientRow),
  },
  'POST /api/v1/mcp/clients': {
    meaning: 'Creates a key that may only call tools. No other answer contains its secret.',
    query: environmentQuery,
    body: createMcpClientBody,
    response: createdMcpClient,
  },
  'DELETE /api/v1/mcp/clients/:clientId': {
    meaning: 'Revokes such a key; 404 for any other.',
    params: z.object({ clientId: z.coerce.number().int() }),
    query: environmentQuery,
    response: done,
  },
  'GET /api/v1/mcp/tools': {
    meaning: 'Tools of a connection and their policies for one client.',
    query: mcpToolQuery,
    response: wholeResponse(mcpToolRow),
  },
};

export type ShownMcpPolicy = z.infer<typeof mcpPolicy>;
export type ApprovalsTargetResponse = z.infer<typeof approvalsTarget>;
export type ApprovalsTestResponse = z.infer<typeof approvalsTest>;
export type McpDecisionRow = z.infer<typeof mcpDecisionRow>;
export type McpDecision = z.input<typeof mcpDecisionBody>;
export type McpClientRow = z.infer<typeof mcpClientRow>;
export type McpToolRow = z.infer<typeof mcpToolRow>;
export type ToolCallRow = z.infer<typeof toolCallRow>;
export type ApprovalRow = z.infer<typeof approvalRow>;
export type ApprovalEvent = z.infer<typeof approvalEvent>;
export type ShownApprovalDecision = z.infer<typeof approvalBody>['decision'];
