import { presentLimits } from '../limits/limits.present.ts';
import type { ShownCall } from '../mcp/mcp.service.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import type { AgentScope } from './agent-session.ts';
import type { CreatedSession, EndReason, SessionOverview } from './agent-sessions.service.ts';

/** A new session. No other answer has its token. `base` is the origin of the hub on this computer. */
export function presentCreatedSession(created: CreatedSession, base: string): Record<string, unknown> {
  return {
    session_id: created.id,
    session_token: created.token,
    mcp_url: mcpUrl(base, created.id),
    expires_at: isoDate(created.expiresAt),
    toolset: Object.fromEntries(
      created.integrations.map(({ isConnected, key, pinnedCount, searchableCount }) => [
        key,
        { connected: isConnected, tools_pinned: pinnedCount, tools_searchable: searchableCount },
      ]),
    ),
    meta_tools: presentMetaTools(created.metaTools),
  };
}

export function presentEndedSession(ended: {
  id: string;
  endedAt: number;
  reason: EndReason;
}): Record<string, unknown> {
  return { session_id: ended.id, ended_at: isoDate(ended.endedAt), reason: ended.reason };
}

export function presentAgentSession(
  { client, endedAt, integrations, limited, metaTools, row, state, untrustedReads }: SessionOverview,
  base: string,
): Record<string, unknown> {
  return {
    session_id: row.id,
    name: row.name,
    state,
    created_by: row.madeBy,
    created_at: isoDate(row.createdAt),
    expires_at: isoDate(row.expiresAt),
    ended_at: isoDateOrNull(endedAt),
    reason: state === 'terminated' || state === 'expired' ? state : null,
    calls: row.calls,
    last_used_at: isoDateOrNull(row.lastUsedAt),
    client,
    limits: presentLimits(limited.limits),
    used: limited.used,
    mcp_url: mcpUrl(base, row.id),
    toolset: Object.fromEntries(
      integrations.map(({ connectionId, key }) => [
        key,
        { connected: connectionId !== null, connection_id: connectionId },
      ]),
    ),
    meta_tools: presentMetaTools(metaTools),
    untrusted_content: row.untrustedContent,
    untrusted_reads: untrustedReads.map(({ connectionId, integrationKey, readAt, tool }) => ({
      tool,
      integration_id: integrationKey,
      connection_id: connectionId,
      read_at: isoDate(readAt),
    })),
  };
}

/** A call that changed something. */
export function presentAgentCall(call: ShownCall): Record<string, unknown> {
  return {
    call_id: call.id,
    tool: call.tool,
    integration_id: call.integrationKey,
    connection_id: call.connectionId,
    called_at: isoDate(call.madeAt),
    requests: call.requests,
    input: call.input,
    output: call.output,
    undo: { state: call.undoState, refusal: call.refusal, undone_at: isoDateOrNull(call.undoneAt) },
  };
}

const mcpUrl = (base: string, sessionId: string): string => `${base}/session/${sessionId}/mcp`;

/** `nango_create_connection` and `homeport_query_records` only when they were asked for (agents.md 2). */
function presentMetaTools({
  nango_create_connection: connects,
  homeport_query_records: queries,
  ...others
}: AgentScope['metaTools']) {
  return {
    ...others,
    ...(connects ? { nango_create_connection: true } : {}),
    ...(queries ? { homeport_query_records: true } : {}),
  };
}
