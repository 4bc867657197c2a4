/** The server types that the screens use; the only file that imports from `server/contract`. */

export type { AllowedConnections } from '../../server/contract/api/allowed-connections.ts';
export type { ConnectUiSettings } from '../../server/contract/api/connect-ui.ts';
export {
  KEY_PRESETS,
  KEY_SCOPES,
  type KeyPreset,
  SINGLE_KEY_SCOPES,
  WHOLE_ENVIRONMENT,
} from '../../server/contract/api/key-scopes.ts';
export {
  CALLBACK_PAGE,
  CALLBACK_PAGE_HEADER,
  isRedirectMismatch,
  landingUrl,
  REDIRECTOR,
} from '../../server/contract/callback-page.ts';
export type * from '../../server/contract/dashboard/dashboard-about.ts';
export type * from '../../server/contract/dashboard/dashboard-audit.ts';
export type * from '../../server/contract/dashboard/dashboard-bulk.ts';
export type * from '../../server/contract/dashboard/dashboard-callback.ts';
export type * from '../../server/contract/dashboard/dashboard-connect.ts';
export type * from '../../server/contract/dashboard/dashboard-connections.ts';
export type * from '../../server/contract/dashboard/dashboard-data.ts';
export type * from '../../server/contract/dashboard/dashboard-environment.ts';
export type * from '../../server/contract/dashboard/dashboard-events.ts';
export { type ExportedList, exportPath } from '../../server/contract/dashboard/dashboard-exports.ts';
export {
  CALLBACK_MODES,
  credentialFieldsOf,
  type DashboardField,
  INTEGRATION_FIELDS,
} from '../../server/contract/dashboard/dashboard-fields.ts';
export type * from '../../server/contract/dashboard/dashboard-function-tests.ts';
export type * from '../../server/contract/dashboard/dashboard-functions.ts';
export type * from '../../server/contract/dashboard/dashboard-history.ts';
export type * from '../../server/contract/dashboard/dashboard-integrations.ts';
export type * from '../../server/contract/dashboard/dashboard-keys.ts';
export type * from '../../server/contract/dashboard/dashboard-logs.ts';
export type * from '../../server/contract/dashboard/dashboard-mcp.ts';
export type * from '../../server/contract/dashboard/dashboard-notifications.ts';
export type * from '../../server/contract/dashboard/dashboard-outgoing-webhooks.ts';
export type * from '../../server/contract/dashboard/dashboard-overview.ts';
export type * from '../../server/contract/dashboard/dashboard-playground.ts';
export type * from '../../server/contract/dashboard/dashboard-practice.ts';
export type * from '../../server/contract/dashboard/dashboard-provider-entries.ts';
export type * from '../../server/contract/dashboard/dashboard-records.ts';
export type * from '../../server/contract/dashboard/dashboard-reveal.ts';
export type * from '../../server/contract/dashboard/dashboard-settings.ts';
export type * from '../../server/contract/dashboard/dashboard-syncs.ts';
export type * from '../../server/contract/dashboard/dashboard-telemetry.ts';
export type * from '../../server/contract/dashboard/dashboard-traffic.ts';
export type * from '../../server/contract/dashboard/dashboard-transfer.ts';
export type * from '../../server/contract/dashboard/dashboard-webhook-destinations.ts';
export type * from '../../server/contract/dashboard/dashboard-webhooks.ts';
export {
  excludeFromQuery,
  fieldOfToken,
  isFieldBegun,
  type LogField,
  type LogFilter,
  logQueryTokens,
  matchesLogFilter,
  parseLogQuery,
  plainWords,
  suggestionsFor,
  tokenAt,
  withoutWords,
} from '../../server/contract/dashboard/log-query.ts';
export { isNarrower } from '../../server/contract/dashboard/narrower-arguments.ts';
export { fillReferences, referencedVariables } from '../../server/contract/dashboard/request-variables.ts';
export {
  APP_ICONS,
  NOTIFICATION_ACTIONS,
  UNCHOSEN_PRIMARY,
} from '../../server/contract/dashboard/shown-values.ts';
export type { OpenApiDocument } from '../../server/contract/openapi/openapi-document.ts';
export type { OpenApiOperation, Parameter } from '../../server/contract/openapi/openapi-operation.ts';
export type { OpenApiSchema } from '../../server/contract/openapi/schema-writer.ts';
export { METHODS_WITH_BODY, PROXY_METHODS, type ProxyMethod } from '../../server/contract/proxy-methods.ts';
export type * from '../../server/contract/shell-bridge.ts';
