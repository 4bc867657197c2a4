import { presentEndUser } from '../connections/connection.present.ts';
import type { StoredConnection } from '../connections/connection.ts';
import { isoDate } from '../platform/lib/dates.ts';
import type { ConnectSession } from './connect-session.ts';
import type { IssuedSession } from './connect-sessions.service.ts';
import type { ConnectUiSettings } from './connect-ui.contract.ts';

/** A new session with the link for its end user. `connectBase` is the origin of the connect page. */
export function presentIssuedSession(
  { token, expiresAt }: IssuedSession,
  connectBase: string,
): Record<string, unknown> {
  return { token, connect_link: `${connectBase}/connect/?session_token=${token}`, expires_at: isoDate(expiresAt) };
}

/** The part of a session that the connect page gets. The contract mixes camelCase and snake_case here. */
export function presentSession(
  session: ConnectSession,
  endUser: StoredConnection['endUser'],
  settings: ConnectUiSettings,
): Record<string, unknown> {
  const { allowedIntegrations, configDefaults, overrides, reconnect } = session;
  return {
    endUser: presentEndUser(endUser),
    connectUISettings: settings,
    ...(allowedIntegrations.length === 0 ? {} : { allowed_integrations: allowedIntegrations }),
    ...(configDefaults ? { integrations_config_defaults: presentDefaults(configDefaults) } : {}),
    ...(overrides ? { overrides } : {}),
    ...(reconnect ? { isReconnecting: true } : {}),
    websocketsPath: '/',
  };
}

/** `user_scopes` are not sent to the page. */
function presentDefaults(defaults: NonNullable<ConnectSession['configDefaults']>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(defaults).map(([key, { user_scopes: _scopes, ...shown }]) => [key, shown]));
}
