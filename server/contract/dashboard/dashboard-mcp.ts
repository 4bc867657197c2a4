import { z } from 'zod';
import { dashboardJsonObject, done, environmentQuery, isoTime, wholeResponse } from './dashboard-lists.ts';
import { operationState } from './dashboard-logs.ts';

/** Calls of MCP clients that wait for the user, and what the user has decided (ui.md 6.15). */

const ofTool = { integrationKey: z.string(), connectionId: z.string(), tool: z.string() };

const risk = z.enum(['read', 'write', 'delete']);

export const approvalRow = z.object({
  id: z.string(),
  /** Name of the API key that the client calls with. */
  clientName: z.string(),
  ...ofTool,
  risk,
  /** What the tool is to be called with. */
  arguments: dashboardJsonObject,
  askedAt: isoTime,
  /** Not answered by then, the call is denied. */
  expiresAt: isoTime,
});

/** `session`: until the hub stops. `always`: stored. */
export const approvalBody = z.object({
  decision: z.enum(['allow-once', 'allow-session', 'allow-always', 'deny', 'deny-always']),
  /** What this call is made with instead: only less than the client asked for. */
  arguments: dashboardJsonObject.optional(),
});

const mcpPolicy = z.enum(['allow', 'ask', 'deny']);

export const mcpDecisionRow = z.object({
  /** Id of the client's API key. */
  clientId: z.number().int(),
  clientName: z.string(),
  ...ofTool,
  policy: mcpPolicy,
  decidedAt: isoTime,
});

/** `policy: null` goes back to the default: reading is allowed, everything else asks. */
export const mcpDecisionBody = z.object({ clientId: z.number().int(), ...ofTool, policy: mcpPolicy.nullable() });

/** An API key that may call tools. */
export const mcpClientRow = z.object({
  id: z.number().int(),
  name: z.string(),
  /** It may call tools and nothing else. */
  isAgent: z.boolean(),
  createdAt: isoTime,
  lastUsedAt: isoTime.nullable(),
});

export const createMcpClientBody = z.object({ name: z.string().trim().min(1).max(255) });

/** The key is in no other answer. */
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
  /** What the user has said; null: nothing, the risk decides. */
  policy: mcpPolicy.nullable(),
  /** What a call meets now. It differs from what was said where the tool is allowed until the hub stops. */
  effective: mcpPolicy,
  decidedAt: isoTime.nullable(),
});

/** A call of a client, whether it ran or was refused; its operation is in the log under the same id. */
export const toolCallRow = z.object({
  operationId: z.string(),
  /** Null for calls of an earlier version. */
  clientName: z.string().nullable(),
  tool: z.string(),
  integrationKey: z.string().nullable(),
  connectionId: z.string().nullable(),
  state: operationState,
  /** Why it did not run, or failed. */
  error: z.string().nullable(),
  at: isoTime,
  durationMs: z.number().nullable(),
});

/** Asked, or ended; `approval` is there while it is asked. */
export const approvalEvent = z.object({
  id: z.string(),
  state: z.enum(['asked', 'allowed', 'denied', 'expired', 'withdrawn']),
  approval: approvalRow.nullable(),
});

export const mcpRouteShapes = {
  'GET /api/v1/mcp/approvals': {
    meaning: 'Calls of MCP clients that wait for an answer, oldest first.',
    query: environmentQuery,
    response: wholeResponse(approvalRow),
  },
  'POST /api/v1/mcp/approvals/:approvalId': {
    meaning: 'Answers one; 404 when nothing waits any more.',
    params: z.object({ approvalId: z.string() }),
    query: environmentQuery,
    body: approvalBody,
    response: done,
  },
  'GET /api/v1/mcp/decisions': {
    meaning: 'What the user has decided for good, newest first.',
    query: environmentQuery,
    response: wholeResponse(mcpDecisionRow),
  },
  'PUT /api/v1/mcp/decisions': {
    meaning: 'Decides about one tool of a connection for one client, or takes it back.',
    query: environmentQuery,
    body: mcpDecisionBody,
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
    meaning: 'Makes a key that may call tools and nothing else; the one answer with its secret.',
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
    meaning: 'Tools of a connection and what one client may do with them.',
    query: mcpToolQuery,
    response: wholeResponse(mcpToolRow),
  },
};

export type ShownMcpPolicy = z.infer<typeof mcpPolicy>;
export type McpDecisionRow = z.infer<typeof mcpDecisionRow>;
export type McpDecision = z.input<typeof mcpDecisionBody>;
export type McpClientRow = z.infer<typeof mcpClientRow>;
export type McpToolRow = z.infer<typeof mcpToolRow>;
export type ToolCallRow = z.infer<typeof toolCallRow>;
export type ApprovalRow = z.infer<typeof approvalRow>;
export type ApprovalEvent = z.infer<typeof approvalEvent>;
export type ShownApprovalDecision = z.infer<typeof approvalBody>['decision'];
