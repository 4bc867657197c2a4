import type { Environment } from '../environments/environment.service.ts';
import type { McpService, ShownCall } from '../mcp/mcp.service.ts';
import type { AgentSessionsService } from './agent-sessions.service.ts';
import { limitedBy } from './agent-tools.service.ts';

interface Use {
  agentSessions: Pick<AgentSessionsService, 'get'>;
  mcp: Pick<McpService, 'writes'>;
}

interface NamedSession {
  sessionId: string;
  /** A key that sees its own sessions only. */
  keyId: number | undefined;
}

/** What the session wrote, newest first. Throws `session_not_found`. */
export async function listSessionCalls(
  { agentSessions, mcp }: Use,
  environment: Environment,
  { keyId, sessionId }: NamedSession,
): Promise<ShownCall[]> {
  const { row } = await agentSessions.get(environment, sessionId, keyId);
  return mcp.writes.list(row.id);
}

/**
 * Takes one of its calls back, within the limits of the session. Throws `session_not_found`, `not_found`, and
 * `undo_refused` with the reason.
 */
export async function undoSessionCall(
  { agentSessions, mcp }: Use,
  environment: Environment,
  { callId, keyId, sessionId }: NamedSession & { callId: string },
  by: { trigger: 'api' | 'ui'; name: string },
): Promise<ShownCall> {
  const { row } = await agentSessions.get(environment, sessionId, keyId);
  const { subjects } = limitedBy(row);
  return mcp.writes.undo(environment, { sessionId: row.id, callId }, { ...by, subjects });
}
