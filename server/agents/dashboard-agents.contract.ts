import { z } from 'zod';
import { done, environmentQuery, isoTime, wholeResponse } from '../contract/dashboard/dashboard-lists.ts';
import { shownLimits, shownUse } from '../limits/dashboard-limits.contract.ts';
import { agentGrant } from './sign-in/dashboard-sign-in.contract.ts';

/** Agent programs of this computer, and the sessions of an environment (agents.md 2 and 6). */

const programParams = z.object({ program: z.string().max(64) });

const agentProgram = z.object({
  id: z.string(),
  name: z.string(),
  file: z.string(),
  isSetUp: z.boolean(),
  /** Null for an entry that somebody else wrote, and without one. */
  access: z.enum(['sign-in', 'session', 'command']).nullable(),
  /** Why its file cannot be read. */
  problem: z.string().nullable(),
  /** Opens the program, which asks whether to take the entry. */
  link: z.string().nullable(),
  /** The entry as text for its file. */
  snippet: z.string(),
  /** What the person does next. */
  next: z.string(),
  lastUsedAt: isoTime.nullable(),
});

const fileChange = z.object({
  file: z.string(),
  isNew: z.boolean(),
  line: z.number().int(),
  removed: z.array(z.string()),
  added: z.array(z.string()),
});

const writtenFile = z.object({ file: z.string(), backup: z.string().nullable() });

/** Whether text by strangers makes the writes of a session ask. */
const untrustedContent = z.enum(['ask', 'ignore']);

const agentSessionRow = z.object({
  id: z.string(),
  /** Of the program, else what made it. */
  name: z.string().nullable(),
  client: z.string().nullable(),
  madeBy: z.enum(['key', 'person', 'program']),
  state: z.enum(['active', 'paused', 'terminated', 'expired']),
  connections: z.array(z.object({ integrationKey: z.string(), connectionId: z.string().nullable() })),
  calls: z.number().int(),
  limits: shownLimits,
  used: shownUse,
  createdAt: isoTime,
  expiresAt: isoTime,
  endedAt: isoTime.nullable(),
  lastUsedAt: isoTime.nullable(),
  untrustedContent,
  /** Tools that returned text by strangers: their first calls, oldest first. */
  untrustedReads: z.array(
    z.object({ tool: z.string(), integrationKey: z.string(), connectionId: z.string(), readAt: isoTime }),
  ),
});

const callParams = z.object({ sessionId: z.string().max(255), callId: z.string().max(255) });

/** A call that changed something. */
const agentCallRow = z.object({
  id: z.string(),
  tool: z.string(),
  integrationKey: z.string(),
  connectionId: z.string(),
  madeAt: isoTime,
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
  hasMore: z.boolean(),
  /** Shortened JSON; null when it is not kept any more. */
  input: z.string().nullable(),
  output: z.string().nullable(),
  undoState: z.enum(['none', 'possible', 'running', 'undone', 'failed']),
  /** Why it cannot be taken back (any more). */
  refusal: z.string().nullable(),
  undoneAt: isoTime.nullable(),
});

export const agentsRouteShapes = {
  'GET /api/v1/agents/programs': {
    meaning: 'Agent programs that the hub can set up on this computer.',
    query: environmentQuery,
    response: wholeResponse(agentProgram),
  },
  'GET /api/v1/agents/programs/:program/change': {
    meaning: 'The lines of its file that setting it up would change.',
    params: programParams,
    query: environmentQuery,
    response: fileChange,
  },
  'PUT /api/v1/agents/programs/:program': {
    meaning: 'Writes the entry; a copy of the file stays beside it.',
    params: programParams,
    query: environmentQuery,
    response: writtenFile,
  },
  'DELETE /api/v1/agents/programs/:program': {
    meaning: 'Removes the entry, and ends the session whose token it had; 404 without one.',
    params: programParams,
    query: environmentQuery,
    response: writtenFile,
  },
  'GET /api/v1/agents/sessions': {
    meaning: 'Agent sessions, newest first, those that are over too.',
    query: environmentQuery,
    response: wholeResponse(agentSessionRow),
  },
  'POST /api/v1/agents/sessions': {
    meaning: 'Makes a session by hand. No other answer contains its token.',
    query: environmentQuery,
    body: agentGrant,
    response: z.object({ id: z.string(), url: z.string(), token: z.string(), expiresAt: isoTime }),
  },
  'PATCH /api/v1/agents/sessions/:sessionId': {
    meaning: 'Says whether text by strangers makes its writes ask.',
    params: z.object({ sessionId: z.string().max(255) }),
    query: environmentQuery,
    body: z.object({ untrustedContent }),
    response: done,
  },
  'GET /api/v1/agents/sessions/:sessionId/calls': {
    meaning: 'What it changed, newest first, and whether each can be taken back.',
    params: z.object({ sessionId: z.string().max(255) }),
    query: environmentQuery,
    response: wholeResponse(agentCallRow),
  },
  'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo': {
    meaning: 'Takes one back, once; 409 with the reason when that is not possible.',
    params: callParams,
    query: environmentQuery,
    response: done,
  },
  'DELETE /api/v1/agents/sessions/:sessionId': {
    meaning: 'Ends one.',
    params: z.object({ sessionId: z.string().max(255) }),
    query: environmentQuery,
    response: done,
  },
};

export type AgentProgramRow = z.infer<typeof agentProgram>;
export type AgentFileChange = z.infer<typeof fileChange>;
export type AgentSessionListRow = z.infer<typeof agentSessionRow>;
export type AgentCallRow = z.infer<typeof agentCallRow>;
