/** The server types that the screens use. Outside this folder no file of the renderer imports from `server`. */

export type * from '../../server/agents/dashboard-agents.contract.ts';
export type * from '../../server/agents/sign-in/dashboard-sign-in.contract.ts';
export type { ConnectUiSettings } from '../../server/authorization/connect-ui.contract.ts';
export type * from '../../server/authorization/dashboard-callback.contract.ts';
export type * from '../../server/authorization/dashboard-connect.contract.ts';
export type * from '../../server/connections/dashboard-connections.contract.ts';
export {
  CALLBACK_PAGE,
  CALLBACK_PAGE_HEADER,
  isRedirectMismatch,
  landingUrl,
  REDIRECTOR,
} from '../../server/contract/callback-page.ts';
export type * from '../../server/contract/dashboard/dashboard-events.ts';
export {
  CALLBACK_MODES,
  credentialFieldsOf,
  type DashboardField,
  INTEGRATION_FIELDS,
} from '../../server/contract/dashboard/dashboard-fields.ts';
export { isNarrower } from '../../server/contract/dashboard/narrower-arguments.ts';
export {
  APP_ICONS,
  NOTIFICATION_ACTIONS,
  UNCHOSEN_PRIMARY,
} from '../../server/contract/dashboard/shown-values.ts';
export type * from '../../server/contract/docs-tree.ts';
export type { OpenApiDocument } from '../../server/contract/openapi/openapi-document.ts';
export type { OpenApiOperation, Parameter } from '../../server/contract/openapi/openapi-operation.ts';
export type { OpenApiSchema } from '../../server/contract/openapi/schema-writer.ts';
export { METHODS_WITH_BODY, PROXY_METHODS, type ProxyMethod } from '../../server/contract/proxy-methods.ts';
export type * from '../../server/contract/shell-bridge.ts';
export type * from '../../server/dashboard/dashboard-about.contract.ts';
export type * from '../../server/dashboard/dashboard-bulk.contract.ts';
export type * from '../../server/dashboard/dashboard-notifications.contract.ts';
export type * from '../../server/dashboard/dashboard-overview.contract.ts';
export type * from '../../server/dashboard/dashboard-playground.contract.ts';
export type * from '../../server/dashboard/dashboard-practice.contract.ts';
export type * from '../../server/dashboard/dashboard-provider-entries.contract.ts';
export { fillReferences, referencedVariables } from '../../server/dashboard/request-variables.contract.ts';
export type * from '../../server/data/dashboard-data.contract.ts';
export type * from '../../server/data/dashboard-transfer.contract.ts';
export type * from '../../server/destinations/dashboard-destinations.contract.ts';
export type * from '../../server/destinations/destinations.contract.ts';
export type * from '../../server/egress/dashboard-command-runs.contract.ts';
export type { AllowedConnections } from '../../server/environments/allowed-connections.contract.ts';
export type * from '../../server/environments/dashboard-audit.contract.ts';
export type * from '../../server/environments/dashboard-environment.contract.ts';
export type * from '../../server/environments/dashboard-keys.contract.ts';
export type * from '../../server/environments/dashboard-reveal.contract.ts';
export type * from '../../server/environments/dashboard-settings.contract.ts';
export {
  KEY_PRESETS,
  KEY_SCOPES,
  type KeyPreset,
  SINGLE_KEY_SCOPES,
  WHOLE_ENVIRONMENT,
} from '../../server/environments/key-scopes.contract.ts';
export type * from '../../server/functions/dashboard-described-functions.contract.ts';
export type * from '../../server/functions/dashboard-drift-watch.contract.ts';
export type * from '../../server/functions/dashboard-function-tests.contract.ts';
export type * from '../../server/functions/dashboard-functions.contract.ts';
export { IMPORT_PATH } from '../../server/imports/import-path.contract.ts';
export type { ImportFormat, ImportResult, RowProblem } from '../../server/imports/imports.contract.ts';
export type * from '../../server/integrations/dashboard-integrations.contract.ts';
export type * from '../../server/limits/dashboard-limits.contract.ts';
export type * from '../../server/log/dashboard-logs.contract.ts';
export type * from '../../server/log/dashboard-telemetry.contract.ts';
export type * from '../../server/log/dashboard-traffic.contract.ts';
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
} from '../../server/log/log-query.contract.ts';
export type * from '../../server/mcp/dashboard-mcp.contract.ts';
export type * from '../../server/queries/dashboard-queries.contract.ts';
export { HUB_SCHEMA, placeholdersOf, sqlValueOf, sqlView } from '../../server/queries/sql-text.contract.ts';
export { type ExportedList, exportPath } from '../../server/records/dashboard-exports.contract.ts';
export type * from '../../server/records/dashboard-history.contract.ts';
export type * from '../../server/records/dashboard-records.contract.ts';
export type * from '../../server/snapshots/dashboard-snapshots.contract.ts';
export type * from '../../server/syncs/dashboard-syncs.contract.ts';
export type * from '../../server/webhooks-in/dashboard-webhooks.contract.ts';
export type * from '../../server/webhooks-out/dashboard-outgoing-webhooks.contract.ts';
export type * from '../../server/webhooks-out/dashboard-webhook-destinations.contract.ts';
