import type { Environment } from '../environments/environment.service.ts';
import type { McpService, ShownCall } from '../mcp/mcp.service.ts';
import type { AgentSessionsService } from './agent-sessions.service.ts';
import { limitedBy } from './session-caller.ts';

export interface NamedSession {
  sessionId: string;
  /** A key that sees its own sessions only. */
  keyId: number | undefined;
}

export type SessionCallsService = ReturnType<typeof createSessionCalls>;

/** What sessions wrote, and how it is undone (agents.md 11). */
export function createSessionCalls({
  agentSessions,
  mcp,
}: {
  agentSessions: Pick<AgentSessionsService, 'get'>;
  mcp: Pick<McpService, 'writes'>;
}) {
  return {
    /** Newest first. Throws `session_not_found`. */
    async list(environment: Environment, { keyId, sessionId }: NamedSession): Promise<ShownCall[]> {
      const { row } = await agentSessions.get(environment, sessionId, keyId);
      return mcp.writes.list(row.id);
    },

    /**
     * Undoes a call, within the limits of the session. Throws `session_not_found`, `not_found`, and `undo_refused` with the
     * reason.
     */
    async undo(
      environment: Environment,
      { callId, keyId, sessionId }: NamedSession & { callId: string },
      by: { trigger: 'api' | 'ui'; name: string },
    ): Promise<ShownCall> {
      const { row } = await agentSessions.get(environment, sessionId, keyId);
      const { subjects } = limitedBy(row);
      return mcp.writes.undo(environment, { sessionId: row.id, callId }, { ...by, subjects });
    },
  };
}
