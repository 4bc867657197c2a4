import { stripRefreshTokens, stripValue } from '../lib/strip-refresh-tokens.ts';
import type { StoredConnection } from '../services/connections/connection.ts';
import type { StoredCredentials } from '../services/credentials/stored-credentials.ts';
import { isoDate, isoDateMicros, isoDateWithOffset } from './dates.ts';

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

export function presentConnectionListItem(connection: StoredConnection): Record<string, unknown> {
  return { ...presentShared(connection), created: isoDateMicros(connection.createdAt) };
}

export interface FullConnectionParts {
  connection: StoredConnection;
  credentials: StoredCredentials;
  /** Secret fields included. */
  config: Record<string, unknown>;
  withRefreshToken: boolean;
  /** POST answers `Z` dates and `{}` for metadata that was never set; GET one writes the offset form. */
  form: 'get' | 'post';
}

/** `raw` of TWO_STEP holds the token under whatever name the provider gave it (auth-and-connect.md 2.3). */
function withoutRefreshToken(credentials: StoredCredentials): StoredCredentials {
  const stripped = stripRefreshTokens(credentials);
  if (credentials.type !== 'TWO_STEP') return stripped;
  const { refresh_token: refreshToken, token } = credentials;
  return typeof refreshToken === 'string' && refreshToken !== token ? stripValue(stripped, refreshToken) : stripped;
}

/** What of the text stays while the connection is the same object: all but the moment of the last read. */
const texts = new WeakMap<StoredConnection, { head: string; tail: string }>();

/**
 * JSON text of `presentFullConnection`, as GET answers it without refresh tokens. Kept with the connection, which is
 * another object after every change: credentials and configuration must be those of this one.
 */
export function fullConnectionText(parts: Pick<FullConnectionParts, 'connection' | 'credentials' | 'config'>): string {
  const { connection } = parts;
  let text = texts.get(connection);
  if (!text) {
    const shown = presentFullConnection({ ...parts, withRefreshToken: false, form: 'get' });
    const { last_fetched_at: _changing, credentials, ...head } = shown;
    text = { head: JSON.stringify(head).slice(0, -1), tail: JSON.stringify(credentials) };
    texts.set(connection, text);
  }
  const { lastUsedAt } = connection;
  const at = lastUsedAt === null ? 'null' : `"${isoDateWithOffset(lastUsedAt)}"`;
  return `${text.head},"last_fetched_at":${at},"credentials":${text.tail}}`;
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
    // Upkeep in the background is no use (auth-and-connect.md 4.1).
    last_fetched_at: connection.lastUsedAt === null ? null : date(connection.lastUsedAt),
    credentials: parts.withRefreshToken ? parts.credentials : withoutRefreshToken(parts.credentials),
  };
}
