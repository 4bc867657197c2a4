import { environments } from './0001-environments.ts';
import { connections } from './0002-connections.ts';
import { functions } from './0003-functions.ts';
import { jobsAndSyncs } from './0004-jobs-and-syncs.ts';
import { records } from './0005-records.ts';
import { logs } from './0006-logs.ts';
import { catalogApprovals } from './0007-catalog-approvals.ts';
import { actionCalls } from './0008-action-calls.ts';
import { connectSessions } from './0009-connect-sessions.ts';
import { webhookDeliveries } from './0010-webhook-deliveries.ts';
import { oauthStates } from './0011-oauth-states.ts';
import { mcpDecisions } from './0012-mcp-decisions.ts';
import { functionOrigins } from './0013-function-origins.ts';
import { jobPartitions } from './0014-job-lanes.ts';
import { incomingWebhooks } from './0015-incoming-webhooks.ts';
import { webhookHistory } from './0016-webhook-history.ts';
import { recordHistory } from './0017-record-history.ts';
import { jobGroups } from './0018-job-groups.ts';
import { missingFunctions } from './0019-missing-functions.ts';
import { dataCare } from './0020-data-care.ts';
import { dashboardSessions } from './0021-dashboard-sessions.ts';
import { connectionUse } from './0022-connection-use.ts';
import { approvedEntries } from './0023-approved-entries.ts';
import { connectionValues } from './0024-connection-values.ts';
import { deletedEnvironments } from './0025-deleted-environments.ts';
import { actionCallsByEnvironment } from './0029-action-calls-by-environment.ts';
import { keyUseAndAudit } from './0030-key-use-and-audit.ts';
import { notifications } from './0031-notifications.ts';
import { plainVariables } from './0032-plain-variables.ts';
import { logTriggers } from './0033-log-triggers.ts';
import { toolCalls } from './0034-tool-calls.ts';
import { functionVersions } from './0035-function-versions.ts';
import { integrationChanges } from './0036-integration-changes.ts';
import { keyLimits } from './0037-key-limits.ts';
import { webhookDestinations } from './0038-webhook-destinations.ts';
import { vaultAutoLock } from './0039-vault-auto-lock.ts';
import { operationCounts } from './0040-operation-counts.ts';
import { playgroundInputs } from './0041-playground-inputs.ts';
import { proxyCounts } from './0042-proxy-counts.ts';
import { runCounts } from './0044-run-counts.ts';
import { activityCounts } from './0045-activity-counts.ts';
import { otlpHeaders } from './0046-otlp-headers.ts';
import { webhookFacts } from './0047-webhook-facts.ts';
import { trafficRecordings } from './0048-traffic-recordings.ts';
import { connectionUses } from './0049-connection-uses.ts';
import { truthOfStatus } from './0050-truth-of-status.ts';
import { mcpRules } from './0051-mcp-rules.ts';
import { erasures } from './0052-erasures.ts';
import { signingKeys } from './0053-signing-keys.ts';
import { heldDeletions } from './0054-held-deletions.ts';
import { playgroundRuns } from './0055-playground-runs.ts';
import type { Migration } from './migration.ts';

/** Every migration, in order. Explicit: a file that is not listed does nothing. */
export const MIGRATIONS: readonly Migration[] = [
  environments,
  connections,
  functions,
  jobsAndSyncs,
  records,
  logs,
  catalogApprovals,
  actionCalls,
  connectSessions,
  webhookDeliveries,
  oauthStates,
  mcpDecisions,
  functionOrigins,
  jobPartitions,
  incomingWebhooks,
  webhookHistory,
  recordHistory,
  jobGroups,
  missingFunctions,
  dataCare,
  dashboardSessions,
  connectionUse,
  approvedEntries,
  connectionValues,
  deletedEnvironments,
  actionCallsByEnvironment,
  keyUseAndAudit,
  notifications,
  plainVariables,
  logTriggers,
  toolCalls,
  functionVersions,
  integrationChanges,
  keyLimits,
  webhookDestinations,
  vaultAutoLock,
  operationCounts,
  playgroundInputs,
  proxyCounts,
  runCounts,
  activityCounts,
  otlpHeaders,
  webhookFacts,
  trafficRecordings,
  connectionUses,
  truthOfStatus,
  mcpRules,
  erasures,
  signingKeys,
  heldDeletions,
  playgroundRuns,
];
