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

export function toFlowSession(session: ConnectSession): FlowSession {
  const { lookupHash, endUser, tags, webhookUrlOverride, reconnect } = session;
  return { lookupHash, endUser, tags, webhookUrlOverride, isReconnecting: reconnect !== undefined };
}

/** What the connection holds: of an existing one stays what the session does not set (auth-and-connect.md 2.3). */
export function toContent(
  session: FlowSession,
  credentials: StoredCredentials,
  connectionConfig: Record<string, unknown>,
  stored: StoredContent | undefined,
): ConnectionContent {
  const { endUser, tags, webhookUrlOverride } = session;
  return {
    credentials,
    connectionConfig,
    metadata: stored?.metadata ?? {},
    endUser: endUser ?? stored?.endUser ?? null,
    tags: tags ?? stored?.tags ?? {},
    webhookUrlOverride:
      webhookUrlOverride === undefined ? (stored?.webhookUrlOverride ?? null) : webhookUrlOverride || null,
  };
}
