import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { viewLimits } from '../limits/limits.dashboard.ts';
import type { ShownCall } from '../mcp/mcp.service.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { SessionOverview } from './agent-sessions.service.ts';
import type { AgentCallRow, AgentSessionListRow } from './dashboard-agents.contract.ts';
import { grantedSession } from './sign-in/sign-in.dashboard.ts';

type Use = Pick<DashboardParts, 'about' | 'agentPrograms' | 'agentSessions' | 'sessionCalls'>;
type ProgramKeys =
  | 'GET /api/v1/agents/programs'
  | 'GET /api/v1/agents/programs/:program/change'
  | 'PUT /api/v1/agents/programs/:program'
  | 'DELETE /api/v1/agents/programs/:program';
type SessionKeys =
  | 'GET /api/v1/agents/sessions'
  | 'POST /api/v1/agents/sessions'
  | 'PATCH /api/v1/agents/sessions/:sessionId'
  | 'GET /api/v1/agents/sessions/:sessionId/calls'
  | 'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo'
  | 'DELETE /api/v1/agents/sessions/:sessionId';

/** More sessions than a person looks through. */
const SHOWN_SESSIONS = 200;

export function agentsRoutes(use: Use): DashboardHandlers<ProgramKeys | SessionKeys> {
  return { ...programRoutes(use), ...sessionRoutes(use) };
}

function programRoutes({ agentPrograms, agentSessions }: Use): DashboardHandlers<ProgramKeys> {
  return {
    'GET /api/v1/agents/programs': async ({ environment }) => {
      const [programs, sessions] = await Promise.all([
        agentPrograms.list(environment.name),
        agentSessions.list(environment, { keyId: undefined, limit: SHOWN_SESSIONS, page: 0 }),
      ]);
      return {
        data: programs.map(({ isOwn, ...program }) => ({
          ...program,
          lastUsedAt: isoDateOrNull(lastUseOf(sessions, isOwn)),
        })),
      };
    },

    'GET /api/v1/agents/programs/:program/change': ({ environment, params }) =>
      agentPrograms.preview(params.program, environment.name),

    'PUT /api/v1/agents/programs/:program': ({ environment, params }) =>
      agentPrograms.add(params.program, environment.name),

    'DELETE /api/v1/agents/programs/:program': async ({ environment, params }) => {
      const { sessionId, ...written } = await agentPrograms.remove(params.program);
      if (sessionId !== undefined && (await agentSessions.findLive(sessionId)))
        await agentSessions.end(environment, sessionId, undefined);
      return written;
    },
  };
}

function sessionRoutes({ about, agentSessions, sessionCalls }: Use): DashboardHandlers<SessionKeys> {
  return {
    'GET /api/v1/agents/sessions': async ({ environment }) => {
      const sessions = await agentSessions.list(environment, { keyId: undefined, limit: SHOWN_SESSIONS, page: 0 });
      return { data: sessions.map(viewSession) };
    },

    'POST /api/v1/agents/sessions': async ({ body, environment }) => {
      const { expiresAt, id, token } = await agentSessions.create(
        { environment, madeBy: 'person', keyId: null, allowed: null },
        grantedSession(body),
      );
      return { id, url: `${about.localBase()}/session/${id}/mcp`, token, expiresAt: isoDate(expiresAt) };
    },

    'PATCH /api/v1/agents/sessions/:sessionId': async ({ body, environment, params }) => {
      await agentSessions.changeUntrustedContent(environment, params.sessionId, body.untrustedContent);
      return { success: true };
    },

    'GET /api/v1/agents/sessions/:sessionId/calls': async ({ environment, params }) => {
      const calls = await sessionCalls.list(environment, { ...params, keyId: undefined });
      return { data: calls.map(viewCall) };
    },

    'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo': async ({ environment, params }) => {
      await sessionCalls.undo(environment, { ...params, keyId: undefined }, { trigger: 'ui', name: 'A person' });
      return { success: true };
    },

    'DELETE /api/v1/agents/sessions/:sessionId': async ({ environment, params }) => {
      await agentSessions.end(environment, params.sessionId, undefined);
      return { success: true };
    },
  };
}

function viewSession({
  client,
  endedAt,
  integrations,
  limited,
  row,
  state,
  untrustedReads,
}: SessionOverview): AgentSessionListRow {
  return {
    id: row.id,
    name: row.name,
    client: client?.name ?? null,
    madeBy: row.madeBy,
    state,
    connections: integrations.map(({ connectionId, key }) => ({ integrationKey: key, connectionId })),
    calls: row.calls,
    limits: viewLimits(limited.limits),
    used: limited.used,
    createdAt: isoDate(row.createdAt),
    expiresAt: isoDate(row.expiresAt),
    endedAt: isoDateOrNull(endedAt),
    lastUsedAt: isoDateOrNull(row.lastUsedAt),
    untrustedContent: row.untrustedContent,
    untrustedReads: untrustedReads.map(({ readAt, ...read }) => ({ ...read, readAt: isoDate(readAt) })),
  };
}

function viewCall({ madeAt, sessionId: _session, undoError: _error, undoneAt, ...shown }: ShownCall): AgentCallRow {
  return { ...shown, madeAt: isoDate(madeAt), undoneAt: isoDateOrNull(undoneAt) };
}

/** Milliseconds since the epoch; null when none of these sessions was used. */
function lastUseOf(
  sessions: readonly SessionOverview[],
  isOwn: (session: { id: string; clientName: string | null }) => boolean,
): number | null {
  const used = sessions
    .filter(({ client, row }) => isOwn({ id: row.id, clientName: client?.name ?? row.name }))
    .flatMap(({ row }) => row.lastUsedAt ?? []);
  return used.length === 0 ? null : Math.max(...used);
}
