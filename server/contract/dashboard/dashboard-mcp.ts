import { z } from 'zod';
import { isoTime, jsonObject } from './dashboard-lists.ts';

/** Calls of MCP clients that wait for the user, and what the user has decided (ui.md 6.15). */

const ofTool = { integrationKey: z.string(), connectionId: z.string(), tool: z.string() };

export const approvalRow = z.object({
  id: z.string(),
  /** Name of the API key that the client calls with. */
  clientName: z.string(),
  ...ofTool,
  risk: z.enum(['read', 'write', 'delete']),
  /** What the tool is to be called with. */
  arguments: jsonObject,
  askedAt: isoTime,
  /** Not answered by then, the call is denied. */
  expiresAt: isoTime,
});

/** `session`: until the hub stops. `always`: stored. */
export const approvalBody = z.object({
  decision: z.enum(['allow-once', 'allow-session', 'allow-always', 'deny', 'deny-always']),
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

/** Asked, or ended; `approval` is there while it is asked. */
export const approvalEvent = z.object({
  id: z.string(),
  state: z.enum(['asked', 'allowed', 'denied', 'expired', 'withdrawn']),
  approval: approvalRow.nullable(),
});

export type ApprovalRow = z.infer<typeof approvalRow>;
export type ApprovalEvent = z.infer<typeof approvalEvent>;
