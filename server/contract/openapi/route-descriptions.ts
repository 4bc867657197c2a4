import { AUTHORIZATION_ROUTES } from './describe-authorization.ts';
import { CALL_ROUTES } from './describe-calls.ts';
import { CONNECT_SESSION_ROUTES } from './describe-connect-sessions.ts';
import { CONNECTION_ROUTES } from './describe-connections.ts';
import { ENVIRONMENT_ROUTES } from './describe-environment.ts';
import { FUNCTION_ROUTES } from './describe-functions.ts';
import { INTEGRATION_ROUTES } from './describe-integrations.ts';
import { MCP_ROUTES } from './describe-mcp.ts';
import { PROVIDER_ROUTES } from './describe-providers.ts';
import { RECORD_ROUTES } from './describe-records.ts';
import { REPLACED_CONNECTION_ROUTES } from './describe-replaced-connections.ts';
import { SERVER_ROUTES } from './describe-server.ts';
import { SYNC_ROUTES } from './describe-syncs.ts';
import { WEBHOOK_ROUTES } from './describe-webhooks.ts';
import type { RouteDescription } from './route-description.ts';

/** Every public route by `METHOD /path`, in the spelling of the route table; `ALL` is any method. */
export const ROUTE_DESCRIPTIONS: Readonly<Record<string, RouteDescription>> = {
  ...PROVIDER_ROUTES,
  ...INTEGRATION_ROUTES,
  ...CONNECTION_ROUTES,
  ...CONNECT_SESSION_ROUTES,
  ...AUTHORIZATION_ROUTES,
  ...CALL_ROUTES,
  ...MCP_ROUTES,
  ...SYNC_ROUTES,
  ...RECORD_ROUTES,
  ...FUNCTION_ROUTES,
  ...WEBHOOK_ROUTES,
  ...ENVIRONMENT_ROUTES,
  ...SERVER_ROUTES,
  ...REPLACED_CONNECTION_ROUTES,
};
