import { allowsConnection } from '../environments/allowed-connections.contract.ts';
import type { KeyFacts } from '../environments/api-keys.ts';
import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { LimitedSubject, LimitsService } from '../limits/limits.service.ts';
import type { McpService, UntrustedRead } from '../mcp/mcp.service.ts';
import type { Database } from '../platform/database/database.ts';
import type { Vault } from '../platform/vault/vault.ts';
import type { AgentScope, ScopedIntegration, SessionLife } from './agent-session.ts';
import type { AgentSessionRow, AgentSessionsStore, EndReason } from './agent-sessions.store.ts';

/** A session for lists. */
export interface SessionOverview {
  row: AgentSessionRow;
  state: 'active' | 'paused' | EndReason;
  endedAt: number | null;
  client: { name: string; version: string } | null;
  integrations: Array<{ key: string; connectionId: string | null }>;
  metaTools: AgentScope['metaTools'];
  /** What it read that strangers wrote, the first call of each tool, oldest first. */
  untrustedReads: UntrustedRead[];
  limited: LimitedSubject;
}

/** What lists of sessions show. */
export function createSessionOverviews({
  database,
  environments,
  limits,
  liveEnvironmentOf,
  mcp,
  overOf,
  store,
  vault,
}: {
  database: Pick<Database, 'reader'>;
  environments: Pick<EnvironmentService, 'keys'>;
  limits: Pick<LimitsService, 'findOfSessions'>;
  /** Undefined when the session is over. */
  liveEnvironmentOf(row: SessionLife): Environment | undefined;
  mcp: Pick<McpService, 'listUntrusted'>;
  /** When and why the session was over; undefined while it is not. */
  overOf(row: SessionLife): { endedAt: number; reason: EndReason } | undefined;
  store: AgentSessionsStore;
  vault: Pick<Vault, 'isLocked'>;
}) {
  /** Reads what all of them need at once: a list has many. */
  return async function overviews(
    environment: Environment,
    rows: readonly AgentSessionRow[],
  ): Promise<SessionOverview[]> {
    const sessions = rows.map((row) => ({ row, scope: scopeOf(row), isLive: liveEnvironmentOf(row) !== undefined }));
    const used = sessions.flatMap(({ scope }) => scope.integrations.flatMap((one) => one.connectionRowId ?? []));
    const ids = rows.map(({ id }) => id);
    const [reads, found, keys, limitsOf] = await Promise.all([
      mcp.listUntrusted(ids),
      store.listConnections(database.reader, environment.id, used),
      environments.keys.list(environment.id),
      limits.findOfSessions(environment.id, ids),
    ]);
    const byId = new Map(found.map((one) => [one.id, one]));
    const connectionOf = (row: AgentSessionRow, { connectionRowId, id, key }: ScopedIntegration): string | null => {
      const one = connectionRowId === null ? undefined : byId.get(connectionRowId);
      const isOwn = one?.integrationId === id && one.integrationKey === key;
      return isOwn && keyAllows(keys, row, one) ? one.connectionId : null;
    };
    return sessions.map(({ isLive, row, scope }) => {
      const over = overOf(row);
      return {
        row,
        state: over?.reason ?? (vault.isLocked ? 'paused' : 'active'),
        endedAt: over?.endedAt ?? null,
        client: row.clientText === null ? null : (JSON.parse(row.clientText) as SessionOverview['client']),
        integrations: scope.integrations.map((one) => ({
          key: one.key,
          connectionId: isLive ? connectionOf(row, one) : null,
        })),
        metaTools: scope.metaTools,
        untrustedReads: reads.get(row.id) ?? [],
        limited: limitsOf(row.id),
      };
    });
  };
}

export const scopeOf = ({ scopeText }: AgentSessionRow): AgentScope => JSON.parse(scopeText) as AgentScope;

/** The limits of the key that made the session hold as they are now. */
export function keyAllows(
  keys: ReadonlyArray<Pick<KeyFacts, 'id' | 'allowed'>>,
  { apiKeyId }: Pick<AgentSessionRow, 'apiKeyId'>,
  connection: Parameters<typeof allowsConnection>[1],
): boolean {
  if (apiKeyId === null) return true;
  const key = keys.find(({ id }) => id === apiKeyId);
  return key !== undefined && (key.allowed === null || allowsConnection(key.allowed, connection));
}
