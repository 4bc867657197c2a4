import type { Environment } from '../environments/environment.service.ts';
import type { StoredEnvironmentSettings } from '../environments/environment-settings.ts';
import { compactJson } from '../platform/lib/exact-json.ts';
import type { WebhookType } from './delivery.ts';

/** A webhook's body before it becomes text; undefined members are left out (webhooks.md 1.3). */
export type WebhookPayload = Record<string, unknown>;

export function authPayload(event: AuthEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'auth',
    operation: event.operation,
    connectionId: event.connectionId,
    authMode: event.authMode,
    providerConfigKey: event.providerConfigKey,
    provider: event.provider,
    environment: event.environment.name,
    success: event.success,
    endUser: event.endUser ? endUserPayload(event.endUser) : undefined,
    tags: event.tags,
    error: event.success ? undefined : event.error,
  };
}

function endUserPayload({ id, email, organization, tags }: WebhookEndUser): WebhookPayload {
  return { endUserId: id, endUserEmail: email, organizationId: organization?.id, tags: tags ?? {} };
}

export function syncPayload(event: SyncEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'sync',
    connectionId: event.connectionId,
    providerConfigKey: event.providerConfigKey,
    syncName: event.syncName,
    syncVariant: event.syncVariant,
    syncType: event.syncType,
    model: event.model,
    checkpoints: event.checkpoints,
    success: event.success,
    ...(event.success
      ? {
          responseResults: event.responseResults,
          modifiedAfter: isoTime(event.modifiedAfter),
          queryTimeStamp: isoTime(event.modifiedAfter),
        }
      : { error: errorPayload(event.error), startedAt: isoTime(event.startedAt), failedAt: isoTime(event.failedAt) }),
  };
}

function errorPayload({ message, payload, additionalProperties }: SyncRunError): WebhookPayload {
  return { type: 'script_error', description: message, payload, additional_properties: additionalProperties };
}

export function asyncActionPayload({ callId, connectionId, providerConfigKey }: AsyncActionEvent): WebhookPayload {
  return {
    from: 'nango',
    type: 'async_action',
    connectionId,
    providerConfigKey,
    payload: { id: callId, statusUrl: `/action/${callId}` },
  };
}

/**
 * The body of a forwarded webhook, in which `from` is the provider. The payload is spliced in as text, so that it keeps
 * its digits, its order and repeated names (design.md 7.49).
 */
export function forwardBody(
  { integration, json }: Pick<ForwardEvent, 'integration' | 'json'>,
  connectionId: string,
): string {
  const text = (value: string): string => JSON.stringify(value);
  const { provider, uniqueKey } = integration;
  return (
    `{"connectionId":${text(connectionId)},"from":${text(provider)},"payload":${compactJson(json)},` +
    `"providerConfigKey":${text(uniqueKey)},"type":"forward"}`
  );
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** The part of a connection's end user that the `auth` webhook contains. */
interface WebhookEndUser {
  id: string;
  email: string | null;
  displayName: string | null;
  organization: { id: string } | null;
  tags: Record<string, string> | null;
}

/** A connection was created or re-authorized, or this failed, or its credentials could not be refreshed, or it was deleted. */
export interface AuthEvent {
  environment: Environment;
  /** For a failed creation, the intended id. */
  connectionId: string;
  providerConfigKey: string;
  /** `unknown` when the integration cannot be resolved. */
  provider: string;
  /** The auth mode of the provider. */
  authMode: string;
  operation: 'creation' | 'override' | 'refresh' | 'deletion';
  success: boolean;
  endUser?: WebhookEndUser | null | undefined;
  /** Tags of the connection. */
  tags?: Record<string, string> | undefined;
  /** Present for failures only. */
  error?: { type: string; description: string } | undefined;
  webhookUrlOverride?: string | null | undefined;
}

/** An asynchronous action ended, with success or its last failure. */
export interface AsyncActionEvent {
  environment: Environment;
  providerConfigKey: string;
  connectionId: string;
  actionName: string;
  /** Id of the call; its response is at `/action/<id>`. */
  callId: string;
  /** Operation of its last attempt; absent when it never ran. */
  operationId?: string | undefined;
}

/** A provider's webhook to forward. */
export interface ForwardEvent {
  environment: Environment;
  integration: { uniqueKey: string; provider: string; forwardsWebhooks: boolean };
  /** Id of the stored webhook; absent when it was not stored. */
  incomingId?: string;
  /** JSON text of the payload that the routing chose. */
  json: string;
  /** The provider's headers, with lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /** The matched connections. When there are none, the payload is sent once, without a wrapper. */
  connections: ReadonlyArray<{ connectionId: string; webhookUrlOverride: string | null }>;
}

/** A finished run, as the `sync` webhook describes it (webhooks.md 1.3). Times are in milliseconds since the epoch. */
export type SyncEvent = SyncSucceeded | SyncFailed;

interface SyncEventBase {
  environmentId: number;
  connectionId: string;
  providerConfigKey: string;
  providerName: string;
  syncName: string;
  syncVariant: string;
  /** `INITIAL` when there was no last sync date before the run. */
  syncType: 'INITIAL' | 'INCREMENTAL' | 'WEBHOOK';
  /** The connection's current own address; absent when it must be read. */
  webhookUrlOverride?: string | null;
  /** Absent when the run touched no checkpoint. */
  checkpoints?: { from: Record<string, unknown> | null; to: Record<string, unknown> | null };
}

export interface SyncSucceeded extends SyncEventBase {
  success: true;
  /** One event per model, without variant. */
  model: string;
  responseResults: { added: number; updated: number; deleted: number };
  /** Start of the run. */
  modifiedAfter: number;
}

export interface SyncFailed extends SyncEventBase {
  success: false;
  /** All models, joined by a comma; empty when the run was cancelled or reached its time limit. */
  model: string;
  error: SyncRunError;
  startedAt: number;
  failedAt: number;
}

export interface SyncRunError {
  message: string;
  /** Error code of the catalogue. */
  type?: string;
  payload?: unknown;
  additionalProperties?: Record<string, unknown>;
}

const CONNECTION = { connectionId: 'sample-connection', providerConfigKey: 'sample-integration' };
/** No call has this id, so the address in the sample answers 404, like the address of a running call. */
const SAMPLE_CALL_ID = '00000000-0000-4000-8000-000000000000';

/** The body of a type as receivers get it, with made-up values. */
export function samplePayload(type: WebhookType, environment: Environment, nowMs: number): Record<string, unknown> {
  switch (type) {
    case 'auth':
      return authPayload({
        ...CONNECTION,
        environment,
        provider: 'github',
        authMode: 'OAUTH2',
        operation: 'creation',
        success: true,
        endUser: {
          id: 'sample-user',
          email: 'user@example.com',
          displayName: null,
          organization: { id: 'sample-organization' },
          tags: null,
        },
        tags: { end_user_id: 'sample-user' },
      });
    case 'sync':
      return syncPayload({
        ...CONNECTION,
        environmentId: environment.id,
        providerName: 'github',
        syncName: 'sample-sync',
        syncVariant: 'base',
        syncType: 'INCREMENTAL',
        success: true,
        model: 'Sample',
        responseResults: { added: 1, updated: 2, deleted: 0 },
        modifiedAfter: nowMs,
      });
    case 'async_action':
      return asyncActionPayload({ ...CONNECTION, environment, actionName: 'sample-action', callId: SAMPLE_CALL_ID });
    case 'forward':
      return JSON.parse(
        forwardBody(
          {
            integration: { uniqueKey: CONNECTION.providerConfigKey, provider: 'github', forwardsWebhooks: true },
            json: '{"action":"opened","issue":{"number":1,"title":"A sample issue"}}',
          },
          CONNECTION.connectionId,
        ),
      );
  }
}

type WebhookSettings = StoredEnvironmentSettings['webhook'];

/** Addresses of an event, in order: a connection's own address replaces the two of the environment. */
export function destinationsOf(settings: WebhookSettings, override: string | null | undefined): string[] {
  const urls = override ? [override] : [settings.primaryUrl, settings.secondaryUrl];
  return urls.filter((url): url is string => Boolean(url));
}

/** Whether the settings ask for a webhook about this event. */
export function isAuthWanted(settings: WebhookSettings, { operation, success }: AuthEvent): boolean {
  switch (operation) {
    case 'creation':
      return settings.onAuthCreation;
    case 'override':
      return true;
    case 'refresh':
      return !success && settings.onAuthRefreshError;
    case 'deletion':
      return settings.onConnectionDeletion;
  }
}

/** Whether the settings ask for a webhook about this event. `unchanged`: not sent, because no record changed. */
export function decideSync(settings: WebhookSettings, event: SyncEvent): 'wanted' | 'unwanted' | 'unchanged' {
  if (!event.success) return settings.onSyncError ? 'wanted' : 'unwanted';
  const { added, updated, deleted } = event.responseResults;
  return added + updated + deleted > 0 || settings.onSyncCompletionAlways ? 'wanted' : 'unchanged';
}
