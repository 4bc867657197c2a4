import type { StoredConnection } from '../connections/connection.ts';
import type { Environment } from '../environments/environment.service.ts';
import type { Integration } from '../integrations/integration.ts';
import type { LimitSubject } from '../limits/limits.service.ts';
import type { McpCallKey } from './mcp-decisions.store.ts';
import type { ToolRisk } from './mcp-tool.ts';
import type { UntrustedContentMode } from './untrusted-content.ts';

/** Who calls tools. */
export interface ToolClient {
  /** The client, or the key that made the agent session; null for a session that no key made. */
  keyId: number | null;
  /** The program of an agent session: "always" also holds for its later sessions. Null for a client with an API key. */
  program: string | null;
  /** The agent session; null for a client with an API key. */
  sessionId: string | null;
  /** For questions and logs. */
  name: string;
  /** Whose limits its calls are within. */
  subjects: readonly LimitSubject[];
  /** `ignore`: text by strangers does not make its writes ask. */
  untrustedContent?: UntrustedContentMode;
}

/** A connection and the client that uses it. */
export interface McpContext {
  environment: Environment;
  client: ToolClient;
  integration: Integration;
  connection: StoredConnection;
}

/** A tool of a call that asks. */
export interface ConsentTool {
  name: string;
  risk: ToolRisk;
  /** See `toolFingerprint`. */
  fingerprint: string;
  /** Whether this call counts as a write; as the risk says when it is absent. */
  isWrite?: boolean;
  /** False: no policy is about it, and only the loop breaker asks. */
  hasPolicy?: boolean;
}

/** As decisions about a call are looked up. */
export function callKeyOf(
  { environment, client, integration, connection }: McpContext,
  { name, fingerprint }: Pick<ConsentTool, 'name' | 'fingerprint'>,
): McpCallKey {
  return {
    environmentId: environment.id,
    apiKeyId: client.keyId,
    program: client.program,
    sessionId: client.sessionId,
    integrationKey: integration.uniqueKey,
    connectionId: connection.connectionId,
    connectionRowId: connection.id,
    tool: name,
    fingerprint,
  };
}
