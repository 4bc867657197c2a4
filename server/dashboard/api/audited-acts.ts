import type { DashboardRouteKey } from '../../contract/dashboard/dashboard-routes.ts';
import type { AuditService } from '../../environments/audit.service.ts';
import type { AuditAction } from '../../environments/dashboard-audit.contract.ts';
import { bodyMembers, bodyText } from '../../platform/http/route.ts';
import { isJsonObject } from '../../platform/lib/json-object.ts';

/** The parts of a call that the audit reads. */
export interface AuditedCall {
  params: Record<string, unknown> | undefined;
  body: unknown;
}

interface Act {
  action: AuditAction;
  /** What the call acted on, never a secret value. The integration and the connection are read from the path. */
  subject?: (call: AuditedCall) => string | undefined;
  /** Recorded in the audit of the whole hub, because the environment itself is deleted. */
  isOfHub?: boolean;
}

const DESTINATIONS: Act = { action: 'settings_changed', subject: () => 'record destinations' };

/**
 * Dashboard calls that are recorded in the audit when they succeed: administrative acts and reveals of secrets. The
 * handlers of keys, pairings and calls of tools record their own acts, because only they know the names.
 */
const ACTS: Partial<Record<DashboardRouteKey, Act>> = {
  'POST /api/v1/reveal': { action: 'secret_revealed', subject: secretName },
  'POST /api/v1/environments': { action: 'environment_created', subject: bodyText('name') },
  'PATCH /api/v1/environments/current': { action: 'environment_changed', subject: bodyMembers },
  'DELETE /api/v1/environments/current': { action: 'environment_deleted', subject: bodyText('name'), isOfHub: true },
  'GET /api/v1/logs/har': { action: 'exported', subject: () => 'requests to providers' },
  'GET /api/v1/logs/operations/:operationId/recordings/:recordingId': {
    action: 'secret_revealed',
    subject: () => 'recorded bodies of a request',
  },
  'PUT /api/v1/traffic-recording': { action: 'settings_changed', subject: recordingText },
  'DELETE /api/v1/traffic-recording': { action: 'settings_changed', subject: () => 'traffic recordings deleted' },
  'POST /api/v1/transfer/export': { action: 'exported', subject: exportedText },
  'POST /api/v1/transfer/archive': { action: 'exported', subject: exportedText },
  'POST /api/v1/transfer/send': { action: 'exported', subject: () => 'environment, to another server' },
  'POST /api/v1/transfer/import': { action: 'imported', subject: () => 'environment' },
  'PUT /api/v1/provider-entries/:provider': { action: 'provider_approved', subject: param('provider') },
  'POST /api/v1/provider-entries/import': { action: 'provider_approved', subject: () => 'imported file' },
  'DELETE /api/v1/provider-entries/:provider': { action: 'provider_removed', subject: param('provider') },
  'POST /api/v1/schedules/pause': { action: 'settings_changed', subject: () => 'schedules paused' },
  'POST /api/v1/schedules/resume': { action: 'settings_changed', subject: () => 'schedules resumed' },
  'PUT /api/v1/practice/failure': {
    action: 'settings_changed',
    subject: () => 'simulated failure of the practice provider',
  },
  'POST /api/v1/record-destinations': DESTINATIONS,
  'PATCH /api/v1/record-destinations/:destinationId': DESTINATIONS,
  'DELETE /api/v1/record-destinations/:destinationId': DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/pause': DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/resume': DESTINATIONS,
  'POST /api/v1/record-destinations/:destinationId/replay': DESTINATIONS,
  'POST /api/v1/vault/lock': { action: 'settings_changed', subject: () => 'vault locked' },
  'POST /api/v1/vault/unlock': { action: 'settings_changed', subject: () => 'vault unlocked' },
  'PUT /api/v1/vault/auto-lock': { action: 'settings_changed', subject: () => 'automatic lock of the vault' },
  'POST /api/v1/providers/:provider/approve': { action: 'provider_approved', subject: param('provider') },
  'POST /api/v1/integrations': { action: 'integration_created', subject: bodyText('key') },
  'POST /api/v1/integrations/:integrationKey/duplicate': { action: 'integration_created', subject: copiedText },
  'PATCH /api/v1/integrations/:integrationKey': { action: 'integration_changed', subject: bodyMembers },
  'PUT /api/v1/snapshots': { action: 'settings_changed', subject: () => 'snapshots on' },
  'DELETE /api/v1/snapshots': { action: 'settings_changed', subject: () => 'snapshots off' },
  'PUT /api/v1/integrations/:integrationKey/drift-watch': {
    action: 'integration_changed',
    subject: () => 'drift watch on',
  },
  'DELETE /api/v1/integrations/:integrationKey/drift-watch': {
    action: 'integration_changed',
    subject: () => 'drift watch off',
  },
  'POST /api/v1/integrations/:integrationKey/changes/:changeId/undo': {
    action: 'integration_changed',
    subject: () => 'undo',
  },
  'DELETE /api/v1/integrations/:integrationKey': { action: 'integration_deleted' },
  'POST /api/v1/connections': { action: 'connection_imported' },
  'PATCH /api/v1/connections/:integrationKey/:connectionId': { action: 'connection_changed', subject: bodyMembers },
  'DELETE /api/v1/connections/:integrationKey/:connectionId': { action: 'connection_deleted' },
  'POST /api/v1/connections/bulk': { action: 'connection_changed', subject: bulkText },
  'POST /api/v1/functions/bulk': { action: 'functions_changed', subject: bulkText },
  'POST /api/v1/functions/missing/prune': { action: 'functions_changed', subject: () => 'prune' },
  'PATCH /api/v1/functions/:integrationKey/:type/:name': { action: 'functions_changed', subject: param('name') },
  'POST /api/v1/functions/:integrationKey/:type/:name/versions/:versionId/restore': {
    action: 'functions_changed',
    subject: param('name'),
  },
  'POST /api/v1/integrations/:integrationKey/functions': { action: 'functions_changed', subject: bodyText('name') },
  'POST /api/v1/functions/:integrationKey/:type/:name/tests/update': {
    action: 'functions_changed',
    subject: bodyText('path'),
  },
  'POST /api/v1/integrations/:integrationKey/templates/:type/:name': {
    action: 'functions_changed',
    subject: param('name'),
  },
  'POST /api/v1/playground/runs/:runId/fixture': { action: 'functions_changed', subject: () => 'recorded run' },
  'PATCH /api/v1/callback': { action: 'settings_changed', subject: () => 'callback_url' },
  'PATCH /api/v1/settings': { action: 'settings_changed', subject: bodyMembers },
  'POST /api/v1/webhook-destinations': { action: 'settings_changed', subject: () => 'webhook destination created' },
  'PATCH /api/v1/webhook-destinations/:destinationId': {
    action: 'settings_changed',
    subject: () => 'webhook destination changed',
  },
  'DELETE /api/v1/webhook-destinations/:destinationId': {
    action: 'settings_changed',
    subject: () => 'webhook destination deleted',
  },
  'PUT /api/v1/notification-rules': { action: 'settings_changed', subject: () => 'notifications' },
  'POST /api/v1/settings/signing-key': { action: 'signing_key_changed' },
  'PUT /api/v1/mcp/decisions': { action: 'mcp_policy_changed', subject: bodyText('tool') },
  'DELETE /api/v1/mcp/decisions': { action: 'mcp_policy_changed', subject: bodyText('tool') },
  'PUT /api/v1/limits': { action: 'limits_changed', subject: limitsText },
  'POST /api/v1/mcp/clients': { action: 'key_created', subject: bodyText('name') },
  'DELETE /api/v1/mcp/clients/:clientId': { action: 'key_revoked', subject: param('clientId') },
  'POST /api/v1/agents/sessions': { action: 'agent_session_created' },
  'PATCH /api/v1/agents/sessions/:sessionId': {
    action: 'agent_session_changed',
    subject: ({ body, params }) =>
      `${String(params?.['sessionId'])}: text by strangers, ${isJsonObject(body) ? String(body['untrustedContent']) : ''}`,
  },
  'POST /api/v1/agents/sessions/:sessionId/calls/:callId/undo': {
    action: 'agent_call_undone',
    subject: param('callId'),
  },
  'DELETE /api/v1/agents/sessions/:sessionId': { action: 'agent_session_ended', subject: param('sessionId') },
  'POST /api/v1/command-runs': { action: 'command_run_started', subject: bodyText('command') },
  'POST /api/v1/command-runs/:runId/stop': { action: 'command_run_ended', subject: param('runId') },
  'POST /api/v1/agent-sign-ins/:requestId/approve': { action: 'agent_session_created' },
  'POST /api/v1/data/backups': { action: 'backup_made' },
  'DELETE /api/v1/data/backups/:name': { action: 'backup_deleted', subject: param('name') },
  'POST /api/v1/data/key': { action: 'master_key_changed' },
};

/** Records a call that succeeded. `environmentId` is the environment of the call, null for the whole hub. */
export async function recordAct(
  audit: Pick<AuditService, 'record'>,
  key: DashboardRouteKey,
  call: AuditedCall,
  environmentId: number | null,
): Promise<void> {
  const act = ACTS[key];
  if (!act) return;
  await audit.record({
    action: act.action,
    environmentId: act.isOfHub ? null : environmentId,
    integrationKey: named(call, 'integrationKey', 'provider_config_key'),
    connectionId: named(call, 'connectionId', 'connection_id'),
    subject: act.subject?.(call),
  });
}

function param(name: string): (call: AuditedCall) => string | undefined {
  return ({ params }) => {
    const value = params?.[name];
    return value === undefined ? undefined : String(value);
  };
}

/**
 * Reads a name from the path, the body or the only target of the body; bodies of imports use the names of the public
 * API.
 */
function named(call: AuditedCall, name: string, wireName: string): string | undefined {
  const [only, ...others] = targetsOf(call);
  const target = others.length === 0 ? { body: only } : { body: undefined };
  return param(name)(call) ?? bodyText(name)(call) ?? bodyText(wireName)(call) ?? bodyText(name)(target);
}

function targetsOf({ body }: Pick<AuditedCall, 'body'>): unknown[] {
  return isJsonObject(body) && Array.isArray(body['targets']) ? body['targets'] : [];
}

/** Returns the kind of the secret and, if it has one, its name. */
function secretName({ body }: AuditedCall): string {
  const kind = bodyText('kind')({ body }) ?? '';
  const name = bodyText('name')({ body }) ?? bodyText('field')({ body });
  return name === undefined ? kind : `${kind} ${name}`;
}

/** Returns "environment", or the selected parts of it. */
function exportedText({ body }: AuditedCall): string {
  if (!isJsonObject(body)) return 'environment';
  const { connections, integrations } = body;
  if (Array.isArray(connections)) return exportedConnections(connections);
  return Array.isArray(integrations) ? `integrations ${integrations.join(', ')}` : 'environment';
}

function exportedConnections(chosen: readonly unknown[]): string {
  const [only] = chosen;
  if (chosen.length > 1 || !isJsonObject(only)) return `${chosen.length} connections`;
  return `connection ${only['integrationKey']}/${only['connectionId']}`;
}

/** Returns for example "traffic recording on, 200 MB". */
function recordingText({ body }: AuditedCall): string {
  const { isOn, mostMegabytes } = isJsonObject(body) ? body : {};
  return `traffic recording ${isOn === true ? 'on' : 'off'}, ${mostMegabytes} MB`;
}

/** Returns for example "session 359c426f". */
function limitsText({ body }: AuditedCall): string {
  return [bodyText('kind')({ body }), bodyText('id')({ body })].filter((part) => part).join(' ');
}

/** Returns for example "copied as hubspot-2 into prod". */
function copiedText({ body }: AuditedCall): string {
  return `copied as ${bodyText('key')({ body })} into ${bodyText('environment')({ body })}`;
}

/** Names of a list beyond these are only counted. */
const SHOWN_TARGETS = 5;

/** Returns for example "delete a, b", or "disable greet". A single connection is named by its own columns. */
function bulkText({ body }: AuditedCall): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const targets = targetsOf({ body });
  const command = String(body['command'] ?? (body['isEnabled'] ? 'enable' : 'disable'));
  const names = targets.map(
    (target) => bodyText('name')({ body: target }) ?? bodyText('connectionId')({ body: target }),
  );
  if (targets.length === 1 && bodyText('connectionId')({ body: targets[0] }) !== undefined) return command;
  const more = names.length > SHOWN_TARGETS ? ` and ${names.length - SHOWN_TARGETS} more` : '';
  return `${command} ${names.slice(0, SHOWN_TARGETS).join(', ')}${more}`;
}
