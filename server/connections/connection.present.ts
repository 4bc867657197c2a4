import { datesOfMinutes, isoDate, isoDateMicros, isoDateWithOffset } from '../platform/lib/dates.ts';
import { stripRefreshTokens, stripValue } from '../platform/lib/strip-refresh-tokens.ts';
import type { StoredConnection } from './connection.ts';
import type { ConnectionStatus } from './connection-queries.ts';
import type { StoredCredentials } from './credentials/stored-credentials.ts';

export function presentEndUser(endUser: StoredConnection['endUser']): Record<string, unknown> | null {
  if (!endUser) return null;
  const { organization } = endUser;
  return {
    id: endUser.id,
    display_name: endUser.displayName,
    email: endUser.email,
    tags: endUser.tags,
    organization: organization && { id: organization.id, display_name: organization.displayName },
  };
}

function presentShared(connection: StoredConnection): Record<string, unknown> {
  return {
    id: connection.id,
    connection_id: connection.connectionId,
    provider_config_key: connection.integrationKey,
    provider: connection.provider,
    errors: connection.errors.map((error) => ({ type: error.type, log_id: error.logId })),
    end_user: presentEndUser(connection.endUser),
    tags: connection.tags,
    metadata: connection.metadata,
  };
}

export function presentConnectionListItem(
  connection: StoredConnection,
  status?: ConnectionStatus,
): Record<string, unknown> {
  return {
    ...presentShared(connection),
    ...(status === undefined ? {} : { status }),
    created: isoDateMicros(connection.createdAt),
  };
}

export interface FullConnectionParts {
  connection: StoredConnection;
  credentials: StoredCredentials;
  /** Configuration with its secret fields. */
  config: Record<string, unknown>;
  withRefreshToken: boolean;
  /**
   * `post`: dates end with `Z`, and metadata that was never set is `{}`. `get`: dates end with `+00:00`, and such
   * metadata is null.
   */
  form: 'get' | 'post';
}

/** `raw` of TWO_STEP also contains the refresh token, under the provider's name for it (auth-and-connect.md 2.3). */
function withoutRefreshToken(credentials: StoredCredentials): StoredCredentials {
  const stripped = stripRefreshTokens(credentials);
  if (credentials.type !== 'TWO_STEP') return stripped;
  const { refresh_token: refreshToken, token } = credentials;
  return typeof refreshToken === 'string' && refreshToken !== token ? stripValue(stripped, refreshToken) : stripped;
}

/** `ConnectionFull` of http-api.md 4. */
export function presentFullConnection(parts: FullConnectionParts): Record<string, unknown> {
  const { connection, form } = parts;
  const date = form === 'get' ? isoDateWithOffset : isoDate;
  const strip = parts.withRefreshToken ? <T>(value: T): T => value : stripRefreshTokens;
  const shared = presentShared(connection);
  return {
    ...shared,
    ...(form === 'post' ? { metadata: connection.metadata ?? {} } : {}),
    connection_config: strip(parts.config),
    webhook_url_override: connection.webhookUrlOverride,
    created_at: date(connection.createdAt),
    updated_at: date(connection.updatedAt),
    // Background refreshes do not count as use (auth-and-connect.md 4.1).
    last_fetched_at: connection.lastUsedAt === null ? null : date(connection.lastUsedAt),
    credentials: parts.withRefreshToken ? parts.credentials : withoutRefreshToken(parts.credentials),
  };
}

export type ConnectionTexts = ReturnType<typeof createConnectionTexts>;

/**
 * JSON texts of connections as GET answers them, without refresh tokens. A text is kept as long as its connection
 * object, which is replaced after every change: credentials and configuration must belong to that object.
 */
export function createConnectionTexts() {
  /** The JSON text before and after the time of the last read. */
  const texts = new WeakMap<StoredConnection, { head: string; tail: string }>();
  const dateText = datesOfMinutes();

  return {
    of(parts: Pick<FullConnectionParts, 'connection' | 'credentials' | 'config'>): string {
      const { connection } = parts;
      let text = texts.get(connection);
      if (!text) {
        const shown = presentFullConnection({ ...parts, withRefreshToken: false, form: 'get' });
        const { last_fetched_at: _changing, credentials, ...head } = shown;
        text = { head: JSON.stringify(head).slice(0, -1), tail: JSON.stringify(credentials) };
        texts.set(connection, text);
      }
      const { lastUsedAt } = connection;
      const at = lastUsedAt === null ? 'null' : `"${dateText(lastUsedAt)}"`;
      return `${text.head},"last_fetched_at":${at},"credentials":${text.tail}}`;
    },
  };
}
