import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { refuseOwnAddress } from '../platform/http/refuse-own-address.ts';
import { connectOrigin } from './connect-sessions.api.ts';
import type { ConnectSessionBody } from './dashboard-connect.contract.ts';

type Use = Pick<DashboardParts, 'about' | 'connectSessions'>;
type Keys = 'POST /api/v1/connect-sessions';

/** Authorizations that the dashboard starts; an app does the same with its secret key. */
export function connectRoutes({ about, connectSessions }: Use): DashboardHandlers<Keys> {
  return {
    'POST /api/v1/connect-sessions': async ({ environment, body }) => {
      refuseOwnAddress([{ path: ['webhookUrlOverride'], url: body.webhookUrlOverride }], {
        local: about.apiUrl(),
        public: about.publicBase(),
      });
      const shared = sharedParts(body);
      const { token, expiresAt } =
        body.connectionId === undefined
          ? await connectSessions.create(environment, {
              ...shared,
              end_user: toEndUser(body) ?? { id: 'test-user' },
              allowed_integrations: [body.integrationKey],
            })
          : await connectSessions.createReconnect(environment, {
              ...shared,
              end_user: toEndUser(body),
              connection_id: body.connectionId,
              integration_id: body.integrationKey,
            });
      const link = `${connectOrigin(environment, about.localBase())}/connect/?session_token=${token}`;
      return { token, link, expiresAt: new Date(expiresAt).toISOString() };
    },
  };
}

function toEndUser({ endUser }: ConnectSessionBody) {
  if (!endUser) return undefined;
  const { id, email, displayName } = endUser;
  return { id, ...(email ? { email } : {}), ...(displayName ? { display_name: displayName } : {}) };
}

function sharedParts(body: ConnectSessionBody) {
  const { integrationKey, authorizationParams, scopes, clientId, clientSecret, docsConnect } = body;
  const config = {
    ...(scopes ? { oauth_scopes_override: scopes } : {}),
    ...(clientId ? { oauth_client_id_override: clientId } : {}),
    ...(clientSecret ? { oauth_client_secret_override: clientSecret } : {}),
  };
  const defaults = {
    ...(authorizationParams ? { authorization_params: authorizationParams } : {}),
    ...(Object.keys(config).length > 0 ? { connection_config: config } : {}),
  };
  return {
    ...(Object.keys(defaults).length > 0 ? { integrations_config_defaults: { [integrationKey]: defaults } } : {}),
    ...(docsConnect ? { overrides: { [integrationKey]: { docs_connect: docsConnect } } } : {}),
    ...(body.tags ? { tags: body.tags } : {}),
    ...(body.webhookUrlOverride === undefined ? {} : { webhook_url_override: body.webhookUrlOverride }),
  };
}
