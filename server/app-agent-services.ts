import { createAgentSessionsService } from './agents/agent-sessions.service.ts';
import { createAgentToolsService } from './agents/agent-tools.service.ts';
import { createRemoteTools } from './agents/remote-tools.ts';

type Use = Parameters<typeof createRemoteTools>[0] &
  Omit<Parameters<typeof createAgentSessionsService>[0], 'remoteTools'> &
  Omit<Parameters<typeof createAgentToolsService>[0], 'remoteTools' | 'sessions'>;

/** The services behind the addresses of agents. */
export function createAgentServices(use: Use) {
  const remoteTools = createRemoteTools(use);
  const agentSessions = createAgentSessionsService({ ...use, remoteTools });
  const agentTools = createAgentToolsService({ ...use, remoteTools, sessions: agentSessions });
  return { agentSessions, agentTools };
}
