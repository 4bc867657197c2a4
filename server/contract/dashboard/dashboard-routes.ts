import { z } from 'zod';
import { diagnostics } from './dashboard-about.ts';
import { auditQuery, auditRow } from './dashboard-audit.ts';
import {
  bulkAnswer,
  bulkConnectionsBody,
  bulkFunctionsBody,
  filterValue,
  filterValuesQuery,
} from './dashboard-bulk.ts';
import { callback, callbackCheck, updateCallbackBody } from './dashboard-callback.ts';
import { connectSessionAnswer, connectSessionBody, practiceSignInBody } from './dashboard-connect.ts';
import {
  connectionCount,
  connectionCountQuery,
  connectionDetail,
  connectionQuery,
  connectionRow,
  importConnectionBody,
  updateConnectionBody,
} from './dashboard-connections.ts';
import {
  autoLockBody,
  backupRow,
  changedKey,
  changeKeyBody,
  compactedData,
  dataState,
  masterKeyState,
  verifiedData,
  verifyDataBody,
} from './dashboard-data.ts';
import {
  dashboardCreateEnvironmentBody,
  deleteEnvironmentBody,
  environmentDetail,
  environmentOrderBody,
  environmentRow,
  meta,
  pauseSchedulesBody,
  resumeSchedulesBody,
  schedulesPauseAnswer,
  sessionBody,
  sessionResponse,
  sessionRow,
  updateEnvironmentBody,
} from './dashboard-environment.ts';
import {
  fixturePreview,
  functionTestResult,
  functionTests,
  runFunctionTestsBody,
  saveFixtureBody,
  updateFunctionTestBody,
} from './dashboard-function-tests.ts';
import {
  addedTemplate,
  functionConnectionQuery,
  functionConnectionRow,
  functionDetail,
  functionQuery,
  functionRow,
  functionStats,
  functionStatsQuery,
  functionType,
  functionVersionRow,
  functionVersionSource,
  missingFunctionsAnswer,
  pruneFunctionsBody,
  templateRow,
  updateFunctionBody,
} from './dashboard-functions.ts';
import {
  historyState,
  historyStateQuery,
  recordDiff,
  recordDiffQuery,
  recordVersion,
  updatedHistory,
  updateHistoryBody,
} from './dashboard-history.ts';
import {
  dashboardCreateIntegrationBody,
  dashboardUpdateIntegrationBody,
  integrationChange,
  integrationDetail,
  integrationQuery,
  integrationRow,
  providerChange,
  providerDetail,
  providerRow,
} from './dashboard-integrations.ts';
import {
  createdKey,
  createKeyForm,
  keyParams,
  keyRow,
  pairingBody,
  pairingRow,
  updateKeyForm,
} from './dashboard-keys.ts';
import { environmentQuery, listResponse, wholeResponse } from './dashboard-lists.ts';
import {
  logHistogram,
  logHistogramQuery,
  messageQuery,
  messageRow,
  operationDetail,
  operationQuery,
  operationRow,
} from './dashboard-logs.ts';
import {
  approvalBody,
  approvalRow,
  createdMcpClient,
  createMcpClientBody,
  mcpClientRow,
  mcpDecisionBody,
  mcpDecisionRow,
  mcpToolQuery,
  mcpToolRow,
  toolCallRow,
} from './dashboard-mcp.ts';
import {
  notificationList,
  notificationRules,
  readNotificationsBody,
  updateReadyBody,
} from './dashboard-notifications.ts';
import {
  outgoingFailedBody,
  outgoingReplayBody,
  outgoingSampleBody,
  outgoingSent,
  outgoingSentMany,
  outgoingWebhookDetail,
  outgoingWebhookQuery,
  outgoingWebhookRow,
} from './dashboard-outgoing-webhooks.ts';
import { activityAnswer, activityQuery, attentionAnswer, plannedAnswer } from './dashboard-overview.ts';
import { playgroundParams, playgroundQuery, playgroundRequest, playgroundRun } from './dashboard-playground.ts';
import { providerEntryRoutes } from './dashboard-provider-entries.ts';
import { modelRow, recordDetail, recordDetailQuery, recordList, recordQuery } from './dashboard-records.ts';
import { revealBody, revealed } from './dashboard-reveal.ts';
import { environmentSettings, updateSettingsBody, variableUse } from './dashboard-settings.ts';
import { dashboardSyncCommandBody, syncQuery, syncRow, updateSyncBody, variantName } from './dashboard-syncs.ts';
import { transferRoutes } from './dashboard-transfer.ts';
import { webhookDestinationRoutes } from './dashboard-webhook-destinations.ts';
import {
  dashboardWebhookQuery,
  replayedWebhook,
  replayWebhookBody,
  webhookDetail,
  webhookRow,
} from './dashboard-webhooks.ts';

export interface DashboardRoute {
  meaning: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response: z.ZodType;
}

const done = z.object({ success: z.literal(true) });
const integrationParams = z.object({ integrationKey: z.string() });
const connectionParams = integrationParams.extend({ connectionId: z.string() });
const variantParams = connectionParams.extend({ sync: z.string(), variant: variantName });
const webhookParams = z.object({ webhookId: z.string() });
const recordParams = connectionParams.extend({ recordId: z.string() });
const functionParams = integrationParams.extend({ type: functionType, name: z.string() });

/**
 * The dashboard's private API: method and path → shapes. Path parameters are URL-encoded (connection ids hold
 * slashes). Every route needs the session cookie and its token in the header `X-Homeport-Csrf` except `POST /session`,
 * where any value of the header will do; every route that is not GET also a same-origin `Origin`. Success is 200; failures carry the envelope of the public API
 * (http-api.md 1.4), a missing or ended session 401. Unknown query members are refused.
 */
export const dashboardRoutes = {
  'POST /api/v1/session': {
    meaning: 'Exchanges a one-time or pairing code for the session cookie and the token of the page.',
    body: sessionBody,
    response: sessionResponse,
  },
  'DELETE /api/v1/session': { meaning: 'Signs this browser out.', response: done },
  'GET /api/v1/sessions': {
    meaning: 'Browsers that are signed in, the last used first.',
    response: wholeResponse(sessionRow),
  },
  'DELETE /api/v1/sessions': {
    meaning: 'Signs every other browser out.',
    response: z.object({ ended: z.number().int() }),
  },
  'DELETE /api/v1/sessions/:sessionId': {
    meaning: 'Signs one browser out.',
    params: z.object({ sessionId: z.string() }),
    response: done,
  },
  'GET /api/v1/meta': { meaning: 'Version, addresses, environments, health.', response: meta },
  'POST /api/v1/environments': {
    meaning: 'Creates an environment with its own secret key, and takes over what is named of another one.',
    body: dashboardCreateEnvironmentBody,
    response: environmentRow,
  },
  'PUT /api/v1/environments/order': {
    meaning: 'Sets the order of the environments in lists; those that are not named come last.',
    body: environmentOrderBody,
    response: done,
  },
  'GET /api/v1/environments/current': {
    meaning: 'One environment and what it holds.',
    query: environmentQuery,
    response: environmentDetail,
  },
  'PATCH /api/v1/environments/current': {
    meaning: 'Changes its name, its colour or whether it is a production one.',
    query: environmentQuery,
    body: updateEnvironmentBody,
    response: environmentRow,
  },
  'DELETE /api/v1/environments/current': {
    meaning: 'Deletes it with everything in it; the typed name has to be its own.',
    query: environmentQuery,
    body: deleteEnvironmentBody,
    response: done,
  },

  'GET /api/v1/providers': { meaning: 'The whole catalogue, by display name.', response: wholeResponse(providerRow) },
  'GET /api/v1/providers/:provider': {
    meaning: 'One provider with the inputs it asks for.',
    params: z.object({ provider: z.string() }),
    response: providerDetail,
  },

  ...providerEntryRoutes,
  ...transferRoutes,
  ...webhookDestinationRoutes,
  'GET /api/v1/provider-changes': {
    meaning: 'Changes of the workspace’s entries that wait for approval.',
    response: wholeResponse(providerChange),
  },
  'POST /api/v1/providers/:provider/approve': {
    meaning: 'Applies one; 409 when it is not what waits any more.',
    params: z.object({ provider: z.string() }),
    body: z.object({ hash: z.string() }),
    response: done,
  },

  'GET /api/v1/integrations': {
    meaning: 'Integrations; search in name, key, provider.',
    query: integrationQuery,
    response: listResponse(integrationRow),
  },
  'POST /api/v1/integrations': {
    meaning: 'Creates an integration; 409 `conflict` when the key is taken.',
    query: environmentQuery,
    body: dashboardCreateIntegrationBody,
    response: integrationDetail,
  },
  'GET /api/v1/integrations/:integrationKey': {
    meaning: 'One integration without its secret values.',
    params: integrationParams,
    query: environmentQuery,
    response: integrationDetail,
  },
  'PATCH /api/v1/integrations/:integrationKey': {
    meaning: 'Changes what is given.',
    params: integrationParams,
    query: environmentQuery,
    body: dashboardUpdateIntegrationBody,
    response: integrationDetail,
  },
  'GET /api/v1/integrations/:integrationKey/changes': {
    meaning: 'What saves changed in the last 30 days, newest first; of secrets only that they changed.',
    params: integrationParams,
    query: environmentQuery,
    response: wholeResponse(integrationChange),
  },
  'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': {
    meaning: 'Puts back what a change replaced; 409 when one of its fields changed again since.',
    params: integrationParams.extend({ changeId: z.coerce.number().int() }),
    query: environmentQuery,
    response: integrationDetail,
  },
  'DELETE /api/v1/integrations/:integrationKey': {
    meaning: 'Deletes it with its connections and records.',
    params: integrationParams,
    query: environmentQuery,
    response: done,
  },

  'GET /api/v1/connections': {
    meaning: 'Connections; search in id, end user, e-mail, tags.',
    query: connectionQuery,
    response: listResponse(connectionRow),
  },
  'GET /api/v1/connections/count': {
    meaning: 'Counts by status for the same search and integrations.',
    query: connectionCountQuery,
    response: connectionCount,
  },
  'POST /api/v1/connections/bulk': {
    meaning: 'Does one thing to many connections; what kept it from each.',
    query: environmentQuery,
    body: bulkConnectionsBody,
    response: bulkAnswer,
  },
  'POST /api/v1/functions/bulk': {
    meaning: 'Switches many functions on or off; what kept it from each.',
    query: environmentQuery,
    body: bulkFunctionsBody,
    response: bulkAnswer,
  },
  'GET /api/v1/filter-values': {
    meaning: 'Values that a filter of a list can have, the most frequent first.',
    query: filterValuesQuery,
    response: wholeResponse(filterValue),
  },
  'POST /api/v1/connections': {
    meaning: 'Imports a connection like the public route.',
    query: environmentQuery,
    body: importConnectionBody,
    response: connectionDetail,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'One connection, secret values left out; does not refresh.',
    params: connectionParams,
    query: environmentQuery,
    response: connectionDetail,
  },
  'PATCH /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'Replaces metadata, tags, name or webhook address.',
    params: connectionParams,
    query: environmentQuery,
    body: updateConnectionBody,
    response: connectionDetail,
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId': {
    meaning: 'Deletes it with its credentials and records.',
    params: connectionParams,
    query: environmentQuery,
    response: done,
  },
  'POST /api/v1/connections/:integrationKey/:connectionId/refresh': {
    meaning: 'Refreshes the token now.',
    params: connectionParams,
    query: environmentQuery,
    response: connectionDetail,
  },
  'POST /api/v1/practice': {
    meaning: 'Creates integration `practice` and imports a connection with its sample key, unless they exist.',
    query: environmentQuery,
    response: connectionParams,
  },
  'POST /api/v1/practice/sign-in': {
    meaning: 'Readies an integration for signing in to the practice provider: it exists and knows the practice client.',
    query: environmentQuery,
    body: practiceSignInBody,
    response: integrationParams,
  },

  'GET /api/v1/callback': {
    meaning: 'The address that providers lead people back to.',
    query: environmentQuery,
    response: callback,
  },
  'PATCH /api/v1/callback': {
    meaning: 'Sets another one for the environment.',
    query: environmentQuery,
    body: updateCallbackBody,
    response: callback,
  },
  'POST /api/v1/callback/check': {
    meaning: 'Who answers there.',
    query: environmentQuery,
    response: callbackCheck,
  },

  'GET /api/v1/sync': {
    meaning: 'Syncs of one connection, variants included.',
    query: syncQuery,
    response: wholeResponse(syncRow),
  },
  'POST /api/v1/sync/command': {
    meaning: 'Pauses, resumes, cancels or runs a sync; the operation to follow, if one began.',
    query: environmentQuery,
    body: dashboardSyncCommandBody,
    response: z.object({ operationId: z.string().nullable() }),
  },
  'POST /api/v1/schedules/pause': {
    meaning: 'No schedule of any environment starts a run until then; the pause that holds now.',
    body: pauseSchedulesBody,
    response: schedulesPauseAnswer,
  },
  'POST /api/v1/schedules/resume': {
    meaning: 'Schedules go on; what became due meanwhile runs once. The pause that still holds, for another reason.',
    body: resumeSchedulesBody,
    response: schedulesPauseAnswer,
  },
  'PATCH /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Changes how often a sync of this connection runs, or where it goes on.',
    params: variantParams,
    query: environmentQuery,
    body: updateSyncBody,
    response: syncRow,
  },
  'POST /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Makes a further variant of a sync, with a schedule, checkpoint and records of its own.',
    params: variantParams,
    query: environmentQuery,
    response: syncRow,
  },
  'DELETE /api/v1/connections/:integrationKey/:connectionId/syncs/:sync/variants/:variant': {
    meaning: 'Deletes a variant with its records.',
    params: variantParams,
    query: environmentQuery,
    response: done,
  },

  'GET /api/v1/connections/:integrationKey/:connectionId/models': {
    meaning: 'Models with stored records.',
    params: connectionParams,
    query: environmentQuery,
    response: wholeResponse(modelRow),
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records': {
    meaning: 'Records of one model, now or at a past moment; search in id and text.',
    params: connectionParams,
    query: recordQuery,
    response: recordList,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId': {
    meaning: 'One record with its payload.',
    params: recordParams,
    query: recordDetailQuery,
    response: recordDetail,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/versions': {
    meaning: 'Versions of one record, newest first; the newest is the record itself.',
    params: recordParams,
    query: historyStateQuery,
    response: wholeResponse(recordVersion),
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/records/:recordId/diff': {
    meaning: 'What changed between two versions, each named by its moment.',
    params: recordParams,
    query: recordDiffQuery,
    response: recordDiff,
  },
  'GET /api/v1/connections/:integrationKey/:connectionId/history': {
    meaning: 'Whether the history of a model is kept, since when, and what it takes.',
    params: connectionParams,
    query: historyStateQuery,
    response: historyState,
  },
  'PUT /api/v1/functions/:integrationKey/sync/:name/history': {
    meaning: 'Keeps the history of a model of this sync, or removes it; for all connections of the integration.',
    params: integrationParams.extend({ name: z.string() }),
    query: environmentQuery,
    body: updateHistoryBody,
    response: updatedHistory,
  },

  'GET /api/v1/functions': {
    meaning: 'Functions of all integrations; search in name and description.',
    query: functionQuery,
    response: listResponse(functionRow),
  },
  'GET /api/v1/functions/missing': {
    meaning: 'Functions whose files are missing, with the syncs and records that would go with them.',
    query: environmentQuery,
    response: missingFunctionsAnswer,
  },
  'POST /api/v1/functions/missing/confirm': {
    meaning: 'Switches off functions that still run although most files are missing; everything of them is kept.',
    query: environmentQuery,
    response: missingFunctionsAnswer,
  },
  'POST /api/v1/functions/missing/prune': {
    meaning: 'Removes these for good, with syncs and records; one whose file is back stays.',
    query: environmentQuery,
    body: pruneFunctionsBody,
    response: z.object({ removed: z.number().int() }),
  },
  'GET /api/v1/functions/:integrationKey/:type/:name': {
    meaning: 'One function with code, problems and schemas.',
    params: functionParams,
    query: environmentQuery,
    response: functionDetail,
  },
  'PATCH /api/v1/functions/:integrationKey/:type/:name': {
    meaning: 'Switches it on or off.',
    params: functionParams,
    query: environmentQuery,
    body: updateFunctionBody,
    response: functionDetail,
  },

  'GET /api/v1/functions/:integrationKey/:type/:name/versions': {
    meaning: 'The versions that went live, newest first: at most 20.',
    params: functionParams,
    query: environmentQuery,
    response: wholeResponse(functionVersionRow),
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/versions/:versionId': {
    meaning: 'The source of one of them.',
    params: functionParams.extend({ versionId: z.coerce.number().int() }),
    query: environmentQuery,
    response: functionVersionSource,
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/tests': {
    meaning: 'Recorded runs of a function with how they came out last.',
    params: functionParams,
    query: environmentQuery,
    response: functionTests,
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/run': {
    meaning: 'Replays one recorded run, or all of them, against the live version; nothing goes over the network.',
    params: functionParams,
    query: environmentQuery,
    body: runFunctionTestsBody,
    response: wholeResponse(functionTestResult),
  },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': {
    meaning: 'Takes what a replay came to as what is expected; 409 when something else comes out by now.',
    params: functionParams,
    query: environmentQuery,
    body: updateFunctionTestBody,
    response: functionTestResult,
  },
  'GET /api/v1/functions/:integrationKey/:type/:name/stats': {
    meaning: 'How many runs ended in the last days, how, and how long they took.',
    params: functionParams,
    query: functionStatsQuery,
    response: functionStats,
  },
  'GET /api/v1/functions/:integrationKey/sync/:name/connections': {
    meaning:
      'The state of a sync on each connection of its integration, variants included; search in the connection id.',
    params: functionParams.omit({ type: true }),
    query: functionConnectionQuery,
    response: listResponse(functionConnectionRow),
  },

  'GET /api/v1/integrations/:integrationKey/templates': {
    meaning: 'Functions that ship for the provider of the integration; actions, then syncs.',
    params: integrationParams,
    query: environmentQuery,
    response: wholeResponse(templateRow),
  },
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name': {
    meaning: 'Copies one into the functions folder; 409 when a file that is there would have to change.',
    params: integrationParams.extend({ type: z.enum(['sync', 'action']), name: z.string() }),
    query: environmentQuery,
    response: addedTemplate,
  },

  'GET /api/v1/logs/operations': {
    meaning: 'Operations, newest first unless sorted.',
    query: operationQuery,
    response: listResponse(operationRow),
  },
  'GET /api/v1/logs/operations/:operationId': {
    meaning: 'One operation.',
    params: z.object({ operationId: z.string() }),
    query: environmentQuery,
    response: operationDetail,
  },
  'GET /api/v1/logs/histogram': {
    meaning: 'Operations of a filter over a period, by time and state.',
    query: logHistogramQuery,
    response: logHistogram,
  },
  'GET /api/v1/logs/messages': {
    meaning: 'Messages of one operation, oldest first unless sorted.',
    query: messageQuery,
    response: listResponse(messageRow),
  },

  'GET /api/v1/overview/attention': {
    meaning: 'Connections, syncs and webhooks that need a person, the newest first.',
    query: environmentQuery,
    response: attentionAnswer,
  },
  'GET /api/v1/overview/activity': {
    meaning: 'Operations of a period by time, kind and state.',
    query: activityQuery,
    response: activityAnswer,
  },
  'GET /api/v1/overview/planned': {
    meaning: 'Scheduled runs of the coming 24 hours.',
    query: environmentQuery,
    response: plannedAnswer,
  },

  'GET /api/v1/playground/runs': {
    meaning: 'Runs of the playground since the start, the newest first; at most 50.',
    query: playgroundQuery,
    response: wholeResponse(playgroundRun),
  },
  'POST /api/v1/playground/runs': {
    meaning: 'Begins one; it goes on without the page.',
    query: environmentQuery,
    body: playgroundRequest,
    response: playgroundRun,
  },
  'GET /api/v1/playground/runs/:runId': {
    meaning: 'One run as it stands.',
    params: playgroundParams,
    query: environmentQuery,
    response: playgroundRun,
  },
  'POST /api/v1/playground/runs/:runId/cancel': {
    meaning: 'Ends one that goes on.',
    params: playgroundParams,
    query: environmentQuery,
    response: playgroundRun,
  },

  'GET /api/v1/playground/runs/:runId/fixture': {
    meaning: 'A run of a function as it would be saved for replays, without secrets; 409 when it cannot be saved.',
    params: playgroundParams,
    query: environmentQuery,
    response: fixturePreview,
  },
  'POST /api/v1/playground/runs/:runId/fixture': {
    meaning: 'Writes it into the functions folder; 409 when a file is there and is not to be overwritten.',
    params: playgroundParams,
    query: environmentQuery,
    body: saveFixtureBody,
    response: z.object({ path: z.string() }),
  },

  'GET /api/v1/webhooks/incoming': {
    meaning: 'Webhooks that providers sent, newest first unless sorted; search in event types, connections, message.',
    query: dashboardWebhookQuery,
    response: listResponse(webhookRow),
  },
  'GET /api/v1/webhooks/incoming/:webhookId': {
    meaning: 'One webhook with its headers and its body.',
    params: webhookParams,
    query: environmentQuery,
    response: webhookDetail,
  },
  'POST /api/v1/webhooks/incoming/:webhookId/replay': {
    meaning: 'Takes it once more, as it came or edited; 409 when its body is not kept and none is given.',
    params: webhookParams,
    query: environmentQuery,
    body: replayWebhookBody,
    response: replayedWebhook,
  },

  'POST /api/v1/connect-sessions': {
    meaning: 'Begins a sign-in: a token for the connect page, for a new connection or one to renew.',
    query: environmentQuery,
    body: connectSessionBody,
    response: connectSessionAnswer,
  },
  'GET /api/v1/mcp/approvals': {
    meaning: 'Calls of MCP clients that wait for an answer, oldest first.',
    query: environmentQuery,
    response: wholeResponse(approvalRow),
  },
  'POST /api/v1/mcp/approvals/:approvalId': {
    meaning: 'Answers one; 404 when nothing waits any more.',
    params: z.object({ approvalId: z.string() }),
    query: environmentQuery,
    body: approvalBody,
    response: done,
  },
  'GET /api/v1/mcp/decisions': {
    meaning: 'What the user has decided for good, newest first.',
    query: environmentQuery,
    response: wholeResponse(mcpDecisionRow),
  },
  'PUT /api/v1/mcp/decisions': {
    meaning: 'Decides about one tool of a connection for one client, or takes it back.',
    query: environmentQuery,
    body: mcpDecisionBody,
    response: done,
  },
  'GET /api/v1/mcp/calls': {
    meaning: 'The last 200 calls of clients, refused ones too, the newest first.',
    query: environmentQuery,
    response: wholeResponse(toolCallRow),
  },
  'GET /api/v1/mcp/clients': {
    meaning: 'API keys that may call tools, oldest first.',
    query: environmentQuery,
    response: wholeResponse(mcpClientRow),
  },
  'POST /api/v1/mcp/clients': {
    meaning: 'Makes a key that may call tools and nothing else; the one answer with its secret.',
    query: environmentQuery,
    body: createMcpClientBody,
    response: createdMcpClient,
  },
  'DELETE /api/v1/mcp/clients/:clientId': {
    meaning: 'Revokes such a key; 404 for any other.',
    params: z.object({ clientId: z.coerce.number().int() }),
    query: environmentQuery,
    response: done,
  },
  'GET /api/v1/mcp/tools': {
    meaning: 'Tools of a connection and what one client may do with them.',
    query: mcpToolQuery,
    response: wholeResponse(mcpToolRow),
  },

  'GET /api/v1/webhooks/outgoing': {
    meaning: 'Webhooks to the caller’s application, newest first unless sorted.',
    query: outgoingWebhookQuery,
    response: listResponse(outgoingWebhookRow),
  },
  'GET /api/v1/webhooks/outgoing/:webhookId': {
    meaning: 'One with body, headers and attempts.',
    params: webhookParams,
    query: environmentQuery,
    response: outgoingWebhookDetail,
  },
  'POST /api/v1/webhooks/outgoing/:webhookId/replay': {
    meaning: 'Sends it again with a new signature to the same addresses or to another one.',
    params: webhookParams,
    query: environmentQuery,
    body: outgoingReplayBody,
    response: outgoingSent,
  },
  'POST /api/v1/webhooks/outgoing/replay-failed': {
    meaning: 'Sends again what failed, where it failed, and was not sent again since.',
    query: environmentQuery,
    body: outgoingFailedBody,
    response: outgoingSentMany,
  },
  'POST /api/v1/webhooks/outgoing/sample': {
    meaning: 'Sends a made-up event of a type, signed like a real one.',
    query: environmentQuery,
    body: outgoingSampleBody,
    response: outgoingSent,
  },

  'GET /api/v1/settings': {
    meaning: 'Settings of the environment, the values of its variables left out.',
    query: environmentQuery,
    response: environmentSettings,
  },
  'PATCH /api/v1/settings': {
    meaning: 'Changes what is given; all settings as they are then.',
    query: environmentQuery,
    body: updateSettingsBody,
    response: environmentSettings,
  },
  'GET /api/v1/settings/variable-use': {
    meaning: 'Which functions read which variables, and which ones they miss.',
    query: environmentQuery,
    response: variableUse,
  },
  'POST /api/v1/settings/signing-key': {
    meaning: 'A new key to sign webhooks with; the old one stops counting at once.',
    query: environmentQuery,
    response: done,
  },

  'GET /api/v1/data': {
    meaning: 'The data folder: what it takes, its backups, where its master key is.',
    response: dataState,
  },
  'POST /api/v1/data/backups': { meaning: 'Makes a backup now.', response: backupRow },
  'POST /api/v1/data/verify': {
    meaning: 'Reads the database, or a backup, from end to end; what is wrong with it.',
    body: verifyDataBody,
    response: verifiedData,
  },
  'POST /api/v1/data/compact': {
    meaning: 'Rewrites the database without free space; writes wait meanwhile.',
    response: compactedData,
  },
  'GET /api/v1/diagnostics': {
    meaning: 'What helps to find a fault: counts, sizes, versions, codes of errors. No secret, no content.',
    response: diagnostics,
  },
  'GET /api/v1/data/key': {
    meaning: 'Where the master key is, and whether it is still there: reads the keychain or the key file.',
    response: masterKeyState,
  },
  'POST /api/v1/data/key': {
    meaning: 'Replaces the master key by a new one, or moves it; 409 `conflict` when that cannot be done here.',
    body: changeKeyBody,
    response: changedKey,
  },
  'POST /api/v1/vault/lock': {
    meaning: 'Forgets the key of the data and every opened secret until the vault is unlocked or the hub starts again.',
    response: done,
  },
  'POST /api/v1/vault/unlock': {
    meaning: 'Reads the master key where it is; 409 `conflict` when it is not there, or the keychain is locked.',
    response: done,
  },
  'PUT /api/v1/vault/auto-lock': {
    meaning: 'Sets after how many minutes without a person at the dashboard the vault is locked.',
    body: autoLockBody,
    response: done,
  },
  'POST /api/v1/vault/presence': {
    meaning:
      'A person used the page: puts the automatic lock off. Pages send it after a key, a click or a turn of the wheel.',
    response: done,
  },

  'GET /api/v1/keys': {
    meaning: 'API keys with their use, oldest first; never the keys themselves.',
    query: environmentQuery,
    response: wholeResponse(keyRow),
  },
  'POST /api/v1/keys': {
    meaning: 'Makes a key; the one answer with its secret.',
    query: environmentQuery,
    body: createKeyForm,
    response: createdKey,
  },
  'PATCH /api/v1/keys/:keyId': {
    meaning: 'Renames it or changes what it may do, from the next call on.',
    params: keyParams,
    query: environmentQuery,
    body: updateKeyForm,
    response: done,
  },
  'DELETE /api/v1/keys/:keyId': {
    meaning: 'Revokes it at once; the last key of an environment stays.',
    params: keyParams,
    query: environmentQuery,
    response: done,
  },
  'GET /api/v1/pairings': {
    meaning: 'Apps that ask for a key and wait, oldest first.',
    query: environmentQuery,
    response: wholeResponse(pairingRow),
  },
  'POST /api/v1/pairings/:pairingId': {
    meaning: 'Answers one; 404 when it waits no more.',
    params: z.object({ pairingId: z.string() }),
    query: environmentQuery,
    body: pairingBody,
    response: done,
  },
  'GET /api/v1/audit': {
    meaning: 'Who did what with keys, secrets and settings in the last 90 days, newest first unless sorted.',
    query: auditQuery,
    response: listResponse(auditRow),
  },

  'GET /api/v1/notifications': {
    meaning: 'What happened in the last 30 days that concerns a person; one for each cause.',
    query: environmentQuery,
    response: notificationList,
  },
  'POST /api/v1/notifications/read': {
    meaning: 'Marks some or all as read.',
    query: environmentQuery,
    body: readNotificationsBody,
    response: done,
  },
  'POST /api/v1/notifications/update': {
    meaning: 'The desktop app has a new version ready.',
    body: updateReadyBody,
    response: done,
  },
  'GET /api/v1/notification-rules': {
    meaning: 'What is told, and how.',
    query: environmentQuery,
    response: notificationRules,
  },
  'PUT /api/v1/notification-rules': {
    meaning: 'Replaces them.',
    query: environmentQuery,
    body: notificationRules,
    response: notificationRules,
  },

  'POST /api/v1/reveal': {
    meaning: 'The value of one secret.',
    query: environmentQuery,
    body: revealBody,
    response: revealed,
  },
} as const satisfies Record<string, DashboardRoute>;

export type DashboardRoutes = typeof dashboardRoutes;
export type DashboardRouteKey = keyof DashboardRoutes;
