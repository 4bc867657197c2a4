import { z } from 'zod';
import { environmentQuery, isoTime, wholeResponse } from '../../contract/dashboard/dashboard-lists.ts';

/** A program that asks a person for access, and what the person gives (agents.md 5). */

const signInParams = z.object({ requestId: z.string().max(64) });

const offeredTool = z.object({
  name: z.string(),
  description: z.string(),
  risk: z.enum(['read', 'write', 'delete']),
});

/** An integration with connections, as the person chooses among them. */
const offeredIntegration = z.object({
  integrationKey: z.string(),
  displayName: z.string(),
  provider: z.string(),
  connections: z.array(z.object({ connectionId: z.string(), displayName: z.string().nullable() })),
  tools: z.array(offeredTool),
});

const signInRequest = z.object({
  /** What the program calls itself; not checked. */
  clientName: z.string(),
  /** Host or scheme to which the answer goes. */
  redirectName: z.string(),
  isPublic: z.boolean(),
  expiresAt: isoTime,
  integrations: z.array(offeredIntegration),
});

export const agentGrant = z.object({
  connections: z
    .array(
      z.object({
        integrationKey: z.string().max(255),
        connectionId: z.string().max(255),
        /** Names; null for every tool, also later ones. */
        tools: z.array(z.string().max(255)).max(2000).nullable(),
      }),
    )
    .min(1, 'Choose at least one connection.')
    .max(500),
  expiresIn: z.string().regex(/^\d{1,9}[smhd]$/),
  /** The tool `homeport_query_records`. */
  canQueryRecords: z.boolean().optional(),
});

/** Where the browser goes next: back to the program. */
const answered = z.object({ redirectUrl: z.string() });

export const agentSignInRouteShapes = {
  'GET /api/v1/agent-sign-ins/:requestId': {
    meaning: 'A program that waits for an answer, and what it could get in an environment; 404 when it does not wait.',
    params: signInParams,
    query: environmentQuery,
    response: signInRequest,
  },
  'GET /api/v1/agents/offers': {
    meaning: 'Integrations with connections and their tools, to choose from.',
    query: environmentQuery,
    response: wholeResponse(offeredIntegration),
  },
  'POST /api/v1/agent-sign-ins/:requestId/approve': {
    meaning: 'Makes an agent session of what the person chose.',
    params: signInParams,
    query: environmentQuery,
    body: agentGrant,
    response: answered,
  },
  'POST /api/v1/agent-sign-ins/:requestId/deny': {
    meaning: 'Refuses it.',
    params: signInParams,
    response: answered,
  },
};

export type AgentSignInRequest = z.infer<typeof signInRequest>;
export type AgentOffer = z.infer<typeof offeredIntegration>;
export type AgentGrant = z.infer<typeof agentGrant>;
