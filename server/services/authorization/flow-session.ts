import { HomeportError } from '../../lib/homeport-error.ts';
import type { ConnectSession } from '../connect-sessions/connect-session.ts';
import type { ConnectionContent, EndUserCopy, StoredContent } from '../connections/connection.ts';
import type { StoredCredentials } from '../credentials/credentials-service.ts';

/** What of a connect session a sign-in takes along: the session itself may end before the provider comes back. */
export interface FlowSession {
  /** Names the session. */
  lookupHash: string;
  endUser?: EndUserCopy | undefined;
  tags?: Record<string, string> | undefined;
  webhookUrlOverride?: string | undefined;
  isReconnecting: boolean;
}

/** Whose the connection is, and who hears of it. */
export type FlowOwners = Pick<ConnectionContent, 'endUser' | 'tags' | 'webhookUrlOverride'>;

export function toFlowSession(session: ConnectSession): FlowSession {
  const { lookupHash, endUser, tags, webhookUrlOverride, reconnect } = session;
  return { lookupHash, endUser, tags, webhookUrlOverride, isReconnecting: reconnect !== undefined };
}

/** What the session sets of a connection; of an existing one stays what it does not set (auth-and-connect.md 2.3). */
export function toOwners(session: FlowSession, stored: StoredContent | undefined): FlowOwners {
  const { endUser, tags, webhookUrlOverride } = session;
  return {
    endUser: endUser ?? stored?.endUser ?? null,
    tags: tags ?? stored?.tags ?? {},
    webhookUrlOverride:
      webhookUrlOverride === undefined ? (stored?.webhookUrlOverride ?? null) : webhookUrlOverride || null,
  };
}

/** What the connection holds. A renewal does not bring back a connection that was deleted meanwhile. */
export function toContent(
  session: FlowSession,
  credentials: StoredCredentials,
  connectionConfig: Record<string, unknown>,
  stored: StoredContent | undefined,
): ConnectionContent {
  if (session.isReconnecting && !stored) throw deletedConnection();
  return { credentials, connectionConfig, metadata: stored?.metadata ?? {}, ...toOwners(session, stored) };
}

export function deletedConnection(): HomeportError {
  return new HomeportError('invalid_connection', 'The connection of this session was deleted.');
}
